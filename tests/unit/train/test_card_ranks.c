/* tests/unit/train/test_card_ranks.c - how shards are shared out among cards; what starts none.
 * What is started: tests/e2e/cuda_worker_gpu.sh. */
#include "train/runs/card_ranks.h"

#include <stdlib.h>

#include "tests/support/t.h"
#include "train/device/card_count.h"

static void test_shares(void **state)
{
    static const struct {
        int64_t n_shards;
        int n_cards, n_ranks;
    } rows[] = {{4, 4, 4}, {4, 3, 2}, {4, 8, 4},  {3, 2, 1}, {8, 7, 4},
                {1, 4, 1}, {2, 0, 1}, {12, 5, 4}, {7, 6, 1}, {INT64_MAX, 2, 1}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(tr_card_ranks(rows[i].n_shards, rows[i].n_cards), rows[i].n_ranks);
}

/* A device that is one device, one shard, and a rank of somebody else's: the call returns. */
static void test_nothing_to_start(void **state)
{
    char name[] = "t2t-trainer", *argv[] = {name, NULL};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dev_card_count("cpu"), 0);
    assert_int_equal(dev_card_count("cuda:1"), 0);
    assert_int_equal(tr_start_card_ranks("cpu", 4, 1, argv, &err), T2_OK);
    assert_int_equal(tr_start_card_ranks("cuda:0", 4, 1, argv, &err), T2_OK);
    assert_int_equal(tr_start_card_ranks("auto", 1, 1, argv, &err), T2_OK);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    assert_int_equal(tr_start_card_ranks("auto", 4, 1, argv, &err), T2_OK);
    unsetenv("OMPI_COMM_WORLD_SIZE");
}

T_MAIN(cmocka_unit_test(test_shares), cmocka_unit_test(test_nothing_to_start))
