/*
 * tests/ops/test_attention.c - attention: kernels on every device against the reference loops, and
 * the operator's gradients.  num_threads is 1, 2 and 3 (op_check.c).
 */
#include "train/ops/attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum masks {
    NO_MASK,
    SOME_KEYS,
    ALL_KEYS
}; /* what is masked by key_ids; ALL: for one batch element */

struct shape {
    int64_t B, H, Lq, Lk, Dk, Dv;
};

struct args {
    struct shape s;
    int64_t k_rows, q_per_key;
    bool causal;
    enum masks masks;
    double rate;
    bool accumulate, wanted[3]; /* dq, dk, dv */
};

enum { Q, K, V, IDS, OUT, DQ = 4, DK, DV, DOUT };

static struct dev_attention arguments(struct dev *d, const struct args *a, void *const *p)
{
    struct dev_attention x = {.B = a->s.B,
                              .H = a->s.H,
                              .Lq = a->s.Lq,
                              .Lk = a->s.Lk,
                              .Dk = a->s.Dk,
                              .Dv = a->s.Dv,
                              .k_rows = a->k_rows,
                              .q_per_key = a->q_per_key,
                              .type = op_type(),
                              .q = p[Q],
                              .k = p[K],
                              .v = p[V],
                              .key_ids = a->masks == NO_MASK ? NULL : p[IDS],
                              .causal = a->causal,
                              .scale = (float) (1.0 / sqrt((double) a->s.Dk)),
                              .dropout = op_dropout(d, a->rate, 41)};

    return x;
}

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    struct dev_attention x = arguments(d, arg, p);

    x.out = p[OUT];
    d->kernels->attention(
        d,
        &(struct dev_attention_args){
            .of = x, .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &x, false))});
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_attention x = arguments(d, a, p);
    struct dev_attention_grads g = {.dout = p[DOUT],
                                    .dq = a->wanted[0] ? p[DQ] : NULL,
                                    .dk = a->wanted[1] ? p[DK] : NULL,
                                    .dv = a->wanted[2] ? p[DV] : NULL,
                                    .accumulate_q = a->accumulate,
                                    .accumulate_k = a->accumulate,
                                    .accumulate_v = a->accumulate};

    d->kernels->attention_bwd(
        d, &(struct dev_attention_bwd_args){
               .of = x,
               .g = g,
               .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &x, true))});
}

/* What a kernel may touch of the last batch element's cache ends with its Lk-th row. */
static int64_t cache_floats(int64_t batch, int64_t rows, int64_t used, int64_t channels)
{
    return ((batch - 1) * rows + used) * channels;
}

static void add_inputs(struct op_call *c, const struct args *a)
{
    const struct shape *s = &a->s;
    int64_t batch = s->B / a->q_per_key;
    int32_t *ids;

    (void) op_typed_in(c, s->B * s->Lq * s->H * s->Dk, 1);
    (void) op_typed_in(c, cache_floats(batch, a->k_rows, s->Lk, s->H * s->Dk), 2);
    (void) op_typed_in(c, cache_floats(batch, a->k_rows, s->Lk, s->H * s->Dv), 3);
    ids = op_in_ids(c, batch * s->Lk, 50, 3, 4);
    if (a->masks == ALL_KEYS)
        memset(ids, 0, (size_t) s->Lk * sizeof *ids);
}

static void begin(struct op_call *c, const struct args *a, const char *what)
{
    const struct shape *s = &a->s;

    /* weights sum to 1; sums of Dk products, then of Lk */
    op_begin(
        c, 2e-6, 2e-5,
        "%s B %d H %d L %d %d D %d %d rows %d per key %d causal %d mask %d rate %g accumulate %d",
        what, (int) s->B, (int) s->H, (int) s->Lq, (int) s->Lk, (int) s->Dk, (int) s->Dv,
        (int) a->k_rows, (int) a->q_per_key, a->causal, a->masks, a->rate, a->accumulate);
    /* weights are rounded by 2^-9 of them, and add up to 2 at most */
    c->bf16_atol = 0x1p-8;
}

static void check_forward(const struct args *a)
{
    struct op_call c;

    begin(&c, a, "attention");
    add_inputs(&c, a);
    (void) op_typed_out(&c, a->s.B * a->s.Lq * a->s.H * a->s.Dv, false, 5);
    op_check(&c, call_forward, a);
}

