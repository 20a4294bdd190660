/* Tests of train/device/far/far_layouts.c: parameters that lie in the device's own order. */
#include "train/device/far/far.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

enum { ROWS = 3, COLS = 5, N = ROWS * COLS };

static struct dev *far_with_layouts(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d;

    setenv("T2_FAR_LAYOUTS", "1", 1);
    assert_int_equal(dev_open("far", 1, &d, &err), T2_OK);
    unsetenv("T2_FAR_LAYOUTS");
    return d;
}

static struct dev_laid matrix(const struct dev *d)
{
    struct dev_laid p = {.rank = 2, .dims = {ROWS, COLS}, .n = N};

    p.layout = d->param_layout(d, DEV_USE_DENSE, p.rank, p.dims);
    assert_true(p.layout != 0);
    return p;
}

static void test_there_and_back(void **state)
{
    struct dev *d = far_with_layouts();
    struct dev_laid p = matrix(d);
    float *x = d->alloc(d, N * sizeof *x), from[N], raw[N], back[N];

    (void) state;
    for (int i = 0; i < N; i++)
        from[i] = (float) i;
    d->upload_param(d, &p, x, 0, from, 7); /* in pieces that end within rows */
    d->upload_param(d, &p, x, 7, from + 7, N - 7);
    d->download(d, raw, x, sizeof raw);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            assert_true(raw[c * ROWS + r] == from[r * COLS + c]);
    d->download_param(d, &p, x, 4, back, N - 4);
    assert_memory_equal(back, from + 4, (N - 4) * sizeof *back);
    d->free(d, x);
    dev_close(d);
}

/* y (2,COLS) = x (2,ROWS) w: the same bits as of a matrix in the order of checkpoints. */
static void test_product(void **state)
{
    struct dev *d = far_with_layouts();
    struct dev_laid p = matrix(d);
    float x[2 * ROWS], w[N], y[2][2 * COLS];

    (void) state;
    for (int i = 0; i < 2 * ROWS; i++)
        x[i] = 0.25F * (float) (i + 1);
    for (int i = 0; i < N; i++)
        w[i] = 1.0F / (float) (i + 1);
    for (int laid = 0; laid < 2; laid++) {
        float *dx = d->alloc(d, sizeof x), *dw = d->alloc(d, sizeof w),
              *dy = d->alloc(d, sizeof *y);
        struct dev_gemm g = {.M = 2,
                             .N = COLS,
                             .K = ROWS,
                             .A = dx,
                             .lda = ROWS,
                             .B = dw,
                             .ldb = COLS,
                             .layout_b = laid ? p.layout : 0,
                             .C = dy,
                             .ldc = COLS};
        float *scratch =
            d->alloc(d, (size_t) d->kernels->gemm_scratch_floats(d, &g) * sizeof *scratch + 1);

        g.scratch = scratch;
        d->upload_now(d, dx, x, sizeof x);
        if (laid)
            d->upload_param(d, &p, dw, 0, w, N);
        else
            d->upload_now(d, dw, w, sizeof w);
        d->kernels->gemm(d, &g);
        d->download(d, y[laid], dy, sizeof *y);
        d->free(d, scratch);
        d->free(d, dy);
        d->free(d, dw);
        d->free(d, dx);
    }
    assert_memory_equal(y[0], y[1], sizeof *y);
    assert_true(y[0][0] != 0.0F);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_product))
