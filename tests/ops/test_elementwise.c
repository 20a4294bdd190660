/*
 * tests/ops/test_elementwise.c - kernels that pass once over memory: dropout, residual connections,
 * ReLU's gradient, copies, column sums, caches; and that they equal what they are composed of.
 * num_threads is 1, 2 and 3 (op_check.c).
 */
#include "train/ops/elementwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/device/dropout_bits.h"

/* Below, at and beyond a group of 128, and beyond a piece of work. */
static const int64_t lengths[] = {1, 2, 15, 16, 17, 127, 128, 129, 300, 16383, 16384, 16385, 40000};
static const double rates[] = {0.0, 0.1, 0.5};

enum { N_LENGTHS = sizeof lengths / sizeof *lengths, N_RATES = 3 };

struct args {
    int64_t n, rows, cols;
    bool accumulate, in_place, ids;
    double rate, tolerance; /* 1e-7 when 0 */
    int64_t shared_rows;
    int64_t cache_rows, row;
    float most;
};

/* ---- elements ---- */

static void call_relu_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->relu_bwd(d, &(struct dev_relu_bwd_args){.type = op_type(),
                                                        .y = p[0],
                                                        .dy = a->in_place ? p[1] : p[2],
                                                        .n = a->n,
                                                        .scale = 1.25f,
                                                        .most = a->most,
                                                        .dx = p[1]});
}

static void call_relu(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->relu(d, &(struct dev_relu_args){
                            .type = op_type(), .x = p[0], .n = a->n, .most = a->most, .y = p[1]});
}

static void call_gelu(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->gelu(d,
                     &(struct dev_gelu_args){.type = op_type(), .x = p[0], .n = a->n, .y = p[1]});
}

static void call_gelu_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->gelu_bwd(d, &(struct dev_gelu_bwd_args){.type = op_type(),
                                                        .x = p[0],
                                                        .dy = p[2],
                                                        .n = a->n,
                                                        .accumulate = a->accumulate,
                                                        .dx = p[1]});
}

static void call_scale_rows(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->scale_rows(d, &(struct dev_scale_rows_args){.type = op_type(),
                                                            .x = p[0],
                                                            .rows = 1,
                                                            .cols = a->n,
                                                            .factors = p[2],
                                                            .accumulate = a->accumulate,
                                                            .y = p[1]});
}

static void call_dropout(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_dropout dropout = op_dropout(d, a->rate, 17);

    d->kernels->dropout(d, &(struct dev_dropout_args){.type = op_type(),
                                                      .x = a->in_place ? p[1] : p[0],
                                                      .n = a->n,
                                                      .dropout = dropout,
                                                      .accumulate = a->accumulate,
                                                      .y = p[1]});
}

static void call_copy(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->copy(d, &(struct dev_copy_args){.type = op_type(),
                                                .x = p[0],
                                                .n = a->n,
                                                .accumulate = a->accumulate,
                                                .y = p[1]});
}

static void call_convert(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->convert(d, &(struct dev_convert_args){.type_x = op_type(),
                                                      .type_y = op_type(),
                                                      .x = p[0],
                                                      .n = a->n,
                                                      .accumulate = a->accumulate,
                                                      .y = p[1]});
}

static void check_elements(const char *name, op_kernel_fn call, const struct args *a)
{
    double tolerance = a->tolerance != 0.0 ? a->tolerance : 1e-7;
    struct op_call c;

    op_begin(&c, tolerance, tolerance, "%s n %d accumulate %d in place %d rate %g", name,
             (int) a->n, a->accumulate, a->in_place, a->rate);
    (void) op_typed_in(&c, a->n, 1);
    (void) op_typed_out(&c, a->n, a->accumulate || a->in_place, 2);
    if (call == call_scale_rows)
        (void) op_in(&c, a->n, 3);
    else
        (void) op_typed_in(&c, a->n, 3);
    op_check(&c, call, a);
}

