/* Tests of train/models/pixel_sampler.c: what is drawn position by position is what the model,
 * given the whole image, says of each position; batches and threads change nothing. */
#include "train/models/pixel_sampler.h"

#include <math.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "tests/unit/train/tiny_model.h"

enum { SIDE = 5, LENGTH = SIDE * SIDE * 3, ROWS = 3, CLASSES = 4 };

static const struct mdl_problem images = {.has_inputs = true,
                                          .inputs_vocab = CLASSES,
                                          .targets_vocab = 256,
                                          .loss_multiplier = 1.0,
                                          .pixels = {SIDE, SIDE, 3}};
static const int32_t labels[ROWS] = {0, 3, 1};

/* Blocks that turn over several times, with and without a rest; two; and one for all; distances
 * that are learned; gaps; blocks of two dimensions. */
static const struct variant {
    const char *model, *set, *overrides;
} variants[] = {
#define ONE(overrides)                                                                             \
    {                                                                                              \
        "imagetransformer", "imagetransformer_tiny", overrides                                     \
    }
    ONE("block_length=15"),
    ONE("block_length=16,pos=emb,max_length=20"),
    ONE("block_length=37"),
    ONE("block_length=64,unconditional=true"),
    ONE("block_length=7,layer_preprocess_sequence=n,layer_postprocess_sequence=da"),
    ONE("likelihood=dmol,block_length=6"),
    ONE("likelihood=dmol,block_length=99,pos=emb,max_length=20"),
    ONE("dec_attention_type=rel_local_1d,block_length=11"),
    ONE("dec_attention_type=rel_local_1d,block_length=50"),
    {"imagetransformer", "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated",
     "block_length=16,block_width=5,num_memory_blocks=2,gap_sizes=[0,9]"},
    {"imagetransformer", "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated",
     "block_length=4,block_width=3,num_memory_blocks=3,gap_sizes=[1,2],likelihood=dmol"},
    {"imagetransformer2d", "imagetransformer2d_tiny", "query_shape=[1,5],memory_flange=[2,3]"},
    {"imagetransformer2d", "imagetransformer2d_tiny", "query_shape=[5,3],memory_flange=[4,4]"},
    {"imagetransformer2d", "imagetransformer2d_tiny", "query_shape=[5,5],memory_flange=[0,0]"}};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static struct mdl *model_of(const char *device, int threads, const struct variant *v)
{
    struct mdl_hparams *hp =
        tiny_hparams_of(v->set, "hidden_size=16,num_heads=2,filter_size=12,num_decoder_layers=2,"
                                "initializer_gain=3.0,unconditional=false");
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, v->overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return tiny_model_of(op_device(device, threads), v->model, hp, &images, MDL_EVAL);
}

static struct mdl *model(const char *device, int threads, const char *overrides)
{
    const struct variant v = ONE(overrides);

    return model_of(device, threads, &v);
}

