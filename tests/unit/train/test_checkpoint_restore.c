/* Tests of train/ckpt/checkpoint_restore.c: bit for bit, what does not fit, damage, averages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"

/* k steps, save, restore elsewhere, n - k steps: the same bits as n steps. */
static void resume_equals_straight(const char *optimizer, const char *dir)
{
    struct t2_err err = T2_ERR_INIT;
    struct run straight, first, second;

    run_new(&straight, optimizer, 4);
    run_new(&first, optimizer, 4);
    run_new(&second, optimizer, 4);
    run_fill(&straight, 5);
    run_fill(&first, 5);
    run_fill(&second, 6);
    for (int64_t step = 0; step < 7; step++) {
        run_step(&straight, step);
        if (step < 4)
            run_step(&first, step);
    }
    run_save(&first, dir, 4, 5);
    run_step(&second, 0); /* another state, to be overwritten */
    if (ckpt_restore(dir, -1, &second.params, second.o, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(opt_updates(second.o), 4);
    for (int64_t step = 4; step < 7; step++)
        run_step(&second, step);
    assert_equal_runs(&straight, &second);
    for (size_t i = 0; i < opt_slot_count(straight.o); i++)
        device_assert_same(straight.dev, opt_slot_at(straight.o, i).values, second.dev,
                           opt_slot_at(second.o, i).values, opt_slot_at(straight.o, i).n);
    run_release(&straight);
    run_release(&first);
    run_release(&second);
}

static void test_bit_for_bit(void **state)
{
    (void) state;
    resume_equals_straight("adam", t_tmp_path("adam"));
    resume_equals_straight("Adafactor", t_tmp_path("adafactor"));
    resume_equals_straight("sgd", t_tmp_path("sgd"));
}

static void refused(struct run *r, const char *dir, enum t2_status status, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    float *before = device_floats(r->dev, r->params.values, r->params.n_floats), *after;

    assert_int_equal(ckpt_restore(dir, -1, &r->params, r->o, &err), status);
    t_assert_contains(err.message, message);
    after = device_floats(r->dev, r->params.values, r->params.n_floats);
    /* nothing half restored */
    assert_memory_equal(before, after, (size_t) r->params.n_floats * sizeof *after);
    free(before);
    free(after);
}

/* One number of each tensor of both files in turn: its name, which element, and the way out. */
static void test_not_finite(void **state)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    static const char *const optimizers[] = {"adam", "adafactor", "momentum"};
    const char *dir = t_tmp_path("nan");

    (void) state;
    for (size_t k = 0; k < sizeof optimizers / sizeof *optimizers; k++) {
        struct run r;
        int n_tensors;

        run_new(&r, optimizers[k], 4);
        run_fill(&r, 1);
        run_step(&r, 1);
        run_save(&r, dir, 2, 5);
        n_tensors = r.params.n_variables + (int) opt_slot_count(r.o);
        assert_true(n_tensors > 2 * r.params.n_variables - 2);
        for (int i = 0; i < n_tensors; i++) {
            bool variable = i < r.params.n_variables;
            struct opt_slot s = {0};
            float *at, was;
            char says[200];
            int64_t n;

            if (!variable)
                s = opt_slot_at(r.o, (size_t) (i - r.params.n_variables));
            n = variable ? r.params.variables[i].n : s.n;
            at = (variable ? r.params.values + r.params.variables[i].offset : s.values) + n - 1;
            was = device_float(r.dev, at);
            device_write(r.dev, at, &bad[i % 3], 1);
            run_save(&r, dir, 3, 5);
            device_write(r.dev, at, &was, 1);
            snprintf(says, sizeof says,
                     "%s-3.safetensors': element %lld of '%s' is %s, and a checkpoint has finite "
                     "numbers only; remove '",
                     variable ? "model" : "optimizer", (long long) (n - 1),
                     variable ? r.params.variables[i].name : s.name,
                     i % 3 == 0 ? "not a number" : "infinite");
            refused(&r, dir, T2_EFORMAT, says);
            refused(&r, dir, T2_EFORMAT, "to continue from step 2");
        }
        run_release(&r);
    }
}

static bool all_finite(const struct run *r)
{
    float *x = device_floats(r->dev, r->params.values, r->params.n_floats);
    bool finite = true;

    for (int i = 0; i < r->params.n_variables; i++) {
        const struct gr_variable *v = &r->params.variables[i];

        for (int64_t k = 0; k < v->n; k++)
            finite &= isfinite(x[v->offset + k]) != 0;
    }
    free(x);
    return finite;
}

/* One number of the state is -1e4: either it is refused by name, or a step from it is a step. */
static bool is_refused(const char *optimizer, const char *dir, const char *name, float *at,
                       long long element, const struct run *saved)
{
    struct t2_err err = T2_ERR_INIT;
    struct run r;
    float was = device_float(saved->dev, at), below = -1e4F;
    char says[200];
    bool refused;

    device_write(saved->dev, at, &below, 1);
    run_save(saved, dir, 9, 5);
    device_write(saved->dev, at, &was, 1);
    run_new(&r, optimizer, 4);
    run_fill(&r, 3);
    refused = ckpt_restore(dir, 9, &r.params, r.o, &err) != T2_OK;
    snprintf(says, sizeof says, "element %lld of '%s' is -10000, where nothing is below 0", element,
             name);
    if (refused) {
        assert_int_equal(err.status, T2_EFORMAT);
        t_assert_contains(err.message, says);
    } else {
        run_step(&r, 9);
        if (!all_finite(&r))
            fail_msg("%s: element %lld of '%s' may be negative, and a step from there gives NaN",
                     optimizer, element, name);
    }
    run_release(&r);
    return refused;
}

/* Squares and variances are not negative in any optimizer; what has a sign is taken. */
static void test_negative_squares(void **state)
{
    static const struct {
        const char *optimizer;
        int n_refused; /* slots of which a number is refused */
    } cases[] = {{"adam", 4},           {"true_adam", 4},  {"adam_w", 4},
                 {"multistep_adam", 4}, {"adafactor", 7},  {"momentum", 0},
                 {"adagrad", 4},        {"rms_prop", 4},   {"sgd", 0},
                 {"ftrl", 4},           {"yellow_fin", 1}, {"keras_adam", 4},
                 {"keras_adam_w", 4},   {"amsgrad", 8},    {"adamax", 4},
                 {"nadam", 4},          {"keras_sgd", 0},  {"keras_rms_prop", 4},
                 {"keras_adagrad", 4},  {"lars", 0}};
    const char *dir = t_tmp_path("negative");

    (void) state;
    run_state_name = "model/norm/moving_variance";
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int n_refused = 0;
        struct run r;
        const struct gr_variable *v;

        run_new(&r, cases[k].optimizer, 4);
        run_fill(&r, 1);
        for (int64_t step = 5; step < 9; step++)
            run_step(&r, step);
        for (size_t i = 0; i < opt_slot_count(r.o); i++) {
            struct opt_slot s = opt_slot_at(r.o, i);
            bool refused = false;
            for (int64_t e = 0; e<s.n; e += s.n> 28 ? s.n - 1 : 1)
                refused |= is_refused(cases[k].optimizer, dir, s.name, &s.values[e], e, &r);
            n_refused += refused;
        }
        assert_int_equal(n_refused, cases[k].n_refused);
        v = gr_params_find(&r.params, run_state_name);
        assert_true(
            is_refused(cases[k].optimizer, dir, v->name, r.params.values + v->offset + 1, 1, &r));
        run_release(&r);
    }
    run_state_name = "model/mean";
}