static void test_relu_bwd(void **state)
{
    (void) state;
    for (int i = 0; i < N_LENGTHS; i++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int capped = 0; capped < 2; capped++)
                check_elements("relu_bwd", call_relu_bwd,
                               &(struct args){.n = lengths[i],
                                              .in_place = in_place,
                                              .most = capped ? 0.5f : 0.0f});
}

static void test_relu(void **state)
{
    const float x[] = {-1.0f, 2.0f, NAN, -0.0f}, ends[] = {6.0f, 5.5f, 0.0f, INFINITY};
    struct dev *d = op_device("cpu", 1);
    float y[4], dx[4];

    (void) state;
    for (int i = 0; i < N_LENGTHS; i++)
        for (int capped = 0; capped < 2; capped++)
            check_elements("relu", call_relu,
                           &(struct args){.n = lengths[i], .most = capped ? 0.5f : 0.0f});
    d->kernels->relu(d, &(struct dev_relu_args){.x = op_upload(d, x, sizeof x),
                                                .n = 4,
                                                .y = op_result(d, y, sizeof y)});
    op_done();
    assert_true(y[0] == 0.0f && y[1] == 2.0f && isnan(y[2]) && y[3] == 0.0f);
    /* at its most nothing goes back; without one everything above 0 does */
    for (int capped = 0; capped < 2; capped++) {
        d->kernels->relu_bwd(d, &(struct dev_relu_bwd_args){.y = op_upload(d, ends, sizeof ends),
                                                            .dy = op_upload(d, ends, sizeof ends),
                                                            .n = 4,
                                                            .scale = 1.0f,
                                                            .most = capped ? 6.0f : 0.0f,
                                                            .dx = op_result(d, dx, sizeof dx)});
        op_done();
        assert_true(dx[0] == (capped ? 0.0f : 6.0f) && dx[1] == 5.5f && dx[2] == 0.0f);
        assert_true(capped ? dx[3] == 0.0f : isinf(dx[3]));
    }
}

