/* Tests of train/models/local_attention.c: which keys a query sees, against plain loops. */
#include "train/models/local_attention.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum { BATCH = 2, LENGTH = 23, HEADS = 2, DEPTH = 3, CHANNELS = HEADS * DEPTH };

static float value(int side, int i)
{
    return (float) sin(1.3 * i + 2.1 * side);
}

/* The definition: softmax over keys first .. query of one head. */
static double expected(int b, int query, int channel, int first)
{
    int head = channel / DEPTH * DEPTH;
    double sum = 0.0, out = 0.0;

    for (int key = first; key <= query; key++) {
        double logit = 0.0;

        for (int c = head; c < head + DEPTH; c++)
            logit += (double) value(0, (b * LENGTH + query) * CHANNELS + c) *
                     (double) value(1, (b * LENGTH + key) * CHANNELS + c);
        sum += exp(0.5 * logit);
        out += exp(0.5 * logit) * (double) value(2, (b * LENGTH + key) * CHANNELS + channel);
    }
    return out / sum;
}

static void check(const char *device, int block)
{
    struct dev *d = op_device(device, 2);
    const size_t n = BATCH * LENGTH * CHANNELS;
    const struct nn_attention how = {.heads = HEADS, .scale = 0.5};
    struct gr_tensor *sides[3], *y;
    struct gr_context context = {0};
    struct t2_err err = T2_ERR_INIT;
    float host[BATCH * LENGTH * CHANNELS], *there[3];
    struct gr_params params;
    struct gr_graph *g;
    void *arena;

    gr_params_init(&params, d);
    g = gr_new(d, &params, false);
    for (int s = 0; s < 3; s++) {
        for (size_t i = 0; i < n; i++)
            host[i] = value(s, (int) i);
        there[s] = d->alloc(d, sizeof host);
        d->upload_now(d, there[s], host, sizeof host);
        sides[s] = gr_const(g, 3, (int64_t[]){BATCH, LENGTH, CHANNELS}, there[s]);
    }
    y = mdl_local_attention(g, sides[0], sides[1], sides[2], &how, block);
    assert_int_equal(gr_finish(g, NULL, &y, 1, &err), T2_OK);
    arena = d->alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    gr_run_forward(g, &context);
    d->download(d, host, y->value, sizeof host);
    for (int i = 0; i < (int) n; i++) {
        int b = i / CHANNELS / LENGTH, query = i / CHANNELS % LENGTH;
        int first = LENGTH < 2 * block ? 0 : (query / block - 1) * block;

        if (fabs((double) host[i] - expected(b, query, i % CHANNELS, first > 0 ? first : 0)) > 1e-5)
            fail_msg("%s, blocks of %d: query %d differs", device, block, query);
    }
    gr_free(g);
    for (int s = 0; s < 3; s++)
        d->free(d, there[s]);
    d->free(d, arena);
    gr_params_release(&params);
}

/* Blocks that divide the length, that leave a rest, of which there are just two, and one block. */
static void test_reach(void **state)
{
    static const char *const devices[] = {"reference", "cpu", "far"};
    static const int blocks[] = {1, 4, 5, 11, 12, 23, 64};

    (void) state;
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            check(devices[d], blocks[i]);
}

T_MAIN(cmocka_unit_test(test_reach))
