/*
 * tests/support/resnet_oracle.c - a recorded case of oracles/official_cnn against our model.
 */
#include "tests/support/resnet_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/str.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

static const char folder[] = "oracles/official_cnn";

/* norm: relative; element: of the variable's root mean square. */
struct summary_tolerance {
    double norm, element;
};

struct limits {
    double logits, losses, eval;          /* losses: of later steps, relative */
    struct cnn_tolerance gradients, step; /* tensors; step: after three steps */
    struct summary_tolerance gradient, variable;
};

/* Another order of sums, and no ReLU on another side: of each variable, after three steps, twenty
 * times what a change of all initial values by their last bit does (docs/numerics.md). */
static const struct limits tight = {.logits = 1.5e-5,
                                    .losses = 3e-6,
                                    .eval = 4e-6,
                                    .gradients = {.each = 2e-5},
                                    .step = {.each = 1e-5, .of_largest = true},
                                    .gradient = {2e-4, 1e-3},
                                    .variable = {4e-6, 1e-5}};

/* A ReLU on another side in a later step alone: variables differ by what that changes, first a
 * little, then with the loss and evaluation that follow. */
static const struct limits later[] = {{.logits = 1.5e-5,
                                       .losses = 3e-6,
                                       .eval = 4e-6,
                                       .gradients = {.each = 2e-5},
                                       .step = {.each = 1e-5, .of_largest = true},
                                       .gradient = {2e-4, 1e-3},
                                       .variable = {2e-4, 5e-4}},
                                      {.logits = 1.5e-5,
                                       .losses = 1e-5,
                                       .eval = 2e-4,
                                       .gradients = {.each = 2e-5},
                                       .step = {.each = 2e-3, .of_largest = true},
                                       .gradient = {2e-4, 1e-3},
                                       .variable = {5e-4, 5e-3}}};

/* What a ReLU on another side was seen to do (docs/numerics.md). */
static const struct limits switched = {.logits = 1.5e-5,
                                       .losses = 1e-2,
                                       .eval = 1e-2,
                                       .gradients = {2e-5, 1e-2, 0.1},
                                       .step = {.each = 0.1},
                                       .gradient = {5e-2, 0.15},
                                       .variable = {8e-2, 0.3}};

/* A case that is run. */
struct run {
    struct cnn_case c;
    const struct resnet_row *row;
    struct dev *dev;
    struct limits limits;
};

/* ---- values by formula: oracle_common.py ---- */

static uint32_t mix32(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
}

static double hash_uniform(const char *name, uint32_t seed, uint32_t i)
{
    uint32_t base = mix32(t2_crc32(0, name, strlen(name)) ^ (0x9E3779B9U * seed));

    return ((double) (mix32(i + base) >> 8) + 0.5) / 16777216.0;
}

static double hash_value(const struct gr_variable *v, uint32_t seed, int64_t i)
{
    double u = hash_uniform(v->name, seed, (uint32_t) i), z = (2.0 * u - 1.0) * sqrt(3.0);
    int64_t last = v->dims[v->rank - 1];

    if (t2_ends_with(v->name, "/gamma"))
        return 1.0 + 0.2 * z;
    if (t2_ends_with(v->name, "/moving_variance"))
        return 2.0 + 4.0 * u;
    if (t2_ends_with(v->name, "/beta") || t2_ends_with(v->name, "/bias") ||
        t2_ends_with(v->name, "/moving_mean"))
        return 0.1 * z;
    return z * pow((double) (v->n / last), -0.5);
}

static bool is_listed(const struct t2_json_value *list, const char *name)
{
    for (size_t i = 0; i < t2_json_size(list); i++)
        if (strcmp(t2_json_as_string(t2_json_item(list, i), ""), name) == 0)
            return true;
    return false;
}

/* ---- summaries ---- */

struct summary {
    double norm, sum, elements[3];
};

static struct summary summary_of(const float *x, int64_t n)
{
    struct summary s = {.elements = {(double) x[n / 4], (double) x[n / 2], (double) x[3 * n / 4]}};

    for (int64_t i = 0; i < n; i++) {
        s.norm += (double) x[i] * (double) x[i];
        s.sum += (double) x[i];
    }
    s.norm = sqrt(s.norm);
    return s;
}

/* The recorded row of a variable. */
static struct summary recorded_summary(const struct cnn_case *c, const char *kind, const char *name)
{
    const struct t2_json_value *names = t2_json_get(c->root, "summary_names");
    const struct ckpt_tensor *t = cnn_must_find(c, "summary/", kind);
    struct summary s = {0};

