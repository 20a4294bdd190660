/*
 * tests/ops/test_attention_variants.c - attention with what only some models ask for: segments of
 * packed rows, levels, proximity, hard weights, relative positions, shared dropout masks.  Kernels
 * on every device against the reference loops, plain against values by hand, and the operator's
 * gradients.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/attention.h"

struct variant {
    int64_t B, H, Lq, Lk, Dk, Dv;
    bool segments, levels, proximity, causal, key_ids;
    int64_t hard_k;
    enum dev_relative_kind relative;
    int64_t rows;
    bool per_head, no_values;
    double rate;
    bool same_batch, same_heads, same_queries;
    int64_t q_per_key, spare_rows; /* 0: one, none; decoding */
    bool accumulate;
};

enum { Q, K, V, IDS, Q_SEGMENTS, K_SEGMENTS, Q_LEVELS, K_LEVELS, REL_K, REL_V, OUT };
enum { DQ = OUT, DK, DV, DREL_K, DREL_V, DOUT };

static int64_t per_key(const struct variant *x)
{
    return x->q_per_key ? x->q_per_key : 1;
}

static int64_t tables(const struct variant *x)
{
    return x->rows * (x->per_head ? x->H : 1);
}

static struct dev_attention arguments(struct dev *d, const struct variant *x, void *const *p)
{
    struct dev_attention a = {.B = x->B,
                              .H = x->H,
                              .Lq = x->Lq,
                              .Lk = x->Lk,
                              .Dk = x->Dk,
                              .Dv = x->Dv,
                              .type = op_type(),
                              .k_rows = x->Lk + x->spare_rows,
                              .q_per_key = per_key(x),
                              .q = p[Q],
                              .k = p[K],
                              .v = p[V],
                              .causal = x->causal,
                              .proximity = x->proximity,
                              .hard_k = x->hard_k,
                              .scale = 0.6f,
                              .dropout = op_dropout(d, x->rate, 41),
                              .dropout_same_batch = x->same_batch,
                              .dropout_same_heads = x->same_heads,
                              .dropout_same_queries = x->same_queries};

    if (x->key_ids)
        a.key_ids = p[IDS];
    if (x->segments) {
        a.q_segments = x->Lq == x->Lk ? p[K_SEGMENTS] : p[Q_SEGMENTS];
        a.k_segments = p[K_SEGMENTS];
    }
    if (x->levels) {
        a.q_levels = p[Q_LEVELS];
        a.k_levels = p[K_LEVELS];
    }
    if (x->relative != DEV_RELATIVE_NONE)
        a.relative = (struct dev_relative){.kind = x->relative,
                                           .rows = x->rows,
                                           .per_head = x->per_head,
                                           .k = p[REL_K],
                                           .v = x->no_values ? NULL : p[REL_V]};
    return a;
}

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    struct dev_attention a = arguments(d, arg, p);

    a.out = p[OUT];
    d->kernels->attention(
        d,
        &(struct dev_attention_args){
            .of = a, .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &a, false))});
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct variant *x = arg;
    struct dev_attention a = arguments(d, x, p);
    struct dev_attention_grads g = {.dout = p[DOUT],
                                    .dq = p[DQ],
                                    .dk = p[DK],
                                    .dv = p[DV],
                                    .accumulate_q = x->accumulate,
                                    .accumulate_k = x->accumulate,
                                    .accumulate_v = x->accumulate,
                                    .drelative_k = a.relative.k ? p[DREL_K] : NULL,
                                    .drelative_v = a.relative.v ? p[DREL_V] : NULL,
                                    .accumulate_relative_k = x->accumulate,
                                    .accumulate_relative_v = x->accumulate};

    d->kernels->attention_bwd(
        d, &(struct dev_attention_bwd_args){
               .of = a,
               .g = g,
               .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &a, true))});
}

/* Ids that rise along a row: segments 1, 2, … with padding (0) at the end of odd rows, or
 * levels. */
static void rising(int32_t *ids, int64_t rows, int64_t n, int every, bool pad)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++)
            ids[r * n + i] = pad && r % 2 && i > n / 2 ? 0 : (int32_t) (1 + (i + r) / every);
}

