/*
 * tests/ops/test_reference_kernels.c - the specification itself, against values worked out by hand.
 */
#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/device/dropout_bits.h"

static const struct dev_kernels *plain(struct dev **d)
{
    *d = op_device("reference", 1);
    return (*d)->kernels;
}

static const struct dev_dropout no_dropout = {.scale = 1.0f};

static void test_gemm(void **state)
{
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, -1, 1, 3}, bias[] = {10, -20}, c[4];
    static const float product[] = {8, 7, 20, 13}; /* (2,3) by (3,2) */
    static const float finished[] = {18, 0, 30, 0};
    struct dev *d;
    const struct dev_kernels *k = plain(&d);
    const float *A = op_upload(d, a, sizeof a), *B = op_upload(d, b, sizeof b);
    float *C = op_result(d, c, sizeof c);
    struct dev_gemm g = {
        .M = 2, .N = 2, .K = 3, .A = A, .lda = 3, .B = B, .ldb = 2, .C = C, .ldc = 2};

    (void) state;
    k->gemm(d, &g);
    op_fetch();
    t_assert_close(c, product, 4, 0, 0);
    g.bias = op_upload(d, bias, sizeof bias);
    g.activation = DEV_RELU;
    k->gemm(d, &g);
    op_fetch();
    t_assert_close(c, finished, 4, 0, 0);
    g = (struct dev_gemm){.trans_b = true,
                          .M = 1,
                          .N = 2,
                          .K = 3,
                          .A = A,
                          .lda = 3,
                          .B = B,
                          .ldb = 3,
                          .C = C,
                          .ldc = 2,
                          .accumulate = true};
    k->gemm(d, &g); /* 1 + 0 + 6, -1 + 2 + 9, added to 18 and 0 */
    op_fetch();
    assert_true(c[0] == 25.0f && c[1] == 10.0f);
    g = (struct dev_gemm){.trans_a = true,
                          .M = 3,
                          .N = 1,
                          .K = 2,
                          .A = A,
                          .lda = 3,
                          .B = B,
                          .ldb = 1,
                          .C = C,
                          .ldc = 1};
    k->gemm(d, &g); /* a^T (1, 0) */
    op_done();
    assert_true(c[0] == 1.0f && c[1] == 2.0f && c[2] == 3.0f);
}

static void test_dropout_is_what_the_bits_say(void **state)
{
    enum { N = 300 };
    float x[N], y[N];
    struct dev *d;
    const struct dev_kernels *k = plain(&d);
    const struct dev_dropout here = op_host_dropout(0.25, 9);

    (void) state;
    for (int i = 0; i < N; i++)
        x[i] = 3.0f;
    k->dropout(d, &(struct dev_dropout_args){.x = op_upload(d, x, sizeof x),
                                             .n = N,
                                             .dropout = op_dropout(d, 0.25, 9),
                                             .y = op_result(d, y, sizeof y)});
    op_done();
    for (int i = 0; i < N; i++) {
        assert_true(y[i] == 0.0f || y[i] == 4.0f);
        assert_true((y[i] != 0.0f) == (dev_dropout_factor(&here, (uint64_t) i) != 0.0f));
    }
}

static void test_residual(void **state)
{
    float x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40}, out[4];
    int32_t ids[] = {0, 5};
    static const float expected[] = {1, 2, 33, 44}, back[] = {0, 0, 3, 4};
    struct dev *d;
    const struct dev_kernels *k = plain(&d);

    const float *x_there = op_upload(d, x, sizeof x);
    const int32_t *ids_there = op_upload(d, ids, sizeof ids);
    float *out_there = op_result(d, out, sizeof out);

    (void) state;
    k->residual(d, &(struct dev_residual_args){.x = x_there,
                                               .y = op_upload(d, y, sizeof y),
                                               .row_ids = ids_there,
                                               .rows = 2,
                                               .cols = 2,
                                               .dropout = no_dropout,
                                               .out = out_there});
    op_fetch();
    t_assert_close(out, expected, 4, 0, 0);
    k->residual_bwd(d, &(struct dev_residual_bwd_args){.dout = x_there,
                                                       .row_ids = ids_there,
                                                       .rows = 2,
                                                       .cols = 2,
                                                       .dropout = no_dropout,
                                                       .accumulate = false,
                                                       .dy = out_there});
    op_done();
    t_assert_close(out, back, 4, 0, 0);
}

static void test_embed(void **state)
{
    float table[] = {9, 9, 1, 2, 3, 4}, extra[] = {100, 200}, positions[] = {0.5f, 0.25f, 10, 20};
    int32_t ids[] = {1, 0, 2};
    float out[6];
    /* shifted: nothing, id 1, id 0; the third position is not in the table */
    static const float expected[] = {100.5f, 200.25f, 112, 224, 100, 200};
    struct dev *d;
    const struct dev_kernels *k = plain(&d);
    struct dev_embed a = {.B = 1,
                          .L = 3,
                          .D = 2,
                          .ids = op_upload(d, ids, sizeof ids),
                          .table = op_upload(d, table, sizeof table),
                          .scale = 2.0f,
                          .shift = 1,
                          .extra = op_upload(d, extra, sizeof extra),
                          .positions = op_upload(d, positions, sizeof positions),
                          .n_positions = 2};

    (void) state;
    k->embed(d, &(struct dev_embed_args){.of = a, .out = op_result(d, out, sizeof out)});
    op_done();
    t_assert_close(out, expected, 6, 0, 0);
}

