/*
 * tests/ops/test_draw.c - numbers that a step draws: those of the host's streams, by the row in the
 * batch of all ranks, the same on all devices.
 */
#include "train/ops/draw.h"

#include <stdlib.h>

#include "base/rng.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum { SEED = 9, STEP = 123457, ROWS = 37, BRANCHES = 3, COLS = 11, NUMBER = 5 };

static struct dev_step step_from(int32_t first_row)
{
    struct dev_step s = {.dropout_step = {STEP, 0}, .first_row = first_row};

    t2_rng_key(SEED, T2_RNG_BRANCH, s.branch_key);
    t2_rng_key(SEED, T2_RNG_SYMBOL, s.symbol_key);
    return s;
}

struct draw_case {
    int32_t first_row, rows;
    bool given;
    uint32_t branch;
};

static void call_keep(struct dev *d, void *const *p, const void *arg)
{
    const struct draw_case *c = arg;
    struct dev_step s = step_from(c->first_row);

    d->kernels->draw_keep(d, &(struct dev_draw_keep_args){.step = op_step_of(d, &s),
                                                          .number = NUMBER,
                                                          .rate = 0.3,
                                                          .rows = c->rows,
                                                          .out = p[0]});
}

static void call_share(struct dev *d, void *const *p, const void *arg)
{
    const struct draw_case *c = arg;
    struct dev_step s = step_from(c->first_row);

    d->kernels->draw_share(d, &(struct dev_draw_share_args){.step = op_step_of(d, &s),
                                                            .set = NUMBER,
                                                            .branches = BRANCHES,
                                                            .branch = c->branch,
                                                            .given = c->given ? p[1] : NULL,
                                                            .rows = c->rows,
                                                            .out = p[0]});
}

static void call_ids(struct dev *d, void *const *p, const void *arg)
{
    const struct draw_case *c = arg;
    struct dev_step s = step_from(c->first_row);

    d->kernels->drop_ids(d, &(struct dev_drop_ids_args){.step = op_step_of(d, &s),
                                                        .number = 1,
                                                        .rate = 0.4,
                                                        .rows = c->rows,
                                                        .cols = COLS,
                                                        .ids = p[0]});
}

static void call_normal(struct dev *d, void *const *p, const void *arg)
{
    const struct draw_case *c = arg;
    struct dev_step s = step_from(c->first_row);

    d->kernels->add_normal(d, &(struct dev_add_normal_args){.type = op_type(),
                                                            .step = op_step_of(d, &s),
                                                            .number = NUMBER,
                                                            .x = c->given ? p[1] : NULL,
                                                            .s = p[c->given ? 2 : 1],
                                                            .rows = c->rows,
                                                            .cols = COLS,
                                                            .accumulate = c->branch > 0,
                                                            .y = p[0]});
}

/* Outputs of rows first_row … of the batch of ROWS, on the reference. */
static float *run(op_kernel_fn call, struct draw_case how, int64_t n, bool ids)
{
    struct op_call c;
    float *out;

    op_begin(&c, 0.0, 0.0, "draw");
    if (ids) {
        int32_t *values = op_in_ids(&c, n, 2, 0, 1);

        for (int64_t i = 0; i < n; i++)
            values[i] = 1;
        c.buffers[0].output = true;
    } else {
        (void) op_out(&c, n, false, 1);
    }
    out = op_run_on(op_device("reference", 1), &c, call, &how);
    op_release(&c);
    return out;
}

static void test_kernels_agree(void **state)
{
    (void) state;
    for (int given = 0; given < 2; given++)
        for (uint32_t branch = 0; branch < BRANCHES; branch++) {
            struct draw_case how = {3, ROWS, given, branch};
            struct op_call c;

            op_begin(&c, 0.0, 0.0, "share of %u, given %d", branch, given);
            (void) op_out(&c, ROWS, false, 1);
            (void) op_in(&c, BRANCHES * ROWS, 2);
            op_check(&c, call_share, &how);
        }
    for (int ids = 0; ids < 2; ids++) {
        struct draw_case how = {3, ROWS, false, 0};
        struct op_call c;

        op_begin(&c, 0.0, 0.0, ids ? "drop_ids" : "draw_keep");
        if (ids) {
            (void) op_in_ids(&c, ROWS * COLS, 100, 0, 1);
            c.buffers[0].output = true;
        } else {
            (void) op_out(&c, ROWS, false, 1);
        }
        op_check(&c, ids ? call_ids : call_keep, &how);
    }
}

static void test_noise_agrees(void **state)
{
    (void) state;
    for (int given = 0; given < 2; given++)
        for (uint32_t accumulate = 0; accumulate < 2; accumulate++) {
            /* more than one piece of the CPU's work */
            struct draw_case how = {3, 1000 + ROWS, given, accumulate};
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "noise, given %d, accumulate %u", given, accumulate);
            (void) op_typed_out(&c, how.rows * COLS, accumulate, 1);
            if (given)
                (void) op_typed_in(&c, how.rows * COLS, 2);
            (void) op_typed_in(&c, how.rows * COLS, 3);
            op_check(&c, call_normal, &how);
        }
}

