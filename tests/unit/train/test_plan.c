/*
 * tests/unit/train/test_plan.c - the memory plan, by running random graphs.
 *
 * Operators of this test write numbers that can be checked, fill their scratch memory with rubbish
 * and look at everything they declared to read, forward and backward; gradients are compared with a
 * second way of computing them that knows no arena.  A buffer given away too early is seen at once.
 */
#include "train/graph/plan.h"

#include <math.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

enum { MAX_TENSORS = 400, MAX_FLOATS = 90, MAX_SCRATCH = 200, ALIGNMENT = DEV_ALIGN_BYTES };

/* What the tensors should hold, by their index. */
static struct {
    double value[MAX_TENSORS]; /* all elements of a tensor have one value here */
    double grad[MAX_TENSORS];
} expected;

/* Output o of a node is the sum over i of (i + 1) x_i, plus o + 0.5; each element the same number,
 * so that tensors of different sizes go together. */

static void check_tensor(struct dev *d, const void *tensor, int64_t n, double value,
                         const char *what, int index)
{
    float x[MAX_FLOATS];

    assert_true(n <= MAX_FLOATS);
    device_read(d, x, tensor, n);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double) x[i] - value) <= 1e-5 * fabs(value)))
            fail_msg("%s of tensor %d: element %d is %g, not %g", what, index, (int) i,
                     (double) x[i], value);
}

static void set_tensor(struct dev *d, void *tensor, int64_t n, double value)
{
    float x[MAX_SCRATCH];

    assert_true(n <= MAX_SCRATCH);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float) value;
    device_write(d, tensor, x, n);
}

static void add_to_tensor(struct dev *d, float *tensor, int64_t n, double value, bool accumulate)
{
    float x[MAX_FLOATS] = {0};

    assert_true(n <= MAX_FLOATS);
    if (accumulate)
        device_read(d, x, tensor, n);
    for (int64_t i = 0; i < n; i++)
        x[i] += (float) value;
    device_write(d, tensor, x, n);
}

static void check_ids(struct dev *d, const struct gr_tensor *t)
{
    int32_t ids[MAX_FLOATS];

    assert_true(t->n <= MAX_FLOATS);
    d->download(d, ids, t->ids, (size_t) t->n * sizeof *ids);
    for (int64_t i = 0; i < t->n; i++)
        assert_int_equal(ids[i], 1000 + t->index);
}

static void rubbish(const struct gr_node *node, int64_t n)
{
    set_tensor(node->dev, node->scratch, n, -12345.0);
}

static void test_fwd(struct gr_node *node, const struct gr_context *context)
{
    double sum = 0.0;

    (void) context;
    rubbish(node, node->scratch_fwd_floats);
    for (int i = 0; i < node->n_inputs; i++) {
        const struct gr_tensor *x = node->inputs[i];

        if (x->kind == GR_ACTIVATION)
            check_tensor(node->dev, x->value, x->n, expected.value[x->index], "value", x->index);
        if (x->kind == GR_IDS)
            check_ids(node->dev, x);
        sum += (i + 1) * expected.value[x->index];
    }
    for (int o = 0; o < node->n_outputs; o++) {
        struct gr_tensor *y = node->outputs[o];

        expected.value[y->index] = fmod(sum, 1000.0) + o + 0.5;
        set_tensor(node->dev, y->value, y->n, expected.value[y->index]);
    }
}

static void test_bwd(struct gr_node *node, const struct gr_context *context)
{
    double sum = 0.0;

    (void) context;
    rubbish(node, node->scratch_bwd_floats);
    for (int o = 0; o < node->n_outputs; o++) {
        const struct gr_tensor *y = node->outputs[o];

        if (node->op->bwd_uses_outputs >> o & 1)
            check_tensor(node->dev, y->value, y->n, expected.value[y->index], "value in backward",
                         y->index);
        if (y->has_grad) {
            check_tensor(node->dev, y->grad, y->n, expected.grad[y->index], "gradient", y->index);
            sum += expected.grad[y->index];
        }
    }
    if (node->n_outputs == 0)
        sum = 1.0; /* the loss */
    for (int i = 0; i < node->n_inputs; i++) {
        struct gr_tensor *x = node->inputs[i];

        if (node->op->bwd_uses_inputs >> i & 1) {
            if (x->kind == GR_ACTIVATION)
                check_tensor(node->dev, x->value, x->n, expected.value[x->index],
                             "value in backward", x->index);
            if (x->kind == GR_IDS)
                check_ids(node->dev, x);
        }
        if (!x->needs_grad)
            continue;
        add_to_tensor(node->dev, x->grad, x->n, 0.5 * sum + i, node->accumulate[i]);
        expected.grad[x->index] += 0.5 * sum + i; /* from nothing, whatever `accumulate` says */
    }
}