static void test_what_does_not_fit(void **state)
{
    const char *dir = t_tmp_path("fit");
    struct run saved, other;

    (void) state;
    run_new(&saved, "adam", 4);
    run_fill(&saved, 1);
    run_save(&saved, dir, 3, 5);
    run_new(&other, "adam", 6);
    refused(&other, dir, T2_EFORMAT,
            "model-3.safetensors': 'model/kernel' has shape [3, 4]; the model has [3, 6]");
    run_release(&other);
    run_new(&other, "adam", 0);
    refused(&other, dir, T2_EFORMAT, "holds 'model/kernel', which the model has not");
    run_save(&other, t_tmp_path("fewer"), 3, 5);
    refused(&saved, t_tmp_path("fewer"), T2_EFORMAT,
            "holds no 'model/kernel', which the model has");
    run_release(&other);
    run_new(&other, "sgd", 4);
    refused(&other, dir, T2_EUSAGE, "was trained with optimizer 'adam', not 'sgd'");
    run_release(&other);
    run_release(&saved);
}

static void flip(const char *path, size_t from_end)
{
    size_t n;
    char *bytes = t_read_file(path, &n);

    bytes[n - from_end] ^= 1;
    t_write_file(path, bytes, n);
    free(bytes);
}

/* The model's checksum under another name, which nobody reads. */
static void drop_crc(const char *path)
{
    size_t n;
    char *text = t_read_file(path, &n), *key = strstr(text, "\"crc32c\"");

    assert_non_null(key);
    memcpy(key + 1, "former", 6);
    t_write_file(path, text, n);
    free(text);
}

