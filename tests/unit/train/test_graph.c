/*
 * tests/unit/train/test_graph.c - building graphs, the derived backward pass, replay.
 *
 * malloc and friends are wrapped (tests/module.mk), so that allocations can be counted.
 */
#include "train/graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/graph/profile.h"
#include "train/ops/attention.h"
#include "train/ops/embed.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"
#include "train/ops/xent.h"

/* ---- counting ---- */

static _Atomic unsigned n_allocations; /* of all threads */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);

void *__wrap_malloc(size_t n)
{
    n_allocations++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    n_allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    n_allocations++;
    return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
    n_allocations++;
    return __real_aligned_alloc(alignment, n);
}

/* ---- a graph with every operator ---- */

enum { B = 3, L = 6, D = 8, V = 11, FILTER = 12 };

static const int32_t ids[B * L] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9, 10, 1, 2, 3, 0, 0, 0};

static void build_all(struct op_graph *t, const void *arg)
{
    struct gr_tensor *words = op_ids(t, B, L, ids), *table = op_param(t, "table", 2, V, D, 0);
    struct nn_embed e = {.ids = words, .table = table, .scale = 4.0, .dropout = 0.1};
    struct nn_attention a = {.heads = 2,
                             .key_ids = words,
                             .causal = true,
                             .scale = 0.35,
                             .dropout = 0.1,
                             .q_per_key = 1};
    struct gr_tensor *x = nn_embed(t->g, &e), *y, *row_stats;
    struct gr_node *loss;

    (void) arg;
    y = nn_layer_norm(t->g, x, op_param(t, "scale", 1, D, 0, 0), op_param(t, "bias", 1, D, 0, 0),
                      1e-6);
    y = nn_attention(t->g, nn_linear(t->g, y, op_param(t, "q", 2, D, D, 0), NULL, false, 0.0),
                     nn_linear(t->g, y, op_param(t, "k", 2, D, D, 0), NULL, false, 0.0),
                     nn_linear(t->g, y, op_param(t, "v", 2, D, D, 0), NULL, false, 0.0), &a);
    x = nn_residual(t->g, x, y, words, 0.1);
    y = nn_linear(t->g, x, op_param(t, "w", 2, D, FILTER, 0), op_param(t, "b", 1, FILTER, 0, 0),
                  true, 0.1);
    y = nn_linear(t->g, y, op_param(t, "w2", 2, FILTER, D, 0), op_param(t, "b2", 1, D, 0, 0), false,
                  0.0);
    x = nn_residual(t->g, x, nn_dropout(t->g, y, 0.1), NULL, 0.0);
    loss = nn_xent(t->g, x, table, words, NULL, 0.1, &row_stats);
    op_xent_loss(t, loss, row_stats);
}

/* From the second run on nothing is allocated, by any thread. */
static void test_replay_does_not_allocate(void **state)
{
    struct op_graph t;
    unsigned before;

    (void) state;
    OP_NEEDS_CPU();
    op_graph_new(&t, op_device("cpu", 2), build_all, NULL);
    gr_run_forward(t.g, &t.context);
    gr_run_backward(t.g, &t.context);
    before = n_allocations;
    t2_free(t2_alloc(1, 1));
    assert_true(n_allocations > before); /* the counter works */
    before = n_allocations;
    for (int run = 0; run < 5; run++) {
        t.context.step++;
        gr_run_forward(t.g, &t.context);
        gr_run_backward(t.g, &t.context);
    }
    assert_int_equal(n_allocations, before);
    op_graph_release(&t);
}

/* Gradients of a run; n in *n. */
static float *gradients(int num_threads, uint64_t step, uint32_t key, size_t *n)
{
    struct op_graph t;
    float *g;

    op_graph_new(&t, op_device("cpu", num_threads), build_all, NULL);
    t.context.step = step;
    t.context.dropout_key[0] = key;
    (void) op_graph_run(&t);
    *n = (size_t) t.params.n_floats * sizeof *g;
    g = device_floats(t.dev, t.params.grads, t.params.n_floats);
    op_graph_release(&t);
    return g;
}

