/*
 * tests/unit/datagen/fetch/test_fetch_command.c - --fetch: lists of files and mirrors, and what is
 * wrong with them.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "datagen/fetch/fetch_flags.h"
#include "tests/support/t.h"

static struct t2_err err;

static enum t2_status command(const char *fetch, const char *sha256, int64_t size, bool is_dry_run,
                              struct t2_buf *text)
{
    struct dg_fetch_flags f = DG_FETCH_FLAGS_INIT;

    f.fetch = fetch;
    f.sha256 = sha256;
    f.size = size;
    f.offline = true;
    t2_buf_clear(text);
    return dg_fetch_command(&f, t_tmp_path("tmp"), is_dry_run, text, &err);
}

#define DIGEST "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" /* of hello */

static void test_refused(void **state)
{
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(command("a,b", DIGEST, 0, false, &text), T2_EUSAGE);
    t_assert_contains(err.message, "--sha256 names 1 digests for 2 files");
    assert_int_equal(command("a,b", "", 5, false, &text), T2_EUSAGE);
    t_assert_contains(err.message, "--size is the size of one file");
    assert_int_equal(command("a", "", -5, false, &text), T2_EUSAGE);
    assert_int_equal(command("a", "12", 0, false, &text), T2_EUSAGE);
    t_assert_contains(err.message, "--sha256='12': must be 64 hex digits");
    assert_int_equal(command("a,,b", "", 0, false, &text), T2_EUSAGE);
    t_assert_contains(err.message, "--fetch='a,,b': one of the names is empty");
    t2_buf_release(&text);
}

static void test_local_files(void **state)
{
    char list[4000], a[1000];
    struct t2_buf text = {0};

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    snprintf(a, sizeof a, "%s", t_tmp_path("a"));
    t_write_file(a, "hello", 5);
    snprintf(list, sizeof list, "%s.not|%s,file://%s", a, a, a);
    assert_int_equal(command(list, "", 0, false, &text), T2_OK);
    snprintf(list, sizeof list, "%s\n%s\n", a, a);
    assert_string_equal(t2_buf_cstr(&text), list);
    assert_int_equal(command(a, DIGEST, 5, false, &text), T2_OK);
    assert_int_equal(command(a, DIGEST, 5, true, &text), T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "there");
    t_assert_contains(t2_buf_cstr(&text), "5 B");
    snprintf(list, sizeof list, "%s,%s.not,http://h/b", a, a);
    assert_int_equal(command(list, "", 0, true, &text), T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "missing");
    t_assert_contains(t2_buf_cstr(&text), "download           ?  http://h/b -> ");
    assert_int_equal(command(list, "", 0, false, &text), T2_ENOTFOUND);
    t_assert_contains(t2_buf_cstr(&text), a);
    t2_log_set_level(T2_LOG_INFO);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_refused), cmocka_unit_test(test_local_files))
