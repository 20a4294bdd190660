/*
 * tests/ops/test_dropout_rows.c - masks by the row in the batch of all ranks: what a rank drops in
 * its rows is what one process drops in the same rows of the whole batch.
 *
 * Inputs are the same in every row, so rows of the results differ by their masks alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/device/dropout_bits.h"

/* The whole batch; (ROWS,L,D) and, in attention, H heads of D. */
enum { ROWS = 7, FIRST = 3, H = 2 };

struct rows_case {
    int32_t first_row, rows;
    int64_t L, D;
    bool shared; /* by the positions of a row, or by the queries */
};

static struct dev_dropout mask(struct dev *d, const struct rows_case *c, int64_t row_numbers)
{
    struct dev_step s = {.dropout_key = {11, 12}, .dropout_step = {13, 0}, .grad_scale = 1.0f};
    struct dev_dropout drop = op_dropout(d, 0.4, 3);

    s.first_row = c->first_row;
    drop.step = op_step_of(d, &s);
    drop.row_numbers = row_numbers;
    return drop;
}

/* Of (rows, L, D). */
static struct dev_dropout mask_of_rows(struct dev *d, const struct rows_case *c)
{
    struct dev_dropout drop =
        mask(d, c, c->shared ? (int64_t) dev_dropout_cols((uint64_t) c->D) : c->L * c->D);

    if (c->shared) {
        drop.shared_rows = c->L;
        drop.shared_cols = c->D;
    }
    return drop;
}

static void call_dropout(struct dev *d, void *const *p, const void *arg)
{
    const struct rows_case *c = arg;

    d->kernels->dropout(d, &(struct dev_dropout_args){.x = p[0],
                                                      .n = c->rows * c->L * c->D,
                                                      .dropout = mask_of_rows(d, c),
                                                      .y = p[1]});
}

static void call_residual(struct dev *d, void *const *p, const void *arg)
{
    const struct rows_case *c = arg;

    d->kernels->residual(d, &(struct dev_residual_args){.x = p[0],
                                                        .y = p[0],
                                                        .rows = c->rows * c->L,
                                                        .cols = c->D,
                                                        .dropout = mask_of_rows(d, c),
                                                        .out = p[1]});
}

static void call_gemm(struct dev *d, void *const *p, const void *arg)
{
    const struct rows_case *c = arg;
    struct dev_gemm g = {.M = c->rows * c->L,
                         .N = c->D,
                         .K = 1,
                         .A = p[0],
                         .lda = 1,
                         .B = p[0],
                         .ldb = c->D,
                         .C = p[1],
                         .ldc = c->D,
                         .dropout = mask_of_rows(d, c)};

    g.scratch = op_scratch(d, d->kernels->gemm_scratch_floats(d, &g));
    d->kernels->gemm(d, &g);
}

static void call_embed(struct dev *d, void *const *p, const void *arg)
{
    const struct rows_case *c = arg;
    struct dev_embed e = {.B = c->rows,
                          .L = c->L,
                          .D = c->D,
                          .ids = p[2],
                          .table = p[0],
                          .scale = 1.0f,
                          .dropout = mask(d, c, c->L * c->D)};

    d->kernels->embed(d, &(struct dev_embed_args){.of = e, .out = p[1]});
}

/* Ids 1, 2, … name the places of the rows, so the table's gradient shows each one's mask. */
static void call_embed_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct rows_case *c = arg;
    struct dev_embed e = {.B = c->rows,
                          .L = c->L,
                          .D = c->D,
                          .ids = p[2],
                          .table = p[0],
                          .scale = 1.0f,
                          .dropout = mask(d, c, c->L * c->D)};

    d->kernels->embed_bwd(d, &(struct dev_embed_bwd_args){
                                 .of = e, .dout = p[0], .V = c->rows * c->L + 1, .dtable = p[1]});
}

static struct dev_attention attention(struct dev *d, const struct rows_case *c, void *const *p)
{
    struct dev_attention a = {.B = c->rows,
                              .H = H,
                              .Lq = c->L,
                              .Lk = c->L,
                              .k_rows = c->L,
                              .Dk = c->D,
                              .Dv = c->D,
                              .q = p[0],
                              .k = p[0],
                              .v = p[0],
                              .scale = 0.5f,
                              .q_per_key = 1,
                              .dropout_same_queries = c->shared,
                              .out = p[1]};

    a.dropout = mask(d, c, H * (int64_t) dev_dropout_pair(&a));
    return a;
}

static void call_attention(struct dev *d, void *const *p, const void *arg)
{
    struct dev_attention a = attention(d, arg, p);
    float *scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &a, false));

    d->kernels->attention(d, &(struct dev_attention_args){.of = a, .scratch = scratch});
}