static void test_damage(void **state)
{
    struct run r;
    char *bytes;
    size_t n;

    (void) state;
    run_new(&r, "adam", 4);
    run_fill(&r, 1);
    run_save(&r, t_tmp_path("damage"), 1, 5);
    run_save(&r, t_tmp_path("damage"), 2, 5);
    flip(t_tmp_path("damage/optimizer-2.safetensors"), 3);
    refused(
        &r, t_tmp_path("damage"), T2_EFORMAT,
        "optimizer-2.safetensors' is damaged: its SHA-256 is not that of state-2.json; remove '");
    refused(&r, t_tmp_path("damage"), T2_EFORMAT, "state-2.json' to continue from step 1");
    { /* who only uses the values looks at another checksum, and older states have none */
        struct t2_err err = T2_ERR_INIT;

        flip(t_tmp_path("damage/model-2.safetensors"), 3);
        assert_int_equal(ckpt_restore_for_use(t_tmp_path("damage"), -1, r.hp, &r.params, &err),
                         T2_EFORMAT);
        t_assert_contains(err.message,
                          "model-2.safetensors' is damaged: its CRC-32C is not that of "
                          "state-2.json; remove '");
        drop_crc(t_tmp_path("damage/state-2.json"));
        assert_int_equal(ckpt_restore_for_use(t_tmp_path("damage"), -1, r.hp, &r.params, &err),
                         T2_EFORMAT);
        t_assert_contains(err.message,
                          "model-2.safetensors' is damaged: its SHA-256 is not that of");
        flip(t_tmp_path("damage/model-2.safetensors"), 3);
        assert_int_equal(ckpt_restore_for_use(t_tmp_path("damage"), -1, r.hp, &r.params, &err),
                         T2_OK);
    }
    bytes = t_read_file(t_tmp_path("damage/model-2.safetensors"), &n);
    t_write_file(t_tmp_path("damage/model-2.safetensors"), bytes, n - 1);
    free(bytes);
    refused(&r, t_tmp_path("damage"), T2_EFORMAT, "model-2.safetensors' is damaged: ");
    assert_int_equal(remove(t_tmp_path("damage/model-2.safetensors")), 0);
    refused(&r, t_tmp_path("damage"), T2_EFORMAT, "model-2.safetensors'");
    refused(&r, t_tmp_path("damage"), T2_EFORMAT, "to continue from step 1");
    /* the way out works */
    assert_int_equal(remove(t_tmp_path("damage/state-2.json")), 0);
    run_fill(&r, 9);
    {
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(ckpt_restore(t_tmp_path("damage"), -1, &r.params, r.o, &err), T2_OK);
    }
    run_release(&r);
}

static void test_average(void **state)
{
    const char *dir = t_tmp_path("average");
    struct t2_err err = T2_ERR_INIT;
    struct run r;
    float expected[1024], values[3][1024], got[1024];

    (void) state;
    run_new(&r, "sgd", 4);
    assert_true(r.params.n_floats <= 1024);
    for (int64_t k = 0; k < 3; k++) {
        run_fill(&r, (uint64_t) k + 20);
        device_read(r.dev, values[k], r.params.values, r.params.n_floats);
        run_save(&r, dir, 10 * (k + 1), 5);
    }
    for (int n = 1; n <= 4; n++) {
        int first = n >= 3 ? 0 : 3 - n;

        for (int64_t i = 0; i < r.params.n_floats; i++) {
            double sum = 0;

            for (int k = first; k < 3; k++)
                sum += (double) values[k][i];
            expected[i] = (float) (sum / (3 - first));
        }
        assert_int_equal(ckpt_restore_average(dir, -1, n, &r.params, &err), T2_OK);
        device_read(r.dev, got, r.params.values, r.params.n_floats);
        for (int v = 0; v < r.params.n_variables; v++)
            assert_memory_equal(got + r.params.variables[v].offset,
                                expected + r.params.variables[v].offset,
                                (size_t) r.params.variables[v].n * sizeof(float));
    }
    assert_int_equal(ckpt_restore_average(dir, 10, 3, &r.params, &err), T2_OK);
    device_read(r.dev, got, r.params.values, 6);
    assert_memory_equal(got, values[0], 6 * sizeof(float));
    assert_int_equal(ckpt_restore_average(dir, 11, 3, &r.params, &err), T2_ENOTFOUND);
    flip(t_tmp_path("average/model-20.safetensors"), 1);
    assert_int_equal(ckpt_restore_average(dir, -1, 3, &r.params, &err), T2_EFORMAT);
    t_assert_contains(err.message, "model-20.safetensors' is damaged");
    run_release(&r);
}

/* More floats than are averaged at a time. */
static void test_average_of_large_variables(void **state)
{
    const char *dir = t_tmp_path("large");
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    run_new(&r, "sgd", 3001);
    run_fill(&r, 1);
    run_save(&r, dir, 1, 5);
    run_save(&r, dir, 2, 5);
    run_fill(&r, 2);
    assert_int_equal(ckpt_restore_average(dir, -1, 2, &r.params, &err), T2_OK);
    {
        float expected[3 * 3001 + 1024], got[3 * 3001];

        t_fill(expected, (size_t) r.params.n_floats, 1);
        device_read(r.dev, got, r.params.values + r.params.variables[3].offset, 3 * 3001);
        assert_memory_equal(got, expected + r.params.variables[3].offset, sizeof got);
    }
    run_release(&r);
}

T_MAIN(cmocka_unit_test(test_bit_for_bit), cmocka_unit_test(test_not_finite),
       cmocka_unit_test(test_negative_squares), cmocka_unit_test(test_what_does_not_fit),
       cmocka_unit_test(test_damage), cmocka_unit_test(test_average),
       cmocka_unit_test(test_average_of_large_variables))
