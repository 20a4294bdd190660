/*
 * tests/ops/test_optimizer_pieces.c - what surrounds the update rules: norm and clipping, decay,
 * noise, moving averages, lookahead, the regulariser, the search for what is not finite.  Every
 * device gives the bits of the reference.
 */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

#include "tests/support/piece_tables.h"

static struct dev_optimizer_step step_of(bool looks, bool finite)
{
    struct dev_optimizer_step s = {.noise_step = {7, 0},
                                   .updates = 3,
                                   .rate = 0.02F,
                                   .numbers = {[DEV_ENCODING_NOISE] = 0.2F},
                                   .weight_noise = looks ? 0.01F : 0.0F,
                                   .average_rest = 0.125F,
                                   .look_take = 0.3F,
                                   .looks = looks,
                                   .finite = finite,
                                   .scale = 0.7F};

    t2_rng_key(5, T2_RNG_NOISE, s.noise_key);
    return s;
}

static void begin(struct op_call *c, const char *name, bool looks, bool finite, bool step_changes)
{
    const struct dev_optimizer_step step = step_of(looks, finite);

    op_begin(c, 0.0, 0.0, "%s looks %d finite %d", name, looks, finite);
    pieces_add(c, pieces_table, sizeof pieces_table, false);
    pieces_add(c, &step, sizeof step, step_changes);
}

static void call_set(struct dev *d, void *const *p, const void *arg)
{
    const struct dev_optimizer_step *step = arg;

    d->kernels->set_optimizer_step(d, &(struct dev_set_optimizer_step_args){.value = *step,
                                                                            .to = p[0]});
}

static void test_set(void **state)
{
    const struct dev_optimizer_step step = step_of(true, true);
    struct op_call c;

    (void) state;
    op_begin(&c, 0.0, 0.0, "set_optimizer_step");
    (void) op_out(&c, (int64_t) (sizeof step / sizeof(float)), false, 1);
    op_check(&c, call_set, &step);
}

struct clipping {
    double norm;
    float noise;
};

static void call_prepare(struct dev *d, void *const *p, const void *arg)
{
    const struct clipping *how = arg;

    d->kernels->prepare_gradients(d, &(struct dev_prepare_gradients_args){
                                         .pieces = p[0],
                                         .n_pieces = PIECES_N,
                                         .values = p[2],
                                         .grads = p[3],
                                         .gradient_noise = how->noise,
                                         .clip_norm = how->norm,
                                         .step = p[1],
                                         .sums = (double *) (void *) op_scratch(d, 4 * PIECES_N)});
}

static void test_prepare(void **state)
{
    static const struct clipping hows[] = {{0.0, 0.0F}, {1.5, 0.0F}, {1e6, 0.1F}};

    (void) state;
    for (int bits = 0; bits < 4; bits++)
        for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
            struct op_call c;
            float *grads;

            begin(&c, "prepare_gradients", bits & 1, false, true);
            (void) pieces_arena(&c, 2, false);
            grads = pieces_arena(&c, 3, false);
            grads[10] = INFINITY; /* nobody's */
            if (bits & 2)
                grads[64 + 32768 + 3] = NAN;
            op_check(&c, call_prepare, &hows[i]);
        }
}

/* Norm, scale and the first bad piece by hand. */
static void test_norm(void **state)
{
    static const struct clipping how = {1.5, 0.0F};

    (void) state;
    for (int bad = 0; bad < 3; bad++) {
        struct dev_optimizer_step got;
        struct op_call c;
        float *out, *grads;

        begin(&c, "prepare_gradients", false, false, true);
        memset(pieces_arena(&c, 2, false), 0, PIECES_FLOATS * sizeof *grads);
        grads = pieces_arena(&c, 3, false);
        memset(grads, 0, PIECES_FLOATS * sizeof *grads);
        grads[0] = 3.0F;
        grads[64 + 32768 + 128] = bad == 2 ? 3e38F : bad ? -INFINITY : 4.0F;
        out = op_run_on(op_device("cpu", 1), &c, call_prepare, &how);
        memcpy(&got, out, sizeof got);
        assert_int_equal(got.finite, bad != 1);
        assert_int_equal(got.bad, bad == 1 ? 3 : -1);
        if (bad == 0)
            assert_true(got.norm == 5.0 && got.scale == (float) (1.5 / 5.0));
        free(out);
        op_release(&c);
    }
}

static void call_average(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->moving_average(d, &(struct dev_moving_average_args){.pieces = p[0],
                                                                    .n_pieces = PIECES_N,
                                                                    .step = p[1],
                                                                    .values = p[2],
                                                                    .averages = p[3]});
}

