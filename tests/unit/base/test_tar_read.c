/*
 * tests/unit/base/test_tar_read.c - members of tar archives; cut and damaged ones are refused.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/tar.h"
#include "tests/support/t.h"

static const char path[] = "test_tar_read.tmp";

/* Not t2_write_file: there are thousands of them, and none needs to survive a power cut. */
static void write_file(const void *data, size_t n_bytes)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n_bytes, f), n_bytes);
    assert_int_equal(fclose(f), 0);
}

/* "name=content;" for each member, then "!message" of a failure. */
static const char *members(const struct t2_buf *archive, size_t n_bytes, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf content = {0};
    struct t2_tar *t;
    const char *name;
    enum t2_status st;

    t2_buf_clear(out);
    write_file(archive->data, n_bytes);
    assert_int_equal(t2_tar_new(path, &t, &err), T2_OK);
    while ((st = t2_tar_next(t, &name, &content, &err)) == T2_OK)
        t2_buf_printf(out, "%s=%s;", name, t2_buf_cstr(&content));
    if (st != T2_EOF)
        t2_buf_printf(out, "!%s", err.message);
    t2_tar_free(t);
    t2_buf_release(&content);
    assert_int_equal(remove(path), 0);
    return t2_buf_cstr(out);
}

static void test_cut_everywhere(void **state)
{
    struct t2_buf a = {0}, out = {0};

    (void) state;
    t2_tar_put(&a, "./a", "x", 1);
    t2_tar_put(&a, "b/c", "", 0);
    t2_tar_end(&a);
    assert_string_equal(members(&a, a.len_bytes, &out), "a=x;b/c=;");
    for (size_t cut = 0; cut < a.len_bytes; cut++) {
        const char *got = members(&a, cut, &out);
        bool at_end = cut >= 1536 && (cut - 1536 == 0 || cut >= 2048);
        bool between = cut >= 1024 && cut <= 1024; /* no end blocks: a sound archive of one file */
        bool last_padding = cut >= 513 && cut < 1024;
        if (!at_end && !between && !last_padding && !strchr(got, '!'))
            fail_msg("cut at %zu is accepted: %s", cut, got);
    }
    t2_buf_release(&a);
    t2_buf_release(&out);
}

static void test_names(void **state)
{
    struct t2_buf a = {0}, out = {0};

    (void) state;
    t2_tar_put(&a, "a/../../b", "x", 1);
    assert_string_equal(
        members(&a, a.len_bytes, &out),
        "!'test_tar_read.tmp': member 'a/../../b' at offset 512: its name leads out "
        "of the archive by '..'");
    t2_buf_clear(&a);
    t2_tar_put(&a, "/a", "x", 1);
    assert_string_equal(members(&a, a.len_bytes, &out),
                        "!'test_tar_read.tmp': member '/a' at offset 512: its name is absolute");
    t2_buf_clear(&a);
    t2_tar_put(&a, "a..b/..c", "x", 1);
    assert_string_equal(members(&a, a.len_bytes, &out), "a..b/..c=x;");
    a.data[0] = 'A';
    assert_string_equal(
        members(&a, a.len_bytes, &out),
        "!'test_tar_read.tmp': at offset 0: no tar archive (there is no sound header)");
    t2_buf_release(&a);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_cut_everywhere), cmocka_unit_test(test_names))