    assert_int_equal(t->type, CKPT_F64);
    for (size_t i = 0; i < t2_json_size(names); i++)
        if (strcmp(t2_json_as_string(t2_json_item(names, i), ""), name) == 0) {
            memcpy(&s, (const char *) t->data + i * sizeof s, sizeof s);
            return s;
        }
    fail_msg("%s: no summary of %s", c->name, name);
    return s;
}

/* values: in device memory */
static void compare_summaries(const struct cnn_case *c, const char *kind, const float *values,
                              bool trainable_only, const struct summary_tolerance *t)
{
    const struct gr_params *p = mdl_params(c->m);
    float *host = device_floats(p->dev, values, p->n_floats);
    double worst_norm = 0.0, worst_element = 0.0;
    const char *norm_at = "", *element_at = "";

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        struct summary theirs, ours;

        if (trainable_only && !v->trainable)
            continue;
        theirs = recorded_summary(c, kind, v->name);
        ours = summary_of(host + v->offset, v->n);
        if (!(fabs(ours.norm / theirs.norm - 1.0) <= worst_norm)) {
            worst_norm = fabs(ours.norm / theirs.norm - 1.0);
            norm_at = v->name;
        }
        for (int k = 0; k < 3; k++) {
            double d =
                fabs(ours.elements[k] - theirs.elements[k]) / (theirs.norm / sqrt((double) v->n));

            if (!(d <= worst_element)) {
                worst_element = d;
                element_at = v->name;
            }
        }
    }
    free(host);
    if (cnn_is_trial(c, worst_norm, t->norm) | cnn_is_trial(c, worst_element, t->element))
        return;
    print_message("  %-32s %-16s norms %.2e (%s), elements / rms %.2e (%s)\n", c->name, kind,
                  worst_norm, norm_at, worst_element, element_at);
    if (!(worst_norm <= t->norm) || !(worst_element <= t->element))
        fail_msg("%s: summary %s differs: norm by %g in %s, element by %g in %s", c->name, kind,
                 worst_norm, norm_at, worst_element, element_at);
}

/* ---- cases ---- */

static void make_values(const struct cnn_case *c, int which)
{
    const struct t2_json_value *quarters = t2_json_get(c->root, "gamma_times_0.25");
    struct gr_params *p = mdl_params(c->m);
    uint32_t seed = (uint32_t) cnn_number(c, "seed");
    float *values = device_floats(p->dev, p->values, p->n_floats);

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        float by = is_listed(quarters, v->name) ? 0.25f : 1.0f;

        for (int64_t k = 0; k < v->n; k++)
            values[v->offset + k] = (float) hash_value(v, seed, k) * by;
    }
    device_write(p->dev, p->values, values, p->n_floats);
    free(values);
    cnn_nudge(c, which);
}

static void make_batch(struct cnn_case *c, int32_t side, bool keras)
{
    static const double keras_mean[] = {123.68, 116.78, 103.94};
    static const double mean[] = {123.675, 116.28, 103.53}, deviation[] = {58.395, 57.12, 57.375};
    const struct t2_json_value *labels = t2_json_get(c->root, "labels");
    int32_t batch = (int32_t) t2_json_size(labels), n = batch * side * side * 3;
    uint32_t seed = (uint32_t) cnn_number(c, "seed");
    float *images = t2_alloc((size_t) n, sizeof *images);
    int32_t *targets = t2_alloc((size_t) batch, sizeof *targets);

    for (int32_t i = 0; i < n; i++) {
        float pixel = (float) floor(256.0 * hash_uniform("images", seed, (uint32_t) i));

        images[i] = keras ? pixel - (float) keras_mean[i % 3]
                          : (pixel - (float) mean[i % 3]) / (float) deviation[i % 3];
    }
    for (int32_t i = 0; i < batch; i++) {
        targets[i] = (int32_t) t2_json_as_i64(t2_json_item(labels, (size_t) i), -1);
        assert_int_equal(targets[i], (int32_t) floor((double) c->problem.targets_vocab *
                                                     hash_uniform("labels", seed, (uint32_t) i)));
    }
    c->batch = (struct mdl_batch){.batch = batch,
                                  .targets_length = 1,
                                  .targets = targets,
                                  .height = side,
                                  .width = side,
                                  .channels = 3,
                                  .images = images};
}

