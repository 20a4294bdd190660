/* Tests of train/models/image_transformer.c: what may see what, threads, layers computed again,
 * refusals; values are compared with the original's in
 * tests/oracle/test_recorded_image_transformer.c. */
#include <math.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/optim/optimizer.h"

enum { SIDE = 4, CHANNELS = 3, ROWS = 3, LENGTH = SIDE * SIDE * CHANNELS, CLASSES = 5 };

static const struct mdl_problem images = {.has_inputs = true,
                                          .inputs_vocab = CLASSES,
                                          .targets_vocab = 256,
                                          .loss_multiplier = 1.0,
                                          .pixels = {SIDE, SIDE, CHANNELS}};

/* An image of 2 x 2 in place of the class. */
static const struct mdl_problem enlarged = {.has_inputs = true,
                                            .inputs_vocab = 256,
                                            .targets_vocab = 256,
                                            .loss_multiplier = 1.0,
                                            .pixels = {SIDE, SIDE, CHANNELS},
                                            .source = {2, 2, CHANNELS}};

#define SMALL                                                                                      \
    "hidden_size=8,num_heads=2,filter_size=12,block_length=12,num_decoder_layers=2,batch_size=3,"  \
    "learning_rate=0.02,learning_rate_warmup_steps=2,unconditional=false"

/* Of one dimension, then of two, whose positions come block by block; an image made from another.
 */
#define ONE(overrides)                                                                             \
    {                                                                                              \
        "imagetransformer", "imagetransformer_tiny", overrides, &images,                           \
        {                                                                                          \
            1, 1                                                                                   \
        }                                                                                          \
    }
#define TWO(rows, columns, flange, more)                                                           \
    {                                                                                              \
        "imagetransformer2d", "imagetransformer2d_tiny",                                           \
            "query_shape=[" #rows "," #columns "],memory_flange=" flange more, &images,            \
        {                                                                                          \
            rows, columns                                                                          \
        }                                                                                          \
    }

