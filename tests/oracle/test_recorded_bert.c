/*
 * tests/oracle/test_recorded_bert.c - Model Garden's BERT, with the heads of sentence_prediction,
 * pretraining and squad, against its own programs: T2_DATA/oracles/garden, which
 * bench/record_bert.py makes.
 *
 * Names, logits, loss, gradients, three steps of AdamWeightDecay, logits behind them.
 */
#include <string.h>

#include "base/alloc.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/t.h"
#include "train/optim/method.h"

static const char folder[] = "oracles/garden";

struct row {
    const char *name;
};

static const struct row rows[] = {{"bert_classifier"},
                                  {"bert_classifier_pooler"},
                                  {"bert_pretrainer"},
                                  {"bert_pretrainer_no_sentence"},
                                  {"bert_span_labeler"}};

static const int32_t *ids(const struct cnn_case *c, const char *name)
{
    const struct ckpt_tensor *t = cnn_find(c, "in/", name);

    return t ? t->data : NULL;
}

/* Begin and end of row i at answer[2 i]. */
static void join_answers(const struct cnn_case *c, int32_t batch, int32_t *answers)
{
    for (int32_t b = 0; b < batch; b++) {
        answers[2 * b] = ids(c, "start_positions")[b];
        answers[2 * b + 1] = ids(c, "end_positions")[b];
    }
}

static void read_batch(struct cnn_case *c)
{
    enum { MOST = 16 };
    static int32_t answers[2 * MOST];
    bool answered = cnn_find(c, "in/", "start_positions") != NULL;
    const struct ckpt_tensor *words = cnn_must_find(c, "in/", "input_word_ids");
    const struct ckpt_tensor *masked = cnn_find(c, "in/", "masked_lm_ids");
    const struct ckpt_tensor *logits = cnn_must_find(c, "out/", "logits");

    c->problem = (struct mdl_problem){.has_inputs = true,
                                      .inputs_vocab = (int32_t) mdl_hp_int(c->hp, "vocab_size"),
                                      .targets_vocab = (int32_t) logits->dims[logits->rank - 1],
                                      .loss_multiplier = 1.0,
                                      .class_labels = !masked && !answered,
                                      .sentences = masked     ? MDL_SENTENCES_MASKED
                                                   : answered ? MDL_SENTENCES_ANSWERED
                                                              : MDL_SENTENCES_LABELLED,
                                      .types_vocab = (int32_t) mdl_hp_int(c->hp, "type_vocab_size"),
                                      .sentence_label = ids(c, "next_sentence_labels") != NULL};
    c->batch = (struct mdl_batch){.batch = (int32_t) words->dims[0],
                                  .inputs_length = (int32_t) words->dims[1],
                                  .inputs = words->data,
                                  .types = ids(c, "input_type_ids"),
                                  .targets_length = masked     ? (int32_t) masked->dims[1]
                                                    : answered ? 2
                                                               : 1,
                                  .targets = masked     ? masked->data
                                             : answered ? answers
                                                        : ids(c, "label_ids"),
                                  .masked_positions = ids(c, "masked_lm_positions"),
                                  .sentence_labels = ids(c, "next_sentence_labels")};
    assert_true(c->batch.batch <= MOST);
    if (answered)
        join_answers(c, c->batch.batch, answers);
}

/* The softmax of an answer is over positions: what is added to all of a row changes no loss, so
 * that the gradients of the last beta and of the bias are 0 but for rounding, which Adam divides by
 * itself.  Logits (…, L) of steps are compared without the mean of their row. */
static void centre_rows(float *logits, size_t n, int64_t L)
{
    for (float *row = logits; row < logits + n; row += L) {
        double sum = 0.0;

        for (int64_t l = 0; l < L; l++)
            sum += (double) row[l];
        for (int64_t l = 0; l < L; l++)
            row[l] = (float) ((double) row[l] - sum / (double) L);
    }
}

static void compare_logits(const struct cnn_case *c, const char *name, bool centred)
{
    const struct ckpt_tensor *theirs = cnn_must_find(c, "out/", name);
    const struct cnn_tolerance t = {.each = cnn_room(c, "logits", 2e-5, 2e-5)};
    size_t n = 1;
    struct t2_err err = T2_ERR_INIT;
    float *ours, *wanted;

    for (int i = 0; i < theirs->rank; i++)
        n *= (size_t) theirs->dims[i];
    ours = t2_alloc(n, sizeof *ours);
    wanted = t2_alloc(n, sizeof *wanted);
    memcpy(wanted, theirs->data, n * sizeof *wanted);
    assert_int_equal(mdl_logits(c->m, &c->batch, ours, &err), T2_OK);
    if (centred) {
        centre_rows(ours, n, theirs->dims[theirs->rank - 1]);
        centre_rows(wanted, n, theirs->dims[theirs->rank - 1]);
    }
    cnn_compare(c, name, ours, wanted, n, &t);
    t2_free(ours);
    t2_free(wanted);
}

/* The set's list of what does not decay leaves out what the experiment's does. */
static void check_decays(const struct cnn_case *c)
{
    const struct t2_json_value *decays = t2_json_get(c->root, "decays");
    const struct gr_params *p = mdl_params(c->m);

    for (int i = 0; i < p->n_variables; i++) {
        const char *name = p->variables[i].name;

        assert_int_equal(t2_json_as_bool(t2_json_get(decays, name), false),
                         !opt_name_has_part(name,
                                            mdl_hp_string(c->hp, "optimizer_adam_decay_skip")));
    }
}

static void test_case(void **state)
{
    const struct row *row = *state;
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct cnn_case c;

    cnn_need(folder, row->name);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    cnn_open(&c, dev, folder, row->name, NULL);
    cnn_read_hparams(&c);
    read_batch(&c);
    cnn_model(&c, cnn_text(&c, "model"));
    cnn_compare_names(&c);
    cnn_set_variables(&c);
    compare_logits(&c, "eval_logits_initial", false);
    check_decays(&c);
    cnn_compare_steps(&c, 2e-5, cnn_room(&c, "steps", 2e-5, 2e-5));
    compare_logits(&c, "eval_logits_after", c.problem.sentences == MDL_SENTENCES_ANSWERED);
    cnn_close(&c);
    dev_close(dev);
}

T_ROWS_MAIN(rows, test_case)