static void add_inputs(struct op_call *c, const struct variant *x)
{
    int64_t batch = x->B / per_key(x), rows = (batch - 1) * (x->Lk + x->spare_rows) + x->Lk;
    int64_t n_tables = x->relative == DEV_RELATIVE_NONE ? 1 : tables(x);

    (void) op_typed_in(c, x->B * x->Lq * x->H * x->Dk, 1);
    (void) op_typed_in(c, rows * x->H * x->Dk, 2);
    (void) op_typed_in(c, rows * x->H * x->Dv, 3);
    (void) op_in_ids(c, batch * x->Lk, 50, 3, 4);
    rising(op_in_ids(c, x->B * x->Lq, 9, 0, 5), x->B, x->Lq, 4, true);
    rising(op_in_ids(c, batch * x->Lk, 9, 0, 6), batch, x->Lk, 4, true);
    rising(op_in_ids(c, x->B * x->Lq, 9, 0, 7), x->B, x->Lq, 3, false);
    rising(op_in_ids(c, batch * x->Lk, 9, 0, 8), batch, x->Lk, 3, false);
    (void) op_in(c, n_tables * x->Dk, 9);
    (void) op_in(c, n_tables * x->Dv, 10);
}

static void begin(struct op_call *c, const struct variant *x, const char *what)
{
    double tolerance = x->hard_k ? 2e-5 : 3e-6;

    op_begin(
        c, tolerance, 10 * tolerance,
        "%s L %d %d D %d %d segments %d levels %d near %d causal %d ids %d hard %d relative %d "
        "rows %d heads %d rate %g same %d %d",
        what, (int) x->Lq, (int) x->Lk, (int) x->Dk, (int) x->Dv, x->segments, x->levels,
        x->proximity, x->causal, x->key_ids, (int) x->hard_k, (int) x->relative, (int) x->rows,
        x->per_head, x->rate, x->same_batch, x->same_heads);
    c->bf16_atol = 0x1p-8;
}

static void check_forward(const struct variant *x)
{
    struct op_call c;

    begin(&c, x, "attention");
    add_inputs(&c, x);
    (void) op_typed_out(&c, x->B * x->Lq * x->H * x->Dv, false, 11);
    op_check(&c, call_forward, x);
}

static void check_backward(const struct variant *x)
{
    bool relative = x->relative != DEV_RELATIVE_NONE;
    struct op_call c;

    begin(&c, x, "attention_bwd");
    c.atol *= (1.0 + (double) x->Lq / 8.0) * (relative ? 4.0 : 1.0);
    c.bf16_atol *= 1.0 + (double) x->Lq / 32.0;
    add_inputs(&c, x);
    (void) op_typed_out(&c, x->B * x->Lq * x->H * x->Dk, x->accumulate, 11);
    (void) op_typed_out(&c, x->B * x->Lk * x->H * x->Dk, x->accumulate, 12);
    (void) op_typed_out(&c, x->B * x->Lk * x->H * x->Dv, x->accumulate, 13);
    (void) op_out(&c, relative ? tables(x) * x->Dk : 1, x->accumulate || !relative, 14);
    (void) op_out(&c, relative && !x->no_values ? tables(x) * x->Dv : 1,
                  x->accumulate || !relative || x->no_values, 15);
    (void) op_typed_in(&c, x->B * x->Lq * x->H * x->Dv, 16);
    op_check(&c, call_backward, x);
}

