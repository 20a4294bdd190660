/* test_cifar_batch.c - rows of the binary edition; pickles of another shape. */
#include "datagen/images/cifar_batch.h"

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/datagen/images/small_pickle.h"

static void test_batches(void **state)
{
    enum { ROW = 2 + DG_CIFAR_BYTES };
    struct t2_err err = T2_ERR_INIT;
    struct dg_image_arrays a = {.n = 0};
    uint8_t *file = t2_alloc(2 * ROW, 1);
    const struct t2_slice all = {file, 2 * ROW};

    (void) state;
    file[1] = 99;
    file[ROW] = 19;
    file[ROW + 2] = 7;
    assert_int_equal(dg_cifar_rows(all, "f", 2, 0, 20, &a, &err), T2_OK);
    assert_int_equal(a.n, 2);
    assert_int_equal(a.labels[1], 19);
    assert_int_equal(a.pixels.data[DG_CIFAR_BYTES], 7);
    assert_int_equal(dg_cifar_rows(all, "f", 2, 1, 100, &a, &err), T2_OK);
    assert_int_equal(a.labels[0], 99);
    assert_int_equal(dg_cifar_rows(all, "f", 2, 1, 10, &a, &err), T2_EFORMAT);
    t_assert_contains(err.message, "image 1: label 99 is not below 10");
    assert_int_equal(dg_cifar_rows(all, "f", 1, 0, 10, &a, &err), T2_EFORMAT);
    assert_int_equal(dg_cifar_pickle((struct t2_slice){(const uint8_t *) small_pickle,
                                                       sizeof small_pickle - 1},
                                     "f", "labels", 10, &a, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "2 rows of 3 bytes, 2 labels");
    dg_image_arrays_release(&a);
    t2_free(file);
}

T_MAIN(cmocka_unit_test(test_batches))