/* The original's configuration -> our hparams. */
static void override_tpu(struct cnn_case *c)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = {{"resnet_depth", "resnet_depth"},
                 {"label_smoothing", "label_smoothing"},
                 {"base_learning_rate", "learning_rate"},
                 {"train_batch_size", "batch_size"},
                 {"num_train_images", "num_train_images"},
                 {"se_ratio", "se_ratio"},
                 {"use_resnetd_stem", "use_resnetd_stem"},
                 {"resnetd_shortcut", "resnetd_shortcut"},
                 {"replace_stem_max_pool", "replace_stem_max_pool"},
                 {"weight_decay", "weight_decay"},
                 {"momentum", "optimizer_momentum_momentum"},
                 {"bn_momentum", "bn_momentum"}};
    const struct t2_json_value *params = t2_json_get(c->root, "params");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct t2_json_value *v = t2_json_get(params, names[i].theirs);
        struct t2_err err = T2_ERR_INIT;
        char clause[96];

        if (t2_json_type(v) == T2_JSON_NULL)
            continue;
        snprintf(clause, sizeof clause, "%s=%.17g", names[i].ours,
                 t2_json_as_double(v, t2_json_as_bool(v, false) ? 1.0 : 0.0));
        if (mdl_hparams_override(c->hp, clause, &err) != T2_OK)
            fail_msg("%s", err.message);
    }
}

static void override_by(struct cnn_case *c, char *clause)
{
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(c->hp, clause, &err) != T2_OK)
        fail_msg("%s: %s", c->name, err.message);
    t2_free(clause);
}

/* A narrow network has the numbers of filters of the set divided by this. */
static void divide_filters(struct cnn_case *c)
{
    static const int filters[] = {64, 64, 128, 256, 512};
    int by = (int) cnn_number(c, "filters_divided_by");

    assert_true(by >= 1);
    override_by(c, t2_asprintf("filter_sizes=[%d,%d,%d,%d,%d]", filters[0] / by, filters[1] / by,
                               filters[2] / by, filters[3] / by, filters[4] / by));
}

static void override_keras(struct cnn_case *c)
{
    override_by(c, t2_asprintf("learning_rate_schedule=constant,learning_rate_constant=%.17g,"
                               "optimizer_momentum_momentum=%.17g",
                               cnn_number(c, "learning_rate"), cnn_number(c, "momentum")));
}

static void read_case(struct cnn_case *c, struct dev *dev, const struct resnet_row *row)
{
    bool keras = t2_starts_with(row->set, "keras");
    struct t2_err err = T2_ERR_INIT;
    int32_t side, n_classes;

    cnn_open(c, dev, folder, row->name, NULL);
    assert_int_equal(mdl_hparams_new(row->set, &c->hp, &err), T2_OK);
    divide_filters(c);
    if (keras)
        override_keras(c);
    else
        override_tpu(c);
    side = (int32_t) (keras ? cnn_number(c, "side")
                            : t2_json_as_double(t2_json_get(t2_json_get(c->root, "params"),
                                                            "image_size"),
                                                0.0));
    n_classes = (int32_t) cnn_must_find(c, "out/", "logits")->dims[1];
    c->problem = (struct mdl_problem){.targets_vocab = n_classes,
                                      .loss_multiplier = 3.0, /* must not count */
                                      .class_labels = true,
                                      .image = {side, side, 3}};
    make_batch(c, side, keras);
    cnn_model(c, keras ? "keras_resnet50" : "tpu_resnet");
    cnn_compare_names(c);
}

/* A trial that is on another side than the recording: what follows is, too. */
static bool is_elsewhere(const struct cnn_case *c)
{
    return c->trial && *c->trial > 1.0;
}

static void check_steps(struct cnn_case *c, const struct limits *limits)
{
    const struct t2_json_value *steps = t2_json_get(c->root, "steps");
    const struct t2_json_value *first = t2_json_get(c->root, "first_global_step");
    int64_t global = t2_json_as_i64(first, 0);
    int64_t train_steps =
        t2_json_as_i64(t2_json_get(t2_json_get(c->root, "params"), "train_steps"), 1000);
    struct gr_params *p = mdl_params(c->m);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    if (opt_new(c->hp, p, &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < 3; step++) {
        const struct t2_json_value *recorded = t2_json_item(steps, (size_t) step);
        const struct t2_json_value *rate = t2_json_get(recorded, "learning_rate");

        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        cnn_near(c, "loss", loss.numerator / loss.denominator,
                 t2_json_as_double(t2_json_get(recorded, "loss_before_update"), NAN),
                 step == 0 ? tight.losses : limits->losses);
        if (step == 0) {
            (void) cnn_compare_on_device(c, p->grads, "grad/", &limits->gradients);
            compare_summaries(c, "gradient", p->grads, true, &limits->gradient);
            if (is_elsewhere(c))
                goto out;
        }
        assert_int_equal(opt_step(o, global + step, train_steps, &report, &err), T2_OK);
        cnn_near(c, "rate", report.learning_rate,
                 rate ? t2_json_as_double(rate, NAN) : cnn_number(c, "learning_rate"), 1e-6);
    }
    (void) cnn_compare_on_device(c, p->values, "step3/", &limits->step);
    compare_summaries(c, "after_3_steps", p->values, false, &limits->variable);
out:
    opt_free(o);
}

/* What the original reports in evaluation: label smoothing is in it, and but for Keras's the
 * regulariser. */
static void check_eval_loss(struct cnn_case *c, const char *key, double tolerance)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    if (!t2_json_get(c->root, key))
        return;
    assert_int_equal(mdl_evaluate(c->m, &c->batch, &loss, &err), T2_OK);
    cnn_near(c, key, loss.numerator / loss.denominator, cnn_number(c, key), tolerance);
}

