/*
 * Tests of train/models/garden_bert.c: sizes, runs, refusals; values are compared with the
 * original's in tests/oracle/test_recorded_bert.c.
 */
#include <math.h>

#include "tests/support/t.h"
#include "train/models/model_parts.h"
#include "train/optim/optimizer.h"

static struct t2_err err;

#define SMALL                                                                                      \
    "vocab_size=20,hidden_size=8,num_hidden_layers=2,num_heads=2,filter_size=12,"                  \
    "max_position_embeddings=8,sentence_head_size=6,learning_rate_main=constant,"                  \
    "learning_rate_initial=0.01"

static struct mdl_problem problem_of(bool masked, int32_t vocab)
{
    return (struct mdl_problem){.has_inputs = true,
                                .inputs_vocab = vocab,
                                .targets_vocab = masked ? vocab : 2,
                                .loss_multiplier = 1.0,
                                .class_labels = !masked,
                                .sentences = masked ? MDL_SENTENCES_MASKED : MDL_SENTENCES_LABELLED,
                                .types_vocab = 2,
                                .sentence_label = masked};
}

static enum t2_status open_model(const char *overrides, const struct mdl_problem *problem,
                                 bool describe, struct mdl **m)
{
    const char *name =
        problem->sentences == MDL_SENTENCES_MASKED ? "mg_bert_pretrainer" : "mg_bert_classifier";
    struct mdl_hparams *hp = NULL;
    struct dev *dev = NULL;
    enum t2_status st;

    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    assert_int_equal(mdl_hparams_new("mg_bert_base", &hp, &err), T2_OK);
    if ((!describe && mdl_hparams_override(hp, SMALL, &err) != T2_OK) ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    st = describe ? mdl_describe(name, dev, hp, problem, MDL_TRAIN, m, &err)
                  : mdl_new(name, dev, hp, problem, MDL_TRAIN, m, &err);
    mdl_hparams_free(hp);
    if (st != T2_OK)
        dev_close(dev);
    return st;
}

static void close_model(struct mdl *m)
{
    struct dev *dev = m->dev;

    mdl_free(m);
    dev_close(dev);
}

/* BERT base has 109,482,240 values and its pooler; each head its own. */
static void test_sizes(void **state)
{
    const int64_t encoder = 109482240, D = 768;

    (void) state;
    for (int masked = 0; masked < 2; masked++) {
        struct mdl_problem p = problem_of(masked, 30522);
        int64_t n = encoder + (D + 1) * D + 2 * (D + 1), all = 0;
        struct mdl *m = NULL;

        if (masked) /* transform, its norm, bias of all words */
            n += (D + 1) * D + 2 * D + 30522;
        if (open_model("", &p, true, &m) != T2_OK)
            fail_msg("%s", err.message);
        for (int i = 0; i < m->params.n_variables; i++)
            all += m->params.variables[i].n;
        assert_int_equal(all, n);
        close_model(m);
    }
}

/* Ids and labels in which the label is whether id 7 is there. */
enum { B = 8, L = 6, P = 2 };
static int32_t inputs[B * L], types[B * L], labels[B], masked_ids[B * P], positions[B * P], next[B];

static struct mdl_batch batch_of(bool masked)
{
    for (int b = 0; b < B; b++) {
        int n = b % 3 + 4;

        for (int l = 0; l < L; l++) {
            inputs[b * L + l] = l < n ? 3 + (5 * b + 3 * l) % 4 : 0;
            types[b * L + l] = l >= 3 && l < n;
        }
        labels[b] = next[b] = b % 2;
        if (labels[b])
            inputs[b * L + 2] = 7;
        for (int p = 0; p < P; p++) {
            bool there = p <= b % 2;

            masked_ids[b * P + p] = there ? 10 + b % 2 : 0;
            positions[b * P + p] = there ? p + 1 : 0;
        }
    }
    return (struct mdl_batch){.batch = B,
                              .inputs_length = L,
                              .inputs = inputs,
                              .types = types,
                              .targets_length = masked ? P : 1,
                              .targets = masked ? masked_ids : labels,
                              .masked_positions = masked ? positions : NULL,
                              .sentence_labels = masked ? next : NULL};
}

static double trained(const char *overrides, bool masked, double *first)
{
    struct mdl_problem p = problem_of(masked, 20);
    struct mdl_batch batch = batch_of(masked);
    struct opt_optimizer *o = NULL;
    struct opt_report report;
    struct mdl_loss loss;
    struct mdl *m = NULL;

    if (open_model(overrides, &p, false, &m) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(mdl_initialise(m, 3, &err), T2_OK);
    assert_int_equal(opt_new(mdl_hparams_of(m), mdl_params(m), &o, &err), T2_OK);
    for (int step = 0; step < 40; step++) {
        if (mdl_train_step(m, &batch, 1, (uint64_t) step, &loss, &err) != T2_OK)
            fail_msg("%s", err.message);
        assert_int_equal(opt_step(o, step, 100, &report, &err), T2_OK);
        if (step == 0)
            *first = loss.numerator / loss.denominator;
    }
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_OK);
    assert_true(masked ? loss.ponder > 0.0 && loss.denominator == 12.0 : loss.denominator == B);
    opt_free(o);
    close_model(m);
    return loss.numerator / loss.denominator;
}

static void test_runs(void **state)
{
    static const char *const classifiers[] = {"attention_dropout=0",
                                              "use_encoder_pooler=true,dropout=0"};
    double first, last;

    (void) state;
    for (size_t i = 0; i < sizeof classifiers / sizeof *classifiers; i++) {
        last = trained(classifiers[i], false, &first);
        assert_true(first < 1.5 && last < 0.5 * first);
    }
    last = trained("", true, &first); /* of 20 words and of 2 labels */
    assert_true(fabs(first - log(20.0) - log(2.0)) < 0.7 && last < 0.5 * first);
}

static void refused(const char *overrides, struct mdl_problem p, enum t2_status status,
                    const char *text)
{
    struct mdl *m = NULL;

    assert_int_equal(open_model(overrides, &p, false, &m), status);
    if (!strstr(err.message, text))
        fail_msg("'%s' does not say '%s'", err.message, text);
    err = (struct t2_err) T2_ERR_INIT;
}

static void test_refusals(void **state)
{
    struct mdl_problem p = problem_of(false, 20);
    struct mdl_batch batch = batch_of(false);
    struct mdl_loss loss;
    struct mdl *m = NULL;

    (void) state;
    refused("num_heads=3", p, T2_EUSAGE, "no multiple of num_heads=3");
    refused("filter_size=0", p, T2_EUSAGE, "filter_size=0 is not between");
    refused("initializer_range=-1", p, T2_EUSAGE, "initializer_range=-1 is negative");
    p.target = MDL_TARGET_REALS;
    refused("", p, T2_EUNSUPPORTED, "with one class label each");
    p = problem_of(false, 20);
    assert_int_equal(open_model("max_position_embeddings=5", &p, false, &m), T2_OK);
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_EUSAGE);
    assert_non_null(strstr(err.message, "max_position_embeddings=5"));
    types[0] = 2;
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_EFORMAT);
    assert_non_null(strstr(err.message, "type 2"));
    batch.types = NULL;
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_EFORMAT);
    assert_non_null(strstr(err.message, "not of sentences"));
    close_model(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
