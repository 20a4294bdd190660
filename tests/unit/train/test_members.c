/* Tests of train/input/members.c: rows of any number of samples, none among them, used again. */
#include "train/input/members.h"

#include "tests/support/t.h"

static void test_rows(void **state)
{
    static const struct in_place places[7];
    struct in_members m = {0};

    (void) state;
    for (int round = 0; round < 3; round++) {
        int32_t n_rows = 500 * (round + 1);
        size_t at = 0;

        in_members_clear(&m);
        assert_int_equal(m.n_rows, 0);
        for (int32_t i = 0; i < n_rows; i++) {
            for (int32_t k = 0; k < i % 4; k++)
                in_members_add(&m, &places[(i + k) % 7], (uint64_t) (i * 4 + k));
            in_members_end_row(&m);
        }
        assert_int_equal(m.n_rows, n_rows);
        for (int32_t i = 0; i < n_rows; i++) {
            assert_int_equal(m.begins[i], at);
            for (int32_t k = 0; k < i % 4; k++, at++) {
                assert_ptr_equal(m.places[at], &places[(i + k) % 7]);
                assert_int_equal(m.epochs[at], i * 4 + k);
            }
        }
        assert_int_equal(m.begins[n_rows], at);
    }
    in_members_release(&m);
    in_members_release(&m);
}

T_MAIN(cmocka_unit_test(test_rows))
