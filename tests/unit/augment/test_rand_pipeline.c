/*
 * Tests of augment/rand_pipeline.c: the numbers are those that were asked for, the rest is the
 * table's.
 */
#include "augment/rand_pipeline.h"

#include <math.h>

#include "tests/support/t.h"

static const struct aug_info info = {.width = 64, .height = 48};

/* How many operations at most, and the largest rotation, over many images. */
static void look_at(const struct aug_pipeline *p, int *most, float *rotation)
{
    *most = 0;
    *rotation = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        struct aug_choices c;
        struct t2_rng r;

        aug_image_stream(&r, 3, 0, i);
        aug_choose(p, 32, &info, &r, &c);
        *most = c.n_augments > *most ? c.n_augments : *most;
        for (int k = 0; k < c.n_augments; k++)
            if (c.augments[k].op == AUG_ROTATE)
                *rotation = fmaxf(*rotation, fabsf(c.augments[k].value));
    }
}

static void test_numbers(void **state)
{
    const struct aug_pipeline *table = aug_pipeline_find("resnet_train_randaugment_normalized");
    const struct aug_pipeline *p =
        aug_pipeline_with_numbers(table, &(struct aug_rand_numbers){3, 9});
    float rotation;
    int most;

    (void) state;
    look_at(p, &most, &rotation);
    assert_int_equal(most, 3);
    assert_true(fabsf(rotation - 27.0F) < 1e-4F); /* 9 tenths of 30 degrees */
    look_at(table, &most, &rotation);
    assert_int_equal(most, 2);
    assert_true(fabsf(rotation - 30.0F) < 1e-4F);
    look_at(aug_pipeline_with_numbers(table, &(struct aug_rand_numbers){0, 0}), &most, &rotation);
    assert_int_equal(most, 2);
    assert_true(rotation == 0.0F); /* magnitude 0 is one, too */
}

/* The table's numbers said again are the table's choices; equal calls give the same pipeline. */
static void test_same_numbers(void **state)
{
    const struct aug_pipeline *table = aug_pipeline_find("garden_train_randaugment");
    const struct aug_rand_numbers numbers = {2, 10}, none = {0, -1};
    const struct aug_pipeline *p = aug_pipeline_with_numbers(table, &numbers);

    (void) state;
    assert_ptr_equal(p, aug_pipeline_with_numbers(table, &numbers));
    assert_ptr_equal(p, aug_pipeline_with_numbers(table, &none));
    assert_ptr_not_equal(p, aug_pipeline_with_numbers(table, &(struct aug_rand_numbers){2, 9}));
    for (uint64_t i = 0; i < 200; i++) {
        struct aug_choices a, b;
        struct t2_rng r;

        aug_image_stream(&r, 3, 0, i);
        aug_choose(table, 32, &info, &r, &a);
        aug_image_stream(&r, 3, 0, i);
        aug_choose(p, 32, &info, &r, &b);
        assert_int_equal(a.n_augments, b.n_augments);
        for (int k = 0; k < a.n_augments; k++)
            assert_true(a.augments[k].op == b.augments[k].op &&
                        a.augments[k].value == b.augments[k].value);
    }
}

static void test_who_has_one(void **state)
{
    (void) state;
    assert_true(aug_has_randaugment(aug_pipeline_find("resnet_train_randaugment")));
    assert_false(aug_has_randaugment(aug_pipeline_find("resnet_train_autoaugment")));
    assert_false(aug_has_randaugment(aug_pipeline_find("resnet_train")));
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_same_numbers),
       cmocka_unit_test(test_who_has_one))