/* The whole case from its initial values; a cnn_check_fn of a struct run. */
static void check_values(const void *arg, int which, double *trial)
{
    struct run *r = (struct run *) (uintptr_t) arg;
    struct cnn_case *c = &r->c;

    c->trial = trial;
    make_values(c, which);
    check_steps(c, &r->limits);
    if (is_elsewhere(c))
        return;
    cnn_compare_eval(c, "eval_logits_after_3_steps", r->limits.eval);
    check_eval_loss(c, "eval_loss_after_3_steps", fmax(5e-4, r->limits.losses));
    make_values(c, which);
    cnn_compare_eval(c, "eval_logits_initial", r->limits.eval);
    check_eval_loss(c, "eval_loss_initial", tight.losses);
    cnn_compare_training(c, r->limits.logits);
}

/* What the recording says of itself; where it says nothing, what such ReLUs do. */
static struct limits recorded_limits(const struct cnn_case *c)
{
    const struct limits *s = &switched;
    const char *const g = "gradients_summaries", *const v = "variables_after_3_steps_summaries";
    char key[4][96];

    for (int i = 0; i < 4; i++)
        snprintf(key[i], sizeof key[i], "%s.%s", i < 2 ? g : v,
                 i % 2 == 0 ? "norm_relative" : "elements_over_rms");
    return (struct limits){
        .logits = cnn_room(c, "logits", 4e-6, s->logits),
        .losses = cnn_room(c, "loss_step_2", tight.losses, s->losses),
        .eval = cnn_room(c, "eval_logits", tight.eval, s->eval),
        .gradients = {.each = cnn_room(c, "gradients", tight.gradients.each, s->gradients.outlier)},
        .step = {.each = cnn_room(c, "variables_after_3_steps", 1e-5, s->step.each)},
        .gradient = {cnn_room(c, key[0], tight.gradient.norm, s->gradient.norm),
                     cnn_room(c, key[1], tight.gradient.element, s->gradient.element)},
        .variable = {cnn_room(c, key[2], tight.variable.norm, s->variable.norm),
                     cnn_room(c, key[3], tight.variable.element, s->variable.element)}};
}

/* As near as rounding; where no run is, and runs differ by what rounding cannot do, ReLUs switch:
 * first in a later step only, then anywhere. */
static void search_sides(struct run *r)
{
    const struct limits *const levels[] = {&tight, &later[0], &later[1]};
    double spread = 0.0;

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        r->limits = *levels[i];
        if (cnn_case_search(check_values, r, &spread))
            return;
        print_message("  %-32s on %s: runs are %.2g tolerances apart\n", r->row->name,
                      r->row->device, spread);
        if (spread <= 1.0)
            break;
    }
    if (spread > 1.0)
        r->limits = switched;
    check_values(r, 0, NULL);
}

void resnet_check_case(const struct resnet_row *row)
{
    const struct summary_tolerance initial = {1e-6, 1e-6};
    struct t2_err err = T2_ERR_INIT;
    struct run r = {.row = row};
    char file[128];

    snprintf(file, sizeof file, "%s/%s.json", folder, row->name);
    if (!t_data_path(file))
        t_skip("no %s in T2_DATA", file);
    assert_int_equal(dev_open(row->device, 2, &r.dev, &err), T2_OK);
    read_case(&r.c, r.dev, row);
    make_values(&r.c, 0);
    compare_summaries(&r.c, "initial", mdl_params(r.c.m)->values, false, &initial);
    r.limits = tight;
    if (row->full) {
        r.limits = recorded_limits(&r.c);
        check_values(&r, 0, NULL);
    } else {
        search_sides(&r);
    }
    free((void *) (uintptr_t) r.c.batch.images);
    free((void *) (uintptr_t) r.c.batch.targets);
    cnn_close(&r.c);
    dev_close(r.dev);
}
