/*
 * Tests of train/models/transformer_memory.c: what is refused, what evaluation leaves.  Values are
 * compared with the original's in test_recorded_memory.c.
 */
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/device/device.h"
#include "train/models/model.h"

#define SMALL                                                                                      \
    "hidden_size=8,filter_size=8,num_heads=2,num_hidden_layers=1,max_length=16,batch_size=48,"     \
    "split_targets_chunk_length=4,num_memory_items=6,max_relative_position=3,"                     \
    "layer_prepostprocess_dropout=0.0,attention_dropout=0.0,relu_dropout=0.0"

static const struct mdl_problem problem = {.targets_vocab = 11, .loss_multiplier = 1.0};
static struct t2_err err;

static struct mdl_hparams *hparams(const char *more)
{
    struct mdl_hparams *hp;

    assert_int_equal(mdl_hparams_new("transformer_wikitext103_l4k_memory_v0", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, SMALL, &err), T2_OK);
    if (mdl_hparams_override(hp, more, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static enum t2_status make(const char *more, const struct mdl_problem *p, enum mdl_mode mode,
                           struct dev *dev, struct mdl **m)
{
    struct mdl_hparams *hp = hparams(more);
    enum t2_status st = mdl_new("transformer_memory", dev, hp, p, mode, m, &err);

    mdl_hparams_free(hp);
    return st;
}

static void test_refusals(void **state)
{
    static const struct {
        const char *hparams, *message;
    } cases[] = {
        {"memory_type=neural_memory", "memory_type=neural_memory is not supported"},
        {"unconditional=false", "unconditional=false is not supported"},
        {"self_attention_type=dot_product_relative_v2", "dot_product_relative_v2"},
        {"batch_size=15", "batch_size=15 ids hold no text of max_length=16"},
        {"num_memory_items=-1", "num_memory_items=-1 must lie between 0"},
        {"recurrent_memory_batch_size=1000000,num_memory_items=1000000,hidden_size=1048576",
         "is too large"},
        {"attention_variables_3d=true", "attention_variables_3d"},
        {"scheduled_sampling_prob=1.0", "scheduled_sampling_prob=1 is not supported"},
    };
    struct mdl_problem with_inputs = problem;
    struct dev *dev;
    struct mdl *m;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (make(cases[i].hparams, &problem, MDL_TRAIN, dev, &m) == T2_OK)
            fail_msg("%s is taken", cases[i].hparams);
        t_assert_contains(err.message, cases[i].message);
    }
    with_inputs.has_inputs = true;
    with_inputs.inputs_vocab = 11;
    assert_int_equal(make("", &with_inputs, MDL_TRAIN, dev, &m), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "a problem without inputs");
    dev_close(dev);
}

/* Evaluation does not touch the memory of training, and its own is gone when it is over; batches
 * that there is no memory for are refused. */
static void test_evaluation(void **state)
{
    static const int32_t ids[16] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5, 6, 7, 8};
    struct mdl_batch batch = {.batch = 2, .targets_length = 4, .targets = ids};
    struct gr_params *p;
    const struct gr_variable *of_training, *of_evaluation;
    struct mdl_loss loss, again;
    float before[3 * 6 * 8], after[3 * 6 * 8], kept[3 * 6 * 8];
    struct dev *dev;
    struct mdl *m;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    if (make("", &problem, MDL_TRAIN, dev, &m) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(mdl_initialise(m, 3, &err), T2_OK);
    p = mdl_params(m);
    of_training = gr_params_find(p, "transformer_memory/layer_0/recurrent_memory/memvals");
    of_evaluation = gr_params_find(p, "transformer_memory/layer_0/recurrent_memory/eval_memvals");
    assert_true(of_training && of_evaluation);
    assert_int_equal(of_training->n, 3 * 6 * 8);
    assert_int_equal(mdl_train_step(m, &batch, 1, 0, &loss, &err), T2_OK);
    device_read(dev, before, p->values + of_training->offset, 3 * 6 * 8);
    assert_true(before[5 * 8] != 0.0f); /* the last position */
    assert_true(before[0] == 0.0f);
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_OK);
    batch.chunk = 1;
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_OK);
    device_read(dev, after, p->values + of_training->offset, 3 * 6 * 8);
    assert_memory_equal(before, after, sizeof before);
    device_read(dev, kept, p->values + of_evaluation->offset, 3 * 6 * 8);
    assert_true(kept[5 * 8] != 0.0f);
    mdl_forget_evaluation(m);
    device_read(dev, kept, p->values + of_evaluation->offset, 3 * 6 * 8);
    for (int i = 0; i < 3 * 6 * 8; i++)
        assert_true(kept[i] == 0.0f);
    assert_int_equal(mdl_evaluate(m, &batch, &again, &err), T2_OK);
    assert_true(again.log_prob != loss.log_prob); /* it remembered something else */
    batch.batch = 4;
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_EUSAGE);
    t_assert_contains(err.message, "there is memory for 3 rows, in chunks of 4");
    mdl_free(m);
    dev_close(dev);
}

/* Steps give the logits of whole chunks, of which the later ones remember the earlier ones; texts
 * that would be forgotten in part are refused. */
static void decodes(const char *more, int32_t length)
{
    enum { ROWS = 2, V = 11, CHUNK = 4, MOST = 8 };
    static const int32_t ids[ROWS][MOST] = {{2, 3, 4, 5, 6, 7, 8, 9}, {10, 2, 9, 4, 5, 3, 7, 8}};
    struct mdl_search_shape shape = {ROWS, 1, 0, length, 0, 0};
    float whole[MOST / CHUNK][ROWS][CHUNK][V];
    struct mdl_decoder *d;
    struct dev *dev;
    struct mdl *m;

    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    if (make(more, &problem, MDL_EVAL, dev, &m) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(mdl_initialise(m, 3, &err), T2_OK);
    for (int32_t c = 0; c < length / CHUNK; c++) {
        int32_t part[ROWS][CHUNK];
        struct mdl_batch batch = {.batch = ROWS,
                                  .targets_length = CHUNK,
                                  .targets = part[0],
                                  .chunk = c};

        for (int r = 0; r < ROWS; r++)
            memcpy(part[r], ids[r] + c * CHUNK, sizeof part[r]);
        if (mdl_logits(m, &batch, whole[c][0][0], &err) != T2_OK)
            fail_msg("%s", err.message);
    }
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(d, &shape, NULL, &err), T2_OK);
    for (int32_t step = 0; step < length; step++) {
        int32_t last[ROWS] = {0};
        const float *logits;

        for (int r = 0; r < ROWS && step > 0; r++)
            last[r] = ids[r][step - 1];
        assert_int_equal(mdl_decoder_step(d, step, last, &logits, &err), T2_OK);
        for (int r = 0; r < ROWS; r++)
            t_assert_close(logits + r * V, whole[step / CHUNK][r][step % CHUNK], V, 1e-5, 1e-5);
    }
    shape.max_length = length + 1;
    assert_int_equal(mdl_decoder_begin(d, &shape, NULL, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "model 'transformer_memory' continues one");
    mdl_decoder_free(d);
    mdl_free(m);
    dev_close(dev);
}

static void test_decoding(void **state)
{
    (void) state;
    decodes("pos=timing,num_hidden_layers=2", 4);
    decodes("pos=none,num_hidden_layers=2,num_memory_items=6", 8);
}

T_MAIN(cmocka_unit_test(test_decoding), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_evaluation))