/* One operator per combination of what the backward pass reads. */
static struct gr_op ops[64];

static void make_ops(void)
{
    for (unsigned i = 0; i < 64; i++)
        ops[i] = (struct gr_op){.name = "test",
                                .fwd = test_fwd,
                                .bwd = test_bwd,
                                .bwd_uses_inputs = i % 16,
                                .bwd_uses_outputs = i / 16};
}

struct random {
    uint64_t state;
};

static int64_t below(struct random *r, int64_t n)
{
    return (int64_t) (t_hash64(++r->state) >> 16) % n;
}

static struct gr_tensor *any_tensor(struct gr_graph *g, struct random *r, bool recent)
{
    int64_t n = g->n_tensors, window = recent && n > 4 ? 4 : n;

    return g->tensors[n - 1 - below(r, window)];
}

/* A random graph: chains with shortcuts, several outputs, dead ends; every parameter is used by the
 * first node, which the loss sees through the chain. */
static struct gr_node *random_graph(struct gr_graph *g, struct random *r, int n_nodes,
                                    bool training)
{
    int64_t param_n = 1 + below(r, 50), ids_n = 1 + below(r, 60);
    int layer = 0;
    struct gr_tensor *chain = gr_param(g, "p", 1, &param_n, 0, GR_INIT_ZEROS, 0.0);

    (void) gr_ids(g, 1, &ids_n);
    g->remat = training && below(r, 3) > 0;
    for (int i = 0; i < n_nodes; i++) {
        struct gr_tensor *inputs[4] = {chain};
        int n_inputs = 1 + (int) below(r, 4);
        struct gr_node *node;

        if (below(r, 5) == 0)
            gr_layer(g, below(r, 3) ? ++layer : 0);
        for (int j = 1; j < n_inputs; j++)
            inputs[j] = any_tensor(g, r, below(r, 3) > 0);
        node = gr_add_node(g, &ops[below(r, 64)], n_inputs, inputs, NULL);
        node->scratch_fwd_floats = below(r, 3) ? 0 : 1 + below(r, MAX_SCRATCH);
        node->scratch_bwd_floats = training && below(r, 3) ? 0 : 1 + below(r, MAX_SCRATCH);
        for (int o = 0; o < 1 + (int) below(r, 2); o++) {
            int64_t n = 1 + below(r, MAX_FLOATS);
            struct gr_tensor *y = gr_add_output(g, node, 1, &n, o == 0 || below(r, 2));

            if (o == 0 && (i < 2 || below(r, 4)))
                chain = y;
        }
    }
    gr_layer(g, 0);
    return training ? gr_add_node(g, &ops[15], 1, &chain, NULL) : NULL;
}

/* ---- the arena from outside ---- */

struct buffer {
    size_t begin, end;
    int first[2], last[2]; /* two lives; last < 0: none */
};

static void touch(struct buffer *b, int life, int moment)
{
    b->first[life] = b->last[life] < 0 || moment < b->first[life] ? moment : b->first[life];
    b->last[life] = moment > b->last[life] ? moment : b->last[life];
}

static void assert_disjoint(const struct buffer *a, const struct buffer *b)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            bool together = a->last[i] >= 0 && b->last[j] >= 0 && a->first[i] <= b->last[j] &&
                            b->first[j] <= a->last[i];

            if (together && a->begin < b->end && b->begin < a->end)
                fail_msg("[%zu, %zu) alive %d..%d overlaps [%zu, %zu) alive %d..%d", a->begin,
                         a->end, a->first[i], a->last[i], b->begin, b->end, b->first[j],
                         b->last[j]);
        }
}

static struct buffer *place_of(struct buffer *list, int *n, size_t offset, int64_t floats,
                               size_t arena_bytes)
{
    struct buffer *b = &list[(*n)++];

    assert_int_not_equal(offset, GR_NO_PLACE);
    assert_int_equal(offset % ALIGNMENT, 0);
    assert_true(offset + (size_t) floats * sizeof(float) <= arena_bytes);
    *b = (struct buffer){offset, offset + (size_t) floats * sizeof(float), {0, 0}, {-1, -1}};
    return b;
}

/* A value is needed where it is made and where it is read; what is made again has a second life
 * from then on, unless something reads it before. */
