/*
 * Tests of train/input/batch_maker.c: images as bytes stand for the floats that they would have
 * been, with every recipe; a rank without rows; a damaged image by its name.
 */
#include "train/input/batch_maker.h"

#include <stdio.h>

#include "tests/unit/train/input_modes.h"
#include "tests/unit/train/recipe_names.h"

enum { SIZE = 24, N_IMAGES = 11 };

static struct t2_err err;

static struct in_input *open_images(const char *dir, const struct in_image_recipe *recipe,
                                    const struct mdl_hparams *hp, bool training, bool bytes)
{
    const struct in_options o = {.data_dir = dir,
                                 .dataset = "images",
                                 .split = "train",
                                 .targets_feature = "targets",
                                 .targets_vocab = IMAGE_CLASSES,
                                 .images = recipe,
                                 .training = training,
                                 .seed = 17,
                                 .num_threads = 2,
                                 .image_bytes = bytes};
    struct in_input *in = NULL;

    if (in_new(&o, hp, &in, &err) != T2_OK)
        fail_msg("%s: %s", recipe->name, err.message);
    return in;
}

/* The same batches as floats and, where they can be, as bytes; whether they could. */
static bool check_recipe(const char *dir, const char *changes, bool training)
{
    struct in_input *of_floats, *of_bytes;
    struct mdl_hparams *hp = NULL;
    struct in_image_recipe r;
    struct mdl_batch f, b;
    uint64_t samples;
    bool is_bytes = false;

    assert_int_equal(mdl_hparams_new("resnet_50", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "batch_size=4,image_size=24", &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    assert_int_equal(in_image_recipe_of("problem", hp, &r, &err), T2_OK);
    of_floats = open_images(dir, &r, hp, training, false);
    of_bytes = open_images(dir, &r, hp, training, true);
    for (int k = 0; k < 6; k++) {
        size_t n;

        if (in_next(of_floats, &f, &samples, &err) == T2_EOF)
            break;
        assert_int_equal(in_next(of_bytes, &b, &samples, &err), T2_OK);
        assert_true(f.images && !f.image_bytes && !f.byte_values);
        assert_memory_equal(f.targets, b.targets, (size_t) f.batch * 4);
        n = (size_t) f.batch * SIZE * SIZE * (size_t) f.channels;
        is_bytes = b.image_bytes != NULL;
        if (!is_bytes) {
            assert_memory_equal(f.images, b.images, n * sizeof(float));
            continue;
        }
        assert_null(b.images);
        for (size_t i = 0; i < n; i++) {
            size_t C = (size_t) b.channels, channel = i % C, column = i / C % SIZE;
            bool mirrored = b.mirrored && b.mirrored[i / C / SIZE / SIZE]; /* on the device */
            uint8_t byte = b.image_bytes[mirrored ? i + (SIZE - 1 - 2 * column) * C : i];

            if (memcmp(&f.images[i], &b.byte_values[channel * 256 + byte], 4) != 0)
                fail_msg("%s: value %zu is %g, byte %d stands for %g", changes, i,
                         (double) f.images[i], byte, (double) b.byte_values[channel * 256 + byte]);
        }
    }
    in_free(of_floats);
    in_free(of_bytes);
    mdl_hparams_free(hp);
    return is_bytes;
}

static void test_bytes(void **state)
{
    /* in training, in evaluation or in both; steps of AutoAugment work on bytes */
    static const char *const with_bytes[] = {"torchvision",        "mnist_raw",
                                             "mnist_unit",         "record",
                                             "resnet_autoaugment", "resnet_randaugment",
                                             "garden_autoaugment", "garden_randaugment"};
    const char *dir = t_tmp_path("bytes");
    struct mdl_hparams *hp = NULL;
    struct t2_strs names = {0};

    (void) state;
    assert_int_equal(mdl_hparams_new("resnet_50", &hp, &err), T2_OK);
    images_write(dir, "images", "train", N_IMAGES, 1, SIZE, SIZE, 3, 0);
    assert_int_equal(mdl_hparams_override(hp, "image_pipeline=none_such", &err), T2_OK);
    recipe_names(hp, &names);
    for (size_t i = 0; i < names.n; i++) {
        char changes[100];
        bool expected = false, training, evaluation;

        snprintf(changes, sizeof changes, "image_pipeline=%s", names.items[i]);
        for (size_t k = 0; k < sizeof with_bytes / sizeof *with_bytes; k++)
            expected = expected || strcmp(with_bytes[k], names.items[i]) == 0;
        training = check_recipe(dir, changes, true);
        evaluation = check_recipe(dir, changes, false);
        if ((training || evaluation) != expected)
            fail_msg("%s: %s bytes", changes, expected ? "no" : "unexpected");
    }
    t2_strs_release(&names);
    mdl_hparams_free(hp);
    /* what is mixed is not of bytes */
    assert_false(check_recipe(dir, "image_pipeline=torchvision,mixup_alpha=0.5", true));
    assert_true(check_recipe(dir, "image_pipeline=torchvision,mixup_alpha=0.5", false));
}

/* The rank that has the damaged image fails by its name, and one that needs it as a partner. */
static void test_damage(void **state)
{
    const char *dir = t_tmp_path("damage");
    char *path = tfr_shard_path(dir, "images", "train", 0, 1);
    struct modes_mode m = {"damage", MODES_IMAGES, true, true, "batch_size=4,mixup_alpha=1"};
    struct t2_buf records[4] = {{0}}, file = {0};
    int failed[2] = {0, 0};

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (uint64_t i = 0; i < 4; i++)
        images_record_of(i, 30, 40, 3, 0, &records[i]);
    t_jpeg(30, 40, 3, 77, &file);
    file.len_bytes = file.len_bytes * 2 / 3;
    images_record(&file, 2, &records[2]);
    images_write_records(path, records, 4);
    for (int mixed = 0; mixed < 2; mixed++)
        for (int32_t rank = 0; rank < 2; rank++) {
            struct modes_setup s = {0};
            struct mdl_batch b;
            uint64_t samples;

            m.hparams = mixed ? "batch_size=4,mixup_alpha=1" : "batch_size=4";
            modes_set_up(&m, dir, &s);
            s.options.rank = rank;
            s.options.n_ranks = 2;
            struct in_input *in = modes_open(&m, &s);
            if (in_next(in, &b, &samples, &err) == T2_EFORMAT) {
                t_assert_contains(err.message, "record 2 at offset ");
                failed[mixed]++;
            }
            in_free(in);
            modes_release(&s);
        }
    assert_int_equal(failed[0], 1);
    assert_int_equal(failed[1], 2);
    for (int i = 0; i < 4; i++)
        t2_buf_release(&records[i]);
    t2_buf_release(&file);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_bytes), cmocka_unit_test(test_damage))