static void call_encode(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->encode_weights(d, &(struct dev_encode_weights_args){.pieces = p[0],
                                                                    .n_pieces = PIECES_N,
                                                                    .step = p[1],
                                                                    .values = p[2]});
}

static void call_lookahead(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->lookahead(d, &(struct dev_lookahead_args){.pieces = p[0],
                                                          .n_pieces = PIECES_N,
                                                          .step = p[1],
                                                          .values = p[2],
                                                          .slow = p[3]});
}

static void call_exchange(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->exchange(
        d, &(struct dev_exchange_args){.pieces = p[0], .n_pieces = PIECES_N, .a = p[2], .b = p[3]});
}

static void test_behind_the_update(void **state)
{
    (void) state;
    for (int bits = 0; bits < 4; bits++) {
        struct op_call c;

        begin(&c, "moving_average", bits & 1, bits & 2, false);
        (void) pieces_in(&c, 2);
        (void) pieces_arena(&c, 3, false);
        op_check(&c, call_average, NULL);
        begin(&c, "encode_weights", bits & 1, bits & 2, false);
        (void) pieces_arena(&c, 2, false);
        op_check(&c, call_encode, NULL);
        begin(&c, "lookahead", bits & 1, bits & 2, false);
        (void) pieces_arena(&c, 2, false);
        (void) pieces_arena(&c, 3, false);
        op_check(&c, call_lookahead, NULL);
        begin(&c, "exchange", bits & 1, bits & 2, false);
        (void) pieces_arena(&c, 2, false);
        (void) pieces_arena(&c, 3, false);
        op_check(&c, call_exchange, NULL);
    }
}

static void call_regularise(struct dev *d, void *const *p, const void *arg)
{
    const bool *gradients = arg;

    d->kernels->regularise(
        d, &(struct dev_regularise_args){.pieces = p[0],
                                         .n_pieces = PIECES_N,
                                         .values = p[1],
                                         .grads = *gradients ? p[2] : NULL,
                                         .sums = (double *) (void *) op_scratch(d, 2 * PIECES_N),
                                         .sum = p[3]});
}

static void test_regularise(void **state)
{
    (void) state;
    for (int i = 0; i < 2; i++) {
        bool gradients = i;
        struct op_call c;

        op_begin(&c, 0.0, 0.0, "regularise gradients %d", i);
        pieces_add(&c, pieces_table, sizeof pieces_table, false);
        (void) pieces_in(&c, 2);
        (void) pieces_arena(&c, 3, false);
        (void) op_out(&c, 2, false, 4);
        op_check(&c, call_regularise, &gradients);
    }
}

struct search {
    int64_t n;
    bool squares;
};

static void call_find(struct dev *d, void *const *p, const void *arg)
{
    const struct search *s = arg;

    d->kernels->find_not_finite(d, &(struct dev_find_not_finite_args){
                                       .x = p[0], .n = s->n, .squares = s->squares, .first = p[1]});
}

/* Nothing, the last one, several in pieces that threads see in any order; squares beyond the
 * largest float. */
static void test_find(void **state)
{
    static const struct {
        int64_t n, at[3];
        float bad;
        int64_t first[2]; /* without squares, with */
    } cases[] = {{1, {-1, -1, -1}, 0.0F, {1, 1}},
                 {100000, {-1, -1, -1}, 0.0F, {100000, 100000}},
                 {100000, {99999, -1, -1}, NAN, {99999, 99999}},
                 {100000, {99999, 40000, 70000}, INFINITY, {40000, 40000}},
                 {100000, {5, 32767, 32768}, -INFINITY, {5, 5}},
                 {33000, {32768, 7, -1}, 3e19F, {33000, 7}}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int squares = 0; squares < 2; squares++) {
            const struct search s = {cases[i].n, squares};
            struct op_call c;
            int64_t first;
            float *x, *out;

            op_begin(&c, 0.0, 0.0, "find_not_finite %zu squares %d", i, squares);
            x = op_in(&c, s.n, 1);
            for (int k = 0; k < 3; k++)
                if (cases[i].at[k] >= 0)
                    x[cases[i].at[k]] = cases[i].bad;
            (void) op_out(&c, 2, false, 2);
            out = op_run_on(op_device("cpu", 2), &c, call_find, &s);
            memcpy(&first, out, sizeof first);
            assert_int_equal(first, cases[i].first[squares]);
            free(out);
            op_check(&c, call_find, &s);
        }
}

T_MAIN(cmocka_unit_test(test_set), cmocka_unit_test(test_prepare), cmocka_unit_test(test_norm),
       cmocka_unit_test(test_behind_the_update), cmocka_unit_test(test_regularise),
       cmocka_unit_test(test_find))
