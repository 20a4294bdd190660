/* Tests of train/ckpt/block_table_write.c: what is written is read, in one block and in several. */
#include "train/ckpt/block_table.h"

#include "tests/support/t.h"
#include "tests/unit/train/table_entries.h"

static void round_trip(int n, size_t large)
{
    struct t2_err err = T2_ERR_INIT;
    struct table_seen seen = {0, 0};
    struct t2_buf b = {0};

    table_make(n, large, &b);
    if (ckpt_table_read(t2_buf_slice(&b), "x", table_see, &seen, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(seen.n, n);
    if (large)
        assert_int_equal(seen.largest, large);
    t2_buf_release(&b);
}

static void test_round_trips(void **state)
{
    (void) state;
    round_trip(0, 0);
    round_trip(1, 0);
    round_trip(17, 0);
    round_trip(60000, 0); /* several blocks */
    round_trip(5, 600000);
}

T_MAIN(cmocka_unit_test(test_round_trips))
