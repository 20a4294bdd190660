/*
 * test_problem_numbers.c - the splits of translate_ende_numbers share no sentence on either side.
 */
#include <string.h>

#include "base/map.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"
#include "tests/support/t.h"

static struct dg_stream *open_split(enum dg_split split, uint64_t max_cases)
{
    const struct dg_problem *p = dg_find("translate_ende_numbers");
    struct dg_options options = {.data_dir = "",
                                 .tmp_dir = "",
                                 .random_seed = 429459,
                                 .max_cases = max_cases};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    assert_non_null(p);
    assert_int_equal(p->open(p, &options, split, &s, &err), T2_OK);
    return s;
}

static uint64_t add_all(enum dg_split split, uint64_t max_cases, struct t2_map *english,
                        struct t2_map *german)
{
    struct dg_stream *s = open_split(split, max_cases);
    struct t2_err err = T2_ERR_INIT;
    struct dg_sample sample = {0};
    enum t2_status st;
    uint64_t n = 0;
    bool new_en, new_de;

    while ((st = s->next(s, &sample, &err)) == T2_OK) {
        (void) t2_map_at(english, sample.inputs.data, sample.inputs.len_bytes, &new_en);
        (void) t2_map_at(german, sample.targets.data, sample.targets.len_bytes, &new_de);
        if (!new_en || !new_de)
            fail_msg("'%.*s' is there twice", (int) sample.inputs.len_bytes, sample.inputs.data);
        n++;
    }
    assert_int_equal(st, T2_EOF);
    dg_stream_free(s);
    return n;
}

static void test_disjoint(void **state)
{
    struct t2_map *english = t2_map_new(), *german = t2_map_new();

    (void) state;
    assert_int_equal(add_all(DG_TEST, 0, english, german), 1000);
    assert_int_equal(add_all(DG_DEV, 0, english, german), 1000);
    assert_true(add_all(DG_TRAIN, 0, english, german) >= 50000);
    t2_map_free(english);
    t2_map_free(german);
}

static void test_max_cases(void **state)
{
    struct t2_map *english = t2_map_new(), *german = t2_map_new();

    (void) state;
    assert_int_equal(add_all(DG_TRAIN, 777, english, german), 777);
    assert_int_equal(add_all(DG_DEV, 777, english, german), 1000);
    t2_map_free(english);
    t2_map_free(german);
}

static void test_describe(void **state)
{
    struct dg_stream *s = open_split(DG_DEV, 0);
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};

    (void) state;
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&sizes.text), "    1000 sentences of a grammar, seed 429459\n");
    dg_input_sizes_release(&sizes);
    dg_stream_free(s);
}

T_MAIN(cmocka_unit_test(test_disjoint), cmocka_unit_test(test_max_cases),
       cmocka_unit_test(test_describe))
