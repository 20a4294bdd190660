/* Tests of train/optim/optimizer.c: what all optimizers share. */
#include "train/optim/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"
#include "train/optim/method.h"

static double sum_of_squares(const struct steps *s, const float *arena, bool without_bias)
{
    double sum = 0;

    for (int v = without_bias ? 1 : 0; v < s->params.n_variables; v++) {
        const struct gr_variable *w = &s->params.variables[v];

        for (int64_t i = w->offset; i < w->offset + w->n; i++)
            sum += (double) arena[i] * (double) arena[i];
    }
    return sum;
}

static void test_report(void **state)
{
    struct opt_report report;
    struct steps s;
    double expected;

    (void) state;
    steps_new(&s, "optimizer=sgd");
    steps_fill_grads(&s, 0);
    expected = sqrt(sum_of_squares(&s, s.g, false));
    report = steps_run(&s);
    assert_true(fabs(report.gradient_norm - expected) < 1e-12);
    assert_true(report.learning_rate == 0.01);
    assert_true(report.weight_decay_loss == 0.0);
    assert_string_equal(opt_name(s.o), "sgd");
    assert_int_equal(opt_slot_count(s.o), 0);
    assert_int_equal(opt_updates(s.o), 1);
    steps_release(&s);
}

/* Everything decays but rank-1 variables whose name ends in "bias". */
static void test_weight_decay(void **state)
{
    struct steps s, plain;
    struct opt_report report;
    double expected;

    (void) state;
    steps_new(&s, "optimizer=sgd,weight_decay=0.5");
    steps_new(&plain, "optimizer=sgd");
    expected = 0.5 * 0.5 * sum_of_squares(&s, s.x, true);
    report = steps_run(&s);
    steps_run(&plain);
    assert_true(fabs(report.weight_decay_loss - expected) < 1e-6);
    for (int v = 0; v < s.params.n_variables; v++) {
        const struct gr_variable *w = &s.params.variables[v];
        float x[64], values[64];

        t_fill(x, (size_t) w->n, (uint64_t) v + 1);
        for (int64_t i = 0; i < w->n; i++)
            values[i] = plain.x[w->offset + i] - (v == 0 ? 0 : 0.01F * 0.5F * x[i]);
        t_assert_close(s.x + w->offset, values, (size_t) w->n, 1e-6, 0);
    }
    steps_release(&s);
    steps_release(&plain);
}

static void test_clipping(void **state)
{
    struct steps s, plain;
    double norm;

    (void) state;
    steps_new(&s, "optimizer=sgd,clip_grad_norm=0.5");
    steps_new(&plain, "optimizer=sgd");
    norm = steps_run(&s).gradient_norm; /* before clipping */
    steps_run(&plain);
    assert_true(norm > 1);
    for (int64_t i = 0; i < 5; i++) {
        float x[5], expected;

        t_fill(x, 5, 1);
        expected = x[i] + (plain.x[i] - x[i]) * (float) (0.5 / norm);
        t_assert_close(&s.x[i], &expected, 1, 1e-6, 0);
    }
    steps_release(&s);
    steps_release(&plain);
    /* below the threshold nothing is scaled */
    steps_new(&s, "optimizer=sgd,clip_grad_norm=1000");
    steps_new(&plain, "optimizer=sgd");
    steps_run(&s);
    steps_run(&plain);
    assert_memory_equal(s.x, plain.x, (size_t) s.params.n_floats * sizeof(float));
    steps_release(&s);
    steps_release(&plain);
}