static void test_threads_give_the_same_bits(void **state)
{
    size_t n;
    float *one = gradients(1, 3, 4, &n), *again = gradients(1, 3, 4, &n);

    (void) state;
    assert_memory_equal(one, again, n);
    free(again);
    for (int threads = 2; threads <= 3; threads++) {
        float *many = gradients(threads, 3, 4, &n);

        assert_memory_equal(one, many, n);
        free(many);
    }
    again = gradients(1, 4, 4, &n);
    assert_memory_not_equal(one, again, n); /* another step, another mask */
    free(again);
    again = gradients(1, 3, 5, &n);
    assert_memory_not_equal(one, again, n); /* another key */
    free(again);
    free(one);
}

/* The whole by differences, without dropout's corners and ReLU's: step small. */
static void test_gradient_of_the_whole(void **state)
{
    (void) state;
    op_check_gradient(build_all, NULL, 1e-3, 6e-3);
}

/* A profile has a row for every operator, with times. */
static void test_profile(void **state)
{
    struct gr_profile profile = {.n = 0};
    struct op_graph t;
    bool attention = false;

    (void) state;
    op_graph_new(&t, op_device("cpu", 1), build_all, NULL);
    t.context.profile = &profile;
    for (int run = 0; run < 3; run++)
        (void) op_graph_run(&t);
    assert_int_equal(profile.n, 8); /* linear counts twice: with and without ReLU */
    for (int i = 0; i < profile.n; i++) {
        attention |= strcmp(profile.op[i], "attention") == 0;
        assert_true(profile.forward_s[i] >= 0.0 && profile.forward_s[i] < 60.0);
        assert_true(profile.backward_s[i] >= 0.0 && profile.backward_s[i] < 60.0);
    }
    assert_true(attention);
    gr_profile_release(&profile);
    op_graph_release(&t);
}

/* ---- parameters without a path to the loss ---- */

static struct gr_tensor *param(struct gr_graph *g, const char *name, int64_t n)
{
    return gr_param(g, name, 1, &n, 0, GR_INIT_ZEROS, 0.0);
}

static void no_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) node, (void) context;
}

static const struct gr_op nothing = {.name = "nothing", .fwd = no_fwd, .bwd = no_fwd};

static void test_untrained_parameters_are_named(void **state)
{
    static const char *const unused[] = {"declared only", "used, but only beside the loss",
                                         "scope/x"};
    struct dev *d = op_device("reference", 1);

    (void) state;
    for (int how = 0; how < 3; how++) {
        struct gr_params params;
        struct gr_graph *g;
        struct gr_tensor *x, *y;
        struct gr_node *loss;
        struct t2_err err = T2_ERR_INIT;
        int64_t n = 4;

        gr_params_init(&params, d);
        if (how == 2) /* of another graph */
            (void) gr_params_get(&params, unused[2], 1, &n, 2, GR_INIT_ZEROS, 0.0);
        g = gr_new(d, &params, true);
        x = param(g, "used", n);
        if (how < 2) {
            y = param(g, unused[how], n);
            if (how == 1)
                (void) gr_add_output(g, gr_add_node(g, &nothing, 1, &y, NULL), 1, &n, true);
        }
        loss = gr_add_node(g, &nothing, 1, &x, NULL);
        assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_EUNSUPPORTED);
        t_assert_contains(err.message, unused[how]);
        t_assert_contains(err.message, "no path to the loss");
        gr_free(g);
        gr_params_release(&params);
    }
}

/* An inference graph does not mind. */
static void test_inference_needs_no_path(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct gr_params params;
    struct t2_err err = T2_ERR_INIT;
    struct gr_graph *g;

    (void) state;
    gr_params_init(&params, d);
    g = gr_new(d, &params, false);
    assert_false(param(g, "unused", 3)->needs_grad);
    assert_int_equal(gr_finish(g, NULL, NULL, 0, &err), T2_OK);
    assert_int_equal(g->arena_bytes, DEV_ALIGN_BYTES); /* the step block */
    gr_free(g);
    gr_params_release(&params);
    gr_free(NULL);
}

/* ---- states and float inputs ---- */

static int n_changes;

static void change_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    n_changes += node->update_states;
}

static const struct gr_op changes = {.name = "changes",
                                     .fwd = change_fwd,
                                     .bwd = no_fwd,
                                     .bwd_uses_inputs = 1u,
                                     .bwd_uses_outputs = 1u};