static void check_backward(const struct args *a)
{
    const struct shape *s = &a->s;
    struct op_call c;

    begin(&c, a, "attention_bwd");
    add_inputs(&c, a);
    /* sums over all queries */
    c.atol *= 1.0 + (double) s->Lq / 16.0;
    c.bf16_atol *= 1.0 + (double) s->Lq / 32.0;
    (void) op_typed_out(&c, s->B * s->Lq * s->H * s->Dk, a->accumulate || !a->wanted[0], 5);
    (void) op_typed_out(&c, s->B * s->Lk * s->H * s->Dk, a->accumulate || !a->wanted[1], 6);
    (void) op_typed_out(&c, s->B * s->Lk * s->H * s->Dv, a->accumulate || !a->wanted[2], 7);
    (void) op_typed_in(&c, s->B * s->Lq * s->H * s->Dv, 8);
    op_check(&c, call_backward, a);
}

/* With `causal` there are at least as many keys as queries: every query sees one. */
static const struct shape shapes[] = {{1, 1, 1, 1, 1, 1},     {2, 3, 1, 7, 5, 3},
                                      {1, 2, 4, 4, 16, 16},   {2, 2, 5, 5, 7, 9},
                                      {1, 1, 3, 17, 16, 1},   {2, 1, 17, 17, 8, 24},
                                      {1, 4, 31, 33, 12, 8},  {1, 1, 32, 32, 64, 64},
                                      {1, 2, 33, 48, 80, 20}, {2, 2, 65, 70, 33, 17},
                                      {1, 1, 100, 130, 4, 4}};
/* More queries than keys. */
static const struct shape wide_shapes[] = {{1, 1, 7, 1, 3, 5},
                                           {2, 2, 40, 9, 8, 8},
                                           {1, 3, 66, 33, 16, 32}};
static const double rates[] = {0.0, 0.1, 0.5};

/* What a GPU gives to its tensor cores: several tiles, the last of them in part, heads narrower
 * than their tile. */
static const struct shape tensor_shapes[] = {{2, 1, 40, 70, 32, 24},
                                             {1, 2, 67, 130, 64, 64},
                                             {1, 1, 66, 100, 96, 128}};

enum { N_SHAPES = sizeof shapes / sizeof *shapes, N_WIDE = 3, N_TENSOR = 3, N_RATES = 3 };

static void for_all_masks(const struct shape *s, bool may_be_causal,
                          void (*check)(const struct args *))
{
    for (int causal = 0; causal <= may_be_causal; causal++)
        for (int masks = NO_MASK; masks <= ALL_KEYS; masks++)
            for (int r = 0; r < N_RATES; r++)
                check(&(struct args){.s = *s,
                                     .k_rows = s->Lk,
                                     .q_per_key = 1,
                                     .causal = causal,
                                     .masks = (enum masks) masks,
                                     .rate = rates[r],
                                     .wanted = {true, true, true},
                                     .accumulate = r == 1});
}

static void test_forward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for_all_masks(&shapes[i], true, check_forward);
    for (int i = 0; i < N_WIDE; i++)
        for_all_masks(&wide_shapes[i], false, check_forward);
    for (int i = 0; i < N_TENSOR; i++)
        for_all_masks(&tensor_shapes[i], true, check_forward);
}

static void test_backward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for_all_masks(&shapes[i], true, check_backward);
    for (int i = 0; i < N_WIDE; i++)
        for_all_masks(&wide_shapes[i], false, check_backward);
    for (int i = 0; i < N_TENSOR; i++)
        for_all_masks(&tensor_shapes[i], true, check_backward);
}

/* ---- beams by an index ---- */

enum { INDEX = 3 };

static void call_indexed(struct dev *d, void *const *p, const void *arg)
{
    struct dev_attention x = arguments(d, arg, p);

    x.at_step = op_step(d, 1.0f, (int32_t) x.Lk - 1);
    x.cache_index = p[INDEX];
    x.out = p[OUT];
    d->kernels->attention(
        d,
        &(struct dev_attention_args){
            .of = x, .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &x, false))});
}

