/*
 * tests/ops/test_best_rows.c - the best of each row of a product, on all devices: rows in one piece
 * and in several, equals, and what is not a number.
 */
#include "train/ops/best_rows.h"

#include <math.h>

#include "base/alloc.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

static const char *const names[] = {"reference", "cpu", "far"};

/* x (1, rows, K) and table (V, K), in host memory, to best (rows), which is freed by the caller. */
static struct dev_candidate *best_of(struct dev *d, int64_t rows, int64_t K, int64_t V,
                                     const float *x, const float *table)
{
    int64_t x_dims[] = {1, rows, K}, table_dims[] = {V, K};
    struct dev_candidate *found = t2_alloc((size_t) rows, sizeof *found);
    struct gr_context context = {0};
    struct t2_err err = T2_ERR_INIT;
    struct gr_tensor *best;
    struct gr_params none;
    struct gr_graph *g;
    void *arena;

    gr_params_init(&none, d);
    g = gr_new(d, &none, false);
    best = nn_best_rows(g, gr_const(g, 3, x_dims, op_upload(d, x, (size_t) (rows * K) * sizeof *x)),
                        gr_const(g, 2, table_dims,
                                 op_upload(d, table, (size_t) (V * K) * sizeof *table)));
    assert_int_equal(best->dims[0], rows);
    assert_int_equal(gr_finish(g, NULL, &best, 1, &err), T2_OK);
    arena = op_alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    gr_run_forward(g, &context);
    d->download(d, found, best->value, (size_t) rows * sizeof *found);
    op_done();
    op_free(d, arena, g->arena_bytes);
    gr_free(g);
    gr_params_release(&none);
    return found;
}

static double logit(const float *x, const float *w, int64_t K)
{
    double sum = 0;

    for (int64_t k = 0; k < K; k++)
        sum += (double) x[k] * (double) w[k];
    return sum;
}

/* No id may have a larger logit, but for rounding. */
static void check(int64_t rows, int64_t K, int64_t V)
{
    float *x = t2_alloc((size_t) (rows * K), sizeof *x);
    float *table = t2_alloc((size_t) (V * K), sizeof *table);

    t_fill(x, (size_t) (rows * K), 1);
    t_fill(table, (size_t) (V * K), 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dev_candidate *found = best_of(op_device(names[i], 2), rows, K, V, x, table);

        for (int64_t r = 0; r < rows; r++) {
            double best;

            assert_in_range(found[r].id, 0, V - 1);
            best = logit(x + r * K, table + found[r].id * K, K);
            for (int64_t v = 0; v < V; v++)
                if (logit(x + r * K, table + v * K, K) > best + 2e-6)
                    fail_msg("%s, %d rows of %d: row %d has %d, %d is better", names[i], (int) rows,
                             (int) V, (int) r, (int) found[r].id, (int) v);
        }
        t2_free(found);
    }
    t2_free(x);
    t2_free(table);
}

static void test_shapes(void **state)
{
    (void) state;
    check(1, 1, 2);
    check(7, 5, 33);
    check(130, 8, 70);
}

/* A vocabulary of which 16 rows are a piece: three pieces, the last shorter. */
static void test_pieces(void **state)
{
    (void) state;
    check(37, 2, 300000);
}

/* Of equals the lowest; a row with NaN has none, and the others do not mind. */
static void test_equals_and_nan(void **state)
{
    const float x[] = {1, 2, (float) NAN}, table[] = {0.5f, 3, 3, -1};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dev_candidate *found = best_of(op_device(names[i], 1), 3, 1, 4, x, table);

        assert_int_equal(found[0].id, 1);
        assert_int_equal(found[1].id, 1);
        assert_int_equal(found[2].id, -1);
        t2_free(found);
    }
}

T_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_pieces),
       cmocka_unit_test(test_equals_and_nan))
