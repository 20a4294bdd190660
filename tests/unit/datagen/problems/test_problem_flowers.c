/*
 * tests/unit/datagen/problems/test_problem_flowers.c - kinds are folders, a tenth of the names is
 * for dev.
 */
#include "tests/unit/datagen/problems/image_samples.h"

static void test_flowers(void **state)
{
    const struct dg_problem *p = dg_find("image_flowers");
    struct dg_options o;
    char *parts[2], name[64];
    size_t n = 0;

    (void) state;
    p_check_contains("image_flowers", DG_TRAIN, "flower_photos.tgz");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "flower_photos/%s/%d.jpg", i % 2 ? "tulips" : "daisy", i);
        p_put(name, 4, 3);
    }
    s_put("flower_photos/LICENSE.txt", "who");
    o = s_options();
    for (int split = DG_TRAIN; split <= DG_DEV; split++) {
        parts[split] = p_records("image_flowers", (enum dg_split) split, &o);
        for (const char *at = parts[split]; (at = strchr(at, '\n')) != NULL; at++)
            n++;
        t_assert_contains(
            parts[split],
            "image/encoded=JPEG:4x3 image/format=jpeg image/height=3 image/width=4\n");
    }
    assert_int_equal(n, 40);
    assert_true(strlen(parts[DG_TRAIN]) > 4 * strlen(parts[DG_DEV]));
    t_assert_contains(parts[DG_TRAIN], "image/class/label=0 ");
    t_assert_contains(parts[DG_TRAIN], "image/class/label=4 ");
    assert_string_equal(p->targets_vocab.classes[4], "tulips");
    t2_free(parts[0]);
    t2_free(parts[1]);
    p_put("flower_photos/weeds/1.jpg", 4, 3);
    p_check_contains("image_flowers", DG_TRAIN,
                     "'flower_photos/weeds/1.jpg' is of no kind that is known");
}

T_MAIN(cmocka_unit_test(test_flowers))
