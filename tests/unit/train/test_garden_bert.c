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

static struct mdl_problem problem_of(enum mdl_sentences kind, int32_t vocab)
{
    return (struct mdl_problem){.has_inputs = true,
                                .inputs_vocab = vocab,
                                .targets_vocab = kind == MDL_SENTENCES_LABELLED ? 2 : vocab,
                                .loss_multiplier = 1.0,
                                .class_labels = kind == MDL_SENTENCES_LABELLED,
                                .sentences = kind,
                                .types_vocab = 2,
                                .sentence_label = kind == MDL_SENTENCES_MASKED};
}

static enum t2_status open_model(const char *overrides, const struct mdl_problem *problem,
                                 bool describe, struct mdl **m)
{
    static const char *const names[] = {[MDL_SENTENCES_LABELLED] = "mg_bert_classifier",
                                        [MDL_SENTENCES_MASKED] = "mg_bert_pretrainer",
                                        [MDL_SENTENCES_ANSWERED] = "mg_bert_span_labeler"};
    const char *name = names[problem->sentences];
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
    for (int kind = MDL_SENTENCES_LABELLED; kind <= MDL_SENTENCES_ANSWERED; kind++) {
        struct mdl_problem p = problem_of((enum mdl_sentences) kind, 30522);
        int64_t n = encoder + 2 * (D + 1), all = 0; /* and two numbers of each position */
        struct mdl *m = NULL;

        if (kind != MDL_SENTENCES_ANSWERED) /* of the row, behind one more layer */
            n += (D + 1) * D;
        if (kind == MDL_SENTENCES_MASKED) /* transform, its norm, bias of all words */
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
static int32_t answers[B * 2]; /* from id 7, or else from the beginning, to the last */

static struct mdl_batch batch_of(enum mdl_sentences kind)
{
    bool masked = kind == MDL_SENTENCES_MASKED, answered = kind == MDL_SENTENCES_ANSWERED;

    for (int b = 0; b < B; b++) {
        int n = b % 3 + 4;

        for (int l = 0; l < L; l++) {
            inputs[b * L + l] = l < n ? 3 + (5 * b + 3 * l) % 4 : 0;
            types[b * L + l] = l >= 3 && l < n;
        }
        labels[b] = next[b] = b % 2;
        if (labels[b])
            inputs[b * L + 2] = 7;
        answers[2 * b] = labels[b] ? 2 : 0;
        answers[2 * b + 1] = n - 1;
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
                              .targets_length = masked || answered ? 2 : 1,
                              .targets = masked     ? masked_ids
                                         : answered ? answers
                                                    : labels,
                              .masked_positions = masked ? positions : NULL,
                              .sentence_labels = masked ? next : NULL};
}

static double trained(const char *overrides, enum mdl_sentences kind, double *first)
{
    /* ids that are not 0; labels; begins and ends, 0 or not */
    const double counted = kind == MDL_SENTENCES_MASKED     ? 12
                           : kind == MDL_SENTENCES_ANSWERED ? 2 * B
                                                            : B;
    struct mdl_problem p = problem_of(kind, 20);
    struct mdl_batch batch = batch_of(kind);
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
    assert_true(loss.denominator == counted);
    assert_true((loss.ponder > 0.0) == (kind == MDL_SENTENCES_MASKED));
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
        last = trained(classifiers[i], MDL_SENTENCES_LABELLED, &first);
        assert_true(first < 1.5 && last < 0.5 * first);
    }
    last = trained("", MDL_SENTENCES_MASKED, &first); /* of 20 words and of 2 labels */
    assert_true(fabs(first - log(20.0) - log(2.0)) < 0.7 && last < 0.5 * first);
    last = trained("dropout=0", MDL_SENTENCES_ANSWERED, &first); /* of 6 positions */
    assert_true(fabs(first - log((double) L)) < 0.5 && last < 0.5 * first);
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
    struct mdl_problem p = problem_of(MDL_SENTENCES_LABELLED, 20);
    struct mdl_batch batch = batch_of(MDL_SENTENCES_LABELLED);
    struct mdl_loss loss;
    struct mdl *m = NULL;

    (void) state;
    refused("num_heads=3", p, T2_EUSAGE, "no multiple of num_heads=3");
    refused("filter_size=0", p, T2_EUSAGE, "filter_size=0 is not between");
    refused("initializer_range=-1", p, T2_EUSAGE, "initializer_range=-1 is negative");
    p.target = MDL_TARGET_REALS;
    refused("", p, T2_EUNSUPPORTED, "with one class label each");
    p = problem_of(MDL_SENTENCES_LABELLED, 20);
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
    p = problem_of(MDL_SENTENCES_ANSWERED, 20);
    batch = batch_of(MDL_SENTENCES_ANSWERED);
    assert_int_equal(open_model("", &p, false, &m), T2_OK);
    answers[3] = L;
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_EFORMAT);
    assert_non_null(strstr(err.message, "position 6 of a batch is not below 6"));
    close_model(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
