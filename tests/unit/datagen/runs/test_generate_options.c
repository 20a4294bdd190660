/*
 * test_generate_options.c - how many shards a split gets, and where they lie.
 */
#include "datagen/runs/generate_options.h"

#include "datagen/official/official_layout.h"
#include "tests/support/t.h"

static struct dg_problem problem_of(bool is_official)
{
    struct dg_problem p = {.name = "mine", .layout = is_official ? &dg_layout_official : NULL};

    p.n_shards[DG_TRAIN] = 3;
    p.n_shards[DG_DEV] = 1;
    return p;
}

static void test_numbers(void **state)
{
    struct dg_problem p = problem_of(false);
    struct dg_generate g = {0};

    (void) state;
    assert_int_equal(dg_n_shards(&p, &g, DG_TRAIN), 3);
    assert_int_equal(dg_n_shards(&p, &g, DG_TEST), 0);
    g.n_shards[DG_TRAIN] = 7;
    g.n_shards[DG_TEST] = 2;
    assert_int_equal(dg_n_shards(&p, &g, DG_TRAIN), 7);
    assert_int_equal(dg_n_shards(&p, &g, DG_DEV), 1);
    assert_int_equal(dg_n_shards(&p, &g, DG_TEST), 0); /* a split that the problem lacks */
}

static void test_paths(void **state)
{
    struct dg_problem p = problem_of(false), official = problem_of(true);
    struct dg_generate g = {.options.data_dir = "out"};
    struct t2_strs paths = {0};

    (void) state;
    dg_shard_paths(&p, &g, &paths);
    assert_int_equal(paths.n, 4);
    assert_string_equal(paths.items[0], "out/mine-train-00000-of-00003");
    assert_string_equal(paths.items[2], "out/mine-train-00002-of-00003");
    assert_string_equal(paths.items[3], "out/mine-dev-00000-of-00001");
    t2_strs_release(&paths);

    dg_shard_paths(&official, &g, &paths); /* these are counted from 1 */
    assert_int_equal(paths.n, 4);
    assert_string_equal(paths.items[0], "out/mine-train-00001-of-00003");
    t2_strs_release(&paths);
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_paths))
