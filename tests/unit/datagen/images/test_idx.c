/* test_idx.c - IDX files: good ones, and every way to be wrong. */
#include "datagen/images/idx.h"

#include "tests/support/t.h"

static void test_idx(void **state)
{
    uint8_t file[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    struct t2_err err = T2_ERR_INIT;
    struct dg_idx idx;

    (void) state;
    assert_int_equal(dg_idx_parse((struct t2_slice){file, sizeof file}, 3, "f", &idx, &err), T2_OK);
    assert_int_equal(idx.n, 2);
    assert_int_equal(idx.item_bytes, 3);
    assert_int_equal(idx.data[3], 4);
    assert_int_equal(dg_idx_parse((struct t2_slice){file, sizeof file - 1}, 3, "f", &idx, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "2 items of 3 bytes, and has 5 bytes");
    assert_int_equal(dg_idx_parse((struct t2_slice){file, 8}, 3, "f", &idx, &err), T2_EFORMAT);
    assert_int_equal(dg_idx_parse((struct t2_slice){file, sizeof file}, 1, "f", &idx, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "begins with 0x00000803");
    file[8] = 0xff;
    assert_int_equal(dg_idx_parse((struct t2_slice){file, sizeof file}, 3, "f", &idx, &err),
                     T2_EFORMAT);
}

T_MAIN(cmocka_unit_test(test_idx))
