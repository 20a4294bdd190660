/*
 * tests/oracle/test_recorded_byte_net.c - ByteNet against what Tensor2Tensor computed.
 *
 * T2_DATA/oracles/t2t_cnn/byte_net: names of variables, logits and loss, all gradients, three steps
 * of Adam, then evaluation logits.  The original pads what it reads, so its logits go on behind the
 * targets.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

static const char folder[] = "oracles/t2t_cnn";

static struct t2_err err;

static void read_case(struct cnn_case *c, struct dev *dev)
{
    const struct ckpt_tensor *inputs, *targets;
    const struct t2_json_value *vocab;

    cnn_open(c, dev, folder, "byte_net", NULL);
    if (mdl_hparams_new(t2_json_as_string(t2_json_get(c->root, "hparams_set"), ""), &c->hp, &err) !=
            T2_OK ||
        mdl_hparams_read_json(c->hp, t2_json_get(c->root, "hparams"), &err) != T2_OK)
        fail_msg("%s", err.message);
    inputs = cnn_must_find(c, "in/", "inputs");
    targets = cnn_must_find(c, "in/", "targets");
    vocab = t2_json_get(c->root, "vocab_size");
    c->problem =
        (struct mdl_problem){.has_inputs = true,
                             .inputs_vocab =
                                 (int32_t) t2_json_as_i64(t2_json_get(vocab, "inputs"), 0),
                             .targets_vocab =
                                 (int32_t) t2_json_as_i64(t2_json_get(vocab, "targets"), 0),
                             .loss_multiplier = cnn_number(c, "loss_multiplier")};
    c->batch = (struct mdl_batch){.batch = (int32_t) inputs->dims[0],
                                  .inputs_length = (int32_t) inputs->dims[1],
                                  .targets_length = (int32_t) targets->dims[1],
                                  .inputs = inputs->data,
                                  .targets = targets->data};
    cnn_model(c, t2_json_as_string(t2_json_get(c->root, "model"), ""));
    cnn_compare_names(c);
    cnn_set_variables(c);
}

static void check_logits(const struct cnn_case *c, const char *name, double tolerance)
{
    const struct ckpt_tensor *t = cnn_must_find(c, "out/", name);
    size_t V = (size_t) c->problem.targets_vocab, n = (size_t) c->batch.targets_length * V, padded;
    float *ours = t2_alloc((size_t) c->batch.batch * n, sizeof *ours);
    struct cnn_tolerance each = {.each = tolerance};

    assert_int_equal(mdl_logits(c->m, &c->batch, ours, &err), T2_OK);
    assert_int_equal(t->dims[0], c->batch.batch);
    padded = t->n_bytes / sizeof *ours / (size_t) c->batch.batch; /* values of one sentence */
    assert_true(padded >= n && padded % V == 0);
    for (size_t b = 0; b < (size_t) c->batch.batch; b++)
        cnn_compare(c, name, ours + b * n, (const float *) t->data + b * padded, n, &each);
    t2_free(ours);
}

/* The recorded gradients have the weight decay's in them, which the optimizer adds here. */
static void check_gradients(const struct cnn_case *c)
{
    const struct gr_params *p = mdl_params(c->m);
    double decay = mdl_hp_float(c->hp, "weight_decay");
    float *grads = device_floats(p->dev, p->grads, p->n_floats);
    float *values = device_floats(p->dev, p->values, p->n_floats);
    struct cnn_tolerance tolerance = {.each = cnn_room(c, "gradients", 1e-6, 5e-6)};

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];

        for (int64_t k = v->offset; k < v->offset + v->n; k++)
            if (v->rank != 1 || !t2_ends_with(v->name, "bias"))
                grads[k] = (float) ((double) grads[k] + decay * (double) values[k]);
    }
    assert_int_equal(cnn_compare_variables(c, grads, "grad/", &tolerance),
                     (size_t) p->n_variables - t2_json_size(t2_json_get(c->root, "no_gradient")));
    free(grads);
    free(values);
}

static void check_steps(struct cnn_case *c)
{
    const struct t2_json_value *steps = t2_json_get(c->root, "steps");
    struct cnn_tolerance tolerance = {.each = cnn_room(c, "variables_after_last_step", 2e-6, 1e-5)};
    struct opt_optimizer *o = NULL;
    struct opt_report report;
    struct mdl_loss loss;

    assert_int_equal(opt_new(c->hp, mdl_params(c->m), &o, &err), T2_OK);
    for (int step = 0; step < (int) t2_json_size(steps); step++) {
        char prefix[32];

        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        assert_int_equal(opt_step(o, step, 1000, &report, &err), T2_OK);
        cnn_near(c, "loss and weight decay",
                 loss.numerator / loss.denominator + report.weight_decay_loss,
                 t2_json_as_double(t2_json_get(t2_json_item(steps, (size_t) step),
                                               "loss_before_update"),
                                   NAN),
                 2e-6);
        snprintf(prefix, sizeof prefix, "step%d/", step + 1);
        (void) cnn_compare_on_device(c, mdl_params(c->m)->values, prefix, &tolerance);
    }
    opt_free(o);
}

static void check_on(const char *device)
{
    struct dev *dev = NULL;
    struct mdl_loss loss;
    struct cnn_case c;

    if (!t_data_path("oracles/t2t_cnn/byte_net.json"))
        t_skip("no %s/byte_net.json in T2_DATA", folder);
    assert_int_equal(dev_open(device, 2, &dev, &err), T2_OK);
    read_case(&c, dev);
    check_logits(&c, "logits", cnn_room(&c, "logits", 4e-6, 1e-5));
    assert_int_equal(mdl_train_step(c.m, &c.batch, 1, 0, &loss, &err), T2_OK);
    cnn_near(&c, "targets counted", loss.denominator,
             t2_json_as_double(t2_json_item(t2_json_get(c.root, "loss_denominator"), 0), NAN), 0);
    cnn_near(&c, "loss", loss.numerator / loss.denominator,
             t2_json_as_double(t2_json_get(t2_json_get(c.root, "losses"), "training"), NAN), 2e-6);
    check_gradients(&c);
    check_steps(&c);
    check_logits(&c, "eval_logits_after_steps", 2e-5);
    cnn_close(&c);
    dev_close(dev);
}

static void test_cpu(void **state)
{
    (void) state;
    check_on("cpu");
}

static void test_plain(void **state)
{
    (void) state;
    check_on("reference");
}

T_MAIN(cmocka_unit_test(test_cpu), cmocka_unit_test(test_plain))
