/*
 * tests/ops/test_xent.c - softmax cross-entropy: kernels on every device against the reference
 * loops, and the operator's gradients.  num_threads is 1, 2 and 3 (op_check.c).
 */
#include "train/ops/xent.h"

#include <math.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum labels { SOME, ALL, NONE }; /* which of them count */

struct args {
    int64_t N, D, V;
    enum labels labels;
    double smoothing;
    bool gradients, accumulate_x, accumulate_table, weighted;
    float logit_factor;
};

enum { X, TABLE, LABELS, WEIGHTS, STATS, DX, DTABLE };

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_xent x = {.N = a->N,
                         .D = a->D,
                         .V = a->V,
                         .type = op_type(),
                         .x = p[X],
                         .table = p[TABLE],
                         .labels = p[LABELS],
                         .weights = a->weighted ? p[WEIGHTS] : NULL,
                         .smoothing = (float) a->smoothing,
                         .step = op_step(d, 0.7f, 0),
                         .dx = a->gradients ? p[DX] : NULL,
                         .dtable = a->gradients ? p[DTABLE] : NULL,
                         .accumulate_x = a->accumulate_x,
                         .accumulate_table = a->accumulate_table,
                         .row_stats = p[STATS]};

    x.scratch = op_scratch(d, d->kernels->xent_scratch_floats(d, &x));
    d->kernels->xent(d, &x);
}

static void check(const struct args *a)
{
    double factor = a->logit_factor > 0.0f ? (double) a->logit_factor : 1.0;
    struct op_call c;
    int32_t *labels;
    float *x;

    op_begin(&c, 0.0, 0.0,
             "xent (%d, %d) of %d labels %d smoothing %g gradients %d %d %d factor %g weights %d",
             (int) a->N, (int) a->D, (int) a->V, a->labels, a->smoothing, a->gradients,
             a->accumulate_x, a->accumulate_table, factor, a->weighted);
    x = op_typed_in(&c, a->N * a->D, 1);
    for (int64_t i = 0; i < a->N * a->D; i++)
        x[i] *= (float) factor;
    (void) op_in(&c, a->V * a->D, 2);
    labels = op_in_ids(&c, a->N, (int32_t) a->V, 3, 3);
    for (int64_t i = 0; i < a->N && a->labels != SOME; i++)
        labels[i] = a->labels == NONE ? 0 : 1 + (int32_t) (i % (a->V - 1));
    (void) op_in(&c, a->N, 7);
    (void) op_out(&c, 4 * a->N, false, 4);
    op_tolerance(&c, 4e-6 * factor * (1.0 + (double) a->D / 32.0), 4e-6);
    (void) op_typed_out(&c, a->N * a->D, a->accumulate_x || !a->gradients, 5);
    op_tolerance(&c, 2e-6 * factor, 1e-5);
    (void) op_out(&c, a->V * a->D, a->accumulate_table || !a->gradients, 6);
    op_tolerance(&c, 2e-6 * factor * (1.0 + (double) a->N / 64.0), 1e-5);
    op_check(&c, call, a);
}

/* The last: several chunks of rows, several tiles of a product. */
static const int64_t shapes[][3] = {{1, 1, 2},    {1, 7, 3},    {5, 16, 15},  {16, 5, 16},
                                    {33, 20, 17}, {70, 9, 130}, {129, 33, 48}};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void test_all_shapes(void **state)
{
    static const double smoothings[] = {0.0, 0.1, 0.5};

    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for (int labels = SOME; labels <= NONE; labels++)
            for (int s = 0; s < 3; s++)
                for (int bits = 0; bits < 6; bits++)
                    check(&(struct args){.N = shapes[i][0],
                                         .D = shapes[i][1],
                                         .V = shapes[i][2],
                                         .labels = (enum labels) labels,
                                         .smoothing = smoothings[s],
                                         .gradients = bits != 4,
                                         .weighted = bits > 3,
                                         .accumulate_x = bits & 1,
                                         .accumulate_table = bits & 2});
}

/* More rows than a chunk has (512), and a vocabulary of several tiles. */
static void test_several_chunks(void **state)
{
    (void) state;
    check(&(struct args){
        .N = 1100, .D = 3, .V = 40, .labels = SOME, .smoothing = 0.1, .gradients = true});
    check(&(struct args){.N = 100,
                         .D = 33,
                         .V = 1531,
                         .labels = SOME,
                         .smoothing = 0.1,
                         .gradients = true,
                         .accumulate_table = true});
    /* rows that would begin at multiples of a page */
    check(&(struct args){
        .N = 70, .D = 5, .V = 1024, .labels = ALL, .smoothing = 0.1, .gradients = true});
}

/* Logits of hundreds: nothing overflows. */
static void test_large_logits(void **state)
{
    (void) state;
    check(&(struct args){.N = 20,
                         .D = 16,
                         .V = 50,
                         .labels = ALL,
                         .smoothing = 0.1,
                         .gradients = true,
                         .logit_factor = 100.0f});
}

