/*
 * test_filter_stream.c - what is left out, and why.
 */
#include "datagen/source/filter_stream.h"

#include <math.h>

#include "tests/unit/datagen/source/sample_list.h"

static void check(const char *const *texts, const struct dg_filters *f, bool has_inputs,
                  const char *expected)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(dg_filters_check(f, &err), T2_OK);
    assert_int_equal(read_stream(dg_filter_stream_new(sample_list_new(texts), f, has_inputs), &text,
                                 &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_lengths(void **state)
{
    static const char *const texts[] = {"a", "abc", "äöü", "  xy ", "", "abc", "abcd", "ab", NULL};
    struct dg_filters f = {.min_length = 2};

    (void) state;
    check(texts, &f, true,
          "!shorter than --min_length äöü>  xy  !shorter than --min_length abcd>ab");
    f = (struct dg_filters){.max_length = 3};
    check(texts, &f, true, "a>abc äöü>  xy  >abc !longer than --max_length");
    check(texts, &f, false, "a>abc äöü>  xy  >abc abcd>ab");
    f = (struct dg_filters){.max_ratio = 2};
    check(texts, &f, true,
          "!sides differ in length by more than --max_ratio äöü>  xy  "
          "!sides differ in length by more than --max_ratio abcd>ab");
}

static void test_duplicates(void **state)
{
    static const char *const texts[] = {"a", "b", "a", "c", " a ", "b", "d", "b", NULL};
    struct dg_filters f = {.duplicates = DG_DUPLICATES_OF_PAIRS};

    (void) state;
    check(texts, &f, true, "a>b a>c !there before (--drop_duplicates) d>b");
    f.duplicates = DG_DUPLICATES_OF_INPUTS;
    check(texts, &f, true,
          "a>b !there before (--drop_duplicates) !there before (--drop_duplicates) d>b");
    f.duplicates = DG_DUPLICATES_OF_TARGETS;
    check(texts, &f, true,
          "a>b a>c !there before (--drop_duplicates) !there before (--drop_duplicates)");
}

/* "ab" + "c" is not "a" + "bc". */
static void test_where_sides_meet(void **state)
{
    static const char *const texts[] = {"ab", "c", "a", "bc", NULL};
    struct dg_filters f = {.duplicates = DG_DUPLICATES_OF_PAIRS};

    (void) state;
    check(texts, &f, true, "ab>c a>bc");
}

static void test_scripts(void **state)
{
    static const char *const texts[] = {"hello",      "привет", "привет", "hello", "12 !",
                                        "東京タワー", "ab яя",  "x",      NULL};
    struct dg_filters f = {.script = {"Latin", NULL}};

    (void) state;
    check(texts, &f, true, "hello>привет !inputs not of --inputs_script 12 !>東京タワー ab яя>x");
    f = (struct dg_filters){.script = {NULL, "Cyrillic+Han+Katakana"}};
    check(texts, &f, true,
          "hello>привет !targets not of --targets_script 12 !>東京タワー "
          "!targets not of --targets_script");
}

static void check_refused(struct dg_filters f, const char *part)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_filters_check(&f, &err), T2_EUSAGE);
    t_assert_contains(err.message, part);
}

static void test_bad_flags(void **state)
{
    (void) state;
    check_refused((struct dg_filters){.min_length = 5, .max_length = 4},
                  "less than --min_length=5");
    check_refused((struct dg_filters){.max_ratio = 0.5}, "--max_ratio=0.5: must be 1 or more");
    check_refused((struct dg_filters){.max_ratio = (double) NAN}, "must be 1 or more");
    check_refused((struct dg_filters){.script = {"Klingon", NULL}},
                  "'Klingon' is not a Unicode script");
    assert_false(dg_filters_any(&(struct dg_filters){.max_tokens = 5}));
    assert_true(dg_filters_any(&(struct dg_filters){.script = {NULL, "Latin"}}));
}

T_MAIN(cmocka_unit_test(test_lengths), cmocka_unit_test(test_duplicates),
       cmocka_unit_test(test_where_sides_meet), cmocka_unit_test(test_scripts),
       cmocka_unit_test(test_bad_flags))
