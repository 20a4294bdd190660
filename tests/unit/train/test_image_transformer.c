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

#define SMALL                                                                                      \
    "hidden_size=8,num_heads=2,filter_size=12,block_length=12,num_decoder_layers=2,batch_size=3,"  \
    "learning_rate=0.02,learning_rate_warmup_steps=2,unconditional=false"

static const char *const variants[] = {"", "q_filter_width=3,kv_filter_width=2",
                                       "likelihood=dmol,block_length=4", "pos=emb,max_length=12",
                                       "layer_preprocess_sequence=n,layer_postprocess_sequence=da"};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static struct mdl_hparams *hparams(const char *overrides)
{
    struct mdl_hparams *hp = tiny_hparams_of("imagetransformer_tiny", SMALL);
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static int32_t labels[ROWS], values[ROWS * LENGTH];

static const struct mdl_batch *batch(void)
{
    static struct mdl_batch b = {.batch = ROWS,
                                 .all_rows = ROWS,
                                 .inputs_length = 1,
                                 .targets_length = LENGTH,
                                 .inputs = labels,
                                 .targets = values};

    for (int i = 0; i < ROWS; i++)
        labels[i] = i;
    for (int i = 0; i < ROWS * LENGTH; i++)
        values[i] = (int32_t) (t_hash64((uint64_t) i) % 256);
    return &b;
}

static float *logits_of(struct mdl *m, const struct mdl_batch *b, size_t n)
{
    struct t2_err err = T2_ERR_INIT;
    float *logits = t2_alloc(n, sizeof *logits);

    if (mdl_logits(m, b, logits, &err) != T2_OK)
        fail_msg("%s", err.message);
    return logits;
}

/* Which positions' logits change with value `at` of the first image: none up to that value's own,
 * and the next one; nothing of the other images. */
static void check_reach(const char *overrides, int at)
{
    struct mdl *m = tiny_model_of(op_device("cpu", 2), "imagetransformer", hparams(overrides),
                                  &images, MDL_EVAL);
    bool mixture = strstr(overrides, "dmol");
    int positions = mixture ? SIDE * SIDE : LENGTH, own = mixture ? at / CHANNELS : at;
    size_t columns = mixture ? 100 : 256, n = (size_t) (ROWS * positions) * columns;
    const struct mdl_batch *b = batch();
    float *before = logits_of(m, b, n), *after;

    values[at] = 255 - values[at];
    after = logits_of(m, b, n);
    for (int p = 0; p < ROWS * positions; p++) {
        bool same = memcmp(before + (size_t) p * columns, after + (size_t) p * columns,
                           columns * sizeof *before) == 0;

        if ((p <= own || p >= positions) != same && (p <= own || p == own + 1 || p >= positions))
            fail_msg("'%s': value %d and position %d", overrides, at, p);
    }
    t2_free(before);
    t2_free(after);
    mdl_free(m);
}

static void test_nothing_later_is_seen(void **state)
{
    (void) state;
    for (int v = 0; v < N_VARIANTS; v++)
        for (int at = 0; at < LENGTH - CHANNELS; at += 7)
            check_reach(variants[v], at);
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
static float *train(const char *overrides, int threads, bool remat, double losses[2])
{
    struct mdl_hparams *hp = hparams(overrides);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;
    struct mdl *m;
    float *all;

    mdl_hp_set_float(hp, "layer_prepostprocess_dropout", 0.1);
    m = tiny_model_of(op_device("cpu", threads), "imagetransformer", mdl_hparams_copy(hp), &images,
                      MDL_TRAIN);
    mdl_set_remat(m, remat);
    assert_int_equal(opt_new(hp, mdl_params(m), &o, &err), T2_OK);
    for (int step = 0; step < 6; step++) {
        assert_int_equal(mdl_train_step(m, batch(), 1, (uint64_t) step, &loss, &err), T2_OK);
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
        float *one = train(variants[v], 1, false, losses);

        if (!(losses[1] < losses[0]))
            fail_msg("'%s': the loss goes from %g to %g", variants[v], losses[0], losses[1]);
        for (int i = 0; i < 2; i++) {
            float *other = train(variants[v], 2, i == 1, again);

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
    refused("dec_attention_type=dilated", &images, T2_EUNSUPPORTED, "(supported: local_1d)");
    refused("likelihood=flow", &images, T2_EUNSUPPORTED, "(supported: cat, dmol)");
    refused("ffn_layer=local_moe_tpu", &images, T2_EUNSUPPORTED, "ffn_layer=local_moe_tpu");
    refused("block_raster_scan=true", &images, T2_EUNSUPPORTED, "block_raster_scan");
    refused("layer_preprocess_sequence=x", &images, T2_EUNSUPPORTED, "of n and d");
    refused("block_length=0", &images, T2_EUSAGE, "block_length=0 is not between 1 and");
    refused("num_heads=3", &images, T2_EUSAGE, "num_heads=3 does not divide");
    tiny_refused("imagetransformer", text, &images, T2_EUSAGE, "imagetransformer_cifar10_base");
    tiny_refused("transformer", text, &images, T2_EUNSUPPORTED, "makes no images");
    mdl_hparams_free(text);
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
       cmocka_unit_test(test_training), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_batches))