/* Of equal logits the first stand first: hit, among five, neither. */
static void test_rank_of_label(void **state)
{
    enum { V = 40 };
    static const char *const devices[] = {"reference", "cpu"};

    (void) state;
    for (int device = 0; device < 2; device++) {
        struct dev *d = op_device(devices[device], 1);
        float x[V], table[V], stats[4 * V];
        int32_t labels[V];
        struct dev_xent a = {.N = V, .D = 1, .V = V};

        for (int v = 0; v < V; v++) {
            x[v] = 1.0f;
            labels[v] = v;
            table[v] = v == 30 ? 2.0f : 1.0f; /* 30, 0, 1, 2, 3, 4, ... */
        }
        a.x = op_upload(d, x, sizeof x);
        a.table = op_upload(d, table, sizeof table);
        a.labels = op_upload(d, labels, sizeof labels);
        a.row_stats = op_result(d, stats, sizeof stats);
        a.scratch = op_scratch(d, d->kernels->xent_scratch_floats(d, &a));
        d->kernels->xent(d, &a);
        op_done();
        for (int v = 1; v < V; v++) /* label 0 does not count */
            assert_true(stats[4 * v + 1] == (v == 30 ? 1.0f : v < 4 ? 0.5f : 0.0f));
    }
}

/* A perfect prediction costs nothing: the loss without the entropy of the smoothed label is 0 where
 * the model gives exactly that distribution. */
static void test_perfect_prediction(void **state)
{
    enum { V = 9, LABEL = 4 };
    const double smoothing = 0.2, low = smoothing / (V - 1);
    struct dev *d = op_device("cpu", 2);
    float x[1] = {1.0f}, table[V], stats[4], dx[1], dtable[V];
    int32_t label = LABEL;
    struct dev_xent a = {.N = 1,
                         .D = 1,
                         .V = V,
                         .x = op_upload(d, x, sizeof x),
                         .labels = op_upload(d, &label, sizeof label),
                         .smoothing = (float) smoothing,
                         .step = op_step(d, 1.0f, 0),
                         .dx = op_result(d, dx, sizeof dx),
                         .dtable = op_result(d, dtable, sizeof dtable),
                         .row_stats = op_result(d, stats, sizeof stats)};

    (void) state;
    for (int v = 0; v < V; v++)
        table[v] = (float) log(v == LABEL ? 1.0 - smoothing : low);
    a.table = op_upload(d, table, sizeof table);
    a.scratch = op_scratch(d, d->kernels->xent_scratch_floats(d, &a));
    d->kernels->xent(d, &a);
    op_done();
    assert_true(fabs((double) stats[0]) < 1e-6);
    assert_true(stats[1] == 1.0f && stats[3] == 1.0f);
    assert_true(fabs((double) stats[2] - log(1.0 - smoothing)) < 1e-6);
    for (int v = 0; v < V; v++)
        assert_true(fabs((double) dtable[v]) < 1e-6);
}

/* ---- gradients ---- */

static const int32_t labels[] = {3, 0, 1, 6, 2, 2, 0, 5};
static const float row_weights[] = {0.5f, 1.0f, 0.0f, 2.0f, 0.25f, 1.5f, 1.0f, 3.0f};

static void build(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 3, 2, 4, 5), *table = op_param(t, "table", 2, 7, 5, 0);
    const int64_t dims[] = {2, 4};
    struct gr_tensor *row_stats, *weights = NULL;
    struct gr_node *loss;

    if (*(const double *) arg > 0.3) /* of each row one of its own, the third has none */
        weights = op_const(t, 2, dims, row_weights);
    loss = nn_xent(t->g, x, table, op_ids(t, 2, 4, labels), weights, *(const double *) arg,
                   &row_stats);

    t->context.grad_scale = 0.4f;
    op_xent_loss(t, loss, row_stats);
}

static void test_gradients(void **state)
{
    static const double smoothings[] = {0.0, 0.1, 0.4};

    (void) state;
    for (int i = 0; i < 3; i++)
        op_check_gradient(build, &smoothings[i], 5e-3, 1e-3);
}

/* In a graph without a backward pass the loss comes from the forward pass, and is the same. */
static void test_inference_has_the_same_loss(void **state)
{
    static const double smoothing = 0.1;
    struct dev *d = op_device("cpu", 2);
    struct t2_err err = T2_ERR_INIT;
    struct op_graph t;
    float stats[8 * 4], again[8 * 4];
    struct gr_graph *g;
    struct gr_tensor *x, *table, *ids, *row_stats;
    int64_t x_dims[] = {2, 4, 5}, table_dims[] = {7, 5}, ids_dims[] = {2, 4};
    void *arena;

    (void) state;
    op_graph_new(&t, d, build, &smoothing);
    (void) op_graph_run(&t);
    device_read(d, stats, t.row_stats->value, 8 * 4);
    g = gr_new(d, &t.params, false);
    x = gr_param(g, "x", 3, x_dims, 0, GR_INIT_ZEROS, 0.0);
    table = gr_param(g, "table", 2, table_dims, 0, GR_INIT_ZEROS, 0.0);
    ids = gr_ids(g, 2, ids_dims);
    (void) nn_xent(g, x, table, ids, NULL, smoothing, &row_stats);
    assert_int_equal(gr_finish(g, NULL, &row_stats, 1, &err), T2_OK);
    arena = op_alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    d->upload_now(d, ids->ids, labels, sizeof labels);
    gr_run_forward(g, &t.context);
    device_read(d, again, row_stats->value, 8 * 4);
    assert_memory_equal(again, stats, sizeof stats);
    op_free(d, arena, g->arena_bytes);
    gr_free(g);
    op_graph_release(&t);
}

T_MAIN(cmocka_unit_test(test_all_shapes), cmocka_unit_test(test_several_chunks),
       cmocka_unit_test(test_large_logits), cmocka_unit_test(test_rank_of_label),
       cmocka_unit_test(test_perfect_prediction), cmocka_unit_test(test_gradients),
       cmocka_unit_test(test_inference_has_the_same_loss))