/* torch.nn.functional.gelu(approximate="tanh") */
static void test_gelu(void **state)
{
    static const float x[] = {-40.0f, -3.0f, -1.0f, 0.0f, 0.5f, 2.0f, 40.0f};
    static const float expected[] = {0.0f,        -0.00363739f, -0.15880801f, 0.0f,
                                     0.34571401f, 1.95459771f,  40.0f};
    struct dev *d = op_device("cpu", 1);
    float y[7];

    (void) state;
    for (int i = 0; i < N_LENGTHS; i++) {
        check_elements("gelu", call_gelu, &(struct args){.n = lengths[i], .tolerance = 1e-6});
        for (int accumulate = 0; accumulate < 2; accumulate++)
            check_elements("gelu_bwd", call_gelu_bwd,
                           &(struct args){.n = lengths[i],
                                          .accumulate = accumulate,
                                          .tolerance = 2e-6});
    }
    d->kernels->gelu(d, &(struct dev_gelu_args){.x = op_upload(d, x, sizeof x),
                                                .n = 7,
                                                .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, expected, 7, 1e-6, 1e-6);
}

static void test_scale_rows(void **state)
{
    const float x[] = {1, 2, 3, 4, 5, 6}, factors[] = {2, -1, 0};
    struct dev *d = op_device("cpu", 2);
    float y[6];

    (void) state;
    for (int i = 0; i < N_LENGTHS; i++)
        for (int accumulate = 0; accumulate < 2; accumulate++)
            check_elements("scale_rows", call_scale_rows,
                           &(struct args){.n = lengths[i], .accumulate = accumulate});
    d->kernels->scale_rows(d, &(struct dev_scale_rows_args){.x = op_upload(d, x, sizeof x),
                                                            .rows = 3,
                                                            .cols = 2,
                                                            .factors = op_upload(d, factors,
                                                                                 sizeof factors),
                                                            .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, ((float[]){2, 4, -3, -4, 0, 0}), 6, 0, 0);
}

static void test_dropout(void **state)
{
    (void) state;
    for (int i = 0; i < N_LENGTHS; i++)
        for (int r = 0; r < N_RATES; r++)
            for (int mode = 0; mode < 3; mode++)
                check_elements("dropout", call_dropout,
                               &(struct args){.n = lengths[i],
                                              .rate = rates[r],
                                              .accumulate = mode == 1,
                                              .in_place = mode == 2});
}

static void test_copy(void **state)
{
    (void) state;
    for (int i = 0; i < N_LENGTHS; i++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            check_elements("copy", call_copy,
                           &(struct args){.n = lengths[i], .accumulate = accumulate});
            check_elements("convert", call_convert,
                           &(struct args){.n = lengths[i], .accumulate = accumulate});
        }
}

/* ---- rows ---- */

static const int64_t row_shapes[][2] = {{1, 1},   {1, 16},   {7, 1},    {3, 5},
                                        {9, 15},  {4, 32},   {5, 33},   {2, 128},
                                        {3, 129}, {40, 512}, {700, 48}, {1, 20000}};

enum { N_ROW_SHAPES = sizeof row_shapes / sizeof *row_shapes };

static void call_residual(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_dropout dropout = op_dropout(d, a->rate, 23);

    dropout.shared_rows = a->shared_rows;
    dropout.shared_cols = a->shared_rows ? a->cols : 0;
    d->kernels->residual(d, &(struct dev_residual_args){.type = op_type(),
                                                        .x = p[0],
                                                        .y = p[1],
                                                        .row_ids = a->ids ? p[2] : NULL,
                                                        .rows = a->rows,
                                                        .cols = a->cols,
                                                        .dropout = dropout,
                                                        .out = p[3]});
}

static void call_residual_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_dropout dropout = op_dropout(d, a->rate, 23);

    dropout.shared_rows = a->shared_rows;
    dropout.shared_cols = a->shared_rows ? a->cols : 0;
    d->kernels->residual_bwd(d, &(struct dev_residual_bwd_args){.type = op_type(),
                                                                .dout = p[0],
                                                                .row_ids = a->ids ? p[2] : NULL,
                                                                .rows = a->rows,
                                                                .cols = a->cols,
                                                                .dropout = dropout,
                                                                .accumulate = a->accumulate,
                                                                .dy = p[3]});
}

static void check_rows(const char *name, op_kernel_fn call, const struct args *a)
{
    struct op_call c;

    op_begin(&c, 1e-7, 2e-7, "%s (%d, %d) ids %d rate %g accumulate %d shared %d", name,
             (int) a->rows, (int) a->cols, a->ids, a->rate, a->accumulate, (int) a->shared_rows);
    (void) op_typed_in(&c, a->rows * a->cols, 1);
    (void) op_typed_in(&c, a->rows * a->cols, 2);
    (void) op_in_ids(&c, a->rows, 9, 2, 3);
    (void) op_typed_out(&c, a->rows * a->cols, a->accumulate, 4);
    op_check(&c, call, a);
}

static void test_residual(void **state)
{
    (void) state;
    for (int i = 0; i < N_ROW_SHAPES; i++)
        for (int r = 0; r < N_RATES; r++)
            for (int bits = 0; bits < 4; bits++) {
                struct args a = {.rows = row_shapes[i][0],
                                 .cols = row_shapes[i][1],
                                 .ids = bits & 1,
                                 .rate = rates[r]};

                if (bits < 2)
                    check_rows("residual", call_residual, &a);
                a.accumulate = bits & 2;
                check_rows("residual_bwd", call_residual_bwd, &a);
            }
}

/* Rows that share their mask, whatever the width. */
static void test_shared_masks(void **state)
{
    enum { ROWS = 12, COLS = 37, SHARED = 4 };
    struct dev *d = op_device("reference", 1);
    struct dev_dropout dropout = op_dropout(d, 0.5, 23);
    float ones[ROWS * COLS], zeros[ROWS * COLS] = {0}, out[ROWS * COLS];
    int n_kept = 0;

    (void) state;
    for (int i = 0; i < N_ROW_SHAPES; i++)
        for (int r = 1; r < N_RATES; r++)
            for (int shared = 1; shared <= 5; shared += 4) {
                struct args a = {.rows = row_shapes[i][0] * shared,
                                 .cols = row_shapes[i][1],
                                 .ids = shared > 1,
                                 .rate = rates[r],
                                 .shared_rows = shared};

                check_rows("residual", call_residual, &a);
                check_rows("residual_bwd", call_residual_bwd, &a);
            }
    dropout.shared_rows = SHARED;
    dropout.shared_cols = COLS;
    for (int i = 0; i < ROWS * COLS; i++)
        ones[i] = 1.0f;
    d->kernels->residual(d, &(struct dev_residual_args){.x = op_upload(d, zeros, sizeof zeros),
                                                        .y = op_upload(d, ones, sizeof ones),
                                                        .row_ids = NULL,
                                                        .rows = ROWS,
                                                        .cols = COLS,
                                                        .dropout = dropout,
                                                        .out = op_result(d, out, sizeof out)});
    op_done();
    for (int row = 0; row < ROWS; row++)
        assert_memory_equal(out + row * COLS, out + row / SHARED * SHARED * COLS,
                            COLS * sizeof *out);
    assert_memory_not_equal(out, out + SHARED * COLS, COLS * sizeof *out);
    for (int i = 0; i < ROWS * COLS; i++)
        n_kept += out[i] > 0.0f;
    assert_in_range(n_kept, ROWS * COLS * 3 / 10, ROWS * COLS * 7 / 10);
}

/* ---- column sums ---- */

static void call_col_sum(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    const struct dev_kernels *k = d->kernels;
    float *scratch = op_scratch(d, k->col_sum_scratch_floats(a->rows, a->cols));

    k->col_sum(d, &(struct dev_col_sum_args){.type = op_type(),
                                             .x = p[0],
                                             .rows = a->rows,
                                             .cols = a->cols,
                                             .accumulate = a->accumulate,
                                             .out = p[1],
                                             .scratch = scratch});
}

static void test_col_sum(void **state)
{
    static const int64_t shapes[][2] = {{1, 1},   {1, 40},   {127, 3},  {128, 16},
                                        {129, 5}, {1000, 1}, {513, 65}, {300, 200}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            struct args a = {.rows = shapes[i][0], .cols = shapes[i][1], .accumulate = accumulate};
            struct op_call c;

            op_begin(&c, 2e-8 * (double) (a.rows + 50), 1e-6, "col_sum (%d, %d) accumulate %d",
                     (int) a.rows, (int) a.cols, accumulate);
            (void) op_typed_in(&c, a.rows * a.cols, 1);
            (void) op_out(&c, a.cols, accumulate, 2);
            op_check(&c, call_col_sum, &a);
        }
}

/* ---- the step block ---- */

static void call_set_step(struct dev *d, void *const *p, const void *arg)
{
    d->kernels->set_step(d, &(struct dev_set_step_args){.value = *(const struct dev_step *) arg,
                                                        .to = p[0]});
}

static void test_set_step(void **state)
{
    static const struct dev_step step = {.dropout_key = {1, 2},
                                         .dropout_step = {3, 4},
                                         .grad_scale = 0.25f,
                                         .loss_scale = 8.0f,
                                         .position = 5};
    struct op_call c;

    (void) state;
    op_begin(&c, 0.0, 0.0, "set_step");
    (void) op_out(&c, sizeof step / sizeof(float), false, 1);
    op_check(&c, call_set_step, &step);
}

/* ---- caches ---- */

static void call_cache_put(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->cache_put(d, &(struct dev_cache_put_args){.type = op_type(),
                                                          .x = p[0],
                                                          .B = a->n,
                                                          .D = a->cols,
                                                          .cache_rows = a->cache_rows,
                                                          .at_step =
                                                              op_step(d, 1.0f, (int32_t) a->row),
                                                          .cache = p[1]});
}

static void call_cache_index(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->cache_index(d, &(struct dev_cache_index_args){.origins = p[0],
                                                              .B = a->n,
                                                              .cache_rows = a->cache_rows,
                                                              .step_rows = a->cols,
                                                              .at_step = op_step(d, 1.0f,
                                                                                 (int32_t) a->row),
                                                              .tables = p[1]});
}

/* Hypotheses that change places find the rows that each step of theirs has written: against
 * histories that are copied. */
static void check_cache_index(int32_t step_rows)
{
    enum { B = 6, ROWS = 9 };
    struct dev *d = op_device("cpu", 1);
    int32_t tables[2 * B * ROWS] = {0}, history[B][ROWS], old[B][ROWS], origins[B];
    int32_t *there = d->alloc(d, sizeof tables), *from = d->alloc(d, sizeof origins);

    for (int32_t step = 0; step < ROWS / step_rows; step++) {
        struct args a = {.n = B, .cols = step_rows, .cache_rows = ROWS, .row = step};
        struct op_call c;

        for (int b = 0; b < B; b++)
            origins[b] = (int32_t) (t_hash64((uint64_t) (step * B + b)) % B);
        memcpy(old, history, sizeof old);
        for (int b = 0; b < B; b++) {
            memcpy(history[b], old[origins[b]], sizeof old[b]);
            for (int32_t r = 0; r < step_rows; r++)
                history[b][step * step_rows + r] = b;
        }
        op_begin(&c, 0.0, 0.0, "cache_index step %d, %d rows", (int) step, (int) step_rows);
        memcpy(op_in_ids(&c, B, 1, 0, 1), origins, sizeof origins);
        memcpy(op_out(&c, 2 * B * ROWS, true, 2), tables, sizeof tables);
        op_check(&c, call_cache_index, &a);
        d->upload_now(d, from, origins, sizeof origins);
        d->upload_now(d, there, tables, sizeof tables);
        call_cache_index(d, (void *[]){from, there}, &a);
        d->download(d, tables, there, sizeof tables);
        for (int b = 0; b < B; b++)
            assert_memory_equal(tables + (step % 2 * B + b) * ROWS, history[b],
                                (size_t) ((step + 1) * step_rows) * sizeof *tables);
    }
    d->free(d, there);
    d->free(d, from);
}

static void test_cache_index(void **state)
{
    (void) state;
    check_cache_index(1);
    check_cache_index(3);
}

static void test_caches(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {3, 7}, {5, 16}, {4, 33}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int64_t row = 0; row < shapes[i][0]; row++) {
            struct args a = {.n = 5, .cols = shapes[i][1], .cache_rows = shapes[i][0], .row = row};
            int64_t n = a.n * a.cache_rows * a.cols;
            struct op_call c;

            op_begin(&c, 0.0, 0.0, "cache_put row %d of %d", (int) row, (int) a.cache_rows);
            (void) op_typed_in(&c, a.n * a.cols, 1);
            (void) op_typed_out(&c, n, true, 2);
            op_check(&c, call_cache_put, &a);
        }
}

