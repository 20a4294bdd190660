/*
 * tests/unit/train/test_packs.c - weights that graphs of a search share, packed: which, how often,
 * and what is computed with them.
 */
#include "train/graph/packs.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/ops/linear.h"

enum { ROWS = 5, WIDTH = 12, INNER = 20, VOCAB = 70 };

static struct t2_err err;

struct net {
    struct gr_graph *g;
    struct gr_tensor *x, *y;
    void *arena;
};

/* Two dense layers, the second with a bias, and logits by a table. */
static void build(struct net *n, struct dev *d, struct gr_params *p, struct gr_packs *packs,
                  int64_t rows)
{
    const int64_t x[] = {rows, WIDTH}, up[] = {WIDTH, INNER}, down[] = {INNER, WIDTH};
    const int64_t table[] = {VOCAB, WIDTH}, bias[] = {WIDTH};
    struct gr_graph *g = n->g = gr_new(d, p, false);
    struct gr_tensor *h, *b = gr_param(g, "bias", 1, bias, 0, GR_INIT_NORMAL, 1.0);

    g->packs = packs;
    n->x = gr_floats(g, 2, x);
    h = nn_linear(g, n->x, gr_param(g, "up", 2, up, 0, GR_INIT_NORMAL, 0.3), NULL, true, 0.0);
    h = nn_linear(g, h, gr_param(g, "down", 2, down, 0, GR_INIT_NORMAL, 0.3), b, false, 0.0);
    n->y = nn_logits(g, h, gr_param(g, "table", 2, table, 3, GR_INIT_NORMAL, 1.0));
    assert_int_equal(gr_finish(g, NULL, &n->y, 1, &err), T2_OK);
}

/* y (rows, VOCAB) of the same x, from its row `first` on. */
static void run(struct net *n, struct dev *d, int64_t first, int64_t rows, float *y)
{
    struct gr_context context = {0};
    float x[ROWS * WIDTH];

    t_fill(x, ROWS * WIDTH, 7);
    n->arena = d->alloc(d, n->g->arena_bytes);
    gr_bind(n->g, n->arena);
    d->upload_now(d, n->x->value, x + first * WIDTH, (size_t) (rows * WIDTH) * sizeof *x);
    gr_run_forward(n->g, &context);
    d->download(d, y, n->y->value, (size_t) (rows * VOCAB) * sizeof *y);
    d->free(d, n->arena);
    gr_free(n->g);
}

static void check(enum dev_type type, double tolerance)
{
    float plain[ROWS * VOCAB], packed[ROWS * VOCAB], one[VOCAB];
    struct gr_packs packs;
    struct gr_params p;
    struct dev *d = NULL;
    struct net n;
    uint64_t bytes;

    assert_int_equal(dev_open("cpu", 2, &d, &err), T2_OK);
    gr_params_init(&p, d);
    build(&n, d, &p, NULL, ROWS);
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&p, "uniform", 1.0, 1, &err), T2_OK);
    run(&n, d, 0, ROWS, plain);

    gr_packs_init(&packs, &p, type);
    build(&n, d, &p, &packs, ROWS);
    assert_int_equal(packs.n, 3);
    bytes = packs.bytes;
    assert_true(bytes > 0 && !packs.items[0]->packed);
    assert_int_equal(gr_packs_make(&packs, &err), T2_OK);
    run(&n, d, 0, ROWS, packed);
    for (int i = 0; i < ROWS * VOCAB; i++)
        if (!(fabs((double) (packed[i] - plain[i])) <= tolerance))
            fail_msg("%d: %g, not %g", i, (double) packed[i], (double) plain[i]);

    if (type == DEV_INT8) /* whole numbers were multiplied */
        assert_true(memcmp(packed, plain, sizeof packed) != 0);

    /* a second graph has the same packs, and each row its bits */
    for (int64_t r = 0; r < ROWS; r++) {
        build(&n, d, &p, &packs, 1);
        assert_int_equal(gr_packs_make(&packs, &err), T2_OK);
        run(&n, d, r, 1, one);
        assert_memory_equal(one, packed + r * VOCAB, sizeof one);
    }
    assert_true(packs.n == 3 && packs.bytes == bytes);
    gr_packs_release(&packs);
    gr_params_release(&p);
    dev_close(d);
}

static void test_float32(void **state)
{
    (void) state;
    check(DEV_FLOAT32, 1e-4);
}

/* Three layers, each with two roundings to 1 / 254 of the largest. */
static void test_int8(void **state)
{
    (void) state;
    check(DEV_INT8, 0.4);
}

T_MAIN(cmocka_unit_test(test_float32), cmocka_unit_test(test_int8))
