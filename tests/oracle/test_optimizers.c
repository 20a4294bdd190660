/*
 * Optimizers against oracles/optimizers: ten steps of every configuration of Tensor2Tensor and of
 * LARS in index.json, and of Keras in keras.json, with the recorded start, gradients and rates;
 * variables after some steps, slots after the last (not recorded for Keras).
 *
 * Allowed is 7e-7, relative to the largest value where that is more than 1, and what the recording
 * says of its own distance from double (formulas_in_double).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/t.h"

#include "tests/support/device_floats.h"
#include "train/ckpt/safetensors.h"
#include "train/device/device.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/method.h"
#include "train/optim/optimizer.h"

#define LARS "tf.contrib.opt.LARSOptimizer"

struct run {
    const char *name;
    const struct t2_json_value *config;
    const struct ckpt_file *inputs, *expected;
    int n_parameters;
    int64_t steps;
    const char *prefix; /* of the expected tensors: "", "keras_adam/" */
    struct gr_params params;
    float *values, *grads; /* the arenas, on the host */
    struct opt_optimizer *optimizer;
    double worst;
    size_t n_compared; /* variables */
};

static const struct ckpt_tensor *input(const struct run *r, const char *name)
{
    const struct ckpt_tensor *t = ckpt_find(r->inputs, name);

    if (!t || t->type != CKPT_F32)
        fail_msg("inputs.safetensors: no float tensor '%s'", name);
    return t;
}

static void load_parameter(const struct run *r, float *to, int i)
{
    char name[64];
    const struct ckpt_tensor *t;

    snprintf(name, sizeof name, "parameter%d", i);
    t = input(r, name);
    assert_int_equal(t->n_bytes, (size_t) r->params.variables[i].n * sizeof *to);
    memcpy(to, t->data, t->n_bytes);
}

static void load_gradient(const struct run *r, float *to, int i, int64_t step)
{
    char name[64];
    const struct ckpt_tensor *t;

    snprintf(name, sizeof name, "gradient%d_step%lld", i, (long long) step);
    t = input(r, name);
    assert_int_equal(t->n_bytes, (size_t) r->params.variables[i].n * sizeof *to);
    memcpy(to, t->data, t->n_bytes);
}

/* How many there are of parameter<i>, and of steps with gradients. */
static void count_inputs(struct run *r)
{
    char name[64];

    for (r->n_parameters = 0;; r->n_parameters++) {
        snprintf(name, sizeof name, "parameter%d", r->n_parameters);
        if (!ckpt_find(r->inputs, name))
            break;
    }
    for (r->steps = 0;; r->steps++) {
        snprintf(name, sizeof name, "gradient0_step%lld", (long long) r->steps);
        if (!ckpt_find(r->inputs, name))
            break;
    }
    assert_true(r->n_parameters > 0 && r->steps > 0);
}

/* Variable 0 is 'bias', the others 'kernel<i>', as the recorder named them. */
static void make_params(struct run *r, struct dev *dev)
{
    struct t2_err err = T2_ERR_INIT;

    gr_params_init(&r->params, dev);
    for (int i = 0; i < r->n_parameters; i++) {
        char name[32];
        const struct ckpt_tensor *t;

        snprintf(name, sizeof name, "parameter%d", i);
        t = input(r, name);
        assert_in_range(t->rank, 1, GR_MAX_RANK);
        snprintf(name, sizeof name, i == 0 ? "bias" : "kernel%d", i);
        gr_params_get(&r->params, name, (int) t->rank, t->dims, 0, GR_INIT_ZEROS, 0.0);
    }
    assert_int_equal(gr_params_freeze(&r->params, &err), T2_OK);
    r->values = t2_alloc((size_t) r->params.n_floats, sizeof *r->values);
    r->grads = t2_alloc((size_t) r->params.n_floats, sizeof *r->grads);
    for (int i = 0; i < r->params.n_variables; i++)
        load_parameter(r, r->values + r->params.variables[i].offset, i);
    device_write(dev, r->params.values, r->values, r->params.n_floats);
}