static const struct variant variants[] = {
    /* packed rows: decoder, encoder, and a decoder that looks at an encoder of another length;
     * there some queries have no key */
    {2, 2, 37, 37, 8, 8, .segments = true, .causal = true},
    {3, 1, 20, 20, 5, 7, .segments = true, .rate = 0.1},
    {2, 2, 40, 21, 16, 3, .segments = true},
    {2, 2, 40, 21, 16, 3, .segments = true, .key_ids = true}, /* hidden once and twice */
    {3, 2, 35, 35, 8, 8, .segments = true, .causal = true, .proximity = true},
    {2, 1, 18, 18, 4, 4, .segments = true, .proximity = true, .accumulate = true},
    {2, 2, 3, 3, 4, 4, .segments = true, .causal = true, .proximity = true},
    {2, 2, 17, 17, 6, 6, .proximity = true, .key_ids = true},
    {1, 2, 34, 34, 6, 6, .proximity = true, .causal = true, .rate = 0.3},
    /* inputs and targets in one row */
    {2, 2, 39, 39, 8, 8, .levels = true},
    {2, 2, 4, 4, 8, 8, .levels = true, .accumulate = true},
    {2, 1, 33, 33, 8, 8, .levels = true, .segments = true, .rate = 0.1},
    /* masks of dropout */
    {3, 2, 33, 33, 8, 8, .causal = true, .rate = 0.4, .same_batch = true, .same_heads = true},
    {1, 2, 40, 50, 8, 8, .rate = 0.4, .same_queries = true},
    {3, 2, 10, 13, 8, 8, .rate = 0.4, .same_batch = true},
    {3, 2, 10, 13, 8, 8, .rate = 0.4, .same_heads = true},
    /* heads and lengths of tensor cores */
    {2, 1, 70, 70, 32, 32, .segments = true, .levels = true, .causal = true, .rate = 0.3},
    {1, 2, 66, 130, 64, 64, .segments = true, .key_ids = true, .proximity = true},
    {3, 2, 34, 50, 32, 64, .rate = 0.4, .same_queries = true, .same_heads = true},
    {2, 1, 35, 70, 128, 64, .levels = true, .rate = 0.2, .same_batch = true, .accumulate = true},
    /* hard weights; more than there are keys */
    {2, 2, 33, 33, 8, 8, .causal = true, .hard_k = 3},
    {2, 1, 9, 12, 8, 8, .key_ids = true, .hard_k = 2, .rate = 0.3, .accumulate = true},
    {2, 1, 2, 3, 4, 4, .hard_k = 5},
    {1, 1, 5, 6, 4, 4, .hard_k = INT64_MAX},
    {1, 1, 6, 6, 4, 4, .causal = true, .hard_k = 1},
    /* relative positions: left and right clipped, one row, wider than the sentence */
    {2, 2, 37, 37, 8, 12, .relative = DEV_RELATIVE_CLIPPED, .rows = 9},
    {2, 2, 37, 37, 8, 12, .relative = DEV_RELATIVE_CLIPPED, .rows = 9, .causal = true, .rate = 0.2},
    {3, 2, 5, 5, 8, 8, .relative = DEV_RELATIVE_CLIPPED, .rows = 41, .key_ids = true,
     .accumulate = true},
    {1, 1, 3, 3, 4, 4, .relative = DEV_RELATIVE_CLIPPED, .rows = 1},
    {1, 1, 1, 1, 4, 4, .relative = DEV_RELATIVE_CLIPPED, .rows = 5},
    {2, 3, 34, 34, 4, 4, .relative = DEV_RELATIVE_CLIPPED, .rows = 33, .per_head = true},
    {2, 2, 33, 33, 8, 8, .relative = DEV_RELATIVE_CLIPPED, .rows = 7, .hard_k = 3, .causal = true},
    {2, 2, 35, 35, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 16, .per_head = true,
     .no_values = true, .causal = true},
    {2, 2, 35, 35, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 16, .per_head = true,
     .no_values = true},
    {2, 2, 70, 70, 8, 4, .relative = DEV_RELATIVE_LEFT, .rows = 70, .rate = 0.1,
     .accumulate = true},
    {2, 2, 40, 40, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 100, .key_ids = true},
    {2, 2, 3, 3, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 4},
    {2, 2, 9, 9, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 1, .causal = true},
};

enum { N_VARIANTS = sizeof variants / sizeof *variants };

static void test_forward(void **state)
{
    (void) state;
    for (int i = 0; i < N_VARIANTS; i++)
        check_forward(&variants[i]);
}

static void test_backward(void **state)
{
    (void) state;
    for (int i = 0; i < N_VARIANTS; i++)
        check_backward(&variants[i]);
}