static void test_not_finite(void **state)
{
    const float bad[] = {(float) INFINITY, -(float) INFINITY, (float) NAN};

    (void) state;
    for (int k = 0; k < 3; k++) {
        struct t2_err err = T2_ERR_INIT;
        struct opt_report report;
        struct steps s;
        float *before;
        size_t bytes;

        steps_new(&s, "optimizer=adam");
        steps_run(&s);
        bytes = (size_t) s.params.n_floats * sizeof(float);
        before = malloc(bytes);
        memcpy(before, s.x, bytes);
        steps_fill_grads(&s, 1);
        s.g[s.params.variables[4].offset + 3] = bad[k];
        s.g[s.params.variables[2].offset + 41] = bad[k];
        steps_put(&s);
        assert_int_equal(opt_step(s.o, 1, 10, &report, &err), T2_EFORMAT);
        assert_string_equal(
            err.message, "the gradient of variable 'b/kernel' is not finite; nothing was updated");
        steps_get(&s);
        assert_memory_equal(before, s.x, bytes);
        assert_int_equal(opt_updates(s.o), 1);
        free(before);
        steps_release(&s);
    }
}

/* A state between two variables: no slot, no decay, no noise, and its gradient's memory, whatever
 * it holds, is not part of the norm. */
static void test_states_are_left_alone(void **state)
{
    static const char *const optimizers[] = {"adam",       "Adafactor", "momentum", "lars",
                                             "yellow_fin", "adagrad",   "rms_prop", "sgd",
                                             "ftrl",       "nadam"};
    static const float mean[] = {0.5F, 1.5F, 2.5F, 3.5F}, nan[] = {NAN, NAN, NAN, NAN};
    const int64_t n = 4;
    float now[4];

    (void) state;
    for (size_t k = 0; k < sizeof optimizers / sizeof *optimizers; k++) {
        struct t2_err err = T2_ERR_INIT;
        struct dev *dev = op_device("reference", 1);
        struct opt_optimizer *o = NULL;
        struct mdl_hparams *hp = NULL;
        struct opt_report report = {0};
        struct gr_params params;
        const struct gr_variable *v;

        gr_params_init(&params, dev);
        gr_params_get(&params, "x/body/kernel", 1, &n, 0, GR_INIT_ZEROS, 0);
        gr_params_get_state(&params, "x/body/mean", 1, &n, GR_INIT_ZEROS, 0);
        gr_params_get(&params, "x/body/w", 1, &n, 0, GR_INIT_ZEROS, 0);
        assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
        assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
        mdl_hp_set_string(hp, "optimizer", optimizers[k]);
        assert_int_equal(mdl_hparams_override(hp,
                                              "weight_decay=0.1,grad_noise_scale=0.1,"
                                              "weight_noise=1,clip_grad_norm=1",
                                              &err),
                         T2_OK);
        assert_int_equal(opt_new(hp, &params, &o, &err), T2_OK);
        for (size_t i = 0; i < opt_slot_count(o); i++)
            assert_null(strstr(opt_slot_at(o, i).name, "mean"));
        device_fill(dev, params.values, params.n_floats, 3);
        device_fill(dev, params.grads, params.n_floats, 4);
        v = gr_params_find(&params, "x/body/mean");
        device_write(dev, params.values + v->offset, mean, n);
        device_write(dev, params.grads + v->offset, nan, n);
        for (int64_t step = 0; step < 3; step++)
            assert_int_equal(opt_step(o, step, 10, &report, &err), T2_OK);
        device_read(dev, now, params.values + v->offset, n);
        assert_memory_equal(now, mean, sizeof now);
        opt_free(o);
        mdl_hparams_free(hp);
        gr_params_release(&params);
    }
}

/* Many pieces, so that threads really share the work. */
static void big_run(const char *device, int threads, const char *overrides, float *values,
                    size_t n_bytes, double *norm)
{
    const int64_t table[] = {300, 1000}, vector[] = {70001};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct gr_params params;
    struct opt_optimizer *o = NULL;
    struct opt_report report = {0};
    struct dev *dev = NULL;

    assert_int_equal(dev_open(device, threads, &dev, &err), T2_OK);
    gr_params_init(&params, dev);
    gr_params_get(&params, "table", 2, table, 3, GR_INIT_ZEROS, 0);
    gr_params_get(&params, "vector", 1, vector, 0, GR_INIT_ZEROS, 0);
    assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
    assert_true((size_t) params.n_floats * sizeof(float) <= n_bytes);
    device_fill(dev, params.values, params.n_floats, 3);
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    assert_int_equal(opt_new(hp, &params, &o, &err), T2_OK);
    for (int64_t step = 0; step < 3; step++) {
        device_fill(dev, params.grads, params.n_floats, (uint64_t) step + 9);
        assert_int_equal(opt_step(o, step, 10, &report, &err), T2_OK);
    }
    device_read(dev, values, params.values, params.n_floats);
    *norm = report.gradient_norm;
    opt_free(o);
    mdl_hparams_free(hp);
    gr_params_release(&params);
    dev_close(dev);
}