/* Rows of keys and values that lie in other elements: as if each hypothesis had its own copy. */
static void test_cache_index(void **state)
{
    enum { B = 6, ROWS = 9, H = 2, D = 29 }; /* a part of a vector behind whole ones */

    (void) state;
    for (int64_t Lk = 1; Lk <= ROWS; Lk++) {
        struct args a = {.s = {B, H, 1, Lk, D, D}, .k_rows = ROWS, .q_per_key = 1};
        const int64_t n = (int64_t) B * ROWS * H * D;
        struct op_call moved, indexed;
        float *k, *v, *own_k, *own_v, *want, *got;
        int32_t *index;

        begin(&indexed, &a, "attention by an index");
        (void) op_in(&indexed, B * H * D, 1);
        k = op_in(&indexed, n, 2);
        v = op_in(&indexed, n, 3);
        index = op_in_ids(&indexed, 2 * B * ROWS, B, 0, (uint64_t) Lk);
        (void) op_out(&indexed, B * H * D, false, 5);
        begin(&moved, &a, "attention");
        (void) op_in(&moved, B * H * D, 1);
        own_k = op_in(&moved, n, 6);
        own_v = op_in(&moved, n, 7);
        (void) op_in_ids(&moved, 1, 2, 0, 4);
        (void) op_out(&moved, B * H * D, false, 5);
        for (int64_t b = 0; b < B; b++)
            for (int64_t j = 0; j < Lk; j++) {
                int64_t from = index[(Lk - 1) % 2 * B * ROWS + b * ROWS + j];
                size_t to_at = (size_t) ((b * ROWS + j) * H * D);
                size_t from_at = (size_t) ((from * ROWS + j) * H * D);

                memcpy(own_k + to_at, k + from_at, H * D * sizeof *k);
                memcpy(own_v + to_at, v + from_at, H * D * sizeof *v);
            }
        want = op_run_on(op_device("cpu", 2), &moved, call_forward, &a);
        got = op_run_on(op_device("cpu", 2), &indexed, call_indexed, &a);
        assert_memory_equal(got, want, B * H * D * sizeof *got);
        free(want);
        free(got);
        op_release(&moved);
        op_check(&indexed, call_indexed, &a);
    }
}

/* Three keys for each position of a cache (areas), masked by ids that lie as far apart as rows. */
static void call_positions(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_attention x = arguments(d, a, p);

    x.Lk = x.k_rows;
    x.step_keys = 3;
    x.at_step = op_step(d, 1.0f, (int32_t) (a->s.Lk / 3 - 1));
    x.cache_index = p[DQ + 1];
    x.out = p[OUT];
    d->kernels->attention(
        d,
        &(struct dev_attention_args){
            .of = x, .scratch = op_scratch(d, d->kernels->attention_scratch_floats(d, &x, false))});
}

static void test_keys_of_a_position(void **state)
{
    enum { B = 4, ROWS = 12, H = 2, D = 21 };

    (void) state;
    for (int64_t Lk = 3; Lk <= ROWS; Lk += 3) {
        struct args a = {.s = {B, H, 1, Lk, D, D},
                         .k_rows = ROWS,
                         .q_per_key = 1,
                         .masks = SOME_KEYS};
        struct op_call c;

        begin(&c, &a, "attention to positions of three keys");
        (void) op_typed_in(&c, B * H * D, 1);
        (void) op_typed_in(&c, B * ROWS * H * D, 2);
        (void) op_typed_in(&c, B * ROWS * H * D, 3);
        (void) op_in_ids(&c, B * ROWS, 3, 3, 4);
        (void) op_typed_out(&c, B * H * D, false, 5);
        (void) op_in_ids(&c, 2 * B * ROWS, B, 0, 6);
        op_check(&c, call_positions, &a);
    }
}

/* Any of the gradients may be unwanted. */
static void test_backward_without_some(void **state)
{
    (void) state;
    for (int bits = 0; bits < 8; bits++)
        check_backward(&(struct args){.s = shapes[7],
                                      .k_rows = 32,
                                      .q_per_key = 1,
                                      .accumulate = bits & 1,
                                      .wanted = {bits & 1, bits & 2, bits & 4}});
}

/* Decoding: a cache that is partly filled, hypotheses that share a source. */
static void test_caches(void **state)
{
    static const struct shape few[] = {{1, 2, 1, 1, 8, 8},
                                       {4, 2, 1, 5, 7, 3},
                                       {8, 1, 1, 33, 16, 16},
                                       {4, 3, 4, 20, 5, 80},
                                       {8, 2, 6, 17, 9, 16}};

    (void) state;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        for (int masks = NO_MASK; masks <= ALL_KEYS; masks++)
            for (int more = 0; more < 12; more += 11)
                for (int per_key = 1; per_key <= 4; per_key += 3) {
                    struct args a = {.s = few[i],
                                     .k_rows = few[i].Lk + more,
                                     .q_per_key = per_key,
                                     .masks = (enum masks) masks,
                                     .rate = masks ? 0.0 : 0.1};

                    if (few[i].B % per_key == 0)
                        check_forward(&a);
                }
}

