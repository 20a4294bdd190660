/* Tests of train/models/byte_net.c: sizes, runs, decoding from prefixes, refusals; values are
 * compared with the original's in tests/oracle/test_recorded_byte_net.c. */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/optim/optimizer.h"

enum { ROWS = 6, INPUTS = 7, LENGTH = 60 };

static const char small[] = "hidden_size=8,num_hidden_layers=2,num_block_repeat=2,weight_decay=0,"
                            "learning_rate=20,learning_rate_warmup_steps=1";

static struct mdl_hparams *hparams(const char *set, const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    if (mdl_hparams_new(set, &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, small, &err) != T2_OK ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static struct mdl *model(struct dev *d, const char *overrides, enum mdl_mode mode)
{
    struct mdl_hparams *hp = hparams("bytenet_base", overrides);
    struct t2_err err = T2_ERR_INIT;
    struct mdl *m = NULL;

    if (mdl_new("byte_net", d, hp, &tiny_translation, mode, &m, &err) != T2_OK ||
        mdl_initialise(m, 3, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    return m;
}

/* The set's: 4 blocks of 4 dilations in each stack, 8 variables of them but for kernels. */
static void test_sizes(void **state)
{
    int64_t d = 768, kernels = (2 * 4 * 4 * 3 + 6) * d * d, norms = (2 * 4 * 5 + 1) * 2 * d;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp;
    struct mdl *m = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("bytenet_base", &hp, &err), T2_OK);
    assert_int_equal(mdl_new("byte_net", op_device("reference", 1), hp, &tiny_translation, MDL_EVAL,
                             &m, &err),
                     T2_OK);
    assert_int_equal(gr_params_count(mdl_params(m)), kernels + norms + 3 * TINY_VOCAB * d);
    mdl_free(m);
    mdl_hparams_free(hp);
}

/* Three steps with both dropouts; the values of all variables, owned by the caller. */
static float *train(int threads, bool remat, double losses[12])
{
    struct dev *d = op_device("cpu", threads);
    struct mdl *m = model(d, "dropout=0.1,symbol_dropout=0.2", MDL_TRAIN);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct opt_report report;
    struct mdl_loss loss;
    float *values;

    mdl_set_remat(m, remat);
    if (opt_new(mdl_hparams_of(m), mdl_params(m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < 12; step++) {
        const struct mdl_batch *b = tiny_batch(&batch, 5, 9, 11 + 60 * (step == 1), 3);

        if (mdl_train_step(m, b, 7, (uint64_t) step, &loss, &err) != T2_OK ||
            opt_step(o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        losses[step] = loss.numerator / loss.denominator;
    }
    values = device_floats(d, mdl_params(m)->values, mdl_params(m)->n_floats);
    opt_free(o);
    mdl_free(m);
    return values;
}

static void test_runs(void **state)
{
    double losses[3][12];
    float *values[3];
    struct mdl *m = model(op_device("reference", 1), "", MDL_EVAL);
    size_t bytes = (size_t) mdl_params(m)->n_floats * sizeof(float);

    (void) state;
    for (int i = 0; i < 3; i++)
        values[i] = train(1 + (i > 0), i == 2, losses[i]);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(losses[0], losses[i], sizeof losses[0]);
        assert_memory_equal(values[0], values[i], bytes);
    }
    assert_true(losses[0][11] < losses[0][0]);
    for (int i = 0; i < 3; i++)
        free(values[i]);
    mdl_free(m);
}

/* What comes later is not seen, and padding behind the targets changes nothing. */
static void test_causal(void **state)
{
    struct mdl *m = model(op_device("cpu", 1), "", MDL_EVAL);
    float one[12 * TINY_VOCAB], two[12 * TINY_VOCAB];
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_batch b = *tiny_batch(&batch, 1, 9, 12, 3);

    (void) state;
    assert_int_equal(mdl_logits(m, &b, one, &err), T2_OK);
    batch.targets[8] = 1 + batch.targets[8] % (TINY_VOCAB - 1);
    assert_int_equal(mdl_logits(m, &b, two, &err), T2_OK);
    assert_memory_equal(one, two, 9 * TINY_VOCAB * sizeof(float));
    assert_memory_not_equal(one + 9 * TINY_VOCAB, two + 9 * TINY_VOCAB, TINY_VOCAB * sizeof(float));
    mdl_free(m);
}

/* Beams of two over three sources, past the first fifty ids, reordered on the way. */
static void test_decoding(void **state)
{
    static float all[ROWS * LENGTH * TINY_VOCAB];
    struct mdl *m = model(op_device("cpu", 2), "", MDL_EVAL);
    int32_t sources[ROWS / 2 * INPUTS], inputs[ROWS * INPUTS], ids[ROWS], from[ROWS];
    int32_t history[ROWS][LENGTH] = {{0}}, before[ROWS][LENGTH], targets[ROWS * LENGTH];
    const struct mdl_search_shape shape = {ROWS / 2, 2, INPUTS, LENGTH, 0, 0};
    const uint64_t width = 100; /* LENGTH in whole fifties */
    struct t2_err err = T2_ERR_INIT;
    struct mdl_decoder *d = NULL;
    struct dev_bytes planned;
    uint64_t arena_bytes;
    const float *logits;

    (void) state;
    tiny_ids(sources, ROWS / 2, INPUTS, 5);
    for (int r = 0; r < ROWS; r++)
        memcpy(inputs + r * INPUTS, sources + r / 2 * INPUTS, INPUTS * sizeof *inputs);
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(d, &shape, sources, &err), T2_OK);
    assert_int_equal(mdl_decoder_vocab(d), TINY_VOCAB);
    arena_bytes = m->arena_bytes; /* of the last step; and the plan is that and what the host has */
    assert_int_equal(mdl_decoder_plan(d, &shape, &planned, &err), T2_OK);
    assert_int_equal(planned.device + planned.host, arena_bytes + 4 * ROWS * (INPUTS + 2 * width));
    for (int32_t step = 0; step < LENGTH; step++) {
        struct mdl_batch b = {.batch = ROWS,
                              .inputs_length = INPUTS,
                              .targets_length = step + 1,
                              .inputs = inputs,
                              .targets = targets};

        assert_int_equal(mdl_decoder_step(d, step, ids, &logits, &err), T2_OK);
        for (int r = 0; r < ROWS; r++)
            memcpy(targets + r * (step + 1), history[r], (size_t) (step + 1) * sizeof *targets);
        for (int r = 0; r < ROWS; r++)
            memcpy(all + r * TINY_VOCAB, logits + r * TINY_VOCAB, TINY_VOCAB * sizeof(float));
        if (step % 7 == 3 || step == LENGTH - 1) {
            static float whole[ROWS * LENGTH * TINY_VOCAB];

            assert_int_equal(mdl_logits(m, &b, whole, &err), T2_OK);
            for (int r = 0; r < ROWS; r++)
                t_assert_close(all + r * TINY_VOCAB, whole + (r * (step + 1) + step) * TINY_VOCAB,
                               TINY_VOCAB, 0, 0);
        }
        memcpy(before, history, sizeof before);
        for (int r = 0; r < ROWS; r++) {
            from[r] = step % 3 == 0 ? r / 2 * 2 + (r + step) % 2 : r;
            memcpy(history[r], before[from[r]], sizeof before[0]);
        }
        assert_int_equal(mdl_decoder_reorder(d, from, &err), T2_OK);
        for (int r = 0; r < ROWS; r++)
            ids[r] = history[r][step] = 1 + (int32_t) (t_hash64((uint64_t) (step * ROWS + r)) % 20);
    }
    assert_int_equal(m->arena_bytes, arena_bytes); /* it did not grow on the way */
    mdl_decoder_free(d);
    mdl_free(m);
}

static void refused(const char *set, const char *overrides, const struct mdl_problem *problem,
                    enum t2_status status, const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct mdl *m = NULL;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    assert_int_equal(mdl_new("byte_net", op_device("reference", 1), hp, problem, MDL_TRAIN, &m,
                             &err),
                     status);
    t_assert_contains(err.message, text);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *overrides, *text;
    } rows[] = {{"kernel_width=3", "kernel_width=3 must lie between 1 and 1"},
                {"kernel_height=4", "kernel_height=4 must be odd"},
                {"num_hidden_layers=21", "num_hidden_layers=21 must lie between 1 and 20"},
                {"num_block_repeat=0", "num_block_repeat=0 must lie"}};
    struct mdl *m = model(op_device("reference", 1), "", MDL_EVAL);
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_batch b = *tiny_batch(&batch, 2, 5, 6, 1);
    struct mdl_loss loss;
    int32_t zeros[12] = {0};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused("bytenet_base", rows[i].overrides, &tiny_translation, T2_EUSAGE, rows[i].text);
    refused("transformer_tiny", "", &tiny_translation, T2_EUSAGE, "--hparams_set=bytenet_base");
    refused("bytenet_base", "", &tiny_language, T2_EUNSUPPORTED, "needs a problem of text");
    refused("bytenet_base", "prepend_mode=prepend_inputs_full_attention", &tiny_translation,
            T2_EUNSUPPORTED, "prepend_mode");
    b.inputs_segmentation = b.inputs_position = zeros;
    b.targets_segmentation = b.targets_position = zeros;
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "not packed data");
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_causal),
       cmocka_unit_test(test_decoding), cmocka_unit_test(test_refusals))