/* ---- fused equals composed ---- */

/* relu and dropout after a product are the same as a product, then both, element by element. */
static void test_fused_epilogue(void **state)
{
    enum { M = 37, N = 53, K = 20 };
    static float a[M * K], b[K * N], bias[N], fused[M * N], steps[M * N];
    struct dev *d = op_device("cpu", 2);
    const struct dev_dropout here = op_host_dropout(0.3, 5);
    struct dev_gemm g = {.M = M, .N = N, .K = K, .lda = K, .ldb = N, .ldc = N};

    (void) state;
    t_fill(a, M * K, 1);
    t_fill(b, K * N, 2);
    t_fill(bias, N, 3);
    g.A = op_upload(d, a, sizeof a);
    g.B = op_upload(d, b, sizeof b);
    g.C = op_result(d, steps, sizeof steps);
    g.scratch = op_scratch(d, d->kernels->gemm_scratch_floats(d, &g));
    d->kernels->gemm(d, &g);
    op_done();
    for (int i = 0; i < M * N; i++) {
        float x = steps[i] + bias[i % N];

        steps[i] = (x > 0.0f ? x : 0.0f) * dev_dropout_factor(&here, (uint64_t) i);
    }
    g.A = op_upload(d, a, sizeof a);
    g.B = op_upload(d, b, sizeof b);
    g.C = op_result(d, fused, sizeof fused);
    g.bias = op_upload(d, bias, sizeof bias);
    g.activation = DEV_RELU;
    g.dropout = op_dropout(d, 0.3, 5);
    g.scratch = op_scratch(d, d->kernels->gemm_scratch_floats(d, &g));
    d->kernels->gemm(d, &g);
    op_done();
    assert_memory_equal(fused, steps, sizeof fused);
}

