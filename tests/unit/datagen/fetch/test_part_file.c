/*
 * tests/unit/datagen/fetch/test_part_file.c - parts that are continued, and parts that are of no
 * use.
 */
#include "datagen/fetch/part_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static struct t2_err err;

static const char *fresh_dir(void)
{
    static int n;
    char name[16];
    const char *dir;

    snprintf(name, sizeof name, "d%d", n++);
    dir = t_tmp_path(name);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    return dir;
}

static void check_content(const char *path, const char *want)
{
    size_t n;
    char *text = t_read_file(path, &n);

    assert_string_equal(text, want);
    free(text);
}

static void begin(struct dg_part *p, const char *dir, uint64_t total)
{
    char url[] = "http://h/a";
    struct dg_part_state s = {.url = url, .etag = "\"1\"", .total_bytes = total};

    dg_part_look(p, dir, "a");
    assert_int_equal(dg_part_begin(p, &s, &err), T2_OK);
}

static void test_continues(void **state)
{
    const char *dir = fresh_dir();
    struct dg_part p;

    (void) state;
    dg_part_look(&p, dir, "a");
    assert_null(p.state.url);
    assert_int_equal(p.have_bytes, 0);
    dg_part_release(&p);

    begin(&p, dir, 6);
    assert_int_equal(dg_part_append(&p, "abc", 3, &err), T2_OK);
    assert_int_equal(dg_part_close(&p, &err), T2_OK);
    dg_part_release(&p);

    dg_part_look(&p, dir, "a");
    assert_string_equal(p.state.url, "http://h/a");
    assert_int_equal(p.have_bytes, 3);
    assert_int_equal(dg_part_continue(&p, &err), T2_OK);
    assert_int_equal(dg_part_append(&p, "def", 3, &err), T2_OK);
    assert_int_equal(p.have_bytes, 6);
    assert_int_equal(dg_part_close(&p, &err), T2_OK);
    check_content(p.path, "abcdef");

    assert_int_equal(dg_part_discard(&p, &err), T2_OK);
    assert_false(t2_exists(p.path));
    assert_false(t2_exists(p.state_path));
    assert_int_equal(dg_part_discard(&p, &err), T2_OK);
    dg_part_release(&p);
}

static void test_begin_empties(void **state)
{
    const char *dir = fresh_dir();
    struct dg_part p;

    (void) state;
    begin(&p, dir, 0);
    assert_int_equal(dg_part_append(&p, "old", 3, &err), T2_OK);
    dg_part_release(&p);
    begin(&p, dir, 0);
    assert_int_equal(p.have_bytes, 0);
    assert_int_equal(dg_part_append(&p, "n", 1, &err), T2_OK);
    assert_int_equal(dg_part_close(&p, &err), T2_OK);
    check_content(p.path, "n");
    dg_part_release(&p);
}

static void test_of_no_use(void **state)
{
    const char *dir = fresh_dir();
    struct dg_part p;

    (void) state;
    begin(&p, dir, 2); /* longer than the whole */
    assert_int_equal(dg_part_append(&p, "abc", 3, &err), T2_OK);
    dg_part_release(&p);
    dg_part_look(&p, dir, "a");
    assert_null(p.state.url);
    assert_int_equal(p.have_bytes, 0);
    dg_part_release(&p);

    begin(&p, dir, 0); /* a state that is none */
    assert_int_equal(dg_part_append(&p, "abc", 3, &err), T2_OK);
    t_write_file(p.state_path, "{", 1);
    dg_part_release(&p);
    dg_part_look(&p, dir, "a");
    assert_null(p.state.url);
    dg_part_release(&p);

    begin(&p, dir, 0); /* no state: killed between two steps */
    assert_int_equal(unlink(p.state_path), 0);
    dg_part_release(&p);
    dg_part_look(&p, dir, "a");
    assert_null(p.state.url);
    dg_part_release(&p);
}

static void test_cannot_write(void **state)
{
    struct dg_part_state s = {0};
    struct dg_part p;
    char url[] = "u";

    (void) state;
    s.url = url;
    dg_part_look(&p, t_tmp_path("no such folder"), "a");
    assert_int_not_equal(dg_part_begin(&p, &s, &err), T2_OK);
    t_assert_contains(err.message, "a.part");
    dg_part_release(&p);
}

T_MAIN(cmocka_unit_test(test_continues), cmocka_unit_test(test_begin_empties),
       cmocka_unit_test(test_of_no_use), cmocka_unit_test(test_cannot_write))
