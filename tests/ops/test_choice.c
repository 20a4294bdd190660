/*
 * tests/ops/test_choice.c - the end of a step of decoding: the best ids of a row against sorting
 * all of them, ids that are drawn, and every device against the reference loops.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum { MAX_VOCAB = 5000, MAX_N = 16, ROWS = 5 };

/* ---- calls ---- */

struct args {
    int64_t V, stride, n;
    bool draws;
    double temperature;
    int64_t keep_top_k;
    double keep_top_p; /* 0: all */
};

static double top_p(const struct args *a)
{
    return a->keep_top_p > 0 ? a->keep_top_p : 1.0;
}

enum { LOGITS, ASKS, BEST };

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    const struct dev_kernels *k = d->kernels;

    if (a->draws)
        k->draw_ids(d,
                    &(struct dev_draw_ids_args){
                        .logits = p[LOGITS],
                        .rows = ROWS,
                        .V = a->V,
                        .stride = a->stride,
                        .asks = p[ASKS],
                        .temperature = a->temperature,
                        .keep_top_k = a->keep_top_k,
                        .keep_top_p = top_p(a),
                        .drawn = p[BEST],
                        .scratch = op_scratch(d, k->draw_ids_scratch_floats(d, a->V, a->keep_top_k,
                                                                            top_p(a)))});
    else
        k->best_ids(d, &(struct dev_best_ids_args){
                           .logits = p[LOGITS],
                           .rows = ROWS,
                           .V = a->V,
                           .stride = a->stride,
                           .asks = p[ASKS],
                           .n = a->n,
                           .best = p[BEST],
                           .scratch = op_scratch(d, k->best_ids_scratch_floats(d, a->V))});
}

/* Row 2 is not asked for. */
static void begin(struct op_call *c, const struct args *a, const float *logits,
                  const struct dev_ask *ask)
{
    struct dev_ask asks[ROWS];
    float *x;

    op_begin(c, 1e-6, 2e-6, "%s V %d n %d keep %d temperature %g", a->draws ? "draw" : "best",
             (int) a->V, (int) a->n, (int) a->keep_top_k, a->temperature);
    x = op_in(c, (ROWS - 1) * a->stride + a->V, 1);
    for (int r = 0; r < ROWS; r++) {
        memcpy(x + r * a->stride, logits, (size_t) a->V * sizeof *x);
        x[r * a->stride + r % a->V] += 0.5f * (float) r;
        asks[r] = *ask;
        asks[r].draw = fmod(ask->draw + 0.21 * r, 1.0);
        asks[r].wanted = r != 2;
    }
    memcpy(op_in(c, (int64_t) sizeof asks / 4, 1), asks, sizeof asks);
    (void) op_out(c, 2 * ROWS * a->n, true, 5);
}

/* The ids, which op_check takes for tiny numbers.  Two may change places where their scores are
 * the same but for the last bits of the sum. */
static void compare_ids(const struct op_call *c, const struct args *a)
{
    struct dev_candidate *want = (void *) op_run_on(op_device("reference", 1), c, call, a);
    struct dev_candidate *got = (void *) op_run_on(op_device("cpu", 2), c, call, a);

    for (int64_t i = 0; i < ROWS * a->n; i++)
        if (got[i].id != want[i].id && got[i].score != want[i].score)
            fail_msg("%s: place %d is %d (%.9g), expected %d (%.9g)", c->what, (int) i, got[i].id,
                     (double) got[i].score, want[i].id, (double) want[i].score);
    free(want);
    free(got);
}

static void check(const struct args *a, const float *logits, const struct dev_ask *ask)
{
    struct op_call c;

    begin(&c, a, logits, ask);
    compare_ids(&c, a);
    op_check(&c, call, a);
}

/* ---- the best ids ---- */

static float logits[MAX_VOCAB];

static void fill(int64_t V, uint64_t seed, float spread, float quantum)
{
    t_fill(logits, (size_t) V, seed);
    for (int64_t v = 0; v < V; v++) {
        logits[v] *= spread;
        if (quantum > 0)
            logits[v] = roundf(logits[v] / quantum) * quantum;
    }
}

