/* tests/ops/test_recall.c - what is remembered from batch to batch, on all devices. */
#include "train/ops/recall.h"

#include "tests/support/device_floats.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

enum { R = 3, B = 2, C = 2, D = 2 };

static struct t2_err err;

/* x of batch `n`: element e of a row is 100 n + 10 row + e. */
static void fill(float *x, int n)
{
    for (int b = 0; b < B; b++)
        for (int e = 0; e < C * D; e++)
            x[b * C * D + e] = (float) (100 * n + 10 * b + e);
}

/* The last M positions of all batches up to n, then those of n: of row b. */
static void check(const float *y, int n, int64_t M)
{
    for (int b = 0; b < B; b++)
        for (int64_t p = 0; p < M + C; p++)
            for (int d = 0; d < D; d++) {
                int64_t at = n * C + p - M; /* position among all batches */
                float expected = 0.0f;

                if (at >= 0)
                    expected = (float) (100 * (at / C) + 10 * b + at % C * D + d);
                if (y[(b * (M + C) + p) * D + d] != expected)
                    fail_msg("memory of %d: batch %d row %d position %d: %g, not %g", (int) M, n, b,
                             (int) p, (double) y[(b * (M + C) + p) * D + d], (double) expected);
            }
}

static void check_memory(const char *device, int64_t M)
{
    int64_t x_dims[] = {B, C, D}, memory_dims[] = {R, M, D};
    struct dev *d = op_device(device, 1);
    struct gr_context context = {0};
    struct gr_params params;
    struct gr_tensor *x, *memory, *y;
    struct gr_graph *g;
    float values[B * C * D], out[B * (5 + C) * D], kept[R * 5 * D];
    void *arena;

    gr_params_init(&params, d);
    g = gr_new(d, &params, false);
    x = gr_floats(g, 3, x_dims);
    memory = gr_state(g, "memory", 3, memory_dims, GR_INIT_ZEROS, 0.0);
    y = nn_recall(g, memory, x);
    assert_int_equal(gr_finish(g, NULL, &y, 1, &err), T2_OK);
    assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&params, "uniform", 1.0, 1, &err), T2_OK);
    arena = d->alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    for (int n = 0; n < 4; n++) {
        fill(values, n);
        d->upload_now(d, x->value, values, sizeof values);
        gr_run_forward(g, &context);
        device_read(d, out, y->value, (size_t) y->n);
        check(out, n, M);
    }
    device_read(d, kept, memory->value, (size_t) memory->n);
    for (int64_t i = B * M * D; i < R * M * D; i++)
        assert_true(kept[i] == 0.0f); /* rows that no batch has */
    d->free(d, arena);
    gr_free(g);
    gr_params_release(&params);
    op_done();
}

static void test_memory(void **state)
{
    static const char *const devices[] = {"reference", "cpu", "far"};

    (void) state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        for (int64_t M = 1; M <= 5; M++)
            check_memory(devices[i], M);
}

T_MAIN(cmocka_unit_test(test_memory))
