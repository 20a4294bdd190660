/* test_crop_sample.c - crops stay inside and keep their rule; against TensorFlow: tests/oracle. */
#include "augment/crop_sample.h"
#include "tests/support/t.h"

static void test_unit(void **state)
{
    /* specification, part 6: the first words of the stateless seed (1, 2) */
    struct t2_rng r = {.block = {0x41ec0a2c, 0x679894f1, 0xebff843e, 0x16148793}, .used = 0};
    (void) state;

    t_assert_close(((const float[]){aug_draw_unit(&r)}), ((const float[]){0.84406042f}), 1, 0,
                   1e-7);
    t_assert_close(((const float[]){aug_draw_between(&r, 0, 2)}), ((const float[]){0.38409066f}), 1,
                   0, 1e-6);
    assert_int_equal(aug_draw_index(&r, 10), (int) (0xebff843eU % 10));
}

static void test_inside(void **state)
{
    const struct aug_crop_rule rule = {0.1f, 3.0f / 4, 4.0f / 3, 0.08f, 1, 10};
    static const int32_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {7, 9}, {375, 500}};
    struct aug_window w;
    struct t2_rng r;
    (void) state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint64_t i = 0; i < 500; i++) {
            int32_t h = sizes[k][0], v = sizes[k][1];
            t2_rng_init(&r, 1, T2_RNG_TEST, k, i);
            bool ok = aug_sample_crop(&r, &rule, h, v, NULL, 0, &w);
            assert_true(w.x >= 0 && w.y >= 0 && w.width > 0 && w.height > 0);
            assert_true(w.width <= v - w.x && w.height <= h - w.y);
            if (!ok)
                assert_true(w.width == v && w.height == h);
        }
}

static void test_box(void **state)
{
    const struct aug_crop_rule rule = {1, 0.5f, 2, 0.1f, 1, 100};
    const struct aug_box boxes[] = {{0.5f, 0.5f, 0.5f, 0.5f}, {0.4f, 0.4f, 0.6f, 0.6f}};
    struct aug_window w;
    struct t2_rng r;
    (void) state;

    for (uint64_t i = 0; i < 200; i++) { /* all of the second box; the first is empty */
        t2_rng_init(&r, 1, T2_RNG_TEST, 0, i);
        if (aug_sample_crop(&r, &rule, 100, 100, boxes, 2, &w))
            assert_true(w.x <= 40 && w.y <= 40 && w.x + w.width >= 60 && w.y + w.height >= 60);
    }
    t2_rng_init(&r, 1, T2_RNG_TEST, 0, 0);
    assert_false(aug_sample_crop(&r, &rule, 100, 100, boxes, 1, &w));
    assert_int_equal(w.width, 100);
}

T_MAIN(cmocka_unit_test(test_unit), cmocka_unit_test(test_inside), cmocka_unit_test(test_box))