static int by_score(const void *a, const void *b)
{
    const struct dev_candidate *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Row 0 of cpu against a full sort of the same float32 expression.  Its sum may differ in the last
 * bits, so that of the argmax's log-probability is tried, and its neighbours. */
static void check_sorted(int64_t V, int64_t n, float alive, float penalty)
{
    static struct dev_candidate sorted[MAX_VOCAB];
    const struct dev_ask ask = {.alive = alive, .penalty = penalty};
    struct args a = {.V = V, .stride = V, .n = 1};
    struct op_call c;
    struct dev_candidate *top, *best;
    bool same = false;
    float lse;

    begin(&c, &a, logits, &ask);
    top = (void *) op_run_on(op_device("cpu", 1), &c, call, &a);
    op_release(&c);
    lse = logits[top->id] - top->score;
    free(top);
    a.n = n;
    begin(&c, &a, logits, &ask);
    best = (void *) op_run_on(op_device("cpu", 1), &c, call, &a);
    op_release(&c);
    for (float sum = nextafterf(lse, -INFINITY); sum <= nextafterf(lse, INFINITY) && !same;
         sum = nextafterf(sum, INFINITY)) {
        for (int32_t i = 0; i < V; i++)
            sorted[i] = (struct dev_candidate){(logits[i] - sum + alive) / penalty, i};
        qsort(sorted, (size_t) V, sizeof *sorted, by_score);
        same = memcmp(sorted, best, (size_t) n * sizeof *best) == 0;
    }
    if (!same)
        fail_msg("V %d, n %d, alive %g: not what sorting gives", (int) V, (int) n, (double) alive);
    free(best);
}

static void test_best(void **state)
{
    static const int64_t sizes[] = {2,  3,   8,   15,  16,  17,  31,  33,  63,   64,
                                    65, 127, 128, 255, 256, 257, 271, 512, 1000, 4999};
    static const float spreads[] = {0.1f, 8.0f,
                                    200.0f}; /* with the last most exponentials vanish */

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int s = 0; s < 3; s++)
            for (int64_t n = 1; n <= MAX_N && n <= sizes[i]; n += n < 4 ? 1 : 5) {
                struct args a = {.V = sizes[i], .stride = sizes[i] + 3 * (s == 1), .n = n};

                fill(a.V, (uint64_t) (a.V * 100 + n), spreads[s], 0);
                check(&a, logits, &(struct dev_ask){.alive = -13.25f, .penalty = 1.7f});
                if (n > 1) {
                    check_sorted(a.V, n, 0, 1);
                    check_sorted(a.V, n, -13.25f, 1.7f);
                }
            }
}

static void test_ties_go_to_the_lower_id(void **state)
{
    struct args a = {.V = 1000, .stride = 1000, .n = 8};

    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        fill(1000, seed, 3, 1);
        check(&a, logits, &(struct dev_ask){.alive = -2, .penalty = 1.3f});
        check_sorted(1000, 8, -2, 1.3f);
    }
    /* log-probabilities that only become equal by rounding */
    fill(1000, 77, 1, 0);
    check_sorted(1000, 8, -1e7f, 1);
    for (int v = 0; v < 1000; v++)
        logits[v] = 4;
    check_sorted(1000, 8, 0, 1);
}

static struct dev_candidate first_of(const struct args *a, const char *device)
{
    struct op_call c;
    struct dev_candidate *best, first;

    begin(&c, a, logits, &(struct dev_ask){.penalty = 1, .draw = 0.5});
    best = (void *) op_run_on(op_device(device, 1), &c, call, a);
    first = *best;
    free(best);
    op_release(&c);
    return first;
}

static const char *const devices[] = {"reference", "cpu"};

