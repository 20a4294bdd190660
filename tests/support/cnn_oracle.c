/*
 * tests/support/cnn_oracle.c - a recorded case of an image model.
 */
#include "tests/support/cnn_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/support/device_floats.h"
#include "tests/support/recorded_noise.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

/* Of T2_DATA, or of the tree below fixtures/; NULL: not there.  Valid until the next call. */
static const char *path_of(const char *name)
{
    static char path[4096];
    const char *root = getenv("T2_ROOT");

    if (!t2_starts_with(name, "fixtures/"))
        return t_data_path(name);
    snprintf(path, sizeof path, "%s/%s", root && *root ? root : ".", name);
    return path;
}

static struct ckpt_file *open_tensors(const char *folder, const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *file = NULL;
    char *path = t2_asprintf("%s/%s.safetensors", folder, name);

    if (ckpt_open(path_of(path), &file, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_free(path);
    return file;
}

void cnn_open(struct cnn_case *c, struct dev *dev, const char *folder, const char *name,
              const char *shared)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_asprintf("%s/%s.json", folder, name);

    *c = (struct cnn_case){.folder = folder, .name = name, .dev = dev};
    if (t2_json_load(path_of(path), &c->doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    c->root = t2_json_root(c->doc);
    c->file = open_tensors(folder, name);
    if (shared)
        c->shared = open_tensors(folder, shared);
    t2_free(path);
}

void cnn_close(struct cnn_case *c)
{
    mdl_free(c->m);
    mdl_hparams_free(c->hp);
    ckpt_close(c->file);
    ckpt_close(c->shared);
    t2_json_free(c->doc);
}

void cnn_need(const char *folder, const char *name)
{
    char *file = t2_asprintf("%s/%s.json", folder, name), said[160];
    bool there = path_of(file) != NULL;

    snprintf(said, sizeof said, "no %s in T2_DATA", file);
    t2_free(file);
    if (!there)
        t_skip("%s", said);
}

const char *cnn_text(const struct cnn_case *c, const char *key)
{
    return t2_json_as_string(t2_json_get(c->root, key), "");
}

void cnn_read_hparams(struct cnn_case *c)
{
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_new(cnn_text(c, "hparams_set"), &c->hp, &err) != T2_OK ||
        mdl_hparams_override(c->hp, cnn_text(c, "hparams"), &err) != T2_OK)
        fail_msg("%s", err.message);
}

void cnn_read_images(struct cnn_case *c)
{
    const struct ckpt_tensor *images = cnn_must_find(c, "in/", "images");
    const struct mdl_image size = {(int32_t) images->dims[1], (int32_t) images->dims[2],
                                   (int32_t) images->dims[3]};

    c->problem =
        (struct mdl_problem){.targets_vocab = (int32_t) cnn_must_find(c, "out/", "logits")->dims[1],
                             .loss_multiplier = 3.0, /* must not count */
                             .class_labels = true,
                             .image = size};
    c->batch = (struct mdl_batch){.batch = (int32_t) images->dims[0],
                                  .targets_length = 1,
                                  .targets = cnn_must_find(c, "in/", "labels")->data,
                                  .height = size.height,
                                  .width = size.width,
                                  .channels = size.channels,
                                  .images = images->data};
}

void cnn_model(struct cnn_case *c, const char *model)
{
    struct t2_err err = T2_ERR_INIT;

    if (mdl_new(model, c->dev, c->hp, &c->problem, MDL_TRAIN, &c->m, &err) != T2_OK)
        fail_msg("%s: %s", c->name, err.message);
}

const struct ckpt_tensor *cnn_find(const struct cnn_case *c, const char *prefix, const char *name)
{
    char key[512];
    const struct ckpt_tensor *t;

    snprintf(key, sizeof key, "%s%s", prefix, name);
    t = ckpt_find(c->file, key);
    return t || !c->shared || strcmp(prefix, "var/") != 0 ? t : ckpt_find(c->shared, key);
}

const struct ckpt_tensor *cnn_must_find(const struct cnn_case *c, const char *prefix,
                                        const char *name)
{
    const struct ckpt_tensor *t = cnn_find(c, prefix, name);

    if (!t)
        fail_msg("%s: no tensor %s%s", c->name, prefix, name);
    return t;
}

double cnn_number(const struct cnn_case *c, const char *key)
{
    return t2_json_as_double(t2_json_get(c->root, key), NAN);
}

void cnn_set_variables(const struct cnn_case *c)
{
    struct gr_params *p = mdl_params(c->m);

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        const struct ckpt_tensor *t = cnn_must_find(c, "var/", v->name);

        if (t->n_bytes != (size_t) v->n * sizeof(float))
            fail_msg("%s: variable %s has %zu bytes in the oracle, %lld values here", c->name,
                     v->name, t->n_bytes, (long long) v->n);
        p->dev->upload_now(p->dev, p->values + v->offset, t->data, t->n_bytes);
    }
}

static void compare_list(const struct cnn_case *c, const char *key, bool trainable, int *n)
{
    const struct t2_json_value *list = t2_json_get(c->root, key);

    for (size_t i = 0; i < t2_json_size(list); i++) {
        const struct t2_json_value *item = t2_json_item(list, i), *dims = t2_json_item(item, 1);
        const char *name = t2_json_as_string(t2_json_item(item, 0), "");
        const struct gr_variable *v = gr_params_find(mdl_params(c->m), name);

        if (!v || v->trainable != trainable)
            fail_msg("%s: the original's %s variable %s is not ours", c->name, key, name);
        assert_int_equal(v->rank, t2_json_size(dims));
        for (int d = 0; d < v->rank; d++)
            if (v->dims[d] != t2_json_as_i64(t2_json_item(dims, (size_t) d), -1))
                fail_msg("%s: another shape of %s", c->name, name);
        ++*n;
    }
}

void cnn_compare_names(const struct cnn_case *c)
{
    int n = 0;

    compare_list(c, "trainable", true, &n);
    compare_list(c, "not_trainable", false, &n);
    assert_int_equal(n, mdl_params(c->m)->n_variables);
}

double cnn_room(const struct cnn_case *c, const char *key, double ours, double otherwise)
{
    return recorded_room(c->folder, c->name, key, ours, otherwise);
}

/* ---- comparing ---- */

struct sum {
    double largest; /* difference, in the unit of its variable */
    size_t beyond, all;
    const char *worst;
};

/* Differences count in this unit. */
static double unit_of(const float *theirs, size_t n, const struct cnn_tolerance *t)
{
    double unit = 1.0;

    for (size_t i = 0; t->of_largest && i < n; i++)
        unit = fmax(unit, fabs((double) theirs[i]));
    return unit;
}

static void add_differences(struct sum *s, const char *name, const float *ours, const float *theirs,
                            size_t n, const struct cnn_tolerance *t)
{
    double unit = unit_of(theirs, n, t);

    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double) ours[i] - (double) theirs[i]) / unit;

        s->beyond += !(difference <= t->each);
        if (difference > s->largest || isnan(difference)) { /* NaN stays the largest */
            s->largest = difference;
            s->worst = name;
        }
    }
    s->all += n;
}

