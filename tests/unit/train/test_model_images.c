/*
 * tests/unit/train/test_model_images.c - images through a model: a kind of two dense layers with a
 * state that counts its steps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ckpt/checkpoint.h"
#include "train/models/model_parts.h"
#include "train/ops/class_loss.h"
#include "train/ops/elementwise.h"
#include "train/ops/linear.h"
#include "train/optim/optimizer.h"

enum { H = 4, W = 3, C = 2, PIXELS = H * W * C, CLASSES = 5, N = 6, MANY = 64 };

/* ---- an operator with a state: y = x, and in a training step state = 0.5 state + sum of x ---- */

static void count_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];
    const struct dev_kernels *k = node->dev->kernels;
    float *state = node->inputs[1]->value;

    (void) context;
    k->copy(node->dev,
            &(struct dev_copy_args){.x = x->value, .n = x->n, .y = node->outputs[0]->value});
    if (!node->update_states)
        return;
    k->scale(node->dev, &(struct dev_scale_args){.x = state, .n = 1, .scale = 0.5f, .y = state});
    k->col_sum(node->dev, &(struct dev_col_sum_args){.x = x->value,
                                                     .rows = x->n,
                                                     .cols = 1,
                                                     .accumulate = true,
                                                     .out = state,
                                                     .scratch = node->scratch});
}

static void count_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->copy(node->dev, &(struct dev_copy_args){.x = node->outputs[0]->grad,
                                                                .n = x->n,
                                                                .accumulate = node->accumulate[0],
                                                                .y = node->inputs[0]->grad});
}

static const struct gr_op count_op = {.name = "count",
                                      .fwd = count_fwd,
                                      .bwd = count_bwd,
                                      .bwd_uses_inputs = 1u};

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    (void) hp, (void) problem, (void) err;
    return T2_OK;
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    const int64_t images[] = {shape->batch, shape->height, shape->width, shape->channels};
    const int64_t w[] = {PIXELS, 7}, w2[] = {7, CLASSES}, one = 1, labels[] = {shape->batch, 1};
    struct gr_tensor *inputs[2], *x;
    struct gr_node *count;

    out->images = gr_floats(b->g, 4, images);
    gr_layer(b->g, 1);
    x = nn_linear(b->g, nn_flatten(b->g, out->images),
                  gr_param(b->g, "body/dense/kernel", 2, w, 0, GR_INIT_DEFAULT, 0.0), NULL, true,
                  0.0);
    inputs[0] = x;
    inputs[1] = gr_state(b->g, "body/count", 1, &one, GR_INIT_ZEROS, 0.0);
    count = gr_add_node(b->g, &count_op, 2, inputs, NULL);
    count->scratch_fwd_floats = b->g->dev->kernels->col_sum_scratch_floats(x->n, 1);
    x = gr_add_output(b->g, count, x->rank, x->dims, true);
    x = nn_linear(b->g, x, gr_param(b->g, "logits/kernel", 2, w2, 0, GR_INIT_DEFAULT, 0.0), NULL,
                  false, 0.0);
    gr_layer(b->g, 0);
    if (want_logits) {
        out->logits = x;
        return;
    }
    out->targets = gr_ids(b->g, 2, labels);
    out->loss = nn_class_loss(b->g, x, out->targets, 0.0, &out->row_stats);
}

static const struct mdl_kind kind = {.name = "images", .check = check, .build = build};

/* ---- a model and its images ---- */

static const struct mdl_problem problem = {.targets_vocab = CLASSES,
                                           .loss_multiplier = 1.0,
                                           .class_labels = true,
                                           .image = {H, W, C}};

struct small {
    struct dev *dev;
    struct mdl_hparams *hp;
    struct mdl *m;
    struct opt_optimizer *o;
    float images[MANY * PIXELS];
    int32_t labels[MANY];
};