/* What a row that takes no part holds does not matter, not even when it is no number. */
static void test_rows_left_out(void **state)
{
    enum { ROWS = 3, COLS = 150 };
    static const char *const names[] = {"reference", "cpu"};
    static const int32_t ids[ROWS] = {4, 0, 5};
    static float x[ROWS * COLS], y[ROWS * COLS], out[ROWS * COLS];
    float *y_there, *out_there;
    const int32_t *ids_there;

    (void) state;
    t_fill(x, ROWS * COLS, 1);
    t_fill(y, ROWS * COLS, 2);
    for (int i = COLS; i < 2 * COLS; i++)
        y[i] = NAN;
    for (int k = 0; k < 4; k++) {
        struct dev *d = op_device(names[k & 1], 2);
        struct dev_dropout drop = op_dropout(d, k & 2 ? 0.25 : 0.0, 1);

        y_there = op_upload(d, y, sizeof y);
        ids_there = op_upload(d, ids, sizeof ids);
        out_there = op_result(d, out, sizeof out);
        d->kernels->residual(d, &(struct dev_residual_args){.x = op_upload(d, x, sizeof x),
                                                            .y = y_there,
                                                            .row_ids = ids_there,
                                                            .rows = ROWS,
                                                            .cols = COLS,
                                                            .dropout = drop,
                                                            .out = out_there});
        op_fetch();
        assert_memory_equal(out + COLS, x + COLS, COLS * sizeof *out);
        d->kernels->residual_bwd(d, &(struct dev_residual_bwd_args){.dout = y_there,
                                                                    .row_ids = ids_there,
                                                                    .rows = ROWS,
                                                                    .cols = COLS,
                                                                    .dropout = drop,
                                                                    .accumulate = false,
                                                                    .dy = out_there});
        op_done();
        for (int i = 0; i < ROWS * COLS; i++)
            assert_true(isfinite(out[i]) && (i / COLS != 1 || out[i] == 0.0f));
    }
}

