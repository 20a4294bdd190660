/* Tests of train/input/image_mix.c: pairs, labels, weights, chances; through input.c the same
 * bits. */
#include "train/input/image_mix.h"

#include <math.h>
#include <string.h>

#include "tests/unit/train/image_shards.h"
#include "train/input/image_recipe.h"
#include "train/input/input.h"

enum { N = 5, SIZE = 8, FLOATS = SIZE * SIZE * 2 };

static struct t2_err err;

struct batch {
    float images[N * FLOATS], weights[N];
    int32_t labels[N], other[N];
    struct in_mix_batch b;
};

/* Image i is i + 1 everywhere, and so is its label. */
static void begin(struct batch *x)
{
    for (int i = 0; i < N; i++) {
        x->labels[i] = i + 1;
        for (int k = 0; k < FLOATS; k++)
            x->images[i * FLOATS + k] = (float) (i + 1);
    }
    x->b = (struct in_mix_batch){.n_all = N,
                                 .size = SIZE,
                                 .channels = 2,
                                 .own = {0, N},
                                 .images = x->images,
                                 .labels = x->labels,
                                 .other = x->other,
                                 .weights = x->weights};
}

/* The mean of an image is that of the labels with their weights. */
static void check_mixed(const struct batch *x, float tolerance)
{
    for (int i = 0; i < N; i++) {
        float sum = 0, w = x->weights[i];

        for (int k = 0; k < FLOATS; k++)
            sum += x->images[i * FLOATS + k];
        assert_int_equal(x->other[i], N - i);
        assert_true(w >= 0 && w <= 1);
        assert_true(fabsf(sum / FLOATS - (w * (float) (i + 1) + (1 - w) * (float) (N - i))) <
                    tolerance);
    }
}

static void test_mixup(void **state)
{
    static const struct in_mix mix = {.mixup_alpha = 0.8, .prob = 1.0};
    struct batch x;

    (void) state;
    for (uint64_t i = 0; i < 50; i++) {
        begin(&x);
        in_mix_images(&mix, &(struct in_mix_name){3, 1, i}, &x.b);
        check_mixed(&x, 1e-4f);
        assert_true(x.images[0] == x.images[FLOATS - 1]); /* everywhere the same */
    }
}

static void test_cutmix(void **state)
{
    static const struct in_mix mix = {.cutmix_alpha = 1.0, .prob = 1.0};
    struct batch x;

    (void) state;
    for (uint64_t i = 0; i < 50; i++) {
        begin(&x);
        in_mix_images(&mix, &(struct in_mix_name){3, 1, i}, &x.b);
        check_mixed(&x, 1e-4f);
        for (int k = 0; k < FLOATS; k++)
            assert_true(x.images[k] == 1.0f || x.images[k] == (float) N);
    }
}

/* Half of the batches are mixed, half of those by each; by name of the batch, not by order. */
static void test_chances(void **state)
{
    enum { BATCHES = 2000 };
    static const struct in_mix mix = {.mixup_alpha = 1.0, .cutmix_alpha = 1.0, .prob = 0.5};
    int mixed = 0, cut = 0;
    struct batch x, again;

    (void) state;
    for (uint64_t i = 0; i < BATCHES; i++) {
        bool whole = true;

        begin(&x);
        in_mix_images(&mix, &(struct in_mix_name){3, 1, i}, &x.b);
        if (x.weights[0] == 1.0f && x.weights[1] == 1.0f)
            continue;
        mixed++;
        for (int k = 0; k < FLOATS; k++)
            whole = whole && (x.images[k] == 1.0f || x.images[k] == (float) N);
        cut += whole;
    }
    assert_true(mixed > BATCHES / 2 - 100 && mixed < BATCHES / 2 + 100);
    assert_true(cut > mixed / 2 - 80 && cut < mixed / 2 + 80);
    begin(&again);
    in_mix_images(&mix, &(struct in_mix_name){3, 1, BATCHES - 1}, &again.b);
    assert_memory_equal(x.images, again.images, sizeof x.images);
}