/* The configuration's hparams; arguments of the class, where T2T's own hparams cannot say it. */
static struct mdl_hparams *make_hparams(const struct t2_json_value *config)
{
    const struct t2_json_value *arguments = t2_json_get(config, "arguments"), *v = NULL;
    const char *class = t2_json_as_string(t2_json_get(config, "class"), "");
    bool lars = strcmp(class, LARS) == 0;
    const char *registry =
        t2_json_as_string(t2_json_get(config, "registry"), lars ? "lars" : "adafactor");
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    mdl_hp_set_string(hp, "optimizer", registry);
    mdl_hp_set_string(hp, "learning_rate_schedule", "constant");
    mdl_hp_set_float(hp, "clip_grad_norm", 0.0);
    mdl_hp_set_float(hp, "weight_decay", 0.0);
    assert_int_equal(mdl_hparams_override(hp,
                                          t2_json_as_string(t2_json_get(config, "overrides"), ""),
                                          &err),
                     T2_OK);
    for (size_t i = 0; i < t2_json_size(arguments); i++) {
        const char *key = t2_json_member(arguments, i, &v);

        if (strcmp(key, "beta1") == 0)
            mdl_hp_set_float(hp, "optimizer_adafactor_beta1", t2_json_as_double(v, 0));
        else if (strcmp(key, "momentum") == 0)
            mdl_hp_set_float(hp, "optimizer_momentum_momentum", t2_json_as_double(v, 0));
        else if (strcmp(key, "weight_decay") == 0)
            mdl_hp_set_float(hp, "weight_decay", t2_json_as_double(v, 0));
        else if (strcmp(key, "use_nesterov") == 0)
            mdl_hp_set_bool(hp, "optimizer_momentum_nesterov", t2_json_as_bool(v, false));
        else if (strcmp(key, "multiply_by_parameter_scale") == 0)
            mdl_hp_set_bool(hp, "optimizer_adafactor_multiply_by_parameter_scale",
                            t2_json_as_bool(v, false));
        else if (strcmp(key, "clipping_threshold") == 0) /* None: never */
            mdl_hp_set_float(hp, "optimizer_adafactor_clipping_threshold",
                             t2_json_as_double(v, 1e30));
    }
    if (lars && !t2_json_get(arguments, "skip_list"))
        mdl_hp_set_string(hp, "optimizer_lars_skip", "");
    return hp;
}

/* Keras's numbers as our hparams. */
static struct mdl_hparams *make_keras_hparams(const char *name, const struct t2_json_value *config)
{
    static const struct {
        const char *keras, *ours, *prefix; /* of the configuration's name */
    } names[] = {
        {"beta_1", "optimizer_adam_beta1", ""},
        {"beta_2", "optimizer_adam_beta2", ""},
        {"epsilon", "optimizer_adam_epsilon", "keras_ada"},
        {"epsilon", "optimizer_adam_epsilon", "keras_nadam"},
        {"epsilon", "optimizer_adagrad_epsilon", "keras_adagrad"},
        {"epsilon", "optimizer_rms_prop_epsilon", "keras_rmsprop"},
        {"decay", "optimizer_nadam_schedule_decay", "keras_nadam"},
        {"initial_accumulator_value", "optimizer_adagrad_initial_accumulator_value", ""},
        {"momentum", "optimizer_rms_prop_momentum", "keras_rmsprop"},
        {"momentum", "optimizer_momentum_momentum", "keras_sgd"},
        {"rho", "optimizer_rms_prop_rho", ""},
    };
    const char *class = t2_json_as_string(t2_json_get(config, "name"), "");
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    mdl_hp_set_string(hp, "optimizer",
                      t2_json_as_bool(t2_json_get(config, "amsgrad"), false) ? "amsgrad"
                      : strcmp(class, "Adam") == 0                           ? "keras_adam"
                      : strcmp(class, "SGD") == 0                            ? "keras_sgd"
                      : strcmp(class, "RMSprop") == 0                        ? "keras_rms_prop"
                      : strcmp(class, "Adagrad") == 0                        ? "keras_adagrad"
                                                                             : class);
    mdl_hp_set_string(hp, "learning_rate_schedule", "constant");
    mdl_hp_set_float(hp, "clip_grad_norm", 0.0);
    mdl_hp_set_float(hp, "weight_decay", 0.0);
    mdl_hp_set_bool(hp, "optimizer_momentum_nesterov",
                    t2_json_as_bool(t2_json_get(config, "nesterov"), false));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct t2_json_value *v = t2_json_get(config, names[i].keras);