static void test_fused_residual(void **state)
{
    enum { ROWS = 21, COLS = 33, SIZE = ROWS * COLS };
    static float x[SIZE], y[SIZE], fused[SIZE], dropped[SIZE], steps[SIZE];
    struct dev *d = op_device("cpu", 2);
    struct dev_dropout dropout = op_dropout(d, 0.3, 6), none = op_dropout(d, 0.0, 6);
    const struct dev_kernels *k = d->kernels;
    const float *x_there, *y_there;
    float *dropped_there = op_upload(d, dropped, sizeof dropped);

    (void) state;
    t_fill(x, SIZE, 1);
    t_fill(y, SIZE, 2);
    x_there = op_upload(d, x, sizeof x);
    y_there = op_upload(d, y, sizeof y);
    k->dropout(d, &(struct dev_dropout_args){
                      .x = y_there, .n = SIZE, .dropout = dropout, .y = dropped_there});
    k->residual(d, &(struct dev_residual_args){.x = x_there,
                                               .y = dropped_there,
                                               .row_ids = NULL,
                                               .rows = ROWS,
                                               .cols = COLS,
                                               .dropout = none,
                                               .out = op_result(d, steps, sizeof steps)});
    k->residual(d, &(struct dev_residual_args){.x = x_there,
                                               .y = y_there,
                                               .row_ids = NULL,
                                               .rows = ROWS,
                                               .cols = COLS,
                                               .dropout = dropout,
                                               .out = op_result(d, fused, sizeof fused)});
    op_done();
    t_assert_close(fused, steps, SIZE, 1e-7, 1e-7); /* one may be a fused multiply-add */
}