static void touch_value(const struct gr_graph *g, const struct gr_tensor *t, struct buffer *value)
{
    struct buffer late = *value;
    int again = -1;

    for (int m = 0; m < g->n_nodes + g->n_backward_steps; m++) {
        const struct gr_step *step = m < g->n_nodes ? NULL : &g->backward_steps[m - g->n_nodes];
        const struct gr_node *node = step ? step->node : g->nodes[m];
        bool forward = !step || step->again;

        for (int j = 0; j < node->n_inputs; j++)
            if (node->inputs[j] == t && (forward || node->op->bwd_uses_inputs >> j & 1))
                touch(step ? &late : value, 0, m);
        for (int j = 0; j < node->n_outputs; j++)
            if (node->outputs[j] == t && (forward || node->op->bwd_uses_outputs >> j & 1)) {
                touch(step ? &late : value, 0, m);
                again = step && forward ? m : again;
            }
    }
    if (late.last[0] < 0)
        return;
    if (again >= 0 && late.first[0] == again) {
        value->first[1] = late.first[0];
        value->last[1] = late.last[0];
    } else {
        touch(value, 0, late.last[0]);
    }
}

/* Lifetimes found anew, tensor by tensor; every pair compared.  Returns what all buffers would need
 * side by side. */
static size_t check_places(const struct gr_graph *g)
{
    static struct buffer list[4 * MAX_TENSORS];
    int n = 0, end = g->n_nodes + g->n_backward_steps;
    size_t sum = 0;

    for (int i = 0; i < g->n_tensors; i++) {
        const struct gr_tensor *t = g->tensors[i];
        struct buffer *value, *grad;

        if (t->kind != GR_ACTIVATION && t->kind != GR_IDS) {
            assert_int_equal(t->value_offset, GR_NO_PLACE);
            continue;
        }
        value = place_of(list, &n, t->value_offset, t->n, g->arena_bytes);
        if (t->kind == GR_IDS) {
            touch(value, 0, 0);
            touch(value, 0, end);
            continue;
        }
        touch_value(g, t, value);
        if (!t->has_grad)
            continue;
        grad = place_of(list, &n, t->grad_offset, t->n, g->arena_bytes);
        for (int k = 0; k < g->n_backward_steps; k++) {
            const struct gr_node *node = g->backward_steps[k].node;

            for (int j = 0; !g->backward_steps[k].again && j < node->n_inputs; j++)
                if (node->inputs[j] == t)
                    touch(grad, 0, g->n_nodes + k);
            for (int j = 0; !g->backward_steps[k].again && j < node->n_outputs; j++)
                if (node->outputs[j] == t)
                    touch(grad, 0, g->n_nodes + k);
        }
    }
    for (int m = 0; m < g->n_nodes + g->n_backward_steps; m++) {
        const struct gr_step *step = m < g->n_nodes ? NULL : &g->backward_steps[m - g->n_nodes];
        const struct gr_node *node = step ? step->node : g->nodes[m];
        bool forward = !step || step->again;

        if (forward && node->scratch_fwd_floats)
            touch(place_of(list, &n, node->scratch_fwd_offset, node->scratch_fwd_floats,
                           g->arena_bytes),
                  0, m);
        if (!forward && node->scratch_bwd_floats)
            touch(place_of(list, &n, node->scratch_bwd_offset, node->scratch_bwd_floats,
                           g->arena_bytes),
                  0, m);
    }
    for (int i = 0; i < n; i++) {
        sum += list[i].end - list[i].begin;
        for (int j = 0; j < i; j++)
            assert_disjoint(&list[i], &list[j]);
    }
    return sum;
}

static void run_checked(struct gr_graph *g, struct gr_tensor *const *keep, int n_keep)
{
    struct gr_context context = {0};
    float *arena = op_scratch(g->dev, (int64_t) (g->arena_bytes / sizeof *arena));

    memset(&expected, 0, sizeof expected);
    gr_bind(g, arena);
    for (int i = 0; i < g->n_tensors; i++) {
        struct gr_tensor *t = g->tensors[i];
        int32_t ids[MAX_FLOATS];

        if (t->kind != GR_IDS)
            continue;
        for (int64_t e = 0; e < t->n; e++)
            ids[e] = 1000 + t->index;
        g->dev->upload_now(g->dev, t->ids, ids, (size_t) t->n * sizeof *ids);
    }
    for (int run = 0; run < 2; run++) { /* again on what the first run left */
        gr_bind(g, arena);              /* these operators cannot be recorded */
        memset(expected.grad, 0, sizeof expected.grad);
        gr_run_forward(g, &context);
        if (g->training)
            gr_run_backward(g, &context);
        for (int k = 0; k < n_keep; k++)
            check_tensor(g->dev, keep[k]->value, keep[k]->n, expected.value[keep[k]->index],
                         "kept value", keep[k]->index);
        for (int i = 0; i < g->n_tensors; i++)
            if (g->tensors[i]->kind == GR_PARAM && g->tensors[i]->has_grad)
                check_tensor(g->dev, g->tensors[i]->grad, g->tensors[i]->n, expected.grad[i],
                             "gradient", i);
    }
    op_done();
}

