/*
 * tests/oracle/test_recorded_cnn.c - image models against what Tensor2Tensor computed.
 *
 * The cases of T2_DATA/oracles/t2t_cnn but for ByteNet (test_recorded_byte_net.c), and those of
 * fixtures/recordings/t2t_cnn: names of variables, logits and loss of a training step, all
 * gradients, three steps of the set's optimizer with moving averages, then evaluation logits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/device_floats.h"
#include "tests/support/recorded_noise.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

static const char folder[] = "oracles/t2t_cnn", made_here[] = "fixtures/recordings/t2t_cnn";

/* Largest differences where the recording does not state its own (double-check.json). */
struct row {
    const char *name;
    const char *shared;
    double logits, gradients, steps, eval;
    const char *folder;
};

/* Those of this recording. */
static struct row room_of(const struct cnn_case *c, const struct row *row)
{
    double averages = cnn_room(c, "moving_averages_after_last_step", 2e-6, 0.0);
    double variables = cnn_room(c, "variables_after_last_step", 2e-6, row->steps);
    double noise = recorded_noise(row->folder, row->name, "variables_after_last_step");
    struct row room = *row;

    room.logits = cnn_room(c, "logits", 4e-6, row->logits);
    room.gradients = cnn_room(c, "gradients", 1e-6, row->gradients);
    room.steps = fmax(averages, variables);
    /* evaluation is not recomputed: what the variables differ by, times some columns */
    room.eval = isnan(noise) ? row->eval : 2e-5 + 20 * noise;
    return room;
}

static struct dev *open_device(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;

    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    return dev;
}

static void read_case(struct cnn_case *c, struct dev *dev, const struct row *row)
{
    const struct ckpt_tensor *inputs, *targets;
    struct t2_err err = T2_ERR_INIT;

    cnn_open(c, dev, row->folder, row->name, row->shared);
    if (mdl_hparams_new(t2_json_as_string(t2_json_get(c->root, "hparams_set"), ""), &c->hp, &err) !=
            T2_OK ||
        mdl_hparams_read_json(c->hp, t2_json_get(c->root, "hparams"), &err) != T2_OK)
        fail_msg("%s: %s", row->name, err.message);
    inputs = cnn_must_find(c, "in/", "inputs");
    targets = cnn_must_find(c, "in/", "targets");
    c->problem = (struct mdl_problem){
        .targets_vocab =
            (int32_t) t2_json_as_i64(t2_json_get(t2_json_get(c->root, "vocab_size"), "targets"), 0),
        .loss_multiplier = cnn_number(c, "loss_multiplier"),
        .class_labels = true,
        .image = {(int32_t) inputs->dims[1], (int32_t) inputs->dims[2], (int32_t) inputs->dims[3]}};
    c->batch = (struct mdl_batch){.batch = (int32_t) inputs->dims[0],
                                  .targets_length = 1,
                                  .targets = targets->data,
                                  .height = (int32_t) inputs->dims[1],
                                  .width = (int32_t) inputs->dims[2],
                                  .channels = (int32_t) inputs->dims[3],
                                  .images = inputs->data};
    cnn_model(c, t2_json_as_string(t2_json_get(c->root, "model"), ""));
    cnn_compare_names(c);
    cnn_set_variables(c);
}

/* The random numbers of shake-shake in the order of drawing, each (B); given to the model by set,
 * (branches, B). */
struct draws {
    float **sets;
    size_t n;
};

static const struct ckpt_tensor *recorded_draw(struct cnn_case *c, size_t number)
{
    char name[32];

    snprintf(name, sizeof name, "uniform_%zu", number);
    return cnn_find(c, "in/", name);
}

static struct draws give_draws(struct cnn_case *c)
{
    size_t rows = (size_t) c->batch.batch, branches;
    struct draws draws = {0};

    if (!recorded_draw(c, 0))
        return draws;
    branches = (size_t) mdl_hp_int(c->hp, "shake_shake_num_branches");
    for (; recorded_draw(c, draws.n * branches); draws.n++) {
        float *set = t2_alloc(branches * rows, sizeof *set);

        for (size_t b = 0; b < branches; b++)
            memcpy(set + b * rows, recorded_draw(c, draws.n * branches + b)->data,
                   rows * sizeof *set);
        draws.sets = t2_realloc(draws.sets, draws.n + 1, sizeof(float *));
        draws.sets[draws.n] = set;
    }
    c->m->given_draws = (const float *const *) draws.sets;
    return draws;
}

static void free_draws(struct draws *draws)
{
    for (size_t i = 0; i < draws->n; i++)
        t2_free(draws->sets[i]);
    t2_free(draws->sets);
}

/* The recorded gradients have that of the weight decay in them, which the optimizer adds here: spec
 * t2t-trainer.md §4.1. */
static void check_gradients(const struct cnn_case *c, const struct row *row)
{
    const struct gr_params *p = mdl_params(c->m);
    double decay = mdl_hp_float(c->hp, "weight_decay");
    float *grads = device_floats(p->dev, p->grads, p->n_floats);
    float *values = device_floats(p->dev, p->values, p->n_floats);
    struct cnn_tolerance tolerance = {.each = row->gradients};

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];

        if (!v->trainable || (v->rank == 1 && t2_ends_with(v->name, "bias")))
            continue;
        for (int64_t k = v->offset; k < v->offset + v->n; k++)
            grads[k] = (float) ((double) grads[k] + decay * (double) values[k]);
    }
    assert_true(cnn_compare_variables(c, grads, "grad/", &tolerance) > 0);
    free(grads);
    free(values);
}

