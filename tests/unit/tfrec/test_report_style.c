/*
 * tests/unit/tfrec/test_report_style.c - braces match, both colour schemes are there.
 */
#include "tests/unit/tfrec/pages.h"

static void test_style(void **state)
{
    struct t2_buf css = {NULL, 0, 0};
    int depth = 0;

    (void) state;
    rec_report_style(&css);
    for (size_t i = 0; i < css.len_bytes; i++) {
        depth += (css.data[i] == '{') - (css.data[i] == '}');
        assert_true(depth >= 0 && depth <= 2);
        assert_int_not_equal(css.data[i], '<');
    }
    assert_int_equal(depth, 0);
    t_assert_contains(t2_buf_cstr(&css), "prefers-color-scheme:dark");
    t_assert_contains(t2_buf_cstr(&css), "max-width:640px");
    t2_buf_release(&css);
}

T_MAIN(cmocka_unit_test(test_style))
