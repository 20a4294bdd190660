/*
 * test_describe_run.c - what decides the bytes is told, and nothing else.
 */
#include "datagen/problem_registry.h"
#include "datagen/runs/generate_run.h"
#include "tests/unit/datagen/small_set.h"

static void describe(const struct dg_generate *g, struct dg_made_from *m)
{
    struct dg_run r = {.p = dg_find("text2text_tmpdir"), .g = g};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_describe_run(&r, &err), T2_OK);
    *m = r.made_from;
}

static void test_describe(void **state)
{
    struct dg_generate g = ds_settings("d", NULL), other = g;
    struct dg_made_from a, b;
    struct t2_buf text = {0};

    (void) state;
    describe(&g, &a);
    assert_string_equal(dg_made_from_get(&a, "random_seed"), "429459");
    assert_string_equal(dg_made_from_get(&a, "train shards"), "100");
    assert_string_equal(dg_made_from_get(&a, "shared vocabulary"), "subwords, 32768 wanted");
    assert_null(dg_made_from_get(&a, "shuffle"));
    other.max_memory = 1;
    other.share = (struct dg_task_share){1, 2, 3};
    other.options.data_dir = "elsewhere";
    describe(&other, &b);
    assert_int_equal(dg_made_from_compare(&a, &b, &text), 0);
    dg_made_from_release(&b);
    other.shuffle = DG_SHUFFLE_NONE;
    other.options.invalid = DG_INVALID_DROP;
    describe(&other, &b);
    assert_int_equal(dg_made_from_compare(&a, &b, &text), 2);
    dg_made_from_release(&a);
    dg_made_from_release(&b);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_describe))