        if (v && t2_starts_with(name, names[i].prefix))
            mdl_hp_set_float(hp, names[i].ours, t2_json_as_double(v, 0));
    }
    return hp;
}

/* Adafactor without a rate chooses its own. */
static double rate_of(const struct run *r, int step)
{
    const struct t2_json_value *arguments = t2_json_get(r->config, "arguments");
    float rate;

    if (r->prefix[0] != '\0')
        return t2_json_as_double(t2_json_get(r->config, "learning_rate"), 0);
    if (t2_json_as_bool(t2_json_get(arguments, "relative_step"), false))
        return fmin(1.0 / sqrt(step + 1.0), 0.01) *
               (t2_json_as_bool(t2_json_get(arguments, "multiply_by_parameter_scale"), false)
                    ? 1.0
                    : 0.05);
    memcpy(&rate, (const char *) input(r, "learning_rates")->data + 4 * (size_t) step, 4);
    return (double) rate;
}

static void compare(struct run *r, const struct ckpt_tensor *expected, const float *actual,
                    double unit, double noise)
{
    size_t n = expected->n_bytes / 4;
    float *values = t2_alloc(n, sizeof *values);
    double largest = 0, worst = 0, allowed;

    memcpy(values, expected->data, expected->n_bytes);
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs((double) values[i]));
        worst = fmax(worst, fabs((double) values[i] - (double) actual[i]));
    }
    allowed = 7e-7 * fmax(unit, largest) + 2.0 * noise;
    if (!(worst <= allowed))
        fail_msg("%s: %s differs by %.3g, allowed are %.3g", r->name, expected->name, worst,
                 allowed);
    r->worst = fmax(r->worst, worst);
    t2_free(values);
}

/* The recorded parameter's distance from double after the last step; 0 where it is not stated. */
static double noise_of(const struct run *r, int parameter)
{
    const struct t2_json_value *list = t2_json_get(r->config, "formulas_in_double");

    return t2_json_as_double(t2_json_get(t2_json_item(list, (size_t) parameter), "max_abs"), 0.0);
}

/* Variables after some step: what compare_variables must have found. */
static size_t n_recorded_variables(const struct run *r)
{
    size_t n = 0, k = strlen(r->prefix);

    for (size_t i = 0; i < ckpt_count(r->expected); i++) {
        const char *name = ckpt_at(r->expected, i)->name;

        n += strncmp(name, r->prefix, k) == 0 && strncmp(name + k, "step", 4) == 0;
    }
    return n;
}

static void compare_variables(struct run *r, int64_t step)
{
    for (int i = 0; i < r->params.n_variables; i++) {
        char name[64];
        const struct ckpt_tensor *t;

        snprintf(name, sizeof name, "%sstep%lld/parameter%d", r->prefix, (long long) step, i);
        t = ckpt_find(r->expected, name);
        if (t) {
            compare(r, t, r->values + r->params.variables[i].offset, 1.0, noise_of(r, i));
            r->n_compared++;
        }
    }
}

/* FTRL's "linear" is about x / rate, with that much of x's noise; the others are as large as x. */
static double slot_unit(const struct run *r, const char *slot, int64_t steps)
{
    return strcmp(slot, "linear") == 0 ? 1.0 / rate_of(r, (int) steps - 1) : 1.0;
}

/* Slot number `number` of a variable, by TensorFlow's naming. */
static struct opt_slot find_slot(const struct run *r, const char *variable, size_t number)
{
    const char *slot = r->optimizer->method->slot;
    char *want = number ? t2_asprintf("training/%s/%s_%zu", variable, slot, number)
                        : t2_asprintf("training/%s/%s", variable, slot);
    struct opt_slot found = {0};