bool cnn_is_trial(const struct cnn_case *c, double difference, double tolerance)
{
    double in_tolerances = difference == 0.0 ? 0.0 : difference / tolerance;

    if (!c->trial)
        return false;
    *c->trial = isnan(in_tolerances) ? (double) INFINITY : fmax(*c->trial, in_tolerances);
    return true;
}

static void judge(const struct cnn_case *c, const char *what, const struct sum *s,
                  const struct cnn_tolerance *t)
{
    double most = t->outlier > t->each ? t->outlier : t->each;
    bool too_many = (double) s->beyond > t->fraction * (double) s->all;

    if (cnn_is_trial(c, s->largest, too_many ? fmin(t->each, s->largest / 2) : most))
        return;
    print_message("  %-32s %-22s largest difference %.2e, %zu of %zu beyond %.0e\n", c->name, what,
                  s->largest, s->beyond, s->all, t->each);
    if (!(s->largest <= most) || too_many)
        fail_msg("%s: %s differs: %zu of %zu beyond %g, largest %g in %s", c->name, what, s->beyond,
                 s->all, t->each, s->largest, s->worst);
}

void cnn_compare(const struct cnn_case *c, const char *what, const float *ours, const float *theirs,
                 size_t n, const struct cnn_tolerance *t)
{
    struct sum s = {.worst = what};

    add_differences(&s, what, ours, theirs, n, t);
    judge(c, what, &s, t);
}

