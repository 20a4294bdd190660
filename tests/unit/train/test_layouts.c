/*
 * tests/unit/train/test_layouts.c - parameters in an order of the device's own: which, and copies
 * of them.
 */
#include "train/graph/layouts.h"

#include <stdlib.h>

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/ops/conv2d.h"
#include "train/ops/linear.h"

static struct t2_err err;

/* Device far, with or without layouts. */
static struct dev *far_device(const char *layouts)
{
    struct dev *d = NULL;

    setenv("T2_FAR_LAYOUTS", layouts, 1);
    if (dev_open("far", 1, &d, &err) != T2_OK)
        fail_msg("%s", err.message);
    unsetenv("T2_FAR_LAYOUTS");
    return d;
}

/* Another device may have its place (T2_REFERENCE). */
static bool far_is_here(void)
{
    struct dev *d = far_device("0");
    bool is_far = strcmp(d->name, "far") == 0;

    dev_close(d);
    return is_far;
}

static struct gr_tensor *param(struct gr_graph *g, const char *name, int rank, const int64_t *dims,
                               int n_shards)
{
    return gr_param(g, name, rank, dims, n_shards, GR_INIT_NORMAL, 1.0);
}

/* A convolution, a dense layer, one in two shards, and a matrix that is used in two ways. */
static void build(struct gr_graph *g)
{
    const int64_t image[] = {2, 5, 5, 3}, kernel[] = {3, 3, 3, 4}, dense[] = {4, 6};
    const int64_t square[] = {6, 6};
    struct gr_tensor *x = gr_floats(g, 4, image);

    x = nn_conv2d(g, x, param(g, "conv", 4, kernel, 0), NULL,
                  &(struct nn_conv2d){.padding = NN_SAME});
    x = nn_linear(g, x, param(g, "dense", 2, dense, 0), NULL, false, 0.0);
    x = nn_linear(g, x, param(g, "shards", 2, square, 2), NULL, false, 0.0);
    x = nn_logits(g, x, param(g, "both", 2, square, 0));
    x = nn_linear(g, x, param(g, "both", 2, square, 0), NULL, false, 0.0);
    assert_int_equal(gr_finish(g, NULL, &x, 1, &err), T2_OK);
}

static const char *const names[] = {"conv", "dense", "shards_0", "both"};
enum { N_NAMES = sizeof names / sizeof *names };

static void open_params(struct gr_params *p, struct dev *d)
{
    struct gr_graph *g;

    gr_params_init(p, d);
    g = gr_new(d, p, false);
    build(g);
    gr_free(g);
    assert_int_equal(gr_params_freeze(p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(p, "uniform", 1.0, 1, &err), T2_OK);
    g = gr_new(d, p, false); /* a later graph uses them so, too */
    build(g);
    gr_free(g);
}

static void test_which(void **state)
{
    struct dev *d, *other;
    struct gr_params p;

    (void) state;
    if (!far_is_here())
        t_skip("device far is another one");
    d = far_device("1");
    other = far_device("0");
    open_params(&p, d);
    for (int i = 0; i < N_NAMES; i++)
        assert_int_equal(gr_is_laid(&p, gr_params_find(&p, names[i])), i < 2);
    assert_false(gr_is_laid(&p, NULL));
    assert_int_equal(p.n_laid, 2);
    assert_int_equal(gr_layouts_bytes(&p), 2 * sizeof(struct dev_laid));
    gr_params_release(&p);
    dev_close(d);
    open_params(&p, other);
    assert_true(p.n_laid == 0 && !p.laid && gr_layouts_bytes(&p) == 0);
    gr_params_release(&p);
    dev_close(other);
}

/* Initial values, uploads and downloads are in the order of checkpoints; memory is not. */
static void test_copies(void **state)
{
    struct dev *d, *plain;
    struct gr_params p, q;
    float wanted[108], got[108], raw[108];

    (void) state;
    if (!far_is_here())
        t_skip("device far is another one");
    d = far_device("1");
    plain = far_device("0");
    open_params(&p, d);
    open_params(&q, plain);
    for (int i = 0; i < N_NAMES; i++) {
        const struct gr_variable *v = gr_params_find(&p, names[i]);
        float *values = p.values + v->offset;
        size_t bytes = (size_t) v->n * sizeof *got;

        assert_true(v->n <= 108);
        gr_download(&q, v, q.values + v->offset, 0, wanted, v->n);
        gr_download(&p, v, values, 0, got, v->n);
        assert_memory_equal(got, wanted, bytes);
        gr_download(&p, NULL, values, 0, raw, v->n);
        assert_int_equal(memcmp(raw, wanted, bytes) != 0, i < 2);
        /* a part in the middle */
        wanted[5] = 7.0f;
        wanted[6] = 8.0f;
        gr_upload(&p, v, values, 5, wanted + 5, 2);
        gr_download(&p, v, values, 0, got, v->n);
        assert_memory_equal(got, wanted, bytes);
        gr_download(&p, v, values, 4, got, 3);
        assert_memory_equal(got, wanted + 4, 3 * sizeof *got);
    }
    /* the last dimension first: element (0, 0, 0, 1) of (3, 3, 3, 4) is behind all 27 of column 0
     */
    gr_download(&p, gr_params_find(&p, "conv"), p.values, 1, got, 1);
    gr_download(&p, NULL, p.values, 27, raw, 1);
    assert_memory_equal(got, raw, sizeof *got);
    gr_params_release(&p);
    gr_params_release(&q);
    dev_close(d);
    dev_close(plain);
}

static void test_no_memory(void **state)
{
    struct gr_params p;
    struct gr_graph *g;
    struct dev *d;

    (void) state;
    if (!far_is_here())
        t_skip("device far is another one");
    setenv("T2_FAR_ALLOC_FAILS_AT", "3", 1); /* behind values and gradients */
    d = far_device("1");
    unsetenv("T2_FAR_ALLOC_FAILS_AT");
    gr_params_init(&p, d);
    g = gr_new(d, &p, false);
    build(g);
    gr_free(g);
    assert_int_equal(gr_params_freeze(&p, &err), T2_ENOMEM);
    t_assert_contains(err.message, "device far: not enough memory for the layouts of parameters");
    gr_params_release(&p);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_which), cmocka_unit_test(test_copies),
       cmocka_unit_test(test_no_memory))