    for (size_t i = 0; i < opt_slot_count(r->optimizer); i++) {
        if (strcmp(opt_slot_at(r->optimizer, i).name, want) == 0)
            found = opt_slot_at(r->optimizer, i);
    }
    if (!found.values)
        fail_msg("%s: no slot %s", r->name, want);
    t2_free(want);
    return found;
}

/* Our n-th slot of a variable is the recorder's n-th in this order. */
static void compare_slots(struct run *r, int64_t steps)
{
    static const char *const order[] = {"m",     "vr",     "vc",  "v",        "grad_acc",
                                        "accum", "linear", "rms", "momentum", "accumulator"};
    const struct t2_json_value *slots = t2_json_get(r->config, "slots");
    size_t n = 0;

    for (int i = 0; i < r->params.n_variables; i++) {
        size_t number = 0;

        for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
            char name[64];
            const struct t2_json_value *shape;
            const struct ckpt_tensor *t;
            struct opt_slot slot;

            snprintf(name, sizeof name, "%s/parameter%d", order[k], i);
            shape = t2_json_get(slots, name);
            if (!shape)
                continue;
            slot = find_slot(r, r->params.variables[i].name, number++);
            n++;
            assert_int_equal(slot.rank, t2_json_size(shape));
            for (int d = 0; d < slot.rank; d++)
                assert_int_equal(slot.dims[d], t2_json_as_i64(t2_json_item(shape, (size_t) d), -1));
            snprintf(name, sizeof name, "slot%lld/%s/parameter%d", (long long) steps, order[k], i);
            t = ckpt_find(r->expected, name);
            if (t) {
                float *values = device_floats(r->params.dev, slot.values, slot.n);

                compare(r, t, values, slot_unit(r, order[k], steps), 0.0);
                free(values);
            }
        }
    }
    assert_int_equal(n, t2_json_size(slots));
    /* we may keep more: the original has variables for averages that are no slots */
    assert_true(n <= opt_slot_count(r->optimizer));
}

/* An optimizer with a rate and momentum of its own: what the original had after each step. */
static void compare_tuning(const struct run *r, int64_t step)
{
    const struct t2_json_value *after =
        t2_json_item(t2_json_get(r->config, "rate_and_momentum_after_each_step"), (size_t) step);

    for (size_t i = 0; i < opt_slot_count(r->optimizer); i++) {
        struct opt_slot s = opt_slot_at(r->optimizer, i);

        if (after && strcmp(s.name, "training/YellowFin/state") == 0) {
            double actual[2] = {(double) device_float(r->params.dev, s.values),
                                (double) device_float(r->params.dev, s.values + 1)};
            double expected[2] = {t2_json_as_double(t2_json_item(after, 0), 0),
                                  t2_json_as_double(t2_json_item(after, 1), 0)};

            t_assert_close_double(actual, expected, 2, 1e-9, 1e-6);
        }
    }
}

static void run_configuration(struct run *r, struct dev *dev)
{
    bool keras = r->prefix[0] != '\0';
    struct mdl_hparams *hp =
        keras ? make_keras_hparams(r->name, r->config) : make_hparams(r->config);
    double decay;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;

    count_inputs(r);
    make_params(r, dev);
    if (opt_new(hp, &r->params, &r->optimizer, &err) != T2_OK)
        fail_msg("%s: %s", r->name, err.message);
    decay = r->optimizer->weight_decay;
    for (int64_t step = 0; step < r->steps; step++) {
        for (int i = 0; i < r->params.n_variables; i++) {
            const struct gr_variable *v = &r->params.variables[i];
            float *g = r->grads + v->offset;

            load_gradient(r, g, i, step);
            /* the optimizer's own L2 term, of all but 'bias', was not part of the recording: taken
             * off before */
            for (int64_t k = 0; decay != 0 && (i > 0 || v->rank > 1) && k < v->n; k++)
                g[k] -= (float) decay * r->values[v->offset + k];
        }
        device_write(dev, r->params.grads, r->grads, r->params.n_floats);
        mdl_hp_set_float(r->optimizer->hp, "learning_rate_constant", rate_of(r, (int) step));
        if (opt_step(r->optimizer, step, r->steps, &report, &err) != T2_OK)
            fail_msg("%s: %s", r->name, err.message);
        device_read(dev, r->values, r->params.values, r->params.n_floats);
        compare_variables(r, step + 1);
        compare_tuning(r, step);
    }
    if (!keras)
        compare_slots(r, r->steps);
    assert_true(r->n_compared > 0);
    assert_int_equal(r->n_compared, n_recorded_variables(r));
    print_message("%s: at most %.3g\n", r->name, r->worst);
    opt_free(r->optimizer);
    gr_params_release(&r->params);
    t2_free(r->values);
    t2_free(r->grads);
    mdl_hparams_free(hp);
}