static void small_new(struct small *s, bool remat)
{
    struct t2_err err = T2_ERR_INIT;

    s->dev = op_device("cpu", 2);
    assert_int_equal(mdl_hparams_new("basic_1", &s->hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(s->hp,
                                          "optimizer=adam,learning_rate=10,"
                                          "initializer=uniform_unit_scaling",
                                          &err),
                     T2_OK);
    if (mdl_new_of_kind(&kind, s->dev, s->hp, &problem, MDL_TRAIN, &s->m, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_set_remat(s->m, remat);
    assert_int_equal(mdl_initialise(s->m, 1, &err), T2_OK);
    assert_int_equal(opt_new(s->hp, mdl_params(s->m), &s->o, &err), T2_OK);
}

static void small_release(struct small *s)
{
    opt_free(s->o);
    mdl_free(s->m);
    mdl_hparams_free(s->hp);
}

static struct mdl_batch image_batch(struct small *s, int32_t n, uint64_t seed)
{
    t_fill(s->images, (size_t) n * PIXELS, seed);
    for (int32_t i = 0; i < n; i++) /* the class is how bright the first pixel is */
        s->labels[i] = (int32_t) ((s->images[i * PIXELS] + 1.0f) * 0.5f * CLASSES) % CLASSES;
    return (struct mdl_batch){.batch = n,
                              .targets_length = 1,
                              .targets = s->labels,
                              .height = H,
                              .width = W,
                              .channels = C,
                              .images = s->images};
}

static struct mdl_loss step(struct small *s, int64_t number)
{
    struct mdl_batch b = image_batch(s, N, (uint64_t) number % 8);
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    if (mdl_train_step(s->m, &b, 1, (uint64_t) number, &loss, &err) != T2_OK ||
        opt_step(s->o, number, 1000, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    return loss;
}

static float count_of(struct small *s)
{
    const struct gr_variable *v = gr_params_find(mdl_params(s->m), "body/count");

    assert_non_null(v);
    assert_false(v->trainable);
    return device_float(s->dev, mdl_params(s->m)->values + v->offset);
}

/* ---- tests ---- */

static void test_loss_and_logits(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss trained, evaluated;
    struct mdl_batch b;
    static struct small s;
    float logits[N * CLASSES];
    double sum = 0.0, hits = 0.0;

    (void) state;
    small_new(&s, false);
    b = image_batch(&s, N, 7);
    assert_int_equal(mdl_evaluate(s.m, &b, &evaluated, &err), T2_OK);
    assert_true(count_of(&s) == 0.0f); /* evaluation changes no state */
    assert_int_equal(mdl_class_logits(s.m, &b, logits, &err), T2_OK);
    for (int i = 0; i < N; i++) {
        const float *row = logits + (ptrdiff_t) i * CLASSES;
        double e = 0.0;
        int best = 0;

        for (int c = 0; c < CLASSES; c++) {
            e += exp((double) row[c]);
            best = row[c] > row[best] ? c : best;
        }
        sum += log(e) - (double) row[b.targets[i]];
        hits += best == b.targets[i];
    }
    assert_true(fabs(evaluated.numerator - sum) < 1e-5);
    assert_true(evaluated.denominator == N && evaluated.n_correct == hits);
    assert_true(evaluated.n_top5 == N); /* of five classes */
    assert_int_equal(mdl_train_step(s.m, &b, 1, 0, &trained, &err), T2_OK);
    assert_true(fabs(trained.numerator - sum) < 1e-5 && trained.denominator == N);
    assert_true(count_of(&s) != 0.0f);
    small_release(&s);
}

static void test_it_learns(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;
    struct mdl_batch b;
    static struct small s;

    (void) state;
    small_new(&s, false);
    for (int64_t k = 0; k < 400; k++)
        (void) step(&s, k);
    b = image_batch(&s, N, 5);
    assert_int_equal(mdl_evaluate(s.m, &b, &loss, &err), T2_OK);
    assert_true(loss.numerator / loss.denominator < 0.5);
    small_release(&s);
}

static void test_remat_updates_once(void **state)
{
    static struct small kept, again;
    const struct gr_params *a, *b;

    (void) state;
    small_new(&kept, false);
    small_new(&again, true);
    for (int64_t k = 0; k < 4; k++) {
        (void) step(&kept, k);
        (void) step(&again, k);
    }
    assert_true(count_of(&kept) == count_of(&again));
    a = mdl_params(kept.m);
    b = mdl_params(again.m);
    device_assert_same(a->dev, a->values, b->dev, b->values, a->n_floats);
    small_release(&kept);
    small_release(&again);
}

static void test_resume(void **state)
{
    const char *dir = t_tmp_path("resume");
    struct ckpt_state saved = {.step = 3,
                               .model = "images",
                               .hparams_set = "basic_1",
                               .problem = "p",
                               .precision = "float32"};
    struct t2_err err = T2_ERR_INIT;
    static struct small straight, first, second;
    const struct gr_params *a, *b;

    (void) state;
    small_new(&straight, false);
    small_new(&first, false);
    small_new(&second, false);
    for (int64_t k = 0; k < 6; k++)
        (void) step(&straight, k);
    for (int64_t k = 0; k < 3; k++)
        (void) step(&first, k);
    if (ckpt_save(dir, &saved, first.hp, mdl_params(first.m), first.o, 1, &err) != T2_OK ||
        ckpt_restore(dir, -1, mdl_params(second.m), second.o, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_true(count_of(&second) == count_of(&first));
    for (int64_t k = 3; k < 6; k++)
        (void) step(&second, k);
    a = mdl_params(straight.m);
    b = mdl_params(second.m);
    device_assert_same(a->dev, a->values, b->dev, b->values, a->n_floats);
    small_release(&straight);
    small_release(&first);
    small_release(&second);
}

/* ---- the model's regulariser ---- */

static double half_squares(const char *variable, const struct mdl_hparams *hp)
{
    return strstr(variable, "logits") ? 0.0 : 0.5 * mdl_hp_float(hp, "weight_decay");
}

/* The loss and the gradients of a model with L2, less those of one without. */
static void test_regulariser(void **state)
{
    struct mdl_kind with = kind;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss a, b;
    static struct small plain, other;
    const struct gr_variable *v;
    const struct gr_params *p, *q;
    struct mdl_batch batch;
    struct opt_report report;
    double sum = 0.0;
    float *values, *grads, *before;

    (void) state;
    with.l2 = half_squares;
    small_new(&plain, false);
    small_new(&other, false);
    opt_free(other.o);
    mdl_free(other.m);
    mdl_hp_set_float(other.hp, "weight_decay", 0.125);
    assert_int_equal(mdl_new_of_kind(&with, other.dev, other.hp, &problem, MDL_TRAIN, &other.m,
                                     &err),
                     T2_OK);
    assert_int_equal(mdl_initialise(other.m, 1, &err), T2_OK);
    assert_int_equal(opt_new(other.hp, mdl_params(other.m), &other.o, &err), T2_OK);
    batch = image_batch(&plain, N, 1);
    assert_int_equal(mdl_train_step(plain.m, &batch, 1, 0, &a, &err), T2_OK);
    assert_int_equal(mdl_train_step(other.m, &batch, 1, 0, &b, &err), T2_OK);
    p = mdl_params(plain.m);
    q = mdl_params(other.m);
    values = device_floats(q->dev, q->values, q->n_floats);
    grads = device_floats(q->dev, q->grads, q->n_floats);
    before = device_floats(p->dev, p->grads, p->n_floats);
    v = gr_params_find(q, "body/dense/kernel");
    for (int64_t i = v->offset; i < v->offset + v->n; i++) {
        sum += (double) values[i] * (double) values[i];
        assert_true(fabsf(grads[i] - before[i] - 0.125f * values[i]) < 1e-7f);
    }
    free(values);
    free(grads);
    free(before);
    v = gr_params_find(q, "logits/kernel");
    device_assert_same(q->dev, q->grads + v->offset, p->dev, p->grads + v->offset, v->n);
    assert_true(a.regulariser == 0.0 && fabs(b.regulariser - 0.0625 * sum) < 1e-9);
    assert_true(fabs(b.numerator - a.numerator - N * b.regulariser) < 1e-6);
    assert_int_equal(mdl_evaluate(other.m, &batch, &b, &err), T2_OK);
    assert_true(fabs(b.regulariser - 0.0625 * sum) < 1e-9);
    /* the optimizer adds no decay of its own */
    assert_int_equal(opt_step(other.o, 0, 10, &report, &err), T2_OK);
    assert_true(report.weight_decay_loss == 0.0);
    /* lars decays by itself */
    mdl_hp_set_string(other.hp, "optimizer", "LARS");
    opt_free(other.o);
    mdl_free(other.m);
    other.o = NULL;
    assert_int_equal(mdl_new_of_kind(&with, other.dev, other.hp, &problem, MDL_TRAIN, &other.m,
                                     &err),
                     T2_OK);
    assert_int_equal(mdl_initialise(other.m, 1, &err), T2_OK);
    assert_int_equal(mdl_train_step(other.m, &batch, 1, 0, &b, &err), T2_OK);
    assert_true(b.regulariser == 0.0);
    small_release(&plain);
    small_release(&other);
}

static void refused(struct small *s, const struct mdl_batch *b, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    assert_int_equal(mdl_train_step(s->m, b, 1, 0, &loss, &err), T2_EFORMAT);
    t_assert_contains(err.message, message);
    assert_int_equal(mdl_evaluate(s->m, b, &loss, &err), T2_EFORMAT);
}

static void test_refused(void **state)
{
    struct mdl_batch good, bad;
    static struct small s;

    (void) state;
    small_new(&s, false);
    good = image_batch(&s, N, 3);
    bad = good;
    bad.width = 4;
    refused(&s, &bad, "images of 4 x 4 x 2 does not fit a model of 4 x 3 x 2");
    bad = good;
    bad.images = NULL;
    refused(&s, &bad, "does not fit");
    s.labels[4] = CLASSES;
    refused(&s, &good, "label 5 is not one of the 5 classes");
    s.labels[4] = -1;
    refused(&s, &good, "label -1");
    small_release(&s);
}

/* A larger batch needs a larger arena; the plan says so, and the batch runs in it. */
static void test_plan(void **state)
{
    const struct mdl_shape shapes[] = {
        {.batch = MANY, .targets_length = 1, .height = H, .width = W, .channels = C}};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;
    struct mdl_batch b;
    static struct small s;
    uint64_t bytes;

    (void) state;
    small_new(&s, false);
    assert_int_equal(mdl_plan(s.m, shapes, 1, &bytes, &err), T2_OK);
    assert_true(bytes >= MANY * PIXELS * sizeof(float));
    b = image_batch(&s, MANY, 1);
    assert_int_equal(mdl_train_step(s.m, &b, 1, 0, &loss, &err), T2_OK);
    assert_int_equal(s.m->arena_bytes, bytes);
    assert_true(loss.denominator == MANY);
    small_release(&s);
}

T_MAIN(cmocka_unit_test(test_loss_and_logits), cmocka_unit_test(test_it_learns),
       cmocka_unit_test(test_remat_updates_once), cmocka_unit_test(test_resume),
       cmocka_unit_test(test_regulariser), cmocka_unit_test(test_refused),
       cmocka_unit_test(test_plan))
