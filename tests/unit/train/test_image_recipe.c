/*
 * Tests of train/input/image_recipe.c: which pipelines a problem gets, what hparams change, records
 * that are no images, pixels as augment/ makes them.
 */
#include "train/input/image_recipe.h"

#include <stdio.h>
#include <string.h>

#include "augment/png.h"
#include "base/str.h"
#include "tests/unit/train/image_shards.h"
#include "tests/unit/train/recipe_names.h"

static struct t2_err err;

static struct mdl_hparams *hparams(const char *changes)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    if (mdl_hparams_override(hp, changes, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static struct in_image_recipe recipe(const char *problem, const char *changes)
{
    struct mdl_hparams *hp = hparams(changes);
    struct in_image_recipe r;

    if (in_image_recipe_of(problem, hp, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    return r;
}

static void refuse(const char *problem, const char *changes, enum t2_status st, const char *why)
{
    struct mdl_hparams *hp = hparams(changes);
    struct in_image_recipe r;

    assert_int_equal(in_image_recipe_of(problem, hp, &r, &err), st);
    t_assert_contains(err.message, why);
    mdl_hparams_free(hp);
}

static void test_problems(void **state)
{
    static const struct {
        const char *problem, *train, *eval;
        int32_t size, channels;
        bool as_stored;
        double multiplier;
    } want[] = {
        {"image_mnist", "mnist_grey", "mnist_grey", 28, 1, true, 3},
        {"image_mnist_tune", "mnist_grey", "mnist_grey", 28, 1, true, 3},
        {"image_fashion_mnist", "mnist_grey_raw", "mnist_grey_raw", 28, 1, true, 3},
        {"image_cifar10", "cifar_train", "cifar_eval", 32, 3, true, 3},
        {"image_cifar20_tune", "cifar_train", "cifar_eval", 32, 3, true, 3},
        {"image_cifar100_plain", "cifar_eval", "cifar_eval", 32, 3, true, 3},
        {"image_cifar10_plain8", "cifar_plain8", "cifar_plain8", 8, 3, false, 3},
        {"image_imagenet", "t2t_imagenet_train", "t2t_imagenet_eval", 299, 3, false, 1},
        {"image_imagenet224", "t2t_imagenet_train", "t2t_imagenet_eval", 224, 3, false, 1},
        {"image_imagenet64", "t2t_imagenet_small_train", "t2t_imagenet_small_eval", 64, 3, false,
         3},
        {"pictures", "resnet_train_normalized", "resnet_eval_normalized", 224, 3, false, 1},
    };

    (void) state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct in_image_recipe r = recipe(want[i].problem, "");

        assert_string_equal(r.train->name, want[i].train);
        assert_string_equal(r.eval->name, want[i].eval);
        assert_int_equal(r.size, want[i].size);
        assert_int_equal(r.channels, want[i].channels);
        assert_int_equal(r.as_stored, want[i].as_stored);
        assert_true(r.loss_multiplier == want[i].multiplier);
    }
}

/* The record net's images are mirrored in every second epoch, half of them in each. */
static void test_alternating(void **state)
{
    struct in_image_recipe r = recipe("image_cifar10", "image_pipeline=record");
    struct aug_worker *w = aug_worker_new();
    static float a[32 * 32 * 3];
    struct t2_buf file = {0};
    struct in_image p;
    int mirrored[2] = {0, 0};

    (void) state;
    assert_true(r.alternates);
    {
        static uint8_t pixels[32 * 32 * 3]; /* white on the left */
        struct aug_image im = aug_image_of(pixels, 32, 32, 3);

        for (int i = 0; i < 32 * 32 * 3; i++)
            pixels[i] = i / 3 % 32 < 16 ? 255 : 0;
        assert_int_equal(aug_png_encode(&im, -1, &file, &err), T2_OK);
    }
    p.encoded = t2_buf_slice(&file);
    assert_int_equal(aug_probe(file.data, file.len_bytes, &p.info, &err), T2_OK);
    for (uint64_t index = 0; index < 200; index++) {
        bool sides[4];

        for (uint64_t epoch = 0; epoch < 4; epoch++) {
            const struct in_image_name name = {true, 5, epoch, index};

            assert_int_equal(in_image_pixels(&r, &name, &p, w, a, &err), T2_OK);
            sides[epoch] = a[(16 * 32 + 5) * 3] < a[(16 * 32 + 26) * 3];
        }
        assert_true(sides[0] != sides[1] && sides[0] == sides[2] && sides[1] == sides[3]);
        mirrored[sides[0]]++;
    }
    assert_true(mirrored[0] > 70 && mirrored[1] > 70);
    t2_buf_release(&file);
    aug_worker_free(w);
}

/* The names that the refusal of an unknown one lists: each is a recipe. */
static void test_every_recipe(void)
{
    struct mdl_hparams *hp = hparams("image_pipeline=none_such");
    struct in_image_recipe r;
    struct t2_strs names = {0};

    recipe_names(hp, &names);
    for (size_t i = 0; i < names.n; i++) {
        char changes[100];

        snprintf(changes, sizeof changes, "image_size=40,image_pipeline=%s", names.items[i]);
        r = recipe("pictures", changes);
        assert_true(r.size == 40 && aug_pipeline_channels(r.train) == r.channels);
    }
    t2_strs_release(&names);
    mdl_hparams_free(hp);
}

static void test_hparams(void **state)
{
    struct in_image_recipe r = recipe("image_imagenet224", "image_pipeline=flowers");

    (void) state;
    assert_string_equal(r.train->name, "flowers_train");
    assert_int_equal(r.size, 299); /* its own, not the problem's */
    r = recipe("pictures", "image_pipeline=photos,image_size=48");
    assert_int_equal(r.size, 48);
    test_every_recipe();
    refuse("x", "image_pipeline=resnet50", T2_EUSAGE,
           "hparam image_pipeline=resnet50 is unknown; there are cifar, cifar_plain");
    refuse("x", "image_size=-1", T2_EUSAGE, "hparam image_size=-1 is not between 1 and 4096");
    refuse("x", "image_size=5000", T2_EUSAGE, "image_size=5000");
    refuse("x", "image_pipeline=image_modality", T2_EUSAGE,
           "hparam image_pipeline=image_modality needs image_size");
    refuse("img2img_cifar10", "", T2_EUNSUPPORTED, "is about making images");
    refuse("image_cifar10_plain_gen_flat", "", T2_EUNSUPPORTED, "is about making images");
    refuse("image_imagenet32_gen", "", T2_EUNSUPPORTED, "is about making images");
}

static enum t2_status described(const char *problem, const char *changes, struct in_image_recipe *r,
                                const char **feature)
{
    struct mdl_hparams *hp = hparams(changes);
    enum t2_status st = in_image_recipe_described(problem, hp, r, feature, &err);

    mdl_hparams_free(hp);
    return st;
}

static void test_described(void **state)
{
    static const struct {
        const char *problem, *changes, *why;
        enum t2_status st;
    } rows[] = {
        {"image_text_ms_coco", "image_pipeline=resnet", "images are made from texts",
         T2_EUNSUPPORTED},
        {"image_vqav2_tokens10k_labels3k", "", "images are asked about", T2_EUNSUPPORTED},
        {"image_fsns", "", "the original's images are 600 x 150; hparams image_pipeline",
         T2_EUNSUPPORTED},
        {"ocr_test", "", "'ocr_test': the original's images are not square", T2_EUNSUPPORTED},
        {"image_ms_coco_tokens32k", "mixup_alpha=0.2", "are not mixed", T2_EUSAGE},
        {"image_ms_coco_tokens32k", "image_size=-2", "image_size=-2 is not", T2_EUSAGE},
    };
    const char *feature = NULL;
    struct in_image_recipe r;

    (void) state;
    assert_int_equal(described("image_ms_coco_tokens32k", "", &r, &feature), T2_OK);
    assert_string_equal(feature, "image/class/label");
    assert_string_equal(r.train->name, "t2t_imagenet_train");
    assert_string_equal(r.eval->name, "t2t_imagenet_eval");
    assert_true(r.size == 299 && r.channels == 3 && r.loss_multiplier == 1.0);
    assert_int_equal(described("image_ms_coco_characters", "image_size=32", &r, &feature), T2_OK);
    assert_int_equal(r.size, 32);
    assert_int_equal(described("image_fsns", "image_pipeline=resnet,image_size=64", &r, &feature),
                     T2_OK);
    assert_string_equal(feature, "image/unpadded_label");
    assert_true(r.size == 64 && strcmp(r.eval->name, "resnet_eval_normalized") == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(described(rows[i].problem, rows[i].changes, &r, &feature), rows[i].st);
        t_assert_contains(err.message, rows[i].why);
    }
}

static enum t2_status parse(const struct t2_buf *record, const struct in_image_recipe *r,
                            int32_t first_label, struct in_image *p)
{
    struct tfr_example example = {0};
    enum t2_status st;

    assert_int_equal(tfr_example_parse(&example, t2_buf_slice(record), &err), T2_OK);
    st = in_image_parse(&example, r, IMAGE_CLASSES, first_label, p, &err);
    tfr_example_release(&example);
    return st;
}

static void test_records(void **state)
{
    struct in_image_recipe any = recipe("pictures", ""), fixed = recipe("image_cifar10", "");
    struct t2_buf record = {0}, file = {0};
    struct in_image p;

    (void) state;
    images_record_of(12, 40, 60, 3, 1, &record);
    assert_int_equal(parse(&record, &any, 1, &p), T2_OK);
    assert_int_equal(p.label, 12 % IMAGE_CLASSES);
    assert_true(p.info.width == 60 && p.info.height == 40);
    assert_int_equal(parse(&record, &fixed, 1, &p), T2_EFORMAT);
    t_assert_contains(err.message, "an image of 60 x 40, but the model's are 32 x 32");
    t_jpeg(20, 20, 3, 1, &file);
    for (int64_t label = -1; label <= 8; label++) {
        bool good = label >= 1 && label <= IMAGE_CLASSES;

        images_record(&file, label, &record);
        assert_int_equal(parse(&record, &any, 1, &p), good ? T2_OK : T2_EFORMAT);
        if (!good)
            t_assert_contains(err.message, "but the 7 classes are numbered 1 to 7");
    }
    images_record(&file, 3, &record);
    file.len_bytes = 10;
    images_record(&file, 3, &record);
    assert_int_equal(parse(&record, &any, 1, &p), T2_EFORMAT);
    file.len_bytes = 0;
    images_record(&file, 3, &record);
    assert_int_equal(parse(&record, &any, 1, &p), T2_EFORMAT);
    {
        static const int64_t labels[] = {1, 2};
        struct tfr_feature f[] = {
            {.name = "image/class/label", .kind = TFR_INT64, .n = 2, .ints = labels},
            {.name = "image/encoded", .kind = TFR_INT64, .n = 1, .ints = labels}};

        t2_buf_clear(&record);
        tfr_example_build(&record, f, 2);
        assert_int_equal(parse(&record, &any, 1, &p), T2_EFORMAT);
        t_assert_contains(err.message, "feature 'image/class/label' is not one int64");
        f[0].n = 1;
        t2_buf_clear(&record);
        tfr_example_build(&record, f, 2);
        assert_int_equal(parse(&record, &any, 1, &p), T2_EFORMAT);
        t_assert_contains(err.message, "feature 'image/encoded' is not one value of bytes");
        t2_buf_clear(&record);
        tfr_example_build(&record, f, 1);
        assert_int_equal(parse(&record, &any, 1, &p), T2_EFORMAT);
        t_assert_contains(err.message, "no feature 'image/encoded': is it a record of an image?");
    }
    t2_buf_release(&file);
    t2_buf_release(&record);
}

/* The pixels are those of the pipeline with choices from the stream of (seed, epoch, index). */
static void test_pixels(void **state)
{
    struct in_image_recipe r = recipe("pictures", "image_size=24");
    struct aug_worker *w = aug_worker_new();
    static float train[24 * 24 * 3], eval[24 * 24 * 3], want[24 * 24 * 3];
    struct t2_buf file = {0};
    struct aug_choices c;
    struct in_image p;
    struct t2_rng rng;

    (void) state;
    t_jpeg(50, 70, 3, 9, &file);
    p.encoded = t2_buf_slice(&file);
    assert_int_equal(aug_probe(file.data, file.len_bytes, &p.info, &err), T2_OK);
    assert_int_equal(in_image_pixels(&r, &(struct in_image_name){true, 5, 3, 11}, &p, w, train,
                                     &err),
                     T2_OK);
    assert_int_equal(in_image_pixels(&r, &(struct in_image_name){false, 5, 0, 11}, &p, w, eval,
                                     &err),
                     T2_OK);
    aug_image_stream(&rng, 5, 3, 11);
    aug_choose(r.train, 24, &p.info, &rng, &c);
    assert_int_equal(aug_pipeline_store(w, r.train, 24, file.data, file.len_bytes, &c, AUG_NHWC,
                                        want, &err),
                     T2_OK);
    assert_memory_equal(train, want, sizeof want);
    assert_true(memcmp(train, eval, sizeof eval) != 0);
    aug_choose(r.eval, 24, &p.info, NULL, &c);
    assert_int_equal(aug_pipeline_store(w, r.eval, 24, file.data, file.len_bytes, &c, AUG_NHWC,
                                        want, &err),
                     T2_OK);
    assert_memory_equal(eval, want, sizeof want);
    t2_buf_release(&file);
    aug_worker_free(w);
}

T_MAIN(cmocka_unit_test(test_problems), cmocka_unit_test(test_hparams),
       cmocka_unit_test(test_described), cmocka_unit_test(test_alternating),
       cmocka_unit_test(test_records), cmocka_unit_test(test_pixels))