size_t cnn_compare_variables(const struct cnn_case *c, const float *values, const char *prefix,
                             const struct cnn_tolerance *t)
{
    const struct gr_params *p = mdl_params(c->m);
    struct sum s = {.worst = ""};
    size_t found = 0;

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        const struct ckpt_tensor *theirs = cnn_find(c, prefix, v->name);

        if (!theirs)
            continue;
        assert_int_equal(theirs->n_bytes, (size_t) v->n * sizeof(float));
        add_differences(&s, v->name, values + v->offset, theirs->data, (size_t) v->n, t);
        found++;
    }
    if (found > 0)
        judge(c, prefix, &s, t);
    return found;
}

size_t cnn_compare_on_device(const struct cnn_case *c, const float *values, const char *prefix,
                             const struct cnn_tolerance *t)
{
    float *host = device_floats(c->dev, values, mdl_params(c->m)->n_floats);
    size_t found = cnn_compare_variables(c, host, prefix, t);

    free(host);
    return found;
}

void cnn_near(const struct cnn_case *c, const char *what, double ours, double theirs,
              double tolerance)
{
    double off = fabs(ours - theirs);

    if (cnn_is_trial(c, off, tolerance * fabs(theirs)))
        return;
    print_message("  %-32s %-22s relative difference %.2e\n", c->name, what,
                  fabs(ours / theirs - 1.0));
    if (!(off <= tolerance * fabs(theirs)))
        fail_msg("%s: %s is %.9g, the original's %.9g", c->name, what, ours, theirs);
}

/* ---- the side of a ReLU ---- */

static const double nudges[] = {-5e-7, 5e-7, 8e-7, -8e-7, -1.5e-6, 1.5e-6, -3e-6, 3e-6};
enum { N_NUDGES = sizeof nudges / sizeof *nudges, N_NUDGED_VARIABLES = 2 };

/* Every value goes one step of float up or down. */
static void nudge_last_bits(struct gr_params *p, uint32_t seed)
{
    float *values = device_floats(p->dev, p->values, p->n_floats);

    for (int64_t i = 0; i < p->n_floats; i++) {
        uint32_t x = ((uint32_t) i ^ (seed << 24)) * 0x7feb352du;

        x = (x ^ (x >> 15)) * 0x846ca68bu;
        values[i] = nextafterf(values[i], x >> 31 ? INFINITY : -INFINITY);
    }
    device_write(p->dev, p->values, values, p->n_floats);
    free(values);
}

void cnn_nudge(const struct cnn_case *c, int which)
{
    struct gr_params *p = mdl_params(c->m);
    int left = (which - 1) / 2 / N_NUDGES;

    if (which > 0 && which % 2 == 0) {
        nudge_last_bits(p, (uint32_t) which);
        return;
    }
    for (int i = 0; which > 0 && i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        float x;

        /* of a normalisation, so that a whole channel moves; every network with ReLUs here has
         * one */
        if (!t2_ends_with(v->name, "gamma") || left-- != 0)
            continue;
        x = device_float(p->dev, p->values + v->offset) *
            (1.0f + (float) nudges[(which - 1) / 2 % N_NUDGES]);
        device_write(p->dev, p->values + v->offset, &x, 1);
    }
}

bool cnn_case_search(cnn_check_fn check, const void *arg, double *spread)
{
    double least = (double) INFINITY, most = 0.0;

    for (int which = 0; which <= 2 * N_NUDGES * N_NUDGED_VARIABLES; which++) {
        double trial = 0.0;

        check(arg, which, &trial);
        if (trial <= 1.0) {
            print_message("  within %.2g tolerances, nudge %d\n", trial, which);
            return true;
        }
        least = fmin(least, trial);
        most = fmax(most, trial);
    }
    *spread = most - least;
    return false;
}

static void compare_logits(const struct cnn_case *c, const char *name, const float *logits,
                           double tolerance)
{
    const struct ckpt_tensor *t = cnn_must_find(c, "out/", name);
    struct cnn_tolerance each = {.each = tolerance};

    assert_int_equal(t->n_bytes / sizeof *logits, c->batch.batch * c->problem.targets_vocab);
    cnn_compare(c, name, logits, t->data, t->n_bytes / sizeof *logits, &each);
}

