/*
 * Tests of train/runs/corrupt_bill.c: its lines; a run with them is tests/e2e/train_max_corrupt.sh.
 */
#include "train/runs/corrupt_bill.h"

#include "tests/support/t.h"

static void test_nothing(void **state)
{
    const struct in_corrupt none = {0};
    struct t2_strs lines = {0};

    (void) state;
    tr_corrupt_bill("train", &none, 7, &lines);
    assert_int_equal(lines.n, 0);
}

static void test_one_and_many(void **state)
{
    struct in_corrupt c = {.n_records = 1};
    struct t2_strs lines = {0};

    (void) state;
    t2_strs_push(&c.places, "'x': record 0 at offset 0: words");
    tr_corrupt_bill("dev", &c, 7, &lines);
    assert_int_equal(lines.n, 2);
    assert_string_equal(lines.items[0], "1 damaged record of the dev shards was passed over "
                                        "(--max_corrupt=7); tfrec salvage saves what is whole");
    assert_string_equal(lines.items[1], "  'x': record 0 at offset 0: words");
    t2_strs_release(&lines);
    lines = (struct t2_strs){0};
    for (int i = 1; i < 103; i++)
        t2_strs_push(&c.places, "more");
    c.n_records = 120;
    tr_corrupt_bill("train", &c, 200, &lines);
    assert_int_equal(lines.n, 102);
    t_assert_contains(lines.items[0], "120 damaged records of the train shards were passed over");
    assert_string_equal(lines.items[101], "  and at 3 places more");
    t2_strs_release(&lines);
    in_corrupt_release(&c);
}

T_MAIN(cmocka_unit_test(test_nothing), cmocka_unit_test(test_one_and_many))
