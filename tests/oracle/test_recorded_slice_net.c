/*
 * tests/oracle/test_recorded_slice_net.c - SliceNet against what Tensor2Tensor computed.
 *
 * The cases of fixtures/recordings/t2t_slice (bench/record_slice_net.py), images or texts to texts
 * or classes: names of variables, logits and loss of a training step, all gradients; of some three
 * steps of Adam, then evaluation logits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

static const char folder[] = "fixtures/recordings/t2t_slice";

struct row {
    const char *name, *device;
};

static void read_problem(struct cnn_case *c, const struct ckpt_tensor *inputs)
{
    const struct t2_json_value *vocab = t2_json_get(c->root, "vocab_size");
    bool classes = strcmp(cnn_text(c, "targets"), "class") == 0;
    bool images = strcmp(c->name, "text") != 0 && !t2_starts_with(c->name, "text_");

    c->problem =
        (struct mdl_problem){.targets_vocab =
                                 (int32_t) t2_json_as_i64(t2_json_get(vocab, "targets"), 0),
                             .target_space_id = (int) cnn_number(c, "target_space_id"),
                             .loss_multiplier = cnn_number(c, "loss_multiplier"),
                             .class_labels = classes,
                             .describes = images && !classes,
                             .has_inputs = !images || !classes};
    if (c->problem.has_inputs)
        c->problem.inputs_vocab = (int32_t) t2_json_as_i64(t2_json_get(vocab, "inputs"), 0);
    if (images)
        c->problem.image = (struct mdl_image){(int32_t) inputs->dims[1], (int32_t) inputs->dims[2],
                                              (int32_t) inputs->dims[3]};
}

static void read_case(struct cnn_case *c, struct dev *dev, const char *name)
{
    const struct ckpt_tensor *inputs, *targets;
    struct t2_err err = T2_ERR_INIT;

    cnn_open(c, dev, folder, name, NULL);
    if (mdl_hparams_new(cnn_text(c, "hparams_set"), &c->hp, &err) != T2_OK ||
        mdl_hparams_read_json(c->hp, t2_json_get(c->root, "hparams"), &err) != T2_OK)
        fail_msg("%s: %s", name, err.message);
    inputs = cnn_must_find(c, "in/", "inputs");
    targets = cnn_must_find(c, "in/", "targets");
    read_problem(c, inputs);
    c->batch = (struct mdl_batch){.batch = (int32_t) inputs->dims[0],
                                  .targets_length = (int32_t) targets->dims[1],
                                  .targets = targets->data};
    if (c->problem.image.height > 0) {
        c->batch.height = c->problem.image.height;
        c->batch.width = c->problem.image.width;
        c->batch.channels = c->problem.image.channels;
        c->batch.images = inputs->data;
        c->batch.inputs_length = c->problem.describes ? c->batch.height * c->batch.width : 0;
    } else {
        c->batch.inputs = inputs->data;
        c->batch.inputs_length = (int32_t) inputs->dims[1];
    }
    cnn_model(c, cnn_text(c, "model"));
    cnn_compare_names(c);
}

static void check_logits(const struct cnn_case *c, const char *name, double tolerance)
{
    const struct ckpt_tensor *t = cnn_must_find(c, "out/", name);
    size_t n = t->n_bytes / sizeof(float);
    float *ours = t2_alloc(n, sizeof *ours);
    struct cnn_tolerance each = {.each = tolerance};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = c->problem.class_labels && c->problem.image.height > 0
                            ? mdl_class_logits(c->m, &c->batch, ours, &err)
                            : mdl_logits(c->m, &c->batch, ours, &err);

    if (st != T2_OK)
        fail_msg("%s: %s", c->name, err.message);
    assert_int_equal(n, (size_t) c->batch.batch * (size_t) c->batch.targets_length *
                            (size_t) c->problem.targets_vocab);
    cnn_compare(c, name, ours, t->data, n, &each);
    t2_free(ours);
}

/* The recorded gradients have the weight decay's in them, which the optimizer adds here. */
static void check_gradients(const struct cnn_case *c)
{
    const struct gr_params *p = mdl_params(c->m);
    double decay = mdl_hp_float(c->hp, "weight_decay");
    float *grads = device_floats(p->dev, p->grads, p->n_floats);
    float *values = device_floats(p->dev, p->values, p->n_floats);
    struct cnn_tolerance tolerance = {.each = 1e-5, .of_largest = true};
    size_t n_trained = 0;

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];

        n_trained += v->trainable;
        if (!v->trainable || (v->rank == 1 && t2_ends_with(v->name, "bias")))
            continue;
        for (int64_t k = v->offset; k < v->offset + v->n; k++)
            grads[k] = (float) ((double) grads[k] + decay * (double) values[k]);
    }
    assert_int_equal(cnn_compare_variables(c, grads, "grad/", &tolerance), n_trained);
    free(grads);
    free(values);
}

static void check_steps(struct cnn_case *c)
{
    const struct t2_json_value *steps = t2_json_get(c->root, "steps");
    struct cnn_tolerance tolerance = {.each = 1e-5, .of_largest = true};
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    if (t2_json_size(steps) == 0)
        return;
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
                 1e-5);
        snprintf(prefix, sizeof prefix, "step%d/", step + 1);
        (void) cnn_compare_on_device(c, mdl_params(c->m)->values, prefix, &tolerance);
    }
    opt_free(o);
    check_logits(c, "eval_logits_after_steps", 1e-4);
}

/* A cnn_check_fn of a case. */
static void check_values(const void *arg, int which, double *trial)
{
    struct cnn_case *c = (struct cnn_case *) (uintptr_t) arg;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    c->trial = trial;
    cnn_set_variables(c);
    cnn_nudge(c, which);
    check_logits(c, "logits", 2e-5);
    if (mdl_train_step(c->m, &c->batch, 1, 0, &loss, &err) != T2_OK)
        fail_msg("%s: %s", c->name, err.message);
    cnn_near(c, "targets counted", loss.denominator,
             t2_json_as_double(t2_json_item(t2_json_get(c->root, "loss_denominator"), 0), NAN), 0);
    cnn_near(c, "loss", loss.numerator / loss.denominator,
             t2_json_as_double(t2_json_get(t2_json_get(c->root, "losses"), "training"), NAN), 4e-6);
    check_gradients(c);
    check_steps(c);
}

static void test_case(void **state)
{
    const struct row *row = *state;
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct cnn_case c;
    double spread;

    assert_int_equal(dev_open(row->device, 2, &dev, &err), T2_OK);
    read_case(&c, dev, row->name);
    if (!cnn_case_search(check_values, &c, &spread))
        check_values(&c, 0, NULL); /* to say what differs */
    cnn_close(&c);
    dev_close(dev);
}

static const struct row rows[] = {
    {"captions", "cpu"},
    {"captions_noam_five", "cpu"},
    {"text", "cpu"},
    {"text_separability_2", "cpu"},
    {"text_large_kernel", "cpu"},
    {"classes", "cpu"},
    {"text_classes", "cpu"},
    {"captions", "reference"},
    {"text", "reference"},
    {"classes", "reference"},
};

T_ROWS_MAIN(rows, test_case)