/* The partners of some rows that are not among these rows, and no others. */
static void test_partners(void **state)
{
    (void) state;
    for (int32_t n = 1; n < 12; n++)
        for (int32_t first = 0; first <= n; first++)
            for (int32_t own = 0; first + own <= n; own++) {
                struct in_span s = in_mix_partners(n, (struct in_span){first, own});

                for (int32_t row = 0; row < n; row++) {
                    int32_t partner = n - 1 - row;
                    bool is_own = row >= first && row < first + own;
                    bool wanted = !is_own && partner >= first && partner < first + own;

                    assert_int_equal(row >= s.first && row < s.first + s.n, wanted);
                }
                assert_true(s.first >= 0 && s.first + s.n <= n);
            }
}

static void test_hparams(void **state)
{
    static const struct {
        const char *overrides, *message;
    } rows[] = {{"mixup_alpha=-1", "mixup_alpha=-1 is not between 0 and 1e+06"},
                {"cutmix_alpha=1e7", "cutmix_alpha=1e+07 is not between"},
                {"mixup_prob=1.5", "mixup_prob=1.5 is not between 0 and 1"}};
    struct in_mix mix;

    (void) state;
    for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
        bool good = i == sizeof rows / sizeof *rows;
        struct mdl_hparams *hp = NULL;

        assert_int_equal(mdl_hparams_new("resnet_50", &hp, &err), T2_OK);
        assert_int_equal(in_mix_of(hp, &mix, &err), T2_OK);
        assert_false(in_mix_wanted(&mix));
        assert_int_equal(mdl_hparams_override(hp, good ? "cutmix_alpha=0.5" : rows[i].overrides,
                                              &err),
                         T2_OK);
        assert_int_equal(in_mix_of(hp, &mix, &err), good ? T2_OK : T2_EUSAGE);
        if (good)
            assert_true(in_mix_wanted(&mix) && mix.cutmix_alpha == 0.5);
        else
            t_assert_contains(err.message, rows[i].message);
        mdl_hparams_free(hp);
    }
}

/* Batches of an input, straight and from the second on, with other numbers of threads. */
static void test_input(void **state)
{
    const char *dir = t_tmp_path("mixed");
    struct in_image_recipe recipe;
    struct mdl_hparams *hp = NULL;
    struct in_options o = {.data_dir = dir,
                           .dataset = "p",
                           .split = "train",
                           .targets_feature = "targets",
                           .targets_vocab = IMAGE_CLASSES,
                           .images = &recipe,
                           .training = true,
                           .seed = 17};
    float first[2][6 * 20 * 20 * 3], weights[2][6];
    struct mdl_shape *shapes;
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;
    size_t n_shapes;

    (void) state;
    images_write(dir, "p", "train", 23, 2, 30, 40, 3, 0);
    assert_int_equal(mdl_hparams_new("resnet_50", &hp, &err), T2_OK);
    assert_int_equal(
        mdl_hparams_override(hp, "batch_size=6,image_size=20,mixup_alpha=0.5,cutmix_alpha=1", &err),
        T2_OK);
    assert_int_equal(in_image_recipe_of("pictures", hp, &recipe, &err), T2_OK);
    for (int run = 0; run < 3; run++) {
        o.num_threads = 1 + run;
        o.first_sample = run == 2 ? 6 : 0;
        o.training = true;
        assert_int_equal(in_new(&o, hp, &in, &err), T2_OK);
        assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
        assert_true(shapes[0].mixed);
        t2_free(shapes);
        for (int k = run == 2 ? 1 : 0; k < 2; k++) {
            assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
            assert_int_equal(b.other_labels[0], b.targets[5]);
            if (run == 0) {
                memcpy(first[k], b.images, sizeof first[k]);
                memcpy(weights[k], b.label_weights, sizeof weights[k]);
            }
            assert_memory_equal(first[k], b.images, sizeof first[k]);
            assert_memory_equal(weights[k], b.label_weights, sizeof weights[k]);
        }
        in_free(in);
    }
    images_write(dir, "p", "dev", 6, 1, 30, 40, 3, 0);
    o.split = "dev";
    o.first_sample = 0;
    o.training = false;
    assert_int_equal(in_new(&o, hp, &in, &err), T2_OK);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    assert_null(b.other_labels);
    in_free(in);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_mixup), cmocka_unit_test(test_cutmix), cmocka_unit_test(test_chances),
       cmocka_unit_test(test_partners), cmocka_unit_test(test_hparams),
       cmocka_unit_test(test_input))