static void test_random_graphs(void **state)
{
    size_t together = 0, planned = 0;

    (void) state;
    make_ops();
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct random r = {seed * 1000};
        bool training = seed % 3 != 0;
        struct gr_params params;
        struct gr_graph *g;
        struct gr_tensor *keep[3];
        struct gr_node *loss;
        struct t2_err err = T2_ERR_INIT;
        int n_keep = 0;

        gr_params_init(&params, op_device("reference", 1));
        g = gr_new(op_device("reference", 1), &params, training);
        loss = random_graph(g, &r, 2 + (int) below(&r, 60), training);
        assert_true(g->n_tensors < MAX_TENSORS);
        for (int k = 0; k < 3; k++) {
            struct gr_tensor *t = any_tensor(g, &r, false);

            if (t->kind == GR_ACTIVATION)
                keep[n_keep++] = t;
        }
        assert_int_equal(gr_finish(g, loss, keep, n_keep, &err), T2_OK);
        assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
        together += check_places(g);
        planned += g->arena_bytes;
        run_checked(g, keep, n_keep);
        gr_free(g);
        gr_params_release(&params);
    }
    assert_true(planned < together / 2);
}

/* A chain without a backward pass needs the two neighbours only, however long it is. */
static void test_arena_is_reused(void **state)
{
    struct gr_params params;
    struct gr_graph *g;
    struct t2_err err = T2_ERR_INIT;
    int64_t n = 1000;
    struct gr_tensor *x;

    (void) state;
    make_ops();
    gr_params_init(&params, op_device("reference", 1));
    g = gr_new(op_device("reference", 1), &params, false);
    x = gr_const(g, 1, &n, NULL);
    for (int i = 0; i < 50; i++)
        x = gr_add_output(g, gr_add_node(g, &ops[0], 1, &x, NULL), 1, &n, true);
    assert_int_equal(gr_finish(g, NULL, &x, 1, &err), T2_OK);
    assert_true(g->arena_bytes <=
                2 * 4096 + ALIGNMENT); /* 4000 bytes, rounded up; the step block */
    gr_free(g);
    gr_params_release(&params);
}

/* The same graph gets the same plan. */
static void test_plan_is_deterministic(void **state)
{
    static size_t offsets[2][MAX_TENSORS];
    size_t bytes[2] = {0};

    (void) state;
    make_ops();
    for (int run = 0; run < 2; run++) {
        struct random r = {777};
        struct gr_params params;
        struct gr_graph *g;
        struct t2_err err = T2_ERR_INIT;
        struct gr_node *loss;

        gr_params_init(&params, op_device("reference", 1));
        g = gr_new(op_device("reference", 1), &params, true);
        loss = random_graph(g, &r, 50, true);
        assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_OK);
        for (int i = 0; i < g->n_tensors; i++)
            offsets[run][i] = g->tensors[i]->value_offset;
        bytes[run] = g->arena_bytes;
        gr_free(g);
        gr_params_release(&params);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(offsets[0], offsets[1], sizeof offsets[0]);
}

/* Ten layers of ten nodes whose backward runs read their inputs. */
static size_t layers_need(bool remat)
{
    struct gr_params params;
    struct gr_graph *g;
    struct t2_err err = T2_ERR_INIT;
    int64_t n = 16;
    struct gr_tensor *x;
    struct gr_node *loss;
    size_t bytes;

    gr_params_init(&params, op_device("reference", 1));
    g = gr_new(op_device("reference", 1), &params, true);
    g->remat = remat;
    x = gr_param(g, "p", 1, &n, 0, GR_INIT_ZEROS, 0.0);
    for (int layer = 1; layer <= 10; layer++) {
        gr_layer(g, layer);
        for (int i = 0; i < 10; i++)
            x = gr_add_output(g, gr_add_node(g, &ops[1], 1, &x, NULL), 1, &n, true);
    }
    gr_layer(g, 0);
    loss = gr_add_node(g, &ops[1], 1, &x, NULL);
    assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_OK);
    assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
    /* The last node of a layer makes what the next layer reads, which is kept. */
    assert_int_equal(g->n_backward_steps, 101 + (remat ? 90 : 0));
    run_checked(g, NULL, 0);
    bytes = g->arena_bytes;
    gr_free(g);
    gr_params_release(&params);
    return bytes;
}

static void test_layers_again(void **state)
{
    size_t all, again;

    (void) state;
    make_ops();
    all = layers_need(false);
    again = layers_need(true);
    assert_true(all >= 100 * ALIGNMENT);
    assert_true(again <=
                (10 + 10 + 2 + 1) *
                    ALIGNMENT); /* ends of layers, one layer, two gradients, the step block */
}

T_MAIN(cmocka_unit_test(test_random_graphs), cmocka_unit_test(test_arena_is_reused),
       cmocka_unit_test(test_layers_again), cmocka_unit_test(test_plan_is_deterministic))