/* Large logits must not overflow, and small weights may vanish. */
static void test_large_logits(void **state)
{
    struct args a = {.s = {1, 1, 20, 20, 16, 4}, .k_rows = 20, .q_per_key = 1};
    struct op_call c;
    float *q;

    (void) state;
    begin(&c, &a, "attention with large logits");
    add_inputs(&c, &a);
    q = c.buffers[Q].initial;
    for (int i = 0; i < 20 * 16; i++)
        q[i] *= i < 160 ? 300.0f : 30000.0f;
    (void) op_out(&c, 20 * 4, false, 5);
    op_tolerance(&c, 2e-3,
                 2e-4); /* logits of thousands, whose rounding is multiplied by their size */
    op_check(&c, call_forward, &a);
}

/* A masked key has no influence at all, not even a huge one; a causal query none from later
 * keys. */
static void test_masked_keys_do_not_matter(void **state)
{
    enum { B = 1, H = 2, L = 37, D = 8, SIZE = L * H * D };
    static float q[SIZE], k[SIZE], v[SIZE], out[2][SIZE];
    int32_t ids[L];
    struct dev *d = op_device("cpu", 2);

    (void) state;
    t_fill(q, SIZE, 1);
    t_fill(k, SIZE, 2);
    t_fill(v, SIZE, 3);
    for (int j = 0; j < L; j++)
        ids[j] = j % 3;
    for (int run = 0; run < 2; run++) {
        struct dev_attention a = {.B = B,
                                  .H = H,
                                  .Lq = L,
                                  .Lk = L,
                                  .Dk = D,
                                  .Dv = D,
                                  .k_rows = L,
                                  .q_per_key = 1,
                                  .q = q,
                                  .k = k,
                                  .v = v,
                                  .key_ids = ids,
                                  .scale = 0.3f,
                                  .out = out[run]};
        size_t n = (size_t) d->kernels->attention_scratch_floats(d, &a, false);
        float *scratch = malloc(n * sizeof *scratch);

        assert_non_null(scratch);
        d->kernels->attention(d, &(struct dev_attention_args){.of = a, .scratch = scratch});
        free(scratch);
        for (int j = 0; j < L; j += 3)
            for (int c = 0; c < H * D; c++)
                k[j * H * D + c] = v[j * H * D + c] = 1e6f * (float) (c + 1);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
}

/* ---- gradients ---- */

struct graph_case {
    struct args a;
    bool same; /* one tensor is queries, keys and values */
};

/* Every element has a key.  Where all are masked the original's gradient is that of logit - 1e9 as
 * real numbers, while the float32 loss does not move: no difference can show it. */
static const int32_t key_ids[] = {1, 2, 0, 4, 5, 0, 7, 0, 0, 1, 0, 3};

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *x = arg;
    const struct shape *s = &x->a.s;
    struct gr_tensor *q = op_param(t, "q", 3, s->B, s->Lq, s->H * s->Dk), *k = q, *v = q;
    struct nn_attention a = {
        .heads = s->H, .causal = x->a.causal, .scale = 0.7, .q_per_key = 1, .dropout = x->a.rate};

    if (!x->same) {
        k = op_param(t, "k", 3, s->B, s->Lk, s->H * s->Dk);
        v = op_param(t, "v", 3, s->B, s->Lk, s->H * s->Dv);
    }
    if (x->a.masks != NO_MASK)
        a.key_ids = op_ids(t, s->B, s->Lk, key_ids);
    op_sum_loss(t, nn_attention(t->g, q, k, v, &a));
}

static void test_gradients(void **state)
{
    static const struct graph_case cases[] = {
        {.a = {.s = {2, 2, 3, 5, 3, 4}}},
        {.a = {.s = {2, 2, 6, 6, 2, 3}, .causal = true}},
        {.a = {.s = {2, 1, 4, 6, 3, 2}, .masks = SOME_KEYS}},
        {.a = {.s = {2, 2, 5, 6, 2, 3}, .causal = true, .masks = SOME_KEYS, .rate = 0.3}},
        {.a = {.s = {2, 2, 5, 5, 3, 3}, .rate = 0.5}, .same = true},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        op_check_gradient(build, &cases[i], 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_cache_index), cmocka_unit_test(test_keys_of_a_position),
       cmocka_unit_test(test_forward), cmocka_unit_test(test_backward),
       cmocka_unit_test(test_backward_without_some), cmocka_unit_test(test_caches),
       cmocka_unit_test(test_large_logits), cmocka_unit_test(test_masked_keys_do_not_matter),
       cmocka_unit_test(test_gradients))
