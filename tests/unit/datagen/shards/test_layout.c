/*
 * test_layout.c - T2T's layout: the one of problems that name none, and its words.
 */
#include "datagen/shards/layout.h"

#include <stdlib.h>

#include "tests/unit/datagen/layout_messages.h"

static void test_of_problem(void **state)
{
    static const struct dg_layout other = {.first_shard = 7};

    (void) state;
    assert_ptr_equal(dg_layout_of(&(struct dg_problem){.name = "a"}), &dg_layout_t2t);
    assert_ptr_equal(dg_layout_of(&(struct dg_problem){.name = "a", .layout = &other}), &other);
    assert_int_equal(dg_layout_t2t.first_shard, 0);
    assert_false(dg_layout_t2t.shuffles_only_train);
    assert_string_equal(dg_layout_t2t.revision_key, "samples");
}

static void test_messages(void **state)
{
    char *said = all_messages(&dg_layout_t2t);

    (void) state;
    assert_string_equal(said, "t2t: Generating data for NAME.\n"
                              "t2t: Found vocab file: VOCAB\n"
                              "t2t: Generating case 0.\n"
                              "t2t: Generating case 100000.\n"
                              "t2t: Generated 123456 Examples\n"
                              "t2t: Shuffling data...\n"
                              "t2t: Data shuffled.\n");
    free(said);
}

T_MAIN(cmocka_unit_test(test_of_problem), cmocka_unit_test(test_messages))
