/*
 * tests/unit/train/test_score_lines.c - lines and fields of files, and what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/score_lines.h"

static enum t2_status read_text(const char *text, int n_fields, struct ev_lines *l,
                                struct t2_err *err)
{
    const char *path = t_tmp_path("lines");

    t_write_file(path, text, strlen(text));
    return ev_lines_read(path, n_fields, l, err);
}

static void check_line(const struct ev_lines *l, size_t i, const char *want)
{
    assert_true(t2_slice_eq(ev_line(l, i), t2_slice_of(want)));
}

static void test_lines(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_lines l = {.n = 0};

    (void) state;
    assert_int_equal(read_text(" a b\t\r\n\n\u00e4\u3000\u2028\nc\vd\xc2\x85", 1, &l, &err), T2_OK);
    assert_int_equal(l.n, 4);
    check_line(&l, 0, " a b");
    check_line(&l, 1, "");
    check_line(&l, 2, "\u00e4");
    check_line(&l, 3, "c\vd");
    ev_lines_release(&l);
    assert_int_equal(read_text("", 1, &l, &err), T2_OK);
    assert_int_equal(l.n, 0);
    ev_lines_release(&l);
}

static void test_fields(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_lines l[2] = {{.n = 0}, {.n = 0}};

    (void) state;
    assert_int_equal(read_text("a\tb\n\tc d\te\n", 2, l, &err), T2_OK);
    check_line(&l[0], 0, "a");
    check_line(&l[1], 0, "b");
    check_line(&l[0], 1, "");
    check_line(&l[1], 1, "c d\te");
    ev_lines_release(&l[0]);
    ev_lines_release(&l[1]);
    assert_int_equal(read_text("a\tb\nc\t\n", 2, l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 2 has 1 field, expected 2");
    ev_lines_release(&l[0]);
    ev_lines_release(&l[1]);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_lines l = {.n = 0}, other = {.name = "other", .n = 3};
    char *text = malloc(EV_MAX_LINE_BYTES + 2);

    (void) state;
    assert_int_equal(read_text("ok\na\xff\n", 1, &l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 2, byte 2: not UTF-8 (0xff)");
    ev_lines_release(&l);
    assert_non_null(text);
    memset(text, 'a', EV_MAX_LINE_BYTES + 1);
    text[EV_MAX_LINE_BYTES + 1] = '\0';
    assert_int_equal(read_text(text, 1, &l, &err), T2_EFORMAT);
    ev_lines_release(&l);
    free(text);
    assert_int_equal(ev_lines_read(t_tmp_path("none"), 1, &l, &err), T2_ENOTFOUND);
    assert_int_equal(read_text("a\n", 1, &l, &err), T2_OK);
    assert_int_equal(ev_lines_match(&l, &other, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'other' has 3 lines, '");
    t_assert_contains(err.message, "has 1: line 2 of 'other'");
    assert_int_equal(ev_lines_match(&l, &l, &err), T2_OK);
    ev_lines_release(&l);
}

T_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_fields), cmocka_unit_test(test_refused))