/* One query at the end of a cache. */
static void test_caches(void **state)
{
    static const struct variant cases[] = {
        {4, 2, 1, 9, 8, 8, .relative = DEV_RELATIVE_CLIPPED, .rows = 9, .spare_rows = 5},
        {4, 2, 1, 21, 5, 7, .relative = DEV_RELATIVE_CLIPPED, .rows = 9, .spare_rows = 1},
        {4, 2, 1, 9, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 6, .spare_rows = 5},
        {2, 2, 1, 30, 8, 8, .proximity = true, .spare_rows = 5},
        {4, 2, 1, 30, 8, 8, .hard_k = 4, .q_per_key = 2},
        {4, 2, 1, 12, 8, 8, .relative = DEV_RELATIVE_LEFT, .rows = 20, .per_head = true},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_forward(&cases[i]);
}

/* ---- plain, by hand ---- */

/* Of one head and element, whose q, k, ids and tables are the host's.  v is the identity, so the
 * result is the weights (Lq, n). */
static void weights_of(const struct dev_attention *of, int64_t n, float *weights)
{
    struct dev *d = op_device("reference", 1);
    struct dev_attention a = *of;
    size_t queries = (size_t) of->Lq * 4, keys = (size_t) n * 4;
    float *v = calloc((size_t) (n * n), sizeof *v);

    assert_non_null(v);
    for (int64_t i = 0; i < n; i++)
        v[i * n + i] = 1.0f;
    a.B = a.H = a.Dk = a.q_per_key = 1;
    a.Lk = a.k_rows = a.Dv = n;
    a.q = op_upload(d, of->q, queries);
    a.k = op_upload(d, of->k, keys);
    a.v = op_upload(d, v, (size_t) (n * n) * sizeof *v);
    a.q_segments = op_upload(d, of->q_segments, queries);
    a.k_segments = op_upload(d, of->k_segments, keys);
    a.q_levels = op_upload(d, of->q_levels, queries);
    a.k_levels = op_upload(d, of->k_levels, keys);
    a.relative.k = op_upload(d, of->relative.k, (size_t) of->relative.rows * 4);
    a.out = op_result(d, weights, queries * (size_t) n);
    a.scale = 1.0f;
    d->kernels->attention(
        d,
        &(struct dev_attention_args){
            .of = a, .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &a, false))});
    op_done();
    free(v);
}

static void test_plain_values(void **state)
{
    static const float q[] = {0, 0, 0}, k[] = {1, 2, 3}, one[] = {1, 1, 1};
    static const float far_to_near[] = {2.0f / 11, 3.0f / 11, 6.0f / 11};
    static const int32_t mine[] = {1, 1, 2}, theirs[] = {3, 3, 3}, levels[] = {0, 0, 1};
    static const float packed[] = {0.5f, 0.5f, 0, 0.5f, 0.5f, 0, 0, 0, 1};
    static const float thirds[] = {1.0f / 3, 1.0f / 3, 1.0f / 3};
    static const float full[] = {0.5f, 0.5f, 0, 0.5f, 0.5f, 0, 1.0f / 3, 1.0f / 3, 1.0f / 3};
    /* rows of the table: -1, 0, 1; query 0 multiplies 0, query 2 stands right of everything */
    static const float table[] = {0, 0.69314718f, 1.0986123f};
    static const float relative[] = {2.0f / 8, 3.0f / 8, 3.0f / 8, 1.0f / 6, 2.0f / 6,
                                     3.0f / 6, 1.0f / 4, 1.0f / 4, 2.0f / 4};
    struct dev_attention a = {.Lq = 1, .q = q, .k = k};
    float w[9];

    (void) state;
    a.proximity = true; /* the query stands at the last of three keys */
    weights_of(&a, 3, w);
    t_assert_close(w, far_to_near, 3, 1e-6, 0);
    a = (struct dev_attention){.Lq = 3, .q = q, .k = k};
    a.q_segments = a.k_segments = mine;
    weights_of(&a, 3, w);
    t_assert_close(w, packed, 9, 1e-6, 0);
    /* no key at all: the logits are absorbed, the weights equal */
    a.q = one;
    a.k_segments = theirs;
    weights_of(&a, 3, w);
    t_assert_close(w, thirds, 3, 1e-6, 0);
    a = (struct dev_attention){.Lq = 3, .q = q, .k = k};
    a.q_levels = a.k_levels = levels;
    weights_of(&a, 3, w);
    t_assert_close(w, full, 9, 1e-6, 0);
    a = (struct dev_attention){.Lq = 3, .q = one, .k = q};
    a.relative = (struct dev_relative){.kind = DEV_RELATIVE_CLIPPED, .rows = 3, .k = table};
    weights_of(&a, 3, w);
    t_assert_close(w, relative, 9, 1e-6, 0);
}