static void test_optimizers(void **state)
{
    const char *dir = t_data_path("oracles/optimizers");
    const struct t2_json_value *configurations;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct ckpt_file *inputs = NULL;
    struct dev *dev = NULL;
    size_t compared = 0;
    char *path;

    (void) state;
    if (!dir)
        t_skip("no oracles/optimizers in T2_DATA");
    path = t2_asprintf("%s/index.json", dir);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    t2_free(path);
    path = t2_asprintf("%s/inputs.safetensors", dir);
    assert_int_equal(ckpt_open(path, &inputs, &err), T2_OK);
    t2_free(path);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    configurations = t2_json_get(t2_json_root(doc), "configurations");
    for (size_t i = 0; i < t2_json_size(configurations); i++) {
        struct run r = {.inputs = inputs, .prefix = ""};
        const char *class;
        struct ckpt_file *expected = NULL;

        r.name = t2_json_member(configurations, i, &r.config);
        class = t2_json_as_string(t2_json_get(r.config, "class"), "");
        if (t2_json_get(r.config, "failed")) /* the original could not run it */
            continue;
        if (!t2_json_get(r.config, "registry") && strcmp(class, "AdafactorOptimizer") != 0 &&
            strcmp(class, LARS) != 0)
            fail_msg("%s: an optimizer that is not compared", r.name);
        path = t2_asprintf("%s/%s.safetensors", dir, r.name);
        assert_int_equal(ckpt_open(path, &expected, &err), T2_OK);
        r.expected = expected;
        run_configuration(&r, dev);
        ckpt_close(expected);
        t2_free(path);
        compared++;
    }
    assert_true(compared > 0);
    /* besides, what they start from and Keras's */
    assert_int_equal(compared + 2, t_data_files("oracles/optimizers", ".safetensors"));
    dev_close(dev);
    ckpt_close(inputs);
    t2_json_free(doc);
}

/* Of how many optimizers the file holds steps: names before "/step1/parameter0". */
static size_t n_optimizers(const struct ckpt_file *file)
{
    size_t n = 0;

    for (size_t i = 0; i < ckpt_count(file); i++)
        n += strstr(ckpt_at(file, i)->name, "/step1/parameter0") != NULL;
    return n;
}

static void test_keras(void **state)
{
    const char *dir = t_data_path("oracles/optimizers");
    const struct t2_json_value *configurations;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct ckpt_file *file = NULL;
    struct dev *dev = NULL;
    char *path;

    (void) state;
    if (!dir)
        t_skip("no oracles/optimizers in T2_DATA");
    path = t2_asprintf("%s/keras.json", dir);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    t2_free(path);
    path = t2_asprintf("%s/keras.safetensors", dir);
    assert_int_equal(ckpt_open(path, &file, &err), T2_OK);
    t2_free(path);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    configurations = t2_json_get(t2_json_root(doc), "configurations");
    assert_true(t2_json_size(configurations) > 0);
    assert_int_equal(t2_json_size(configurations), n_optimizers(file));
    for (size_t i = 0; i < t2_json_size(configurations); i++) {
        struct run r = {.inputs = file, .expected = file};
        char prefix[64];

        r.name = t2_json_member(configurations, i, &r.config);
        snprintf(prefix, sizeof prefix, "%s/", r.name);
        r.prefix = prefix;
        run_configuration(&r, dev);
    }
    dev_close(dev);
    ckpt_close(file);
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_optimizers), cmocka_unit_test(test_keras))
