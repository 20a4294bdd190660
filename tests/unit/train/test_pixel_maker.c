/* Tests of train/input/pixel_maker.c, through input.c: images as targets and labels as inputs, or
 * smaller images, the same for any number of threads; pixels that are no bytes are refused. */
#include <string.h>

#include "tests/unit/train/image_shards.h"
#include "train/input/image_recipe.h"
#include "train/input/input.h"

enum { SIZE = 16, VALUES = SIZE * SIZE * 3 };

static struct t2_err err;
static struct in_image_recipe recipe;

static struct mdl_hparams *hparams_of(const char *problem, const char *overrides)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("imagetransformer_tiny", &hp, &err), T2_OK);
    mdl_hp_set_int(hp, "batch_size", 4);
    if (mdl_hparams_override(hp, overrides, &err) != T2_OK ||
        in_image_recipe_made(problem, hp, &recipe, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static struct mdl_hparams *hparams(const char *overrides)
{
    return hparams_of("pictures", overrides);
}

static struct in_input *open_in(const char *dir, const struct mdl_hparams *hp, bool training,
                                int threads)
{
    const struct in_options o = {.data_dir = dir,
                                 .dataset = "p",
                                 .split = "dev",
                                 .targets_feature = "targets",
                                 .targets_vocab = IMAGE_CLASSES,
                                 .images = &recipe,
                                 .pixels = true,
                                 .training = training,
                                 .seed = 17,
                                 .num_threads = threads};
    struct in_input *in = NULL;

    if (in_new(&o, hp, &in, &err) != T2_OK)
        fail_msg("%s", err.message);
    return in;
}

/* Images of the size that is asked for come as they are stored, in their order. */
static void test_pass(void **state)
{
    const char *dir = t_tmp_path("pass");
    struct mdl_hparams *hp = hparams("image_size=16");
    struct mdl_shape *shapes;
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;
    size_t n_shapes;
    int32_t n = 0;

    (void) state;
    images_write(dir, "p", "dev", 10, 2, SIZE, SIZE, 3, 0);
    in = open_in(dir, hp, false, 2);
    assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
    assert_true(n_shapes == 1 && shapes[0].batch == 4 && shapes[0].height == 0 &&
                shapes[0].inputs_length == 1 && shapes[0].targets_length == VALUES);
    t2_free(shapes);
    assert_true(in_stats_of(in).later_bytes >= (uint64_t) 4 * VALUES * 4);
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_true(b.inputs_length == 1 && b.targets_length == VALUES && !b.images && !b.height);
        for (int32_t i = 0; i < b.batch; i++, n++) {
            struct aug_image stored = t_image(SIZE, SIZE, 3, (uint64_t) n);

            assert_int_equal(b.inputs[i], n % IMAGE_CLASSES);
            for (int v = 0; v < VALUES; v++)
                assert_int_equal(b.targets[i * VALUES + v], stored.data[v]);
            aug_image_release(&stored);
        }
    }
    assert_int_equal(n, 10);
    in_free(in);
    mdl_hparams_free(hp);
}

/* Inputs are the same images, of eight pixels' side: each the mean of two by two, cut. */
static void test_smaller_images(void **state)
{
    enum { SMALL = 8, SMALL_VALUES = SMALL * SMALL * 3 };
    const char *dir = t_tmp_path("smaller");
    struct mdl_hparams *hp = hparams_of("img2img_cifar10", "image_size=16");
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;
    int32_t n = 0;

    (void) state;
    images_write(dir, "p", "dev", 5, 1, SIZE, SIZE, 3, 0);
    in = open_in(dir, hp, false, 2);
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_true(b.inputs_length == SMALL_VALUES && b.targets_length == VALUES);
        for (int32_t i = 0; i < b.batch; i++, n++)
            for (int v = 0; v < SMALL_VALUES; v++) {
                const int32_t *t = b.targets + i * VALUES;
                int row = v / 3 / SMALL, column = v / 3 % SMALL;
                int at = (2 * row * SIZE + 2 * column) * 3 + v % 3, below = at + SIZE * 3;

                assert_int_equal(b.inputs[i * SMALL_VALUES + v],
                                 (t[at] + t[at + 3] + t[below] + t[below + 3]) / 4);
            }
    }
    assert_int_equal(n, 5);
    in_free(in);
    mdl_hparams_free(hp);
    assert_int_equal(mdl_hparams_new("imagetransformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(in_image_recipe_made("img2img_allen_brain", hp, &recipe, &err),
                     T2_EUNSUPPORTED);
    mdl_hparams_free(hp);
}

static void test_threads(void **state)
{
    const char *dir = t_tmp_path("threads");
    struct mdl_hparams *hp = hparams("image_size=8");
    struct in_input *one, *three;

    (void) state;
    images_write(dir, "p", "dev", 9, 1, SIZE, SIZE, 3, 0);
    one = open_in(dir, hp, true, 1);
    three = open_in(dir, hp, true, 3);
    for (int i = 0; i < 7; i++) {
        struct mdl_batch a, b;
        uint64_t samples;

        assert_int_equal(in_next(one, &a, &samples, &err), T2_OK);
        assert_int_equal(in_next(three, &b, &samples, &err), T2_OK);
        assert_true(a.batch == b.batch && a.targets_length == 8 * 8 * 3);
        assert_memory_equal(a.targets, b.targets, (size_t) a.batch * 192 * sizeof(int32_t));
        assert_memory_equal(a.inputs, b.inputs, (size_t) a.batch * sizeof(int32_t));
    }
    in_free(one);
    in_free(three);
    mdl_hparams_free(hp);
}

static void test_refused(void **state)
{
    const char *dir = t_tmp_path("refused");
    struct mdl_hparams *hp = hparams("image_size=32,image_pipeline=cifar_plain");
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;

    (void) state;
    images_write(dir, "p", "dev", 3, 1, 32, 32, 3, 0);
    in = open_in(dir, hp, false, 1);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_EUSAGE);
    t_assert_contains(err.message, "image_pipeline=cifar_plain gives a pixel of");
    t_assert_contains(err.message, "t2t_area");
    in_free(in);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_pass), cmocka_unit_test(test_smaller_images),
       cmocka_unit_test(test_threads), cmocka_unit_test(test_refused))