/* Every optimizer, with all that surrounds one. */
static void test_devices_and_threads_do_not_count(void **state)
{
    static const char *const names[] = {
#define METHOD(name) #name,
#include "train/optim/methods.def"
    };
    static const struct {
        const char *name;
        int threads;
    } devices[] = {{"cpu", 1}, {"cpu", 2}, {"cpu", 3}, {"far", 1}};
    size_t bytes = (300 * 1000 + 70001 + 128) * sizeof(float);
    float *expected = calloc(1, bytes), *actual = calloc(1, bytes);
    bool on_gpu = op_is_gpu(op_device("reference", 1)); /* T2_REFERENCE */

    (void) state;
    assert_true(expected && actual);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char overrides[256];
        double norm, other;

        snprintf(overrides, sizeof overrides,
                 "optimizer=%s,optimizer_multistep_accumulate_steps=2,clip_grad_norm=1,"
                 "weight_decay=0.1,lookahead_steps=2,learning_rate_schedule=constant,"
                 "learning_rate_constant=0.01,grad_noise_scale=%s",
                 names[i], i % 8 == 0 ? "0.1" : "0");
        big_run("reference", 1, overrides, expected, bytes, &norm);
        for (size_t k = on_gpu ? 3 : 0; k < sizeof devices / sizeof *devices; k++) {
            big_run(devices[k].name, devices[k].threads, overrides, actual, bytes, &other);
            if (memcmp(expected, actual, bytes) != 0 || norm != other)
                fail_msg("%s: other bits on %s, %d threads", names[i], devices[k].name,
                         devices[k].threads);
        }
    }
    free(expected);
    free(actual);
}

/* Tensor2Tensor's registry (utils/optimize.py and tf.contrib.layers.OPTIMIZER_CLS_NAMES), under
 * every name it is given there. */
static void test_every_name_of_the_original(void **state)
{
    static const char *const names[] = {
        "adam",    "multistep_adam", "momentum", "yellow_fin", "true_adam", "adam_w",   "adafactor",
        "adagrad", "ftrl",           "rms_prop", "sgd",        "Adafactor", "Adagrad",  "Adam",
        "Ftrl",    "Momentum",       "RMSProp",  "SGD",        "TrueAdam",  "YellowFin"};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[128];
        struct steps s;

        snprintf(text, sizeof text, "optimizer=%s,optimizer_multistep_accumulate_steps=2",
                 names[i]);
        steps_new(&s, text);
        steps_run(&s);
        steps_release(&s);
    }
}

/* By how much one step of SGD differs from one without noise. */
static double spread(const char *overrides, bool scaled_by_rate)
{
    struct steps noisy, plain;
    double sum = 0, n;

    steps_new(&noisy, overrides);
    opt_set_seed(noisy.o, 5);
    steps_new(&plain, "optimizer=sgd");
    steps_run(&noisy);
    steps_run(&plain);
    n = (double) gr_params_count(&plain.params);
    for (int64_t i = 0; i < plain.params.n_floats; i++) {
        double d = (double) noisy.x[i] - (double) plain.x[i];

        sum += d * d; /* 0 between variables */
    }
    steps_release(&noisy);
    steps_release(&plain);
    return sqrt(sum / n) / (scaled_by_rate ? 0.01 : 1.0);
}

static void test_noise(void **state)
{
    double gradient = spread("optimizer=sgd,grad_noise_scale=0.5", true);

    (void) state;
    assert_true(gradient > 0.4 && gradient < 0.6);
    assert_true(spread("optimizer=sgd,weight_noise=500", false) == 0.0); /* no name has "/body/" */
}

