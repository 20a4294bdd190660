/*
 * test_resize_parts.c - room behind a row, the ring of rows, picking.
 */
#include "augment/resize_parts.h"

#include <string.h>

#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

/* Behind the last row nothing may be read, so it is a copy; the others are read in place. */
static void test_padded(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image in = t_image(4, 9, 3, 1);

    (void) state;
    assert_int_equal(aug_ring_make(z, 2, 27, 27, 27, &err), T2_OK);
    assert_ptr_equal(aug_padded_bytes(z, &in, 2), aug_row(&in, 2));
    assert_ptr_not_equal(aug_padded_bytes(z, &in, 3), aug_row(&in, 3));
    assert_memory_equal(aug_padded_bytes(z, &in, 3), aug_row(&in, 3), 27);
    assert_true(z->padded_bytes >= 27 + AUG_READ_BEHIND);
    aug_image_release(&in);
    aug_resizer_free(z);
}

/* A row is fresh until it is taken, and again when another has had its slot. */
static void test_ring(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    bool fresh;
    void *zero;

    (void) state;
    assert_int_equal(aug_ring_make(z, 2, 100, 10, 10, &err), T2_OK);
    zero = aug_ring_take(z, 0, 100, &fresh);
    assert_true(fresh);
    assert_ptr_equal(aug_ring_take(z, 0, 100, &fresh), zero);
    assert_false(fresh);
    assert_true((char *) aug_ring_take(z, 1, 100, &fresh) >= (char *) zero + 100);
    assert_ptr_equal(aug_ring_take(z, 2, 100, &fresh), zero);
    assert_true(fresh);
    aug_ring_take(z, 0, 100, &fresh);
    assert_true(fresh);
    aug_resizer_free(z);
}

static void test_pick(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image in = t_image(5, 7, 3, 1), out = {.data = NULL};

    (void) state;
    assert_int_equal(aug_taps_make(&z->x, 2, 1, &err), T2_OK);
    assert_int_equal(aug_taps_make(&z->y, 1, 1, &err), T2_OK);
    z->x.index[0] = 6;
    z->x.index[1] = 2;
    z->y.index[0] = 4;
    assert_int_equal(aug_image_resize(&out, 1, 2, 3, &err), T2_OK);
    aug_pick_bytes(z, &in, &out);
    assert_memory_equal(aug_row(&out, 0), aug_row(&in, 4) + 18, 3);
    assert_memory_equal(aug_row(&out, 0) + 3, aug_row(&in, 4) + 6, 3);
    aug_image_release(&in);
    aug_image_release(&out);
    aug_resizer_free(z);
}

T_MAIN(cmocka_unit_test(test_padded), cmocka_unit_test(test_ring), cmocka_unit_test(test_pick))
