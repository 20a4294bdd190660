/*
 * Tests of train/models/value_loss.c: a dense layer on a table of numbers, trained as Keras 3.15
 * trains it (Dense, MeanSquaredError or BinaryCrossentropy of logits, Adagrad of rate 0.1), whose
 * losses and weights, recorded by bench/record_keras.py, are below.
 */
#include "train/models/value_loss.h"

#include <math.h>

#include "base/str.h"
#include "tests/unit/train/image_model.h"

enum { ROWS = 5, FEATURES = 3, STEPS = 4, MOST_VALUES = 2 };

static const float table[ROWS][FEATURES] = {{0.5F, -1.0F, 2.0F},
                                            {1.5F, 0.25F, -0.75F},
                                            {-2.0F, 1.0F, 0.5F},
                                            {0.0F, 3.0F, 1.0F},
                                            {1.0F, 1.0F, -1.0F}};

struct keras {
    enum mdl_target_kind target;
    int32_t n_values;
    float targets[ROWS * MOST_VALUES];
    float begins[(FEATURES + 1) * MOST_VALUES]; /* kernel (FEATURES, n_values), bias */
    double losses[STEPS];
    double ends[(FEATURES + 1) * MOST_VALUES];
};

static const struct keras numbers = {.target = MDL_TARGET_REALS,
                                     .n_values = 1,
                                     .targets = {1.0F, -0.5F, 2.5F, 0.0F, 0.75F},
                                     .begins = {0.25F, -0.5F, 0.125F, 0.1F},
                                     .losses = {2.8775391578674316, 2.0944437980651855,
                                                1.699928641319275, 1.4486759901046753},
                                     .ends = {-0.006332926452159882, -0.25862058997154236,
                                              0.31174546480178833, 0.3449217975139618}};

static const struct keras sets = {
    .target = MDL_TARGET_SET,
    .n_values = 2,
    .targets = {1, 0, 0, 0, 1, 1, 0, 1, 1, 0},
    .begins = {0.25F, -0.25F, -0.5F, 0.75F, 0.125F, 0.5F, 0.1F, 0.1F},
    .losses = {0.5718008279800415, 0.5497912764549255, 0.5312010645866394, 0.5151466131210327},
    .ends = {0.10270189493894577, -0.4094163775444031, -0.48263147473335266, 0.782940149307251,
             0.18151848508285522, 0.4802652895450592, 0.1862289011478424, -0.027997858822345734}};

static struct mdl_problem problem_of(const struct keras *k)
{
    return (struct mdl_problem){.targets_vocab = k->n_values,
                                .target = k->target,
                                .table = true,
                                .loss_multiplier = 1.0,
                                .class_labels = true,
                                .image = {1, 1, FEATURES}};
}

static struct mdl_batch batch_of(const struct keras *k)
{
    return (struct mdl_batch){.batch = ROWS,
                              .all_rows = ROWS,
                              .targets_length = 1,
                              .n_values = k->n_values,
                              .values = k->targets,
                              .height = 1,
                              .width = 1,
                              .channels = FEATURES,
                              .images = table[0]};
}

static const char text[] = "layers:\n- dense: $classes\n";

static struct mdl_hparams *hparams_of(const char *model)
{
    struct mdl_hparams *hp =
        image_hparams("basic_fc_small", "num_hidden_layers=0,hidden_size=8,optimizer=keras_adagrad,"
                                        "optimizer_adagrad_initial_accumulator_value=0.1,"
                                        "optimizer_adagrad_epsilon=1e-7,clip_grad_norm=0.0,"
                                        "weight_decay=0.0,learning_rate_schedule=constant,"
                                        "learning_rate_constant=0.1");
    struct t2_err err = T2_ERR_INIT;

