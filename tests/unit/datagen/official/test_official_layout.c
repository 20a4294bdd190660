/*
 * test_official_layout.c - shards from 1, only train shuffled, the words of data_download.
 */
#include "datagen/official/official_layout.h"

#include <stdlib.h>

#include "datagen/problem_registry.h"
#include "datagen/runs/generate.h"
#include "tests/unit/datagen/layout_messages.h"

static void test_shards(void **state)
{
    const struct dg_problem *p = dg_find("wmt32k");
    struct dg_generate g = {.options.data_dir = "d"};
    struct t2_strs paths = {0};

    (void) state;
    assert_ptr_equal(dg_layout_of(p), &dg_layout_official);
    dg_shard_paths(p, &g, &paths);
    assert_int_equal(paths.n, 101);
    assert_string_equal(paths.items[0], "d/wmt32k-train-00001-of-00100");
    assert_string_equal(paths.items[100], "d/wmt32k-dev-00001-of-00001");
    t2_strs_release(&paths);
    assert_true(dg_layout_official.shuffles_only_train);
    assert_true(dg_layout_official.prepares_always);
    assert_string_equal(dg_layout_official.revision_key, "layout");
}

static void test_messages(void **state)
{
    char *said = all_messages(&dg_layout_official);

    (void) state;
    assert_string_equal(said, "t2t: Files with tag train already exist.\n"
                              "t2t: Vocab file already exists (VOCAB)\n"
                              "t2t: Saving files with tag dev.\n"
                              "t2t: \tSaving case 100000.\n"
                              "t2t: Saved 123456 Examples\n"
                              "t2t: Shuffling records in file SHARD\n");
    free(said);
}

T_MAIN(cmocka_unit_test(test_shards), cmocka_unit_test(test_messages))
