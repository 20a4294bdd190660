/*
 * tests/unit/train/test_positions.c - tables of positions that stay, and with them every address of
 * a bound graph.
 */
#include "train/models/positions.h"

#include <math.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "tests/unit/train/tiny_model.h"

static struct t2_err err;

static struct mdl_tables need(struct mdl_positions *p, int64_t n)
{
    const struct mdl_tables *t = mdl_positions_plan(p, n);

    if (mdl_positions_make(p, t, &err) != T2_OK)
        fail_msg("%s", err.message);
    return *t;
}

static void test_tables_stay(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct mdl_positions p;
    struct mdl_tables first, longer;
    const struct mdl_tables *planned;

    (void) state;
    mdl_positions_init(&p, d, &(struct mdl_timing){.depth = 6});
    assert_int_equal(mdl_positions_plan(&p, 0)->n_positions, 0);
    assert_int_equal(mdl_positions_bytes(&p, 0), 0);
    planned = mdl_positions_plan(&p, 257);
    assert_true(planned->n_positions == 512 && !planned->timing);
    assert_int_equal(mdl_positions_bytes(&p, 257), 512 * 6 * sizeof(float));
    assert_int_equal(mdl_positions_bytes(&p, 0), 0);
    first = need(&p, 7);
    assert_int_equal(first.n_positions, 256);
    assert_ptr_equal(need(&p, 256).timing, first.timing);
    longer = need(&p, 300);
    assert_int_equal(longer.n_positions, 512);
    assert_true(longer.timing != first.timing && longer.timing == planned->timing);
    assert_int_equal(mdl_positions_bytes(&p, 512), (256 + 512) * 6 * sizeof(float));
    assert_ptr_equal(need(&p, 256).timing, first.timing);
    assert_ptr_equal(need(&p, 257).timing, longer.timing);
    device_assert_same(d, first.timing, d, longer.timing, 256 * 6);
    mdl_positions_release(&p);
}

/* One table for all where the longest comes first. */
static void test_the_longest_first(void **state)
{
    struct mdl_positions p;
    struct mdl_tables longest;

    (void) state;
    mdl_positions_init(&p, op_device("reference", 1), &(struct mdl_timing){.depth = 4});
    longest = need(&p, 1000);
    assert_ptr_equal(need(&p, 3).timing, longest.timing);
    assert_int_equal(p.n_tables, 1);
    mdl_positions_release(&p);
}

/* Of a grid of 3 columns: the row's signal, then the column's. */
static void test_grid(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct mdl_positions p;
    float *rows;

    (void) state;
    mdl_positions_init(&p, d, &(struct mdl_timing){.depth = 10, .columns = 3});
    rows = device_floats(d, need(&p, 7).timing, 7 * 10);
    for (int at = 0; at < 7; at++) {
        const float *x = rows + 10 * at;
        double row = at / 3, column = at % 3;

        assert_true(fabs((double) x[0] - sin(row)) < 1e-6 && fabs((double) x[2] - cos(row)) < 1e-6);
        assert_true(fabs((double) x[1] - sin(row * 1e-4)) < 1e-6);
        assert_true(fabs((double) x[4] - sin(column)) < 1e-6);
        assert_true(fabs((double) x[7] - cos(column * 1e-4)) < 1e-6);
        assert_true(x[8] == 0.0f && x[9] == 0.0f);
    }
    free(rows);
    mdl_positions_release(&p);
}

/* Fewer sines and cosines than fit: zeros behind them. */
static void test_timescales(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct mdl_positions p;
    float *rows;

    (void) state;
    mdl_positions_init(&p, d, &(struct mdl_timing){.depth = 11, .timescales = 3});
    rows = device_floats(d, need(&p, 7).timing, 7 * 11);
    for (int at = 0; at < 7; at++) {
        const float *x = rows + 11 * at;

        for (int i = 0; i < 3; i++) {
            double angle = at * pow(10000.0, -i / 2.0);

            assert_true(fabs((double) x[i] - sin(angle)) < 1e-6);
            assert_true(fabs((double) x[3 + i] - cos(angle)) < 1e-6);
        }
        for (int i = 6; i < 11; i++)
            assert_true(x[i] == 0.0f);
    }
    free(rows);
    mdl_positions_release(&p);
}

static void test_no_memory(void **state)
{
    struct mdl_positions p;

    (void) state;
    OP_NEEDS_CPU();
    mdl_positions_init(&p, op_device("cpu", 1), &(struct mdl_timing){.depth = 4});
    t2_alloc_fail_after(1);
    assert_int_equal(mdl_positions_make(&p, mdl_positions_plan(&p, 3), &err), T2_ENOMEM);
    t2_alloc_fail_after(0);
    t_assert_contains(err.message, "a table of positions (4.1 kB)");
    assert_int_equal(need(&p, 3).n_positions, 256);
    mdl_positions_release(&p);
}

/* ---- bound graphs ---- */

