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

enum { MANY = 5000 };

/* A list of texts half of which were there before. */
static const char *const *many_texts(void)
{
    static const char *texts[2 * MANY + 1];
    static char words[MANY][16];

    for (int i = 0; i < MANY; i++) {
        snprintf(words[i], sizeof words[i], "%s%d", i % 7 ? "text " : "x", i * 31 % (MANY / 2));
        texts[2 * i] = texts[2 * i + 1] = words[i];
    }
    return texts;
}

static enum t2_status open_many(const void *context, struct dg_stream **stream, struct t2_err *err)
{
    (void) err;
    ++**(int *const *) context;
    *stream = sample_list_new(many_texts());
    return T2_OK;
}

/* In little memory the samples are read once more, and the same are left out. */
static void test_many_duplicates(void **state)
{
    struct dg_filters f = {.duplicates = DG_DUPLICATES_OF_PAIRS, .min_length = 4};
    struct t2_buf all = {0}, limited = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s;
    int n_opened = 0, **context;

    (void) state;
    assert_int_equal(read_stream(dg_filter_stream_new(sample_list_new(many_texts()), &f, true),
                                 &all, &err),
                     T2_OK);
    for (uint64_t max = 2000; max < 100000000; max *= 10) {
        t2_buf_clear(&limited);
        n_opened = 0;
        context = t2_alloc(1, sizeof *context);
        *context = &n_opened;
        s = dg_filter_stream_new(sample_list_new(many_texts()), &f, true);
        dg_filter_stream_limit(s, max, t_tmp_path("x"), (struct dg_again){open_many, context});
        assert_int_equal(read_stream(s, &limited, &err), T2_OK);
        assert_int_equal(n_opened, max < 1000000);
        assert_int_equal(all.len_bytes, limited.len_bytes);
        assert_memory_equal(all.data, limited.data, all.len_bytes);
    }
    t_assert_contains(t2_buf_cstr(&all), "there before");
    t2_buf_release(&all);
    t2_buf_release(&limited);
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
       cmocka_unit_test(test_many_duplicates), cmocka_unit_test(test_where_sides_meet),
       cmocka_unit_test(test_scripts), cmocka_unit_test(test_bad_flags))
