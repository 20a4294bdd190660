/*
 * Tests of train/models/speech_bottom.c: a model of speech trains, is decoded, and its bottom sees
 * as many rows as mdl_speech_rows says.
 */
#include "train/models/speech_bottom.h"

#include <math.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum { FRAMES = 30, WIDTH = 80, CHANNELS = 3, BATCH = 2, TARGETS = 4 };

static struct t2_err err;
static const struct mdl_problem problem = {.has_inputs = true,
                                           .inputs_vocab = 2,
                                           .targets_vocab = 256,
                                           .loss_multiplier = 1.0,
                                           .speech = true,
                                           .image = {0, WIDTH, CHANNELS}};

static struct mdl *new_model(const char *model, const char *changes, enum t2_status *st)
{
    struct mdl_hparams *hp = NULL;
    struct mdl *m = NULL;

    assert_int_equal(mdl_hparams_new("transformer_librispeech", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp,
                                          "hidden_size=16,filter_size=16,num_encoder_layers=1,"
                                          "num_decoder_layers=1,layer_prepostprocess_dropout=0,"
                                          "relu_dropout=0,attention_dropout=0",
                                          &err),
                     T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    *st = mdl_new(model, op_device("cpu", 2), hp, &problem, MDL_TRAIN, &m, &err);
    mdl_hparams_free(hp);
    if (m)
        assert_int_equal(mdl_initialise(m, 3, &err), T2_OK);
    return m;
}

static void test_sizes(void **state)
{
    (void) state;
    for (int32_t frames = 1; frames < 2000; frames++) {
        int32_t rows = frames + MDL_SPEECH_MARGIN, positions = mdl_speech_positions(frames);
        int32_t once = (rows - 3) / 2 + 1, twice = (once - 3) / 2 + 1;

        assert_int_equal(positions, twice);
        assert_true(mdl_speech_rows(positions) <= rows);
        assert_true(mdl_speech_rows(positions + 1) > rows);
    }
}

static void test_train(void **state)
{
    static const int32_t targets[BATCH * TARGETS] = {70, 71, 1, 0, 80, 81, 82, 1};
    int32_t positions = mdl_speech_positions(FRAMES), rows = mdl_speech_rows(positions);
    size_t n = (size_t) BATCH * (size_t) rows * WIDTH * CHANNELS;
    float *x = t2_alloc(n, sizeof *x);
    struct mdl_batch batch = {.batch = BATCH,
                              .all_rows = BATCH,
                              .inputs_length = positions,
                              .targets_length = TARGETS,
                              .targets = targets,
                              .height = rows,
                              .width = WIDTH,
                              .channels = CHANNELS,
                              .images = x};
    struct mdl_loss loss, better;
    enum t2_status st;
    struct mdl *m = new_model("transformer", "", &st);
    struct gr_params *p;
    float *values, *grads;

    (void) state;
    assert_int_equal(st, T2_OK);
    t_fill(x, n, 1);
    p = mdl_params(m);
    assert_int_equal(mdl_train_step(m, &batch, 1, 0, &loss, &err), T2_OK);
    assert_true(isfinite(loss.numerator) && loss.denominator == 7.0);
    values = device_floats(p->dev, p->values, p->n_floats);
    grads = device_floats(p->dev, p->grads, p->n_floats);
    for (int64_t i = 0; i < p->n_floats; i++) /* down the hill */
        values[i] -= 0.002f * grads[i];
    device_write(p->dev, p->values, values, p->n_floats);
    free(values);
    free(grads);
    assert_int_equal(mdl_train_step(m, &batch, 1, 0, &better, &err), T2_OK);
    assert_true(better.numerator < loss.numerator);
    batch.height++;
    assert_int_equal(mdl_train_step(m, &batch, 1, 1, &loss, &err), T2_EFORMAT);
    mdl_free(m);
    t2_free(x);
}

static void test_refusals(void **state)
{
    enum t2_status st;

    (void) state;
    assert_null(new_model("transformer", "pos=emb", &st));
    assert_int_equal(st, T2_EUNSUPPORTED);
    t_assert_contains(err.message, "pos=emb is not supported with speech");
    assert_null(new_model("transformer_encoder", "", &st));
    assert_int_equal(st, T2_EUNSUPPORTED);
    assert_null(new_model("byte_net", "", &st));
    assert_true(st != T2_OK);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_train), cmocka_unit_test(test_refusals))