/* Hard attention: with k = 2 of weights 1/8, 2/8, 5/8 the second is subtracted. */
static void test_plain_hard(void **state)
{
    static const float q[] = {1}, k[] = {0, 0.69314718f, 1.60943791f};
    static const float first[] = {0, 0, 1}, third[] = {0, 1.0f / 5, 4.0f / 5};
    static const float soft[] = {1.0f / 8, 2.0f / 8, 5.0f / 8};
    struct dev_attention a = {.Lq = 1, .q = q, .k = k, .hard_k = 2};
    float w[3];

    (void) state;
    weights_of(&a, 3, w);
    t_assert_close(w, first, 3, 1e-6, 0);
    a.hard_k = 3;
    weights_of(&a, 3, w);
    t_assert_close(w, third, 3, 1e-6, 0);
    a.hard_k = 4; /* there is no fourth: nothing is subtracted */
    weights_of(&a, 3, w);
    t_assert_close(w, soft, 3, 1e-6, 0);
}

/* ---- one row of two sentences is each of them alone ---- */

static void run_forward(struct dev *d, struct dev_attention *a)
{
    d->kernels->attention(
        d,
        &(struct dev_attention_args){
            .of = *a, .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, a, false))});
}

static void test_packed_rows(void **state)
{
    enum { FIRST = 13, SECOND = 24, L = FIRST + SECOND, H = 2, D = 6, ROW = H * D };
    static float q[L * ROW], k[L * ROW], v[L * ROW], table[2][5 * D];
    static float packed[L * ROW], alone[L * ROW];
    static const int64_t begin[] = {0, FIRST}, length[] = {FIRST, SECOND};
    struct dev *d = op_device("cpu", 2);
    int32_t mine[L];
    const float *q_there, *k_there, *v_there;
    float *alone_there;

    (void) state;
    t_fill(q, L * ROW, 1);
    t_fill(k, L * ROW, 2);
    t_fill(v, L * ROW, 3);
    t_fill(table[0], 5 * D, 4);
    t_fill(table[1], 5 * D, 5);
    for (int i = 0; i < L; i++)
        mine[i] = i < FIRST ? 1 : 2;
    for (int bits = 0; bits < 8; bits++) {
        struct dev_attention a = {.B = 1,
                                  .H = H,
                                  .Dk = D,
                                  .Dv = D,
                                  .q_per_key = 1,
                                  .causal = bits & 1,
                                  .proximity = bits & 2,
                                  .scale = 0.4f};

        q_there = op_upload(d, q, sizeof q);
        k_there = op_upload(d, k, sizeof k);
        v_there = op_upload(d, v, sizeof v);
        alone_there = op_result(d, alone, sizeof alone);
        if (bits & 4)
            a.relative = (struct dev_relative){.kind = DEV_RELATIVE_CLIPPED,
                                               .rows = 5,
                                               .k = op_upload(d, table[0], sizeof table[0]),
                                               .v = op_upload(d, table[1], sizeof table[1])};
        for (int s = 0; s < 2; s++) {
            a.q = q_there + begin[s] * ROW;
            a.k = k_there + begin[s] * ROW;
            a.v = v_there + begin[s] * ROW;
            a.Lq = a.Lk = a.k_rows = length[s];
            a.out = alone_there + begin[s] * ROW;
            run_forward(d, &a);
        }
        a.q = q_there;
        a.k = k_there;
        a.v = v_there;
        a.Lq = a.Lk = a.k_rows = L;
        a.q_segments = a.k_segments = op_upload(d, mine, sizeof mine);
        a.out = op_result(d, packed, sizeof packed);
        run_forward(d, &a);
        op_done();
        t_assert_close(packed, alone, L * ROW, 2e-6, 2e-5);
    }
}

