/* test_pipelines.c - the table, and that choices follow from (seed, epoch, index) alone. */
#include <string.h>

#include "augment/pipelines.h"
#include "tests/support/t.h"

static const struct aug_info info = {
    .kind = AUG_JPEG, .width = 60, .height = 40, .components = 3, .bits = 8};

static void choose(const char *name, const struct aug_info *of, uint64_t epoch, uint64_t index,
                   struct aug_choices *c)
{
    struct t2_rng r;

    memset(c, 0, sizeof *c);
    aug_image_stream(&r, 7, epoch, index);
    aug_choose(aug_pipeline_find(name), 0, of, &r, c);
}

static void test_table(void **state)
{
    size_t n = 0;
    (void) state;

    for (; aug_pipeline_at(n); n++) {
        assert_ptr_equal(aug_pipeline_find(aug_pipeline_at(n)->name), aug_pipeline_at(n));
        assert_true(strlen(aug_pipeline_at(n)->help) > 0);
    }
    assert_true(n > 25);
    assert_null(aug_pipeline_find("resnet"));
}

static void test_streams(void **state)
{
    struct aug_choices a, b;
    (void) state;

    choose("flowers_train", &info, 0, 0, &a);
    choose("flowers_train", &info, 0, 0, &b);
    assert_int_equal(a.crop_y, b.crop_y);
    assert_true(a.brightness == b.brightness && a.contrast == b.contrast && a.flip == b.flip);
    choose("flowers_train", &info, 0, 1, &b);
    assert_true(a.brightness != b.brightness);
    choose("flowers_train", &info, 1, 0, &b);
    assert_true(a.brightness != b.brightness);
}

static void test_fixed_windows(void **state)
{
    const struct aug_info odd = {.width = 333, .height = 500, .components = 3};
    struct aug_choices c;
    (void) state;

    aug_choose(aug_pipeline_find("resnet_eval"), 0, &odd, NULL, &c);
    assert_int_equal(c.window.width, 291); /* trunc(0.875 * 333) */
    assert_int_equal(c.window.height, 291);
    assert_int_equal(c.window.x, 21);
    assert_int_equal(c.window.y, 105);
    aug_choose(aug_pipeline_find("t2t_celeba"), 0, &odd, NULL, &c);
    assert_int_equal(c.window.y, 40);
    assert_int_equal(c.window.x, 20);
    assert_int_equal(c.window.height, 138);
    aug_choose(aug_pipeline_find("t2t_celeba"), 0, &info, NULL, &c);
    assert_int_equal(c.window.y, 39); /* 40 rows only */
    assert_int_equal(c.window.height, 1);
    assert_int_equal(c.window.width, 40);
    aug_choose(aug_pipeline_find("garden_eval"), 0, &odd, NULL, &c);
    assert_int_equal(c.window.x, 20); /* no + 1 */
    assert_int_equal(c.window.y, 104);
    aug_choose(aug_pipeline_find("inception_eval"), 0, &odd, NULL, &c);
    assert_int_equal(c.window.y, 31);
    assert_int_equal(c.window.height, 438);
}

/* A strip has no window of the ratios asked for: the view is the centre instead. */
static void test_instead(void **state)
{
    struct aug_info strip = {.width = 300, .height = 10, .components = 3};
    struct aug_choices c;
    (void) state;

    for (uint64_t i = 0; i < 20; i++) {
        strip.components = 3;
        choose("resnet_train", &strip, 0, i, &c);
        if (!c.instead)
            continue;
        assert_int_equal(c.window.width, 8);
        strip.components = 1; /* compares shapes with the channels: never equal */
        choose("resnet_train", &strip, 0, i, &c);
        assert_false(c.instead);
        assert_int_equal(c.window.width, 300);
        choose("t2t_imagenet_train", &strip, 0, i, &c);
        return;
    }
    fail_msg("no whole image in 20 draws");
}

static void test_evens(void **state)
{
    int flips = 0, crops[9] = {0};
    struct aug_choices c;
    (void) state;

    for (uint64_t i = 0; i < 4000; i++) {
        const struct aug_info cifar = {.width = 32, .height = 32, .components = 3};
        choose("cifar_train", &cifar, 0, i, &c);
        flips += c.flip;
        assert_true(c.crop_x >= 0 && c.crop_x <= 8);
        crops[c.crop_y]++;
    }
    assert_true(flips > 1840 && flips < 2160);
    for (int i = 0; i < 9; i++)
        assert_true(crops[i] > 344 && crops[i] < 545);
}

T_MAIN(cmocka_unit_test(test_table), cmocka_unit_test(test_streams),
       cmocka_unit_test(test_fixed_windows), cmocka_unit_test(test_instead),
       cmocka_unit_test(test_evens))