/* A run changes a state once: a training run, though a layer runs twice; an inference run never. */
static void test_states(void **state)
{
    struct dev *d = op_device("reference", 1);

    (void) state;
    for (int how = 0; how < 3; how++) { /* training, with layers again, inference */
        struct gr_context context = {0};
        struct t2_err err = T2_ERR_INIT;
        struct gr_tensor *inputs[3], *floats, *mean, *y;
        struct gr_node *node, *loss;
        struct gr_params params;
        struct gr_graph *g;
        int64_t dims[] = {2, 3};
        void *arena;

        gr_params_init(&params, d);
        g = gr_new(d, &params, how < 2);
        g->remat = how == 1;
        floats = gr_floats(g, 2, dims);
        mean = gr_state(g, "mean", 2, dims, GR_INIT_ZEROS, 0.0);
        assert_ptr_equal(gr_state(g, "mean", 2, dims, GR_INIT_ZEROS, 0.0), mean);
        assert_false(mean->needs_grad || floats->needs_grad);
        inputs[0] = param(g, "x", 4);
        inputs[1] = mean;
        inputs[2] = floats;
        gr_layer(g, 1);
        node = gr_add_node(g, &changes, 3, inputs, NULL);
        y = gr_add_output(g, node, 2, dims, true);
        y = gr_add_output(g, gr_add_node(g, &changes, 1, &y, NULL), 2, dims, true);
        gr_layer(g, 0);
        loss = gr_add_node(g, &nothing, 1, &y, NULL);
        assert_int_equal(gr_finish(g, how < 2 ? loss : NULL, NULL, 0, &err), T2_OK);
        assert_int_equal(node->rerun, how == 1);
        assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
        arena = d->alloc(d, g->arena_bytes);
        gr_bind(g, arena);
        assert_ptr_equal(mean->value, params.values + params.params[mean->param].offset);
        assert_null(mean->grad);
        assert_non_null(floats->value);
        n_changes = 0;
        for (int run = 0; run < 2; run++) {
            gr_run_forward(g, &context);
            if (how < 2)
                gr_run_backward(g, &context);
        }
        assert_int_equal(n_changes, how < 2 ? 4 : 0);
        d->free(d, arena);
        gr_free(g);
        gr_params_release(&params);
    }
}

/* ---- what is written first and what is added ---- */

static void test_first_writes_others_add(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct gr_params params;
    struct t2_err err = T2_ERR_INIT;
    struct gr_graph *g;
    struct gr_tensor *x, *constant, *inputs[4], *y, *z;
    struct gr_node *first, *second, *beside, *loss;
    int64_t n = 4;
    float data[4] = {0};

    (void) state;
    gr_params_init(&params, d);
    g = gr_new(d, &params, true);
    x = param(g, "x", n);
    assert_ptr_equal(param(g, "x", n), x); /* one tensor per parameter */
    constant = gr_const(g, 1, &n, data);
    inputs[0] = inputs[1] = x;
    inputs[2] = NULL;
    inputs[3] = constant;
    first = gr_add_node(g, &nothing, 4, inputs, NULL);
    y = gr_add_output(g, first, 1, &n, true);
    inputs[0] = y;
    second = gr_add_node(g, &nothing, 2, inputs, NULL);
    z = gr_add_output(g, second, 1, &n, true);
    beside = gr_add_node(g, &nothing, 1, &y, NULL); /* nobody uses its result */
    (void) gr_add_output(g, beside, 1, &n, true);
    inputs[0] = z;
    inputs[1] = y;
    loss = gr_add_node(g, &nothing, 2, inputs, NULL);
    assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_OK);
    assert_false(loss->accumulate[0] || loss->accumulate[1]);  /* z and y: first */
    assert_true(second->accumulate[0]);                        /* y: second */
    assert_false(second->accumulate[1]);                       /* x: first */
    assert_true(first->accumulate[0] && first->accumulate[1]); /* x again, twice */
    assert_true(first->backward && second->backward && loss->backward);
    assert_false(beside->backward);
    assert_false(constant->has_grad);
    gr_free(g);
    gr_params_release(&params);
}

/* ---- dropout sites ---- */

