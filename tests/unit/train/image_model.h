/*
 * tests/unit/train/image_model.h - small image models with made-up images, for tests of models.
 */
#ifndef T2_TESTS_IMAGE_MODEL_H
#define T2_TESTS_IMAGE_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/ckpt/checkpoint.h"
#include "train/models/layer_file.h"
#include "train/models/model_parts.h"

enum { IMAGE_CLASSES = 10 };

struct image_case {
    const char *model, *set, *overrides;
    int32_t side, channels;
};

/* The text of the models that follow and are layer files; NULL: they are built in. */
static const char *image_layers;

static inline struct mdl_problem image_problem(int32_t side, int32_t channels)
{
    return (struct mdl_problem){.targets_vocab = IMAGE_CLASSES,
                                .loss_multiplier = 1.0,
                                .class_labels = true,
                                .image = {side, side, channels}};
}

/* The set with overrides, no dropout lost; owned by the caller. */
static inline struct mdl_hparams *image_hparams(const char *set, const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    if (mdl_hparams_new(set, &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static inline struct mdl_hparams *image_case_hparams(const struct image_case *p)
{
    struct mdl_hparams *hp = image_hparams(p->set, p->overrides);
    struct t2_err err = T2_ERR_INIT;

    if (image_layers && mdl_layer_file_declare(image_layers, "x.yaml", hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

/* Expects that mdl_new refuses with this status and text. */
static inline void image_refused(const struct image_case *p, enum t2_status status,
                                 const char *text)
{
    struct mdl_problem problem = image_problem(p->side, p->channels);
    struct mdl_hparams *hp = image_case_hparams(p);
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    assert_int_equal(dev_open("reference", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_new(p->model, dev, hp, &problem, MDL_TRAIN, &m, &err), status);
    t_assert_contains(err.message, text);
    mdl_hparams_free(hp);
    dev_close(dev);
}

struct image_refusal {
    struct image_case p;
    enum t2_status status;
    const char *text;
};

static inline void image_check_refusals(const struct image_refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        image_refused(&rows[i].p, rows[i].status, rows[i].text);
}

/* Trainable values and variables, of a model for evaluation. */
static inline void image_count(const struct image_case *p, int32_t classes, int64_t values,
                               int variables)
{
    struct mdl_problem problem = image_problem(p->side, p->channels);
    struct mdl_hparams *hp = image_case_hparams(p);
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    problem.targets_vocab = classes;
    assert_int_equal(dev_open("reference", 1, &dev, &err), T2_OK);
    if (mdl_new(p->model, dev, hp, &problem, MDL_EVAL, &m, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(gr_params_count(mdl_params(m)), values);
    assert_int_equal(gr_params_count_variables(mdl_params(m)), variables);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

/* A run: a device, a model of seed 3, its optimizer, one batch again and again. */
struct image_run {
    struct dev *dev;
    struct mdl_hparams *hp;
    struct mdl *m;
    struct opt_optimizer *o;
    struct mdl_batch batch;
    float *images;
    int32_t labels[8];
    double first_loss, last_loss;
};

static inline void image_run_new(struct image_run *r, const struct image_case *p, int threads,
                                 bool remat)
{
    struct mdl_problem problem = image_problem(p->side, p->channels);
    size_t n = (size_t) 8 * (size_t) p->side * (size_t) p->side * (size_t) p->channels;
    struct t2_err err = T2_ERR_INIT;

    memset(r, 0, sizeof *r);
    assert_int_equal(dev_open("cpu", threads, &r->dev, &err), T2_OK);
    r->hp = image_case_hparams(p);
    if (mdl_new(p->model, r->dev, r->hp, &problem, MDL_TRAIN, &r->m, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_set_remat(r->m, remat);
    assert_int_equal(mdl_initialise(r->m, 3, &err), T2_OK);
    if (opt_new(r->hp, mdl_params(r->m), &r->o, &err) != T2_OK)
        fail_msg("%s", err.message);
    r->images = t2_alloc(n, sizeof *r->images);
    t_fill(r->images, n, 5);
    for (int32_t i = 0; i < 8; i++)
        r->labels[i] = (3 * i) % IMAGE_CLASSES;
    r->batch = (struct mdl_batch){.batch = 8,
                                  .targets_length = 1,
                                  .targets = r->labels,
                                  .height = p->side,
                                  .width = p->side,
                                  .channels = p->channels,
                                  .images = r->images};
}

static inline void image_run_steps(struct image_run *r, int64_t from, int64_t to)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    for (int64_t step = from; step < to; step++) {
        if (mdl_train_step(r->m, &r->batch, 7, (uint64_t) step, &loss, &err) != T2_OK ||
            opt_step(r->o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        r->last_loss = loss.numerator / loss.denominator;
        if (step == 0)
            r->first_loss = r->last_loss;
    }
}

/* The first value of a variable. */
static inline float image_value(const struct image_run *r, const char *name)
{
    const struct gr_params *p = mdl_params(r->m);
    const struct gr_variable *v = gr_params_find(p, name);

    if (!v)
        fail_msg("no variable '%s'", name);
    return device_float(p->dev, p->values + v->offset);
}

static inline void image_run_release(struct image_run *r)
{
    opt_free(r->o);
    mdl_free(r->m);
    mdl_hparams_free(r->hp);
    t2_free(r->images);
    dev_close(r->dev);
}

static inline void image_same(struct image_run *a, struct image_run *b)
{
    const struct gr_params *p = mdl_params(a->m), *q = mdl_params(b->m);

    assert_int_equal(p->n_variables, q->n_variables);
    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];

        float *x = device_floats(p->dev, p->values + v->offset, v->n);
        float *y = device_floats(q->dev, q->values + v->offset, v->n);

        if (memcmp(x, y, (size_t) v->n * sizeof *x) != 0)
            fail_msg("variable %s differs", v->name);
        free(x);
        free(y);
    }
}

/* What a training step draws by operator `op`: (8) each, the first n of them; returns how many
 * there are. */
static inline int image_drawn(struct image_run *r, const char *op, uint64_t seed, uint64_t step,
                              float (*values)[8], int n)
{
    struct mdl_build b = {.model = r->m->kind->name, .hp = r->hp, .problem = &r->m->problem};
    struct mdl_shape shape = {.batch = 8,
                              .targets_length = 1,
                              .height = r->batch.height,
                              .width = r->batch.width,
                              .channels = r->batch.channels};
    struct gr_context context = {.step = step, .grad_scale = 1.0f};
    struct mdl_graph g = {.shape = shape};
    struct gr_tensor *drawn[64];
    struct t2_err err = T2_ERR_INIT;
    int n_drawn = 0;
    void *arena;

    g.g = b.g = gr_new(r->dev, &r->m->params, true);
    r->m->kind->build(&b, &shape, false, &g);
    for (int i = 0; i < g.g->n_nodes; i++)
        if (strcmp(g.g->nodes[i]->op->name, op) == 0)
            drawn[n_drawn++] = g.g->nodes[i]->outputs[0];
    assert_int_equal(gr_finish(g.g, g.loss, drawn, n_drawn, &err), T2_OK);
    arena = r->dev->alloc(r->dev, g.g->arena_bytes);
    gr_bind(g.g, arena);
    t2_rng_key(seed, T2_RNG_BRANCH, context.branch_key);
    gr_run_forward(g.g, &context);
    for (int i = 0; i < n && i < n_drawn; i++)
        r->dev->download(r->dev, values[i], drawn[i]->value, sizeof values[i]);
    r->dev->free(r->dev, arena);
    gr_free(g.g);
    return n_drawn;
}

/* Three steps: the same bits with 1 and 2 threads, with layers computed again, and in two parts
 * with a checkpoint between them; ten steps lower the loss. */
static inline void image_check_runs(const struct image_case *p)
{
    struct image_run one, two, again, resumed;
    struct ckpt_state state = {
        .step = 2, .seed = 7, .model = "x", .hparams_set = "x", .problem = "x"};
    const char *dir = t_tmp_path("resume");
    struct t2_err err = T2_ERR_INIT;

    image_run_new(&one, p, 1, false);
    image_run_new(&two, p, 2, false);
    image_run_new(&again, p, 2, true);
    image_run_new(&resumed, p, 2, false);
    image_run_steps(&one, 0, 3);
    image_run_steps(&two, 0, 2);
    if (ckpt_save(dir, &state, two.hp, mdl_params(two.m), two.o, 1, &err) != T2_OK)
        fail_msg("%s", err.message);
    image_run_steps(&two, 2, 3);
    image_run_steps(&again, 0, 3);
    if (ckpt_restore(dir, -1, mdl_params(resumed.m), resumed.o, &err) != T2_OK)
        fail_msg("%s", err.message);
    image_run_steps(&resumed, 2, 3);
    image_same(&one, &two);
    image_same(&two, &again);
    image_same(&two, &resumed);
    image_run_steps(&two, 3, 12);
    assert_true(two.last_loss < two.first_loss);
    image_run_release(&one);
    image_run_release(&two);
    image_run_release(&again);
    image_run_release(&resumed);
}

#endif