/* ---- operators ---- */

/* x with its parts: flatten, ReLU, GELU, sums, and x used twice so that gradients are added up. */
static void build(struct op_graph *t, const void *arg)
{
    const int *which = arg;
    const int64_t dims[] = {2, 3, 2, 2};
    struct gr_tensor *x = gr_param(t->g, "x", 4, dims, 0, GR_INIT_ZEROS, 0.0), *y;

    if (*which == 0)
        y = nn_flatten(t->g, x);
    else if (*which == 1)
        y = nn_relu(t->g, x);
    else if (*which == 2)
        y = nn_add(t->g, x, nn_relu(t->g, x));
    else if (*which == 3)
        y = nn_add(t->g, nn_add(t->g, x, x), nn_relu(t->g, x));
    else if (*which == 4)
        y = nn_gelu(t->g, x);
    else if (*which == 5)
        y = nn_add(t->g, x, nn_relu6(t->g, x));
    else
        y = nn_add(t->g, x, nn_gelu(t->g, x));
    assert_int_equal(y->rank, *which == 0 ? 2 : 4);
    op_sum_loss(t, y);
}

static void test_gradients(void **state)
{
    (void) state;
    for (int which = 0; which < 7; which++)
        op_check_gradient(build, &which, 1e-4, 2e-3);
}

static const float factors_forward[] = {2.0f, 0.5f, -1.0f},
                   factors_backward[] = {3.0f, 1.0f, 0.25f};

static void build_scaled(struct op_graph *t, const void *arg)
{
    const int64_t dims[] = {3, 2, 1, 2}, n = 3;
    struct gr_tensor *x = gr_param(t->g, "x", 4, dims, 0, GR_INIT_ZEROS, 0.0);

    (void) arg;
    op_sum_loss(t, nn_scale_rows(t->g, x, op_const(t, 1, &n, factors_forward),
                                 op_const(t, 1, &n, factors_backward)));
}

/* Forward with the one, backward with the other. */
static void test_scaled_gradient(void **state)
{
    float values[12], grads[12];
    struct op_graph t;
    double sum = 0.0;

    (void) state;
    op_graph_new(&t, op_device("cpu", 1), build_scaled, NULL);
    device_read(t.dev, values, t.params.values, 12);
    for (int64_t i = 0; i < 12; i++)
        sum += (double) (factors_forward[i / 4] * values[i] * t.coefficients[i]);
    assert_true(fabs(op_graph_run(&t) - sum) < 1e-6);
    device_read(t.dev, grads, t.params.grads, 12);
    for (int64_t i = 0; i < 12; i++)
        assert_true(grads[i] == factors_backward[i / 4] * t.coefficients[i]);
    op_graph_release(&t);
}

T_MAIN(cmocka_unit_test(test_relu), cmocka_unit_test(test_gelu), cmocka_unit_test(test_scale_rows),
       cmocka_unit_test(test_gradients), cmocka_unit_test(test_scaled_gradient),
       cmocka_unit_test(test_relu_bwd), cmocka_unit_test(test_dropout), cmocka_unit_test(test_copy),
       cmocka_unit_test(test_residual), cmocka_unit_test(test_shared_masks),
       cmocka_unit_test(test_col_sum), cmocka_unit_test(test_caches),
       cmocka_unit_test(test_cache_index), cmocka_unit_test(test_fused_epilogue),
       cmocka_unit_test(test_rows_left_out), cmocka_unit_test(test_fused_residual),
       cmocka_unit_test(test_set_step))
