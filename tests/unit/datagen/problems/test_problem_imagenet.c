/*
 * tests/unit/datagen/problems/test_problem_imagenet.c - folders of synsets, and the small images.
 */
#include "datagen/images/refused_image.h"
#include "tests/unit/datagen/problems/image_samples.h"

#define REST " image/colorspace=RGB image/channels=3\n"

static void test_full(void **state)
{
    (void) state;
    p_check_contains("image_imagenet", DG_TRAIN, "the folder 'imagenet' is yours to provide");
    p_put("imagenet/train/n02/n02_1.JPEG", 5, 3);
    p_put("imagenet/train/n01/n01_2.JPEG", 4, 4);
    p_put("imagenet/train/n01/n01_1.png", 2, 6); /* not a JPEG: becomes one */
    p_put("imagenet/validation/v1.JPEG", 7, 7);
    p_put("imagenet/validation/v2.JPEG", 7, 8);
    s_put("imagenet/synset_labels.txt", "n02\nn01\n");
    p_check(
        "image_imagenet", DG_TRAIN,
        "image/class/label=0 image/encoded=JPEG:2x6 image/format=JPEG image/height=6 image/width=2 "
        "image/class/synset=n01 image/filename=n01_1.png" REST
        "image/class/label=0 image/encoded=JPEG:4x4 image/format=JPEG image/height=4 image/width=4 "
        "image/class/synset=n01 image/filename=n01_2.JPEG" REST
        "image/class/label=1 image/encoded=JPEG:5x3 image/format=JPEG image/height=3 image/width=5 "
        "image/class/synset=n02 image/filename=n02_1.JPEG" REST);
    p_check(
        "img2img_imagenet", DG_DEV,
        "image/class/label=1 image/encoded=JPEG:7x7 image/format=JPEG image/height=7 image/width=7 "
        "image/class/synset=n02 image/filename=v1.JPEG" REST
        "image/class/label=0 image/encoded=JPEG:7x8 image/format=JPEG image/height=8 image/width=7 "
        "image/class/synset=n01 image/filename=v2.JPEG" REST);
}

#define PNG32                                                                                      \
    "image/class/label=0 image/encoded=PNG:32x32 image/format=png image/height=32 "                \
    "image/width=32\n"

static void test_small(void **state)
{
    static const struct dg_refusals skip = {DG_ON_ERROR_SKIP, NULL};
    struct dg_options o;
    char *got;

    (void) state;
    p_check_contains("image_imagenet32_gen", DG_TRAIN, "PixelRNN");
    p_put("train_32x32/0002.png", 32, 32);
    p_put("train_32x32/0001.png", 32, 32);
    p_put("valid_32x32/1.png", 31, 32);
    p_check("image_imagenet32_gen", DG_TRAIN, PNG32 PNG32);
    p_check("image_imagenet32_gen", DG_DEV, "!the image is 32 x 31, not 32 x 32");
    s_put("train_32x32/0001.png", "<html>");
    p_check_contains("image_imagenet32_gen", DG_TRAIN, "train_32x32/0001.png': ");
    o = s_options();
    o.refusals = &skip;
    got = p_records("image_imagenet32_gen", DG_TRAIN, &o);
    assert_string_equal(got,
                        "(a web page saved under the name of an image; download it again)\n" PNG32);
    t2_free(got);
    assert_true(dg_find("image_imagenet64_gen")->sharding.already_shuffled);
    t_assert_contains(dg_find("image_imagenet32_small")->refusal, "put your shards");
}

T_MAIN(cmocka_unit_test(test_full), cmocka_unit_test(test_small))
