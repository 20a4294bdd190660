/*
 * tests/unit/datagen/source/test_parallel_line.c - the rules for one line of SGML, TSV, TMX.
 */
#include "datagen/source/parallel_line.h"

#include "tests/support/t.h"

#define CHECK(slice, text) assert_true(t2_slice_eq((slice), t2_slice_of(text)))

static void test_stripped(void **state)
{
    (void) state;
    CHECK(dg_stripped(t2_slice_of(" \t\xc2\xa0 a b\xe3\x80\x80 \x1f")), "a b");
    CHECK(dg_stripped(t2_slice_of("\xe2\x80\x8b")), "\xe2\x80\x8b"); /* U+200B is no blank */
    CHECK(dg_stripped(t2_slice_of("")), "");
    CHECK(dg_stripped(t2_slice_of(" ")), "");
}

static void test_sgm(void **state)
{
    static const char *const cases[][2] = {
        {"<seg id=\"1\">a &amp; b</seg>", "a &amp; b"},
        {"<seg>x</seg><seg>y</seg>", "x</seg><seg>y"},
        {"<seg> x </seg>", " x "},
        {"<segment>x</seg>", "x"},
        {"<seg></seg>", ""},
        {"<seg</seg>", ""},
        {"<seg>open", ""},
        {"<SEG>x</SEG>", ""},
        {"text", ""},
        {"<p>", ""},
        {"<doc>", ""},
        {"<srcset>", ""},
        {"", ""},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(dg_sgm_text(t2_slice_of(cases[i][0])), cases[i][1]);
}

static void test_tsv(void **state)
{
    struct t2_slice row = t2_slice_of("id\t0.5\t czech \tenglish\n"), text;

    (void) state;
    assert_true(dg_tsv_column(row, 0, &text));
    CHECK(text, "id");
    assert_true(dg_tsv_column(row, 2, &text));
    CHECK(text, "czech");
    assert_true(dg_tsv_column(row, 3, &text));
    CHECK(text, "english");
    assert_false(dg_tsv_column(row, 4, &text));
    assert_false(dg_tsv_column(t2_slice_of(""), 1, &text));
    assert_true(dg_tsv_column(t2_slice_of("a\t"), 1, &text));
    CHECK(text, "");
}

static void test_tmx(void **state)
{
    static const char *const none[] = {"<seg>a</seg>",
                                       "\t<seg>a</seg>",
                                       " <seg>a</seg> ",
                                       " <seg>a</seg>\r",
                                       " <seg>a",
                                       " <seg></seg",
                                       ""};
    struct t2_buf out = {0};
    struct t2_slice text;

    (void) state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(dg_tmx_segment(t2_slice_of(none[i]), &text));
    assert_true(dg_tmx_segment(t2_slice_of("  <seg> a</seg></seg>"), &text));
    CHECK(text, " a</seg>");
    assert_true(dg_tmx_segment(t2_slice_of(" <seg></seg>"), &text));
    CHECK(text, "");
    t2_buf_puts(&out, "&lt;");
    dg_tmx_decode(t2_slice_of(
                      "&amp;amp; & amp; &apos;& quot;&lt;& gt; &  lt; &amp;lt; &#233; &AMP;"),
                  &out);
    assert_string_equal(t2_buf_cstr(&out), "&lt;& & '\"<> &  lt; < &#233; &AMP;");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_stripped), cmocka_unit_test(test_sgm), cmocka_unit_test(test_tsv),
       cmocka_unit_test(test_tmx))