/* ---- gradients ---- */

static const int32_t segments[] = {1, 1, 1, 2, 2, 2, 1, 1, 2, 2, 3, 3};
static const int32_t levels[] = {0, 0, 0, 1, 2, 3, 0, 0, 1, 2, 3, 4};

static void build(struct op_graph *t, const void *arg)
{
    const struct variant *x = arg;
    struct gr_tensor *q = op_param(t, "q", 3, x->B, x->Lq, x->H * x->Dk);
    struct nn_attention a = {.heads = x->H,
                             .causal = x->causal,
                             .proximity = x->proximity,
                             .hard_k = x->hard_k,
                             .scale = 0.7,
                             .dropout = x->rate,
                             .dropout_same_batch = x->same_batch,
                             .dropout_same_heads = x->same_heads,
                             .dropout_same_queries = x->same_queries,
                             .q_per_key = 1,
                             .relative = x->relative};

    if (x->segments)
        a.q_segments = a.k_segments = op_ids(t, x->B, x->Lk, segments);
    if (x->levels)
        a.q_levels = a.k_levels = op_ids(t, x->B, x->Lk, levels);
    if (x->relative != DEV_RELATIVE_NONE) {
        int rank = x->per_head ? 3 : 2;
        int64_t first = x->per_head ? x->H : x->rows, second = x->per_head ? x->rows : x->Dk;

        a.relative_k = op_param(t, "relative_k", rank, first, second, x->Dk);
        if (!x->no_values)
            a.relative_v =
                op_param(t, "relative_v", rank, first, x->per_head ? x->rows : x->Dv, x->Dv);
    }
    op_sum_loss(t, nn_attention(t->g, q, op_param(t, "k", 3, x->B, x->Lk, x->H * x->Dk),
                                op_param(t, "v", 3, x->B, x->Lk, x->H * x->Dv), &a));
}

/* Queries of a whole batch against one memory. */
static void build_one_memory(struct op_graph *t, const void *arg)
{
    struct nn_attention a = {.heads = 2,
                             .scale = 0.7,
                             .q_per_key = 1,
                             .one_memory = true,
                             .dropout = 0.3,
                             .dropout_same_queries = true};

    (void) arg;
    op_sum_loss(t, nn_attention(t->g, op_param(t, "q", 3, 2, 4, 6), op_param(t, "k", 3, 1, 7, 6),
                                op_param(t, "v", 3, 1, 7, 4), &a));
}

static void test_gradients(void **state)
{
    static const struct variant cases[] = {
        {2, 2, 6, 6, 3, 2, .segments = true},
        {2, 1, 6, 6, 3, 2, .segments = true, .causal = true, .proximity = true},
        {2, 2, 6, 6, 2, 3, .levels = true},
        {2, 2, 6, 6, 2, 3, .rate = 0.4, .same_batch = true, .same_heads = true},
        {2, 2, 6, 6, 3, 2, .relative = DEV_RELATIVE_CLIPPED, .rows = 5},
        {1, 2, 6, 6, 3, 2, .relative = DEV_RELATIVE_CLIPPED, .rows = 7, .causal = true,
         .rate = 0.3},
        {2, 2, 6, 6, 3, 2, .relative = DEV_RELATIVE_LEFT, .rows = 8, .per_head = true},
        {2, 2, 6, 6, 3, 2, .relative = DEV_RELATIVE_LEFT, .rows = 4, .no_values = true,
         .causal = true},
        {1, 1, 6, 6, 3, 2, .relative = DEV_RELATIVE_LEFT, .rows = 5},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        op_check_gradient(build, &cases[i], 5e-3, 1e-3);
    op_check_gradient(build_one_memory, NULL, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_forward), cmocka_unit_test(test_backward),
       cmocka_unit_test(test_caches), cmocka_unit_test(test_packed_rows),
       cmocka_unit_test(test_plain_values), cmocka_unit_test(test_plain_hard),
       cmocka_unit_test(test_gradients))