void cnn_compare_eval(const struct cnn_case *c, const char *name, double tolerance)
{
    float *logits = t2_alloc((size_t) (c->batch.batch * c->problem.targets_vocab), sizeof *logits);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(mdl_class_logits(c->m, &c->batch, logits, &err), T2_OK);
    compare_logits(c, name, logits, tolerance);
    t2_free(logits);
}

void cnn_compare_training(struct cnn_case *c, double tolerance)
{
    float *logits = cnn_training_logits(c);

    compare_logits(c, "logits", logits, tolerance);
    t2_free(logits);
}

void cnn_compare_steps(struct cnn_case *c, double tolerance, double of_variables)
{
    const struct cnn_tolerance exact = {.each = tolerance, .of_largest = true};
    const struct cnn_tolerance variables = {.each = of_variables, .of_largest = true};
    const struct t2_json_value *losses = t2_json_get(c->root, "losses");
    struct gr_params *p = mdl_params(c->m);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    assert_int_equal(opt_new(c->hp, p, &o, &err), T2_OK);
    for (int step = 0; step < (int) t2_json_size(losses); step++) {
        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        cnn_near(c, "loss", loss.numerator / loss.denominator,
                 t2_json_as_double(t2_json_item(losses, (size_t) step), NAN), tolerance);
        if (step == 0) {
            bool in_double = cnn_compare_on_device(c, p->grads, "exact/", &exact) > 0;
            const struct cnn_tolerance gradients = {
                .each = in_double ? tolerance + recorded_noise(c->folder, c->name, "gradients")
                                  : tolerance,
                .of_largest = true};

            assert_int_equal(cnn_compare_on_device(c, p->grads, "grad/", &gradients),
                             t2_json_size(t2_json_get(c->root, "trainable")));
        }
        assert_int_equal(opt_step(o, step, 1000, &report, &err), T2_OK);
    }
    assert_int_equal(cnn_compare_on_device(c, p->values, "after/", &variables), p->n_variables);
    opt_free(o);
}

/* ---- a training pass of its own ---- */

float *cnn_training_logits(struct cnn_case *c)
{
    const struct mdl_batch *batch = &c->batch;
    const struct mdl_tables tables = {.n_positions = 0}; /* images have none */
    struct mdl_build b = {.model = c->m->kind->name,
                          .hp = c->hp,
                          .problem = &c->m->problem,
                          .tables = &tables,
                          .draws_given = c->m->given_draws != NULL};
    struct mdl_shape shape = {.batch = batch->batch,
                              .targets_length = 1,
                              .height = batch->height,
                              .width = batch->width,
                              .channels = batch->channels};
    struct mdl_graph g = {.shape = shape};
    struct gr_context context = {.grad_scale = 1.0f};
    struct t2_err err = T2_ERR_INIT;
    struct gr_tensor *keep[2];
    float *logits;
    void *arena;

    g.g = b.g = gr_new(c->dev, &c->m->params, true);
    c->m->kind->build(&b, &shape, false, &g);
    keep[0] = g.class_logits;
    keep[1] = g.row_stats;
    assert_int_equal(gr_finish(g.g, g.loss, keep, 2, &err), T2_OK);
    arena = c->dev->alloc(c->dev, g.g->arena_bytes);
    gr_bind(g.g, arena);
    c->dev->upload_now(c->dev, g.images->value, batch->images,
                       (size_t) g.images->n * sizeof *batch->images);
    c->dev->upload_now(c->dev, g.targets->ids, batch->targets,
                       (size_t) g.targets->n * sizeof *batch->targets);
    for (int i = 0; i < g.n_given_draws; i++)
        c->dev->upload_now(c->dev, g.given_draws[i]->value, c->m->given_draws[i],
                           (size_t) g.given_draws[i]->n * sizeof(float));
    gr_run_forward(g.g, &context);
    logits = t2_alloc((size_t) g.class_logits->n, sizeof *logits);
    c->dev->download(c->dev, logits, g.class_logits->value,
                     (size_t) g.class_logits->n * sizeof *logits);
    c->dev->free(c->dev, arena);
    gr_free(g.g);
    return logits;
}