static void set_values(const struct cnn_case *c, int which)
{
    cnn_set_variables(c);
    cnn_nudge(c, which);
}

static void check_steps(struct cnn_case *c, const struct row *row)
{
    const struct t2_json_value *steps = t2_json_get(c->root, "steps");
    struct gr_params *p = mdl_params(c->m);
    struct cnn_tolerance tolerance = {.each = row->steps};
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    if (opt_new(c->hp, p, &o, &err) != T2_OK)
        fail_msg("%s: %s", c->name, err.message);
    for (int step = 0; step < (int) t2_json_size(steps); step++) {
        const struct t2_json_value *recorded = t2_json_item(steps, (size_t) step);
        char prefix[32];

        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        if (opt_step(o, step, 1000, &report, &err) != T2_OK)
            fail_msg("%s: %s", c->name, err.message);
        cnn_near(c, "loss and weight decay",
                 loss.numerator / loss.denominator + report.weight_decay_loss,
                 t2_json_as_double(t2_json_get(recorded, "loss_before_update"), NAN),
                 step == 0 ? 4e-6 : 2 * row->eval);
        snprintf(prefix, sizeof prefix, "step%d/", step + 1);
        (void) cnn_compare_on_device(c, p->values, prefix, &tolerance);
    }
    opt_free(o);
}

struct run {
    struct cnn_case c;
    struct row room;
};

/* A training step, all steps, evaluation; a cnn_check_fn of a struct run. */
static void check_values(const void *arg, int which, double *trial)
{
    struct run *r = (struct run *) (uintptr_t) arg;
    struct cnn_case *c = &r->c;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    c->trial = trial;
    set_values(c, which);
    cnn_compare_training(c, r->room.logits);
    set_values(c, which);
    assert_int_equal(mdl_train_step(c->m, &c->batch, 1, 0, &loss, &err), T2_OK);
    cnn_near(c, "loss", loss.numerator / loss.denominator,
             t2_json_as_double(t2_json_get(t2_json_get(c->root, "losses"), "training"), NAN), 4e-6);
    check_gradients(c, &r->room);
    set_values(c, which);
    check_steps(c, &r->room);
    cnn_compare_eval(c, "eval_logits_after_steps", r->room.eval);
}

static void check_case(const struct row *row)
{
    struct dev *dev;
    struct run r;
    struct draws draws;
    double spread;

    cnn_need(row->folder, row->name);
    dev = open_device();
    read_case(&r.c, dev, row);
    r.room = room_of(&r.c, row);
    if (!cnn_find(&r.c, "out/", "logits")) { /* evaluation alone */
        cnn_compare_eval(&r.c, "eval_logits_after_steps", row->eval);
    } else {
        draws = give_draws(&r.c);
        if (!cnn_case_search(check_values, &r, &spread))
            check_values(&r, 0, NULL); /* to say what differs */
        free_draws(&draws);
    }
    cnn_close(&r.c);
    dev_close(dev);
}

/* clang-format off */
static const struct row rows[] = {
    /* name                                  logits  gradients  steps  evaluation */
    {"basic_fc", NULL,                       2e-6, 1e-6, 1e-5, 2e-5, folder},
    {"resnet_cifar_residual", NULL,          1e-5, 1e-5, 1e-5, 2e-5, folder},
    {"resnet_residual_64", NULL,             1e-5, 1.5e-5, 1e-5, 2e-5, folder},
    {"resnet_bottleneck_64", NULL,           1e-5, 6e-5, 4e-5, 3e-4, folder},
    {"resnet_bottleneck_32", NULL,           1e-5, 1.2e-3, 4e-4, 1e-3, folder},
    {"shake_shake", NULL,                    5e-6, 2e-6, 2e-6, 4e-5, folder},
    {"shake_shake_concat", "shake_shake",    5e-6, 3e-6, 2e-6, 4e-5, folder},
    {"xception_small", NULL,                 1e-5, 5e-6, 1e-5, 2e-5, folder},
    /* made by bench/check_targeted.py */
    {"td_weight_all", NULL,                  1e-5, 1e-5, 1e-5, 2e-5, folder},
    {"td_unit_all", NULL,                    1e-5, 1e-5, 1e-4, 2e-5, folder},
    {"td_weight_imagenet", NULL,             1e-5, 2e-5, 1e-5, 2e-5, folder},
    {"td_unit_imagenet", NULL,               1e-5, 2e-5, 2e-5, 2e-5, folder},
    {"td_weight_eval", NULL,                 0, 0, 0, 2e-5, folder},
    {"td_unit_eval", NULL,                   0, 0, 0, 2e-5, folder},
    {"td_weight_odd", NULL,                  0, 0, 0, 2e-5, folder},
    {"td_unit_odd", NULL,                    0, 0, 0, 2e-5, folder},
    /* made by bench/record_cnn.py */
    {"revnet", NULL,                         1e-5, 1e-5, 1e-5, 2e-5, made_here},
    {"revnet_cifar_bottleneck", NULL,        1e-5, 1e-5, 1e-5, 2e-5, made_here},
};
/* clang-format on */

static void test_case(void **state)
{
    check_case(*state);
}

T_ROWS_MAIN(rows, test_case)