static void call_attention_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct rows_case *c = arg;
    struct dev_attention a = attention(d, c, p);
    float *scratch;

    a.out = p[2];
    scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &a, true));
    d->kernels->attention_bwd(d, &(struct dev_attention_bwd_args){.of = a,
                                                                  .g = {.dout = p[0], .dv = p[1]},
                                                                  .scratch = scratch});
}

enum kind { DROPOUT, RESIDUAL, GEMM, EMBED, EMBED_BWD, ATTENTION, ATTENTION_BWD, N_KINDS };

static const struct {
    op_kernel_fn call;
    const char *name;
    bool may_share;
} kinds[] = {{call_dropout, "dropout", true},
             {call_residual, "residual", true},
             {call_gemm, "gemm", true},
             {call_embed, "embed", false},
             {call_embed_bwd, "embed_bwd", false},
             {call_attention, "attention", true},
             {call_attention_bwd, "attention_bwd", true}};

/* The call with ones in, and how many floats a row of its output (the second buffer) has. */
static int64_t begin(struct op_call *call, enum kind kind, const struct rows_case *c)
{
    int64_t places = c->rows * c->L, heads = kind >= ATTENTION ? H : 1;
    int64_t first = kind == EMBED_BWD ? c->D : 0; /* of id 0, for no row */
    float *ones;

    op_begin(call, 1e-6, 1e-5, "%s of rows %d.. of (%d,%d,%d), shared %d", kinds[kind].name,
             (int) c->first_row, (int) c->rows, (int) c->L, (int) c->D, c->shared);
    ones = op_in(call, (places + 1) * heads * c->D, 1);
    for (int64_t i = 0; i < (places + 1) * heads * c->D; i++)
        ones[i] = 1.0f;
    (void) op_out(call, first + places * heads * c->D, false, 2);
    if (kind == EMBED || kind == EMBED_BWD) {
        int32_t *ids = op_in_ids(call, places, 2, 0, 3);

        for (int64_t i = 0; i < places; i++)
            ids[i] = kind == EMBED ? 1 : (int32_t) i + 1;
    } else if (kind == ATTENTION_BWD) { /* what the forward pass gave is not read for dv */
        (void) op_in(call, places * heads * c->D, 4);
    }
    return c->L * heads * c->D;
}

static float *outputs(enum kind kind, const struct rows_case *c, const char *device,
                      int64_t *row_floats)
{
    struct op_call call;
    float *out;

    *row_floats = begin(&call, kind, c);
    out = op_run_on(op_device(device, 1), &call, kinds[kind].call, c);
    op_release(&call);
    return out;
}

static void test_rows_of_a_rank(void **state)
{
    static const struct rows_case all[] = {
        {0, ROWS, 5, 24, false}, {0, ROWS, 4, 64, false}, {0, ROWS, 3, 130, false},
        {0, ROWS, 5, 24, true},  {0, ROWS, 2, 200, true}, {0, ROWS, 17, 8, false},
    };
    static const char *const devices[] = {"reference", "cpu"};

    (void) state;
    for (size_t i = 0; i < sizeof all / sizeof *all * N_KINDS; i++) {
        enum kind kind = (enum kind)(i % N_KINDS);
        struct rows_case whole = all[i / N_KINDS], part = whole;
        struct op_call call;

        if (whole.shared && !kinds[kind].may_share)
            continue;
        part.first_row = FIRST;
        part.rows = ROWS - FIRST - 1;
        for (int d = 0; d < 2; d++) {
            int64_t row;
            float *expected = outputs(kind, &whole, devices[d], &row);
            float *actual = outputs(kind, &part, devices[d], &row);
            int64_t first = kind == EMBED_BWD ? whole.D : 0;

            if (memcmp(actual + first, expected + first + FIRST * row,
                       (size_t) (part.rows * row) * sizeof *actual) != 0)
                fail_msg("%s on %s, (%d,%d), shared %d: not the rows of the whole batch",
                         kinds[kind].name, devices[d], (int) whole.L, (int) whole.D, whole.shared);
            if (memcmp(actual + first, expected + first,
                       (size_t) (part.rows * row) * sizeof *actual) == 0)
                fail_msg("%s on %s: the first rows of the whole batch", kinds[kind].name,
                         devices[d]);
            free(actual);
            free(expected);
        }
        (void) begin(&call, kind, &part);
        op_check(&call, kinds[kind].call, &part);
    }
}

T_MAIN(cmocka_unit_test(test_rows_of_a_rank))
