/* Tests of train/optim/lookahead.c: values by the rule, the last step, a run that goes on,
 * refusals. */
#include <math.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

#include "tests/support/device_floats.h"
#include "train/optim/optimizer.h"

#define CHANGE 0.25f /* of the state, by the forward pass of each step */

enum {
    TRAIN_STEPS = 12,
    N = 3,
    APART = DEV_ALIGN_BYTES / sizeof(float) /* where variables begin in the arena */
};

struct fixture {
    struct gr_params params;
    struct mdl_hparams *hp;
    struct opt_optimizer *o;
};

static enum t2_status fixture_new(struct fixture *f, const char *device, const char *overrides,
                                  struct t2_err *err)
{
    const int64_t n = N;

    memset(f, 0, sizeof *f);
    gr_params_init(&f->params, op_device(device, 1));
    (void) gr_params_get(&f->params, "w", 1, &n, 0, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get_state(&f->params, "mean", 1, &n, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(&f->params, err), T2_OK);
    device_fill(f->params.dev, f->params.values, f->params.n_floats, 1);
    assert_int_equal(mdl_hparams_new("basic_1", &f->hp, err), T2_OK);
    assert_int_equal(mdl_hparams_override(f->hp, "optimizer=sgd,clip_grad_norm=0", err), T2_OK);
    assert_int_equal(mdl_hparams_override(f->hp, overrides, err), T2_OK);
    return opt_new(f->hp, &f->params, &f->o, err);
}

static void fixture_release(struct fixture *f)
{
    opt_free(f->o);
    mdl_hparams_free(f->hp);
    gr_params_release(&f->params);
}

/* Gradients that depend on the step; the state changes, too. */
static void step(struct fixture *f, int64_t number)
{
    const struct gr_variable *mean = gr_params_find(&f->params, "mean");
    struct opt_report report;
    struct t2_err err = T2_ERR_INIT;
    float x[N];

    device_fill(f->params.dev, f->params.grads, f->params.n_floats, 10 + (uint64_t) number);
    device_read(f->params.dev, x, f->params.values + mean->offset, N);
    for (int64_t i = 0; i < N; i++)
        x[i] += CHANGE;
    device_write(f->params.dev, f->params.values + mean->offset, x, N);
    if (opt_step(f->o, number, TRAIN_STEPS, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static float *values_of(const struct fixture *f)
{
    return device_floats(f->params.dev, f->params.values, f->params.n_floats);
}

/* Where the slow weights go, and the fast ones with them. */
static void follow(double *slow, const float *plain, const float *looked, int64_t n, double d)
{
    for (int64_t i = 0; i < n; i++) {
        if (i % APART >= N)
            continue; /* belongs to no variable */
        slow[i] += (1.0 - d) * ((double) plain[i] - slow[i]);
        assert_true(fabs((double) looked[i] - slow[i]) < 2e-6 * (1.0 + fabs(slow[i])));
    }
}

/* Each step of both is computed by SGD alone, from where lookahead left the values. */
static void check_rule(const char *device)
{
    struct fixture plain, f;
    struct t2_err err = T2_ERR_INIT;
    double slow[1024];
    float *x, *y;
    int64_t n;

    assert_int_equal(fixture_new(&plain, device, "lookahead_steps=0", &err), T2_OK);
    assert_int_equal(fixture_new(&f, device, "lookahead_steps=5,lookahead_decay=0.9", &err), T2_OK);
    assert_int_equal(opt_slot_count(plain.o), 0);
    assert_int_equal(opt_slot_count(f.o), 2);
    assert_string_equal(opt_slot_at(f.o, 0).name, "w/Lookahead");
    n = f.params.n_floats;
    assert_true(n <= 1024);
    x = values_of(&f);
    for (int64_t i = 0; i < n; i++)
        slow[i] = (double) (x[i] + (i < APART ? 0.0f : CHANGE)); /* of the first step */
    free(x);
    for (int64_t k = 0; k < TRAIN_STEPS; k++) {
        bool last = k + 1 == TRAIN_STEPS;

        step(&plain, k);
        step(&f, k);
        x = values_of(&plain);
        y = values_of(&f);
        if ((k + 1) % 5 == 0 || last) {
            follow(slow, x, y, n,
                   last ? 1.0 : pow(0.9, 5.0) * pow((double) (k + 1) / TRAIN_STEPS, 3.0));
            device_write(plain.params.dev, plain.params.values, y, n);
        } else {
            assert_memory_equal(x, y, (size_t) n * sizeof(float));
        }
        free(x);
        free(y);
    }
    fixture_release(&plain);
    fixture_release(&f);
}

static void test_rule(void **state)
{
    (void) state;
    check_rule("cpu");
    check_rule("far");
}

/* A second optimizer that takes over values and slots after seven steps goes on with the same
 * bits. */
static void test_continues(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct fixture straight, second;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(fixture_new(&straight, "reference", "lookahead_steps=2", &err), T2_OK);
    assert_int_equal(fixture_new(&second, "reference", "lookahead_steps=2", &err), T2_OK);
    for (int64_t k = 0; k < TRAIN_STEPS; k++) {
        if (k == 7) {
            d->copy(d, second.params.values, straight.params.values,
                    (size_t) straight.params.n_floats * sizeof(float));
            for (size_t i = 0; i < opt_slot_count(straight.o); i++)
                d->copy(d, opt_slot_at(second.o, i).values, opt_slot_at(straight.o, i).values,
                        (size_t) opt_slot_at(straight.o, i).n * sizeof(float));
            opt_set_updates(second.o, 7);
        }
        step(&straight, k);
        if (k >= 7)
            step(&second, k);
    }
    device_assert_same(d, straight.params.values, d, second.params.values, N);
    fixture_release(&straight);
    fixture_release(&second);
}

static void test_refused(void **state)
{
    static const char *const bad[][2] = {{"lookahead_steps=-1",
                                          "hparam 'lookahead_steps' must not be negative"},
                                         {"lookahead_decay=1.5",
                                          "hparam 'lookahead_decay' must be from 0 to 1, not 1.5"}};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct fixture f;

        assert_int_equal(fixture_new(&f, "cpu", bad[i][0], &err), T2_EUSAGE);
        t_assert_contains(err.message, bad[i][1]);
        fixture_release(&f);
    }
}

T_MAIN(cmocka_unit_test(test_rule), cmocka_unit_test(test_continues),
       cmocka_unit_test(test_refused))
