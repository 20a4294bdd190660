/*
 * tests/unit/datagen/source/test_tab_fields.c - bytes.strip().split("\t"), and its parts.
 */
#include "datagen/source/tab_fields.h"

#include "tests/support/t.h"

static void check(const char *line, const char *expected)
{
    struct dg_fields f = {0};
    struct t2_buf out = {0};

    dg_fields_cut(&f, t2_slice_of(line));
    for (size_t i = 0; i < f.n; i++)
        t2_buf_printf(&out, "%s[%.*s]", i ? "" : "", (int) f.items[i].len_bytes,
                      (const char *) f.items[i].data);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
    dg_fields_release(&f);
}

static void test_fields(void **state)
{
    (void) state;
    check("a\t b \tc \r", "[a][ b ][c]");
    check("\ta\t\tb\t\t", "[a][][b]");
    check("i\rnner\tx", "[inner][x]");
    check("\xc2\xa0"
          "a",
          "[\xc2\xa0"
          "a]");
    check("", "[]");
    check(" \v\f\t\r", "[]");
}

static void test_numbers(void **state)
{
    int64_t n;

    (void) state;
    assert_true(dg_parse_int(t2_slice_of(" -12 "), &n) && n == -12);
    assert_false(dg_parse_int(t2_slice_of(""), &n));
    assert_false(dg_parse_int(t2_slice_of("1x"), &n));
    assert_false(dg_parse_int(t2_slice_of("1111111111111111111111111111111111111"), &n));
}

static void test_strip(void **state)
{
    (void) state;
    assert_int_equal(dg_strip(t2_slice_of("\xc2\xa0 x\xe3\x80\x80")).len_bytes, 1);
    assert_int_equal(dg_strip_ascii(t2_slice_of("\xc2\xa0 x \t")).len_bytes, 4);
    assert_int_equal(dg_strip((struct t2_slice){0}).len_bytes, 0);
}

T_MAIN(cmocka_unit_test(test_fields), cmocka_unit_test(test_numbers), cmocka_unit_test(test_strip))