static void test_layer_norm(void **state)
{
    float x[] = {1, 3}, scale[] = {2, 3}, bias[] = {10, 20}, y[2], stats[2];
    static const float expected[] = {8, 23}, expected_stats[] = {2, 1}; /* deviation 1 */
    struct dev *d;
    const struct dev_kernels *k = plain(&d);

    (void) state;
    k->layer_norm(d, &(struct dev_layer_norm_args){.x = op_upload(d, x, sizeof x),
                                                   .scale = op_upload(d, scale, sizeof scale),
                                                   .bias = op_upload(d, bias, sizeof bias),
                                                   .rows = 1,
                                                   .D = 2,
                                                   .eps = 0.0f,
                                                   .y = op_result(d, y, sizeof y),
                                                   .stats = op_result(d, stats, sizeof stats)});
    op_done();
    t_assert_close(y, expected, 2, 1e-6, 0);
    t_assert_close(stats, expected_stats, 2, 1e-6, 0);
}

/* Two keys with logits 0 and ln 3: weights 1/4 and 3/4.  The causal query sees the first alone; a
 * query without keys sees all alike. */
static void test_attention(void **state)
{
    float q[] = {1, 1}, keys[] = {0, (float) log(3.0)}, v[] = {8, 4}, out[2];
    int32_t ids[] = {0, 7}, none[] = {0, 0};
    struct dev *d;
    const struct dev_kernels *k = plain(&d);
    struct dev_attention a = {.B = 1,
                              .H = 1,
                              .Lq = 2,
                              .Lk = 2,
                              .Dk = 1,
                              .Dv = 1,
                              .k_rows = 2,
                              .q_per_key = 1,
                              .q = op_upload(d, q, sizeof q),
                              .k = op_upload(d, keys, sizeof keys),
                              .v = op_upload(d, v, sizeof v),
                              .scale = 1.0f,
                              .out = op_result(d, out, sizeof out),
                              .dropout = no_dropout};
    float *scratch = op_scratch(d, k->attention_scratch_floats(d, &a, false));

    (void) state;
    k->attention(d, &(struct dev_attention_args){.of = a, .scratch = scratch});
    op_fetch();
    assert_true(fabs((double) out[0] - 5.0) < 1e-6 && fabs((double) out[1] - 5.0) < 1e-6);
    a.causal = true;
    k->attention(d, &(struct dev_attention_args){.of = a, .scratch = scratch});
    op_fetch();
    assert_true(out[0] == 8.0f && fabs((double) out[1] - 5.0) < 1e-6);
    a.causal = false;
    a.key_ids = op_upload(d, ids, sizeof ids);
    k->attention(d, &(struct dev_attention_args){.of = a, .scratch = scratch});
    op_fetch();
    assert_true(out[0] == 4.0f && out[1] == 4.0f);
    a.key_ids = op_upload(d, none, sizeof none);
    k->attention(d, &(struct dev_attention_args){.of = a, .scratch = scratch});
    op_done();
    assert_true(out[0] == 6.0f && out[1] == 6.0f);
}

/* Logits 0 and ln 3, label 1: p = 3/4. */
static void test_xent(void **state)
{
    float x[] = {1, 5}, table[] = {0, (float) log(3.0)}, stats[8], dx[2], dtable[2];
    int32_t labels[] = {1, 0};
    struct dev *d;
    const struct dev_kernels *k = plain(&d);
    struct dev_xent a = {.N = 2,
                         .D = 1,
                         .V = 2,
                         .x = op_upload(d, x, sizeof x),
                         .table = op_upload(d, table, sizeof table),
                         .labels = op_upload(d, labels, sizeof labels),
                         .step = op_step(d, 1.0f, 0),
                         .dx = op_result(d, dx, sizeof dx),
                         .dtable = op_result(d, dtable, sizeof dtable),
                         .row_stats = op_result(d, stats, sizeof stats)};

    (void) state;
    a.scratch = op_scratch(d, k->xent_scratch_floats(d, &a));
    k->xent(d, &a);
    op_done();
    assert_true(fabs((double) stats[0] + log(0.75)) < 1e-6); /* loss */
    assert_true(stats[1] == 1.0f && stats[3] == 1.0f);
    assert_true(fabs((double) stats[2] - log(0.75)) < 1e-6);
    for (int i = 4; i < 8; i++)
        assert_true(stats[i] == 0.0f); /* label 0 does not count */
    assert_true(fabs((double) dtable[0] - 0.25) < 1e-6 && fabs((double) dtable[1] + 0.25) < 1e-6);
    assert_true(fabs((double) dx[0] + 0.25 * log(3.0)) < 1e-6 && dx[1] == 0.0f);
}

T_MAIN(cmocka_unit_test(test_gemm), cmocka_unit_test(test_dropout_is_what_the_bits_say),
       cmocka_unit_test(test_residual), cmocka_unit_test(test_embed),
       cmocka_unit_test(test_layer_norm), cmocka_unit_test(test_attention),
       cmocka_unit_test(test_xent))
