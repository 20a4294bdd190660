/*
 * test_revision_text.c - the prose of a revision; the values are those of T2T 1.15.7.
 */
#include "datagen/problems/revision_text.h"

#include "tests/support/t.h"

static void check_raw(const char *revision, const char *expected)
{
    struct dg_revision_scratch scratch = {{0}, {0}};
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_revision_text(t2_slice_of(revision), &scratch, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
    dg_revision_scratch_release(&scratch);
}

static void check(const char *text, const char *expected)
{
    struct t2_buf revision = {0};

    t2_buf_printf(&revision, "<comment>c</comment>\n<text a=\"b\">%s</text>\n", text);
    check_raw(t2_buf_cstr(&revision), expected);
    t2_buf_release(&revision);
}

static void test_text(void **state)
{
    (void) state;
    check("a {{b {c} d}} e", "a  e");
    check("a } b { c", "a  c");
    check("x {y", "x ");
    check("{a}b}c{d", "bd");
    check("line\n* star\nZed\n\"q\n'q\n[x\n9\n\nend", "line\nZed\n\"q\n'q\n[x\nend");
    check("a&lt;ref x&gt;y&lt;/ref&gt;b [[c|d|e]] [[f]] [[g:h]] '''i'''", "ab d|e f  i");
    check("a [[b", "a ");
    check("]] a '''b", "]] a ");
    check("\xc3\xa9 no letter of ASCII\n_ok &amp; so", "_ok &amp; so");
    check("", "");
}

static void test_marks(void **state)
{
    struct dg_revision_scratch scratch = {{0}, {0}};
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    check_raw("<text x />", "");
    check_raw("<text>", "");
    check_raw("a<text>b</text>c</text>", "b");
    check_raw("</text><text>a", "");
    assert_int_equal(dg_revision_text(t2_slice_of("<tex"), &scratch, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, "no <text ...>");
    dg_revision_scratch_release(&scratch);
}

static void check_counts(double factor, uint64_t n, const uint64_t *expected)
{
    size_t at = 0;

    for (uint64_t i = 0; i < n; i++) {
        bool counts = dg_revision_counts(i, factor);
        assert_int_equal(counts, expected[at] == i);
        at += counts;
    }
}

static void test_counts(void **state)
{
    static const uint64_t of_1_5[] = {0, 1, 2, 4, 6, 10, 16, 24, 37, 56, 99};
    static const uint64_t of_1_1[] = {0,  1,  2,  3,  4,  5,  6,  7,  8, 9,
                                      10, 12, 13, 14, 16, 18, 20, 22, 99};
    static const uint64_t of_2[] = {0, 2, 6, 99};

    (void) state;
    check_counts(1.5, 60, of_1_5);
    check_counts(1.1, 23, of_1_1);
    check_counts(2.0, 12, of_2);
    assert_true(dg_revision_counts(3, 1.0) && dg_revision_counts(3, 0));
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_marks), cmocka_unit_test(test_counts))