/* n images from number first on, (n, LENGTH), `rows` at a time; owned by the caller. */
static int32_t *draw(struct mdl *m, bool random, int32_t rows, uint64_t first, int n)
{
    const struct mdl_pixel_draw how = {random, 0.8, 7, rows};
    int32_t *values = t2_alloc((size_t) n * LENGTH, sizeof *values);
    struct mdl_pixel_sampler *s = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (mdl_pixel_sampler_new(m, &how, &s, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int at = 0; at < n; at += rows)
        assert_int_equal(mdl_pixel_sampler_draw(s, labels + at, first + (uint64_t) at,
                                                values + at * LENGTH, NULL, NULL, &err),
                         T2_OK);
    mdl_pixel_sampler_free(s);
    return values;
}

static float *logits_of(struct mdl *m, const int32_t *values, size_t columns)
{
    const struct mdl_batch b = {.batch = ROWS,
                                .all_rows = ROWS,
                                .inputs_length = 1,
                                .targets_length = LENGTH,
                                .inputs = labels,
                                .targets = values};
    size_t n = (size_t) (ROWS * mdl_image_positions(m)) * columns;
    struct t2_err err = T2_ERR_INIT;
    float *logits = t2_alloc(n, sizeof *logits);

    if (mdl_logits(m, &b, logits, &err) != T2_OK)
        fail_msg("%s", err.message);
    return logits;
}

static int largest_of(const float *x, int n)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* The probability below which a value of less would have been drawn, and one of more above. */
static void check_drawn(const float *logits, int value, double u)
{
    double sum = 0.0, below = 0.0, there;

    for (int i = 0; i < 256; i++)
        sum += exp((double) logits[i] / 0.8);
    for (int i = 0; i < value; i++)
        below += exp((double) logits[i] / 0.8) / sum;
    there = exp((double) logits[value] / 0.8) / sum;
    if (!(u > below - 1e-4 && u < below + there + 1e-4))
        fail_msg("value %d stands for %g to %g, not for %g", value, below, below + there, u);
}

/* The most likely logistic's means, one after the other. */
static void check_mixture(const float *params, const int32_t *pixel)
{
    int m = largest_of(params, 10);
    const float *mean = params + 10 + 3 * m, *a = params + 70 + 3 * m;
    double x[3] = {pixel[0] / 127.5 - 1, pixel[1] / 127.5 - 1, pixel[2] / 127.5 - 1};
    double wanted[] = {(double) mean[0], (double) mean[1] + tanh((double) a[0]) * x[0],
                       (double) mean[2] + tanh((double) a[1]) * x[0] + tanh((double) a[2]) * x[1]};

    for (int c = 0; c < 3; c++)
        assert_true(fabs(fmin(fmax(wanted[c], -1.0), 1.0) - x[c]) < 0.5 / 127.5 + 1e-4);
}

static void check_values(struct mdl *m, const char *variant)
{
    bool mixture = strstr(variant, "dmol");
    size_t columns = mixture ? 100 : 256;
    int positions = (int) mdl_image_positions(m);

    for (int random = 0; random < 2; random++) {
        int32_t *values = draw(m, random, ROWS, 40, ROWS);
        float *logits = logits_of(m, values, columns);

        for (int p = 0; p < ROWS * positions; p++) {
            const float *at = logits + (size_t) p * columns;
            struct t2_rng rng;

            t2_rng_init(&rng, 7, T2_RNG_SAMPLE, (uint64_t) (p % positions),
                        40 + (uint64_t) (p / positions));
            if (mixture && !random)
                check_mixture(at, values + 3 * p);
            else if (!mixture && random)
                check_drawn(at, values[p], t2_rng_uniform_double(&rng));
            else if (!mixture)
                assert_true(at[largest_of(at, 256)] - at[values[p]] < 1e-4f);
        }
        t2_free(values);
        t2_free(logits);
    }
}

static void test_steps_are_the_whole(void **state)
{
    static const char *const devices[] = {"cpu", "far"};

    (void) state;
    for (int v = 0; v < N_VARIANTS; v++)
        for (int d = 0; d < 2; d++) {
            struct mdl *m = model_of(devices[d], 2, &variants[v]);

            check_values(m, variants[v].overrides);
            mdl_free(m);
        }
}

static void test_batches_and_threads(void **state)
{
    (void) state;
    for (int v = 0; v < N_VARIANTS; v++) {
        struct mdl *two = model_of("cpu", 2, &variants[v]);
        struct mdl *one = model_of("cpu", 1, &variants[v]);
        int32_t *together = draw(two, true, ROWS, 5, ROWS), *single = draw(one, true, 1, 5, ROWS);
        int32_t *other = draw(two, true, ROWS, 6, ROWS);

        assert_memory_equal(together, single, ROWS * LENGTH * sizeof *together);
        assert_true(memcmp(together, other, ROWS * LENGTH * sizeof *together) != 0);
        t2_free(together);
        t2_free(single);
        t2_free(other);
        mdl_free(two);
        mdl_free(one);
    }
}

static void test_refused(void **state)
{
    const struct mdl_pixel_draw how = {true, 1.0, 1, 1};
    struct mdl *wide = model("cpu", 1, "q_filter_width=3,block_length=9");
    static const struct variant beyond = {"imagetransformer2d", "imagetransformer2d_tiny",
                                          "query_shape=[2,3],memory_flange=[1,1]"};
    struct mdl *both_sides = model("cpu", 1, "dec_attention_type=global");
    struct mdl *cut = model_of("cpu", 1, &beyond);
    struct mdl *text = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    struct mdl_pixel_sampler *s = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(mdl_pixel_sampler_new(wide, &how, &s, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "q_filter_width");
    assert_int_equal(mdl_pixel_sampler_new(text, &how, &s, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "'transformer' makes no images");
    assert_int_equal(mdl_pixel_sampler_new(both_sides, &how, &s, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "not with global");
    assert_int_equal(mdl_pixel_sampler_new(cut, &how, &s, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "query_shape=[2,3]");
    assert_null(s);
    mdl_free(wide);
    mdl_free(both_sides);
    mdl_free(cut);
    mdl_free(text);
}

T_MAIN(cmocka_unit_test(test_steps_are_the_whole), cmocka_unit_test(test_batches_and_threads),
       cmocka_unit_test(test_refused))