static void test_argmax(void **state)
{
    const struct args a = {.V = 300, .stride = 300, .n = 1}, two = {.V = 2, .stride = 2, .n = 1};

    (void) state;
    for (int d = 0; d < 2; d++) {
        struct dev_candidate c;

        for (int32_t at = 0; at < 300; at += 7) {
            fill(300, 5, 1, 0);
            logits[at] = logits[299] = 9;
            c = first_of(&a, devices[d]);
            assert_int_equal(c.id, at);
            assert_true(c.score < 0 && c.score > -1);
        }
        logits[0] = logits[1] = 0;
        c = first_of(&two, devices[d]);
        assert_int_equal(c.id, 0);
        assert_true(fabsf(c.score + 0.69314718f) < 1e-6f);
    }
}

static void test_not_finite(void **state)
{
    static const float odd[] = {NAN, INFINITY};
    struct args all[] = {{.V = 100, .stride = 100, .n = 1},
                         {.V = 100, .stride = 100, .n = 4},
                         {.V = 100, .stride = 100, .n = 1, .draws = true, .temperature = 1}};

    (void) state;
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 2; i++)
                for (int32_t at = 0; at < 100; at += 9) {
                    fill(100, 5, 1, 0);
                    logits[at] = odd[i];
                    assert_int_equal(first_of(&all[k], devices[d]).id, -1);
                }
            /* an id that is masked is not an error, but for what is drawn */
            fill(100, 5, 1, 0);
            logits[17] = -INFINITY;
            assert_true((first_of(&all[k], devices[d]).id >= 0) == !all[k].draws);
        }
}

/* ---- drawing ---- */

static void test_draw(void **state)
{
    static const int64_t keep[] = {-1, 1, 3, 40, 99, 100, 1000};
    static const double temperatures[] = {0.1, 1.0, 3.0};

    (void) state;
    for (int i = 0; i < 7; i++)
        for (int t = 0; t < 3; t++)
            for (double draw = 0.0; draw < 1.0; draw += 0.0731) {
                struct args a = {.V = 100,
                                 .stride = 117,
                                 .n = 1,
                                 .draws = true,
                                 .temperature = temperatures[t],
                                 .keep_top_k = keep[i],
                                 .keep_top_p = fmod(draw * 7 + 0.3, 1.3)};

                a.keep_top_p = a.keep_top_p < 1 ? a.keep_top_p : 1;

                fill(100, (uint64_t) i, 4, i % 2 ? 0.5f : 0);
                check(&a, logits, &(struct dev_ask){.draw = draw});
            }
}

/* By hand: softmax of 0, 2 log 2 at temperature 2 is 1/3, 2/3. */
static void test_draw_by_hand(void **state)
{
    struct args a = {.V = 4, .stride = 4, .n = 1, .draws = true, .temperature = 2};

    (void) state;
    for (int d = 0; d < 2; d++) {
        const struct {
            double draw;
            int64_t keep;
            int32_t id;
        } rows[] = {{0.0, 2, 0}, {0.333, 2, 0}, {0.334, 2, 2}, {0.999, 2, 2}, {0.0, 1, 2}};

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct op_call c;
            struct dev_candidate *drawn;

            logits[0] = 0;
            logits[1] = logits[3] = -5;
            logits[2] = 2 * logf(2);
            a.keep_top_k = rows[i].keep;
            begin(&c, &a, logits, &(struct dev_ask){.draw = rows[i].draw});
            drawn = (void *) op_run_on(op_device(devices[d], 1), &c, call, &a);
            assert_int_equal(drawn->id, rows[i].id);
            assert_true(fabs((double) drawn->score -
                             ((double) logits[drawn->id] - log(5 + 2 * exp(-5)))) < 1e-6);
            free(drawn);
            op_release(&c);
        }
    }
}

T_MAIN(cmocka_unit_test(test_best), cmocka_unit_test(test_ties_go_to_the_lower_id),
       cmocka_unit_test(test_argmax), cmocka_unit_test(test_not_finite),
       cmocka_unit_test(test_draw), cmocka_unit_test(test_draw_by_hand))