/* Noise of the deviation 1. */
static float *run_normal(struct draw_case how)
{
    struct op_call c;
    float *s, *out;

    op_begin(&c, 0.0, 0.0, "noise");
    (void) op_out(&c, (int64_t) how.rows * COLS, false, 1);
    s = op_in(&c, (int64_t) how.rows * COLS, 2);
    for (int i = 0; i < how.rows * COLS; i++)
        s[i] = 1.0f;
    out = op_run_on(op_device("reference", 1), &c, call_normal, &how);
    op_release(&c);
    return out;
}

static void test_noise_is_the_stream_of_the_host(void **state)
{
    float *all = run_normal((struct draw_case){0, ROWS, false, 0});
    float *part = run_normal((struct draw_case){13, 7, false, 0});
    struct t2_rng rng;

    (void) state;
    t2_rng_init(&rng, SEED, T2_RNG_BRANCH, STEP, NUMBER);
    for (int i = 0; i < ROWS * COLS; i++)
        assert_true(all[i] == (float) t2_rng_normal(&rng));
    assert_memory_equal(all + 13 * COLS, part, 7 * COLS * sizeof *all);
    free(part);
    free(all);
}

static void build_noise(struct op_graph *t, const void *arg)
{
    const bool *same = arg;
    struct gr_tensor *x = op_param(t, "x", 3, 4, 3, 5);
    struct gr_tensor *s = *same ? x : op_param(t, "s", 3, 4, 3, 5);

    op_sum_loss(t, nn_add_normal(t->g, nn_add_normal(t->g, x, s, NUMBER), s, NUMBER + 1));
}

/* Backward has the numbers of forward; what adds to one tensor several times adds up. */
static void test_gradient_of_noise(void **state)
{
    (void) state;
    for (int same = 0; same < 2; same++) {
        bool is_same = same;

        op_check_gradient(build_noise, &is_same, 1e-2, 1e-3);
    }
}

/* Which numbers they are is part of the reproducibility contract. */
static void test_they_are_the_streams_of_the_host(void **state)
{
    struct draw_case all = {0, ROWS, false, 1};
    float *keep = run(call_keep, all, ROWS, false), *share = run(call_share, all, ROWS, false);
    float *ids = run(call_ids, all, ROWS * COLS, true);
    struct t2_rng rng, sets[BRANCHES];

    (void) state;
    t2_rng_init(&rng, SEED, T2_RNG_BRANCH, STEP, NUMBER);
    for (int r = 0; r < ROWS; r++)
        assert_true(keep[r] ==
                    (t2_rng_uniform_double(&rng) < 0.3 ? 0.0f : (float) (1.0 / (1.0 - 0.3))));
    for (uint64_t b = 0; b < BRANCHES; b++)
        t2_rng_init(&sets[b], SEED, T2_RNG_BRANCH, STEP, NUMBER * BRANCHES + b);
    for (int r = 0; r < ROWS; r++) {
        float u[BRANCHES], sum = 0.0f;

        for (int b = 0; b < BRANCHES; b++)
            sum += u[b] = t2_rng_uniform(&sets[b]);
        assert_true(share[r] == u[1] / sum);
    }
    t2_rng_init(&rng, SEED, T2_RNG_SYMBOL, STEP, 1);
    for (int i = 0; i < ROWS * COLS; i++)
        assert_int_equal(((const int32_t *) (const void *) ids)[i],
                         t2_rng_uniform_double(&rng) < 1.0 - 0.4);
    free(ids);
    free(share);
    free(keep);
}

/* The rows that a rank has draw what they would draw in the whole batch. */
static void test_rows_of_a_rank(void **state)
{
    static const op_kernel_fn calls[] = {call_keep, call_share, call_ids};

    (void) state;
    for (int k = 0; k < 3; k++) {
        int64_t cols = k == 2 ? COLS : 1;
        float *all = run(calls[k], (struct draw_case){0, ROWS, false, 2}, ROWS * cols, k == 2);
        float *part = run(calls[k], (struct draw_case){13, 7, false, 2}, 7 * cols, k == 2);

        assert_memory_equal(all + 13 * cols, part, (size_t) (7 * cols) * sizeof *all);
        free(part);
        free(all);
    }
}

T_MAIN(cmocka_unit_test(test_kernels_agree),
       cmocka_unit_test(test_they_are_the_streams_of_the_host),
       cmocka_unit_test(test_rows_of_a_rank), cmocka_unit_test(test_noise_agrees),
       cmocka_unit_test(test_noise_is_the_stream_of_the_host),
       cmocka_unit_test(test_gradient_of_noise))