static const struct variant {
    const char *model, *set, *overrides;
    const struct mdl_problem *problem;
    int block[2]; /* rows and columns */
} variants[] = {
    ONE(""),
    ONE("q_filter_width=3,kv_filter_width=2"),
    ONE("likelihood=dmol,block_length=4"),
    ONE("pos=emb,max_length=12"),
    ONE("layer_preprocess_sequence=n,layer_postprocess_sequence=da"),
    ONE("dec_attention_type=rel_local_1d"),
    TWO(2, 3, "[1,2]", ""),
    TWO(3, 5, "[1,2]", ""),
    TWO(2, 4, "[0,0]", ""),
    TWO(4, 12, "[1,2]", ",dec_attention_type=local_block"),
    TWO(1, 1, "[1,2]", ",dec_attention_type=local_1d"),
    {"imagetransformer",
     "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated",
     "dec_attention_type=dilated,gap_sizes=[0,3],num_memory_blocks=2,block_width=4,max_length=12",
     &images,
     {1, 1}},
    {"img2img_transformer",
     "img2img_transformer2d_tiny",
     "query_shape=[2,6],memory_flange=[2,3],num_encoder_layers=2",
     &enlarged,
     {2, 6}},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static struct mdl_hparams *hparams_of(const struct variant *v)
{
    struct mdl_hparams *hp = tiny_hparams_of(v->set, SMALL);
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, v->overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static struct mdl_hparams *hparams(const char *overrides)
{
    const struct variant v = ONE(overrides);

    return hparams_of(&v);
}

/* Which comes how late: blocks row by row, in each its positions row by row. */
static int place_of(const struct variant *v, int position)
{
    int row = position / (SIDE * CHANNELS), column = position % (SIDE * CHANNELS);
    int h = v->block[0], w = v->block[1], across = (SIDE * CHANNELS + w - 1) / w;

    if (h == 1 && w == 1)
        return position;
    return ((row / h * across + column / w) * h + row % h) * w + column % w;
}

static int32_t labels[ROWS * 2 * 2 * CHANNELS], values[ROWS * LENGTH];

static const struct mdl_batch *batch_of(const struct mdl_problem *problem)
{
    static struct mdl_batch b = {.batch = ROWS,
                                 .all_rows = ROWS,
                                 .inputs_length = 1,
                                 .targets_length = LENGTH,
                                 .inputs = labels,
                                 .targets = values};

    b.inputs_length = mdl_pixels_inputs(problem);
    for (int i = 0; i < ROWS * b.inputs_length; i++)
        labels[i] = i;
    for (int i = 0; i < ROWS * LENGTH; i++)
        values[i] = (int32_t) (t_hash64((uint64_t) i) % 256);
    return &b;
}

static const struct mdl_batch *batch(void)
{
    return batch_of(&images);
}

static float *logits_of(struct mdl *m, const struct mdl_batch *b, size_t n)
{
    struct t2_err err = T2_ERR_INIT;
    float *logits = t2_alloc(n, sizeof *logits);

    if (mdl_logits(m, b, logits, &err) != T2_OK)
        fail_msg("%s", err.message);
    return logits;
}

/* Which positions' logits change with value `at` of the first image: none that comes before it, nor
 * that value's own, and in one dimension the next one; nothing of the other images. */
static void check_reach(const struct variant *v, int at)
{
    struct mdl *m =
        tiny_model_of(op_device("cpu", 2), v->model, hparams_of(v), v->problem, MDL_EVAL);
    bool mixture = strstr(v->overrides, "dmol"), in_order = v->block[0] * v->block[1] == 1;
    int positions = mixture ? SIDE * SIDE : LENGTH, own = mixture ? at / CHANNELS : at, n_after = 0;
    size_t columns = mixture ? 100 : 256, n = (size_t) (ROWS * positions) * columns;
    const struct mdl_batch *b = batch_of(v->problem);
    float *before = logits_of(m, b, n), *after;

    values[at] = 255 - values[at];
    after = logits_of(m, b, n);
    for (int p = 0; p < ROWS * positions; p++) {
        bool same = memcmp(before + (size_t) p * columns, after + (size_t) p * columns,
                           columns * sizeof *before) == 0;
        bool earlier = p >= positions || (mixture ? p <= own : place_of(v, p) <= place_of(v, own));

        n_after += !same;
        if ((earlier && !same) || (in_order && p == own + 1 && same))
            fail_msg("%s '%s': value %d and position %d", v->model, v->overrides, at, p);
    }
    if (n_after == 0 && place_of(v, at) % (v->block[0] * v->block[1]) == 0)
        fail_msg("%s '%s': nobody sees value %d", v->model, v->overrides, at);
    t2_free(before);
    t2_free(after);
    mdl_free(m);
}

static void test_nothing_later_is_seen(void **state)
{
    (void) state;
    for (int v = 0; v < N_VARIANTS; v++)
        for (int at = 0; at < LENGTH - CHANNELS; at += 7)
            check_reach(&variants[v], at);
}

/* Every value of the image that is read changes every position. */
static void test_source(void **state)
{
    const struct variant *v = &variants[N_VARIANTS - 1];
    struct mdl *m =
        tiny_model_of(op_device("cpu", 2), v->model, hparams_of(v), v->problem, MDL_EVAL);
    const struct mdl_batch *b = batch_of(v->problem);
    const size_t one = (size_t) LENGTH * 256;
    float *before = logits_of(m, b, ROWS * one), *after;

    (void) state;
    labels[5] = 255 - labels[5];
    after = logits_of(m, b, ROWS * one);
    for (size_t p = 0; p < LENGTH; p++)
        assert_true(memcmp(before + p * 256, after + p * 256, 256 * sizeof *before) != 0);
    assert_int_equal(memcmp(before + one, after + one, one * sizeof *before), 0);
    t2_free(before);
    t2_free(after);
    mdl_free(m);
}

/* A class changes the logits of its image alone; without, it does not. */
static void test_class(void **state)
{
    (void) state;
    for (int without = 0; without < 2; without++) {
        struct mdl *m =
            tiny_model_of(op_device("cpu", 2), "imagetransformer",
                          hparams(without ? "unconditional=true" : ""), &images, MDL_EVAL);
        const size_t one = (size_t) LENGTH * 256;
        const struct mdl_batch *b = batch();
        float *before = logits_of(m, b, ROWS * one), *after;

        labels[1] = 4;
        after = logits_of(m, b, ROWS * one);
        assert_int_equal(memcmp(before, after, one * sizeof *before), 0);
        assert_int_equal(memcmp(before + one, after + one, one * sizeof *before) == 0, without);
        t2_free(before);
        t2_free(after);
        mdl_free(m);
    }
}

/* Six steps with dropout; the values of all variables, owned by the caller. */
static float *train(const struct variant *v, int threads, bool remat, double losses[2])
{
    struct mdl_hparams *hp = hparams_of(v);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;
    struct mdl *m;
    float *all;

    mdl_hp_set_float(hp, "layer_prepostprocess_dropout", 0.1);
    m = tiny_model_of(op_device("cpu", threads), v->model, mdl_hparams_copy(hp), v->problem,
                      MDL_TRAIN);
    mdl_set_remat(m, remat);
    assert_int_equal(opt_new(hp, mdl_params(m), &o, &err), T2_OK);
    for (int step = 0; step < 6; step++) {
        assert_int_equal(mdl_train_step(m, batch_of(v->problem), 1, (uint64_t) step, &loss, &err),
                         T2_OK);
        losses[step > 0] = loss.numerator / loss.denominator;
        assert_int_equal(opt_step(o, step, 6, &report, &err), T2_OK);
    }
    all = device_floats(mdl_params(m)->dev, mdl_params(m)->values, mdl_params(m)->n_floats);
    opt_free(o);
    mdl_free(m);
    mdl_hparams_free(hp);
    return all;
}

/* The loss falls; threads and layers that are computed again change no bit. */
static void test_training(void **state)
{
    (void) state;
    for (int v = 0; v < N_VARIANTS; v++) {
        double losses[2], again[2];
        float *one = train(&variants[v], 1, false, losses);

        if (!(losses[1] < losses[0]))
            fail_msg("%s '%s': the loss goes from %g to %g", variants[v].model,
                     variants[v].overrides, losses[0], losses[1]);
        for (int i = 0; i < 2; i++) {
            float *other = train(&variants[v], 2, i == 1, again);

            assert_true(again[1] == losses[1] && one[0] == other[0] && one[7] == other[7]);
            free(other);
        }
        free(one);
    }
}

static void refused(const char *overrides, const struct mdl_problem *problem, enum t2_status status,
                    const char *part)
{
    struct mdl_hparams *hp = hparams(overrides);

    tiny_refused("imagetransformer", hp, problem, status, part);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    struct mdl_problem no_labels = images, grey = images;
    struct mdl_hparams *text = tiny_hparams("");

    (void) state;
    no_labels.has_inputs = false;
    no_labels.inputs_vocab = 0;
    grey.pixels.channels = 1;
    refused("", &tiny_translation, T2_EUNSUPPORTED, "it needs a problem of them");
    refused("", &no_labels, T2_EUSAGE, "unconditional=true");
    refused("likelihood=dmol", &grey, T2_EUNSUPPORTED, "three colours");
    refused("pos=emb,max_length=11", &images, T2_EUSAGE, "a row of the images has 12 positions");
    refused("dec_attention_type=global_local", &images, T2_EUNSUPPORTED, "(supported: local_1d, ");
    refused("dec_attention_type=local_2d", &images, T2_EUSAGE, "query_shape");
    refused("dec_attention_type=dilated", &images, T2_EUSAGE, "for each of the 2 layers");
    refused("dec_attention_type=dilated,gap_sizes=[1,-1]", &images, T2_EUSAGE, "between 0 and");
    refused("dec_attention_type=dilated,gap_sizes=[1,1]", &images, T2_EUSAGE, "num_memory_blocks");
    refused("dec_attention_type=local_1d_noncausal,q_filter_width=2", &images, T2_EUNSUPPORTED,
            "q_filter_width and kv_filter_width of 1");
    refused("local_and_global_att=true", &images, T2_EUNSUPPORTED, "local_and_global_att");
    refused("", &enlarged, T2_EUNSUPPORTED, "it needs a problem of them");
    refused("likelihood=flow", &images, T2_EUNSUPPORTED, "(supported: cat, dmol)");
    refused("ffn_layer=local_moe_tpu", &images, T2_EUNSUPPORTED, "ffn_layer=local_moe_tpu");
    refused("layer_preprocess_sequence=x", &images, T2_EUNSUPPORTED, "of n and d");
    refused("block_length=0", &images, T2_EUSAGE, "block_length=0 is not between 1 and");
    refused("num_heads=3", &images, T2_EUSAGE, "num_heads=3 does not divide");
    tiny_refused("imagetransformer", text, &images, T2_EUSAGE, "imagetransformer_cifar10_base");
    tiny_refused("transformer", text, &images, T2_EUNSUPPORTED, "makes no images");
    mdl_hparams_free(text);
}

static void refused_2d(const struct variant *v, enum t2_status status, const char *part)
{
    struct mdl_hparams *hp = hparams_of(v);

    tiny_refused(v->model, hp, v->problem, status, part);
    mdl_hparams_free(hp);
}

static void test_refusals_of_two_dimensions(void **state)
{
    static const struct variant shape = TWO(0, 3, "[1,2]", "");
    static const struct variant three = TWO(1, 1, "[1,2,3]", "");
    struct variant read = variants[N_VARIANTS - 1];
    struct mdl_problem larger = enlarged;

    (void) state;
    refused_2d(&shape, T2_EUSAGE, "query_shape is not two numbers between 1 and");
    refused_2d(&three, T2_EUSAGE, "memory_flange is not two numbers between 0 and");
    read.problem = &images;
    refused_2d(&read, T2_EUNSUPPORTED, "img2img_cifar10");
    larger.source.width = SIDE + 1;
    read.problem = &larger;
    refused_2d(&read, T2_EUNSUPPORTED, "is larger than");
    read.overrides = "enc_attention_type=local_2d";
    refused_2d(&read, T2_EUNSUPPORTED, "(supported: global, local_1d)");
}

/* Sizes and values of a batch that do not fit. */
static void test_batches(void **state)
{
    struct mdl *m =
        tiny_model_of(op_device("cpu", 1), "imagetransformer", hparams(""), &images, MDL_EVAL);
    struct mdl_batch b = *batch();
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    (void) state;
    b.targets_length = LENGTH - 1;
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_EFORMAT);
    t_assert_contains(err.message, "makes images of 4 x 4 x 3");
    b.targets_length = LENGTH;
    values[5] = 256;
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_EFORMAT);
    t_assert_contains(err.message, "256");
    (void) batch();
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_OK);
    assert_true(loss.denominator == ROWS * LENGTH);
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_nothing_later_is_seen), cmocka_unit_test(test_class),
       cmocka_unit_test(test_source), cmocka_unit_test(test_training),
       cmocka_unit_test(test_refusals), cmocka_unit_test(test_refusals_of_two_dimensions),
       cmocka_unit_test(test_batches))