    if (mdl_is_layer_file(model) && mdl_layer_file_declare(text, "x.yaml", hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

/* Kernel and bias, in this order. */
static const struct gr_variable *variable(struct mdl *m, const char *end)
{
    const struct gr_params *p = mdl_params(m);

    for (int i = 0; i < p->n_variables; i++)
        if (t2_ends_with(p->variables[i].name, end))
            return &p->variables[i];
    fail_msg("no variable %s", end);
    return NULL;
}

static void put(struct mdl *m, const float *begins, int32_t n_values)
{
    struct gr_params *p = mdl_params(m);
    size_t n = (size_t) n_values;

    p->dev->upload_now(p->dev, p->values + variable(m, "kernel")->offset, begins,
                       FEATURES * n * sizeof *begins);
    p->dev->upload_now(p->dev, p->values + variable(m, "bias")->offset, begins + FEATURES * n,
                       n * sizeof *begins);
}

static void take(struct mdl *m, float *ends, int32_t n_values)
{
    struct gr_params *p = mdl_params(m);
    size_t n = (size_t) n_values;

    p->dev->download(p->dev, ends, p->values + variable(m, "kernel")->offset,
                     FEATURES * n * sizeof *ends);
    p->dev->download(p->dev, ends + FEATURES * n, p->values + variable(m, "bias")->offset,
                     n * sizeof *ends);
}

static void as_keras(const struct keras *k, const char *model, const char *device)
{
    struct mdl_problem problem = problem_of(k);
    struct mdl_batch batch = batch_of(k);
    struct mdl_hparams *hp = hparams_of(model);
    struct t2_err err = T2_ERR_INIT;
    float ends[(FEATURES + 1) * MOST_VALUES];
    struct opt_optimizer *o = NULL;
    struct opt_report report;
    struct mdl_loss loss;
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    assert_int_equal(dev_open(device, 2, &dev, &err), T2_OK);
    if (mdl_new(model, dev, hp, &problem, MDL_TRAIN, &m, &err) != T2_OK ||
        mdl_initialise(m, 1, &err) != T2_OK || opt_new(hp, mdl_params(m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    put(m, k->begins, k->n_values);
    for (int step = 0; step < STEPS; step++) {
        if (mdl_train_step(m, &batch, 7, (uint64_t) step, &loss, &err) != T2_OK ||
            opt_step(o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        assert_true(fabs(loss.numerator / loss.denominator - k->losses[step]) < 1e-6);
    }
    take(m, ends, k->n_values);
    for (int i = 0; i < (FEATURES + 1) * k->n_values; i++)
        assert_true(fabs((double) ends[i] - k->ends[i]) < 1e-6);
    opt_free(o);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

static void test_keras(void **state)
{
    static const char *const devices[] = {"reference", "cpu"};

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        as_keras(&numbers, "basic_fc_relu", devices[i]);
        as_keras(&numbers, "x.yaml", devices[i]);
        as_keras(&sets, "basic_fc_relu", devices[i]);
        as_keras(&sets, "x.yaml", devices[i]);
    }
}

/* What an evaluation gives is what the loss is of; logits alone are the same. */
static void test_given(void **state)
{
    struct mdl_problem problem = problem_of(&sets);
    struct mdl_batch batch = batch_of(&sets);
    struct mdl_hparams *hp = hparams_of("basic_fc_relu");
    float given[ROWS * 2], logits[ROWS * 2];
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    double sum = 0;

    (void) state;
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    assert_int_equal(mdl_new("basic_fc_relu", dev, hp, &problem, MDL_EVAL, &m, &err), T2_OK);
    assert_int_equal(mdl_initialise(m, 1, &err), T2_OK);
    put(m, sets.begins, sets.n_values);
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_OK);
    assert_int_equal(mdl_predicted_values(m, &batch, given, &err), T2_OK);
    for (int i = 0; i < ROWS * 2; i++)
        sum += log1p(exp((double) (sets.targets[i] > 0 ? -given[i] : given[i])));
    assert_true(fabs(sum / (ROWS * 2) - loss.numerator / loss.denominator) < 1e-6);
    assert_true(fabs(sum / (ROWS * 2) - sets.losses[0]) < 1e-6);
    assert_int_equal(mdl_class_logits(m, &batch, logits, &err), T2_OK);
    assert_memory_equal(given, logits, sizeof given);
    batch.n_values = 1;
    assert_int_equal(mdl_evaluate(m, &batch, &loss, &err), T2_EFORMAT);
    t_assert_contains(err.message, "1 values for an example of a model of 2");
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

static void test_refused(void **state)
{
    struct mdl_problem problem = problem_of(&numbers);
    struct mdl_hparams *hp = image_hparams("resnet_50", "");
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    (void) state;
    assert_int_equal(dev_open("reference", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_new("resnet", dev, hp, &problem, MDL_EVAL, &m, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "does not read tables of numbers");
    mdl_hparams_free(hp);
    dev_close(dev);
}

T_MAIN(cmocka_unit_test(test_keras), cmocka_unit_test(test_given), cmocka_unit_test(test_refused))
