/*
 * tests/oracle/test_recorded_flowers.c - the flowers network against its own program on TensorFlow.
 *
 * T2_DATA/oracles/flowers: with and without batch normalisation, other kernel sizes: names, logits, loss,
 * gradients, three steps of Adam with moving averages, evaluation logits before and after.
 */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

static const char folder[] = "oracles/flowers";

/* The original's own noise (README of the oracles), doubled. */
struct row {
    const char *name;
    double logits, gradients;
    struct cnn_tolerance steps;
    double eval;
};

static void override(struct cnn_case *c, const char *hparam, const struct t2_json_value *v)
{
    struct t2_err err = T2_ERR_INIT;
    char clause[64];

    if (!v)
        return;
    snprintf(clause, sizeof clause, "%s=%.17g", hparam,
             t2_json_as_double(v, t2_json_as_bool(v, false) ? 1.0 : 0.0));
    assert_int_equal(mdl_hparams_override(c->hp, clause, &err), T2_OK);
}

static void read_case(struct cnn_case *c, struct dev *dev, const struct row *row)
{
    static const char *const same[] = {"ksize1", "ksize2", "nfil1", "nfil2", "batch_norm"};
    const struct t2_json_value *params;
    const struct ckpt_tensor *images, *labels;
    struct t2_err err = T2_ERR_INIT;

    cnn_open(c, dev, folder, row->name, NULL);
    assert_int_equal(mdl_hparams_new("flowers_cnn", &c->hp, &err), T2_OK);
    params = t2_json_get(c->root, "params");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i)
        override(c, same[i], t2_json_get(params, same[i]));
    override(c, "learning_rate_constant", t2_json_get(params, "learning_rate"));
    override(c, "dropout", t2_json_get(params, "dprob"));
    images = cnn_must_find(c, "in/", "images");
    labels = cnn_must_find(c, "in/", "labels");
    c->problem =
        (struct mdl_problem){.targets_vocab = 5,
                             .loss_multiplier = 3.0, /* must not count */
                             .class_labels = true,
                             .image = {(int32_t) images->dims[1], (int32_t) images->dims[2],
                                       (int32_t) images->dims[3]}};
    c->batch = (struct mdl_batch){.batch = (int32_t) images->dims[0],
                                  .targets_length = 1,
                                  .targets = labels->data,
                                  .height = (int32_t) images->dims[1],
                                  .width = (int32_t) images->dims[2],
                                  .channels = (int32_t) images->dims[3],
                                  .images = images->data};
    cnn_model(c, "flowers_cnn");
    cnn_compare_names(c);
    cnn_set_variables(c);
}

static void check_steps(struct cnn_case *c, const struct row *row)
{
    const struct t2_json_value *steps = t2_json_get(c->root, "steps");
    struct gr_params *p = mdl_params(c->m);
    struct cnn_tolerance gradients = {.each = row->gradients};
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    assert_int_equal(opt_new(c->hp, p, &o, &err), T2_OK);
    for (int step = 0; step < 3; ++step) {
        const struct t2_json_value *recorded = t2_json_item(steps, (size_t) step);
        char prefix[32];

        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        cnn_near(c, "loss", loss.numerator / loss.denominator,
                 t2_json_as_double(t2_json_get(recorded, "loss_before_update"), NAN),
                 step == 0 ? 1e-6 : 8e-6);
        if (step == 0)
            assert_int_equal(cnn_compare_variables(c, p->grads, "grad/", &gradients),
                             t2_json_size(t2_json_get(c->root, "trainable")));
        assert_int_equal(opt_step(o, step, 1000, &report, &err), T2_OK);
        snprintf(prefix, sizeof prefix, "step%d/", step + 1);
        (void) cnn_compare_variables(c, p->values, prefix, &row->steps);
    }
    opt_free(o);
}

static void check_case(const struct row *row)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct cnn_case c;

    if (!t_data_path(folder))
        t_skip("no %s in T2_DATA", folder);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    read_case(&c, dev, row);
    cnn_compare_training(&c, row->logits);
    cnn_set_variables(&c);
    cnn_compare_eval(&c, "eval_logits_initial", row->logits);
    check_steps(&c, row);
    cnn_compare_eval(&c, "eval_logits_after_3_steps", row->eval);
    cnn_close(&c);
    dev_close(dev);
}

static void test_plain(void **state)
{
    static const struct row row = {"plain", 2e-6, 4e-7, {.each = 2.5e-5}, 3e-5};

    (void) state;
    check_case(&row);
}

static void test_plain_small_kernels(void **state)
{
    static const struct row row = {"plain_small_kernels", 2e-6, 4e-7, {.each = 1e-5}, 2e-5};

    (void) state;
    check_case(&row);
}

/* Biases in front of a normalisation: Adam divides what is left of a gradient of 0 by itself. */
static void test_batch_norm(void **state)
{
    static const struct row row = {"batch_norm", 6e-6, 1.2e-6, {2.5e-5, 6e-3, 0.02}, 5e-4};

    (void) state;
    check_case(&row);
}

T_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_plain_small_kernels),
       cmocka_unit_test(test_batch_norm))