/* Variables "x/kernel" and "x/body/kernel" of 100; gradients are zero. */
static void test_weight_noise_is_for_the_body(void **state)
{
    enum { N = 100 };
    const int64_t n = N;
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = op_device("reference", 1);
    struct opt_optimizer *o = NULL;
    struct mdl_hparams *hp = NULL;
    struct opt_report report;
    struct gr_params params;
    float x[N];
    double sum = 0;

    (void) state;
    gr_params_init(&params, dev);
    gr_params_get(&params, "x/kernel", 1, &n, 0, GR_INIT_ZEROS, 0);
    gr_params_get(&params, "x/body/kernel", 1, &n, 0, GR_INIT_ZEROS, 0);
    assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp,
                                          "optimizer=sgd,weight_noise=500,weight_decay=0,"
                                          "learning_rate_schedule=constant,"
                                          "learning_rate_constant=0.01",
                                          &err),
                     T2_OK);
    assert_int_equal(opt_new(hp, &params, &o, &err), T2_OK);
    assert_int_equal(opt_step(o, 0, 10, &report, &err), T2_OK);
    device_read(dev, x, params.values, N);
    for (int i = 0; i < N; i++)
        assert_true(x[i] == 0.0F);
    device_read(dev, x, params.values + params.variables[1].offset, N);
    for (int i = 0; i < N; i++)
        sum += (double) x[i] * (double) x[i] / N;
    sum = sqrt(sum) / (500 * 0.01 * 0.001); /* weight_noise * rate * 0.001 */
    assert_true(sum > 0.7 && sum < 1.06);
    opt_free(o);
    mdl_hparams_free(hp);
    gr_params_release(&params);
}

static void test_refused(void **state)
{
    static const struct {
        const char *overrides;
        enum t2_status status;
        const char *message;
    } cases[] = {
        {"optimizer=adma", T2_EUSAGE, "unknown optimizer 'adma'; did you mean 'adam'?"},
        {"optimizer=qqqqqqqqqqqq", T2_EUSAGE, "unknown optimizer 'qqqqqqqqqqqq'"},
        {"grad_noise_scale=-0.5", T2_EUSAGE,
         "hparam 'grad_noise_scale' must not be negative: -0.5"},
        {"weight_noise=-1", T2_EUSAGE, "hparam 'weight_noise' must not be negative: -1"},
        {"weight_dtype=bfloat16", T2_EUNSUPPORTED,
         "'weight_dtype' 'bfloat16' is for optimizer Adafactor alone"},
        {"clip_grad_norm=-1", T2_EUSAGE, "hparam 'clip_grad_norm' must not be negative: -1"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct steps s;

        assert_int_equal(steps_try(&s, "reference", 1, cases[i].overrides, &err), cases[i].status);
        assert_null(s.o);
        t_assert_contains(err.message, cases[i].message);
        steps_release(&s);
    }
    opt_free(NULL);
}

static void test_bad_schedule_changes_nothing(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct steps s;
    float before;

    (void) state;
    steps_new(&s, "learning_rate_schedule=nonsense");
    steps_fill_grads(&s, 0);
    before = s.x[0];
    assert_int_equal(opt_step(s.o, 0, 10, &report, &err), T2_EUSAGE);
    assert_true(before == s.x[0]);
    assert_int_equal(opt_updates(s.o), 0);
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_report), cmocka_unit_test(test_weight_decay),
       cmocka_unit_test(test_clipping), cmocka_unit_test(test_not_finite),
       cmocka_unit_test(test_states_are_left_alone),
       cmocka_unit_test(test_devices_and_threads_do_not_count),
       cmocka_unit_test(test_every_name_of_the_original), cmocka_unit_test(test_noise),
       cmocka_unit_test(test_weight_noise_is_for_the_body), cmocka_unit_test(test_refused),
       cmocka_unit_test(test_bad_schedule_changes_nothing))