static void test_dropout_of_a_site(void **state)
{
    static const struct dev_step step;
    struct gr_context c = {.on_device = &step};
    struct dev_dropout a = gr_dropout(0.25, 7, 0, &c), none = gr_dropout(0.0, 7, 0, &c);
    struct gr_params params;
    struct gr_graph *g;

    (void) state;
    assert_int_equal(a.threshold, 16384);
    assert_true(fabs((double) a.scale - 4.0 / 3.0) < 1e-6);
    assert_int_equal(a.site, 7);
    assert_ptr_equal(a.step, &step);
    assert_int_equal(none.threshold, 0);
    assert_true(none.scale == 1.0f);
    gr_params_init(&params, op_device("reference", 1));
    g = gr_new(op_device("reference", 1), &params, true);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(gr_next_dropout_site(g), i);
    gr_free(g);
    gr_params_release(&params);
}

/* The gradients of a run, downloaded. */
static void download_gradients(struct op_graph *t, float *to)
{
    (void) op_graph_run(t);
    t->dev->download(t->dev, to, t->params.grads, (size_t) t->params.n_floats * sizeof *to);
}

/* A pass is run, then recorded, then replayed; what a step changes is in the step block, so each
 * gives what a graph of that step alone gives.  Bound to other memory it begins anew. */
static void test_recorded_passes(void **state)
{
    struct dev *far = op_device("far", 1);
    struct gr_part *first;
    struct op_graph t, fresh;
    size_t bytes;
    float *replayed, *expected;

    (void) state;
    op_graph_new(&t, far, build_all, NULL);
    bytes = (size_t) t.params.n_floats * sizeof *replayed;
    replayed = t2_alloc(bytes, 1);
    expected = t2_alloc(bytes, 1);
    for (uint64_t step = 0; step < 4; step++) {
        assert_true((t.g->forward.parts != NULL) == (step >= 2));
        t.context.step = step;
        t.context.grad_scale = 1.0f + (float) step;
        download_gradients(&t, replayed);
        op_graph_new(&fresh, op_device("reference", 1), build_all, NULL);
        fresh.context = t.context;
        download_gradients(&fresh, expected);
        op_graph_release(&fresh);
        assert_memory_equal(replayed, expected, bytes);
    }
    first = t.g->backward.parts;
    assert_non_null(first);
    download_gradients(&t, replayed);
    assert_ptr_equal(t.g->backward.parts, first);
    gr_bind(t.g, t.arena);
    assert_null(t.g->forward.parts);
    assert_null(t.g->backward.parts);
    t2_free(expected);
    t2_free(replayed);
    op_graph_release(&t);
}

/* A device keeps so many and no more: what comes later is run call by call, with the same bits. */
static void test_recordings_are_bounded(void **state)
{
    struct dev *far = op_device("far", 1);
    struct op_graph graphs[2];
    size_t bytes;
    float *gradients[2];
    int left = far->recordings_left;

    (void) state;
    assert_true(left > 3);
    far->recordings_left = 3;
    for (int i = 0; i < 2; i++) {
        op_graph_new(&graphs[i], far, build_all, NULL);
        bytes = (size_t) graphs[i].params.n_floats * sizeof(float);
        gradients[i] = t2_alloc(bytes, 1);
        for (int step = 0; step < 3; step++)
            download_gradients(&graphs[i], gradients[i]);
    }
    assert_memory_equal(gradients[0], gradients[1], bytes);
    assert_int_equal(far->recordings_left, 0);
    assert_non_null(graphs[0].g->backward.parts);
    assert_non_null(graphs[1].g->forward.parts);
    assert_null(graphs[1].g->backward.parts);
    for (int i = 0; i < 2; i++) {
        op_graph_release(&graphs[i]);
        t2_free(gradients[i]);
    }
    assert_int_equal(far->recordings_left, 3);
    far->recordings_left = left;
}

T_MAIN(cmocka_unit_test(test_recordings_are_bounded),
       cmocka_unit_test(test_replay_does_not_allocate), cmocka_unit_test(test_recorded_passes),
       cmocka_unit_test(test_threads_give_the_same_bits),
       cmocka_unit_test(test_gradient_of_the_whole), cmocka_unit_test(test_profile),
       cmocka_unit_test(test_untrained_parameters_are_named),
       cmocka_unit_test(test_inference_needs_no_path), cmocka_unit_test(test_states),
       cmocka_unit_test(test_first_writes_others_add), cmocka_unit_test(test_dropout_of_a_site))
