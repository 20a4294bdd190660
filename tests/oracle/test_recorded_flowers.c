/*
 * tests/oracle/test_recorded_flowers.c - the flowers network against its own program on TensorFlow.
 *
 * T2_DATA/oracles/flowers: with and without batch normalisation, other kernel sizes: names, logits,
 * loss, gradients, three steps of Adam with moving averages, evaluation logits before and after.
 */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

static const char folder[] = "oracles/flowers";

struct row {
    const char *name;
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
    struct t2_err err = T2_ERR_INIT;

    cnn_open(c, dev, folder, row->name, NULL);
    assert_int_equal(mdl_hparams_new("flowers_cnn", &c->hp, &err), T2_OK);
    params = t2_json_get(c->root, "params");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        override(c, same[i], t2_json_get(params, same[i]));
    override(c, "learning_rate_constant", t2_json_get(params, "learning_rate"));
    override(c, "dropout", t2_json_get(params, "dprob"));
    cnn_read_images(c);
    cnn_model(c, "flowers_cnn");
    cnn_compare_names(c);
    cnn_set_variables(c);
}

/* Adam divides what is left of a gradient of 0 by itself, which moves a value by up to the rate at
 * each step, ours and theirs.  That is so for every bias in front of a normalisation, which takes
 * it out again, and for single values elsewhere. */
static struct cnn_tolerance steps_tolerance(const struct cnn_case *c, size_t n_steps)
{
    const struct gr_params *p = mdl_params(c->m);
    double rate = mdl_hp_float(c->hp, "learning_rate_constant"), all = 0.0, biases = 0.0;
    double own = 2e-5; /* beside it, where Adam divides small gradients */

    for (int i = 0; i < p->n_variables; i++) {
        all += (double) p->variables[i].n;
        if (mdl_hp_bool(c->hp, "batch_norm") && t2_ends_with(p->variables[i].name, "/bias"))
            biases += (double) p->variables[i].n;
    }
    if (biases == 0.0)
        own = cnn_room(c, "variables_after_3_steps", own, own);
    return (struct cnn_tolerance){.each = own,
                                  .outlier = 2.0 * rate * (double) n_steps,
                                  .fraction = biases / all + 0.001};
}

static void check_steps(struct cnn_case *c)
{
    static const char *const loss_of[] = {"loss", "loss_step_1", "loss_step_2"};
    const struct t2_json_value *steps = t2_json_get(c->root, "steps");
    struct gr_params *p = mdl_params(c->m);
    struct cnn_tolerance gradients = {.each = cnn_room(c, "gradients", 4e-7, 2e-6)};
    struct cnn_tolerance variables = steps_tolerance(c, 3);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    assert_int_equal(opt_new(c->hp, p, &o, &err), T2_OK);
    for (int step = 0; step < 3; step++) {
        const struct t2_json_value *recorded = t2_json_item(steps, (size_t) step);
        double expected = t2_json_as_double(t2_json_get(recorded, "loss_before_update"), NAN);
        char prefix[32];

        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        cnn_near(c, "loss", loss.numerator / loss.denominator, expected,
                 cnn_room(c, loss_of[step], step == 0 ? 1e-6 : 8e-6, 8e-6) / fmin(expected, 1.0));
        if (step == 0)
            assert_int_equal(cnn_compare_on_device(c, p->grads, "grad/", &gradients),
                             t2_json_size(t2_json_get(c->root, "trainable")));
        assert_int_equal(opt_step(o, step, 1000, &report, &err), T2_OK);
        snprintf(prefix, sizeof prefix, "step%d/", step + 1);
        (void) cnn_compare_on_device(c, p->values, prefix, &variables);
    }
    opt_free(o);
}

static void test_case(void **state)
{
    const struct row *row = *state;
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct cnn_case c;

    cnn_need(folder, row->name);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    read_case(&c, dev, row);
    cnn_compare_training(&c, cnn_room(&c, "logits", 2e-6, 6e-6));
    cnn_set_variables(&c);
    cnn_compare_eval(&c, "eval_logits_initial", cnn_room(&c, "eval_logits_initial", 2e-6, 6e-6));
    check_steps(&c);
    cnn_compare_eval(&c, "eval_logits_after_3_steps", cnn_room(&c, "eval_logits", 2e-5, 5e-4));
    cnn_close(&c);
    dev_close(dev);
}

static const struct row rows[] = {{"plain"}, {"plain_small_kernels"}, {"batch_norm"}};

T_ROWS_MAIN(rows, test_case)