enum { MAX_ADDRESSES = 4096 };

struct addresses {
    const void *at[MAX_ADDRESSES];
    size_t n;
};

static void add_address(struct addresses *a, const void *p)
{
    T2_ASSERT(a->n < MAX_ADDRESSES);
    a->at[a->n++] = p;
}

static struct addresses addresses_of(const struct gr_graph *g)
{
    struct addresses a = {.n = 0};

    add_address(&a, g->arena);
    add_address(&a, g->step);
    for (int i = 0; i < g->n_tensors; i++) {
        add_address(&a, g->tensors[i]->value);
        add_address(&a, g->tensors[i]->ids);
        add_address(&a, g->tensors[i]->grad);
    }
    return a;
}

static struct mdl_graph *graph_of(struct mdl *m, enum mdl_use use, const struct mdl_shape *shape)
{
    struct mdl_graph *g;

    if (mdl_get_graph(m, use, shape, &g, &err) != T2_OK)
        fail_msg("%s", err.message);
    return g;
}

static void check_same(const struct addresses *before, const struct gr_graph *g)
{
    const struct addresses now = addresses_of(g);

    assert_true(before->n > 100);
    assert_int_equal(now.n, before->n);
    for (size_t i = 0; i < now.n; i++)
        assert_ptr_equal(now.at[i], before->at[i]);
}

static void decode(struct mdl_decoder *d, int32_t batch, int32_t length, int32_t steps)
{
    const struct mdl_search_shape shape = {batch, 2, length, steps, 0, 0};
    int32_t inputs[512], ids[64] = {0}, from[64] = {0};
    const float *logits;

    T2_ASSERT(batch * length <= 512 && 2 * batch <= 64);
    tiny_ids(inputs, batch, length, 5);
    if (mdl_decoder_begin(d, &shape, inputs, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int32_t r = 0; r < 2 * batch; r++)
        ids[r] = 1 + r, from[r] = r / 2 * 2;
    for (int32_t step = 0; step < 3; step++) {
        assert_int_equal(mdl_decoder_step(d, step, step ? ids : NULL, &logits, &err), T2_OK);
        assert_int_equal(mdl_decoder_reorder(d, from, &err), T2_OK);
    }
}

/* Of a graph for training and one for evaluation, before and after all else that a run does: other
 * shapes, searches, and lengths that nobody has planned. */
static void check_addresses(const char *device)
{
    static const struct mdl_shape planned[] = {
        {.batch = 8, .inputs_length = 30, .targets_length = 30},
        {.batch = 2, .inputs_length = 120, .targets_length = 100}};
    static const struct mdl_shape one = {.batch = 3, .inputs_length = 11, .targets_length = 9};
    static struct tiny_batch batch;
    struct mdl *m = tiny_model(op_device(device, 1), "", &tiny_translation, MDL_TRAIN);
    struct addresses training, evaluation;
    struct mdl_decoder *d = NULL;
    struct mdl_loss loss;

    assert_int_equal(mdl_plan(m, planned, 2, NULL, &err), T2_OK);
    assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 3, 11, 9, 1), 1, 0, &loss, &err), T2_OK);
    assert_int_equal(mdl_evaluate(m, &batch.b, &loss, &err), T2_OK);
    training = addresses_of(graph_of(m, MDL_USE_TRAIN, &one)->g);
    evaluation = addresses_of(graph_of(m, MDL_USE_EVAL, &one)->g);
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    for (uint64_t i = 1; i < 4; i++) {
        assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 8, 30, 30, i), 1, i, &loss, &err),
                         T2_OK);
        assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 3, 11, 9, i), 1, i, &loss, &err),
                         T2_OK);
        assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 2, 120, 100, i), &loss, &err), T2_OK);
        decode(d, 2, 7, 20);
        decode(d, 1, 9, 300 * (int32_t) i);
    }
    assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 1, 300, 2, 1), &loss, &err), T2_OK);
    assert_true(mdl_table_bytes(m, 0) > (256 + 512) * 16 * sizeof(float));
    assert_int_equal(m->n_graphs, 5);
    check_same(&training, graph_of(m, MDL_USE_TRAIN, &one)->g);
    check_same(&evaluation, graph_of(m, MDL_USE_EVAL, &one)->g);
    mdl_decoder_free(d);
    mdl_free(m);
}

static void test_addresses_on_the_cpu(void **state)
{
    (void) state;
    check_addresses("cpu");
}

/* Where passes are recorded and replayed with them. */
static void test_addresses_on_far(void **state)
{
    (void) state;
    check_addresses("far");
}

T_MAIN(cmocka_unit_test(test_tables_stay), cmocka_unit_test(test_the_longest_first),
       cmocka_unit_test(test_grid), cmocka_unit_test(test_timescales),
       cmocka_unit_test(test_no_memory), cmocka_unit_test(test_addresses_on_the_cpu),
       cmocka_unit_test(test_addresses_on_far))
