/*
 * test_stripped_lines.c - lines as T2T's encoders read them.
 */
#include "tokenizer/stripped_lines.h"

#include <string.h>

#include "tests/support/t.h"

static void test_lines(void **state)
{
    static const char text[] = " a \r\n\n\xE3\x80\x80"
                               "b\rc\xC2\x85\n d e";
    static const char *const want[] = {"a", "", "bc", "d e"};
    struct t2_err err = T2_ERR_INIT;
    struct tok_lines l;

    (void) state;
    t_write_file(t_tmp_path("f"), text, sizeof text - 1);
    assert_int_equal(tok_stripped_lines(t_tmp_path("f"), &l, &err), T2_OK);
    assert_int_equal(l.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(t2_slice_eq(l.items[i], t2_slice_of(want[i])));
    assert_int_equal(strlen(l.sha256), 64);
    tok_lines_release(&l);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_lines l;

    (void) state;
    t_write_file(t_tmp_path("f"), "", 0);
    assert_int_equal(tok_stripped_lines(t_tmp_path("f"), &l, &err), T2_EFORMAT);
    tok_lines_release(&l);
    t_write_file(t_tmp_path("f"), "ab\xFF", 3);
    assert_int_equal(tok_stripped_lines(t_tmp_path("f"), &l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "byte 2 is not UTF-8");
    tok_lines_release(&l);
    assert_int_equal(tok_stripped_lines(t_tmp_path("absent"), &l, &err), T2_ENOTFOUND);
    tok_lines_release(&l);
}

T_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_refused))
