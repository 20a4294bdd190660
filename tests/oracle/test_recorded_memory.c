/*
 * tests/oracle/test_recorded_memory.c - the Transformer with memory against what Tensor2Tensor
 * computed for consecutive chunks (bench/record_memory.py): logits, loss, gradients of each.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"
#include "train/device/device.h"
#include "train/models/model.h"

static const double logits_tolerance = 3e-6, loss_tolerance = 1e-6, gradient_tolerance = 3e-6;

struct recording {
    const char *name;
    struct t2_json_doc *doc;
    const struct t2_json_value *root;
    struct ckpt_file *file;
    struct mdl *m;
};

static struct t2_err err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != T2_OK)                                                                       \
            fail_msg("%s", err.message);                                                           \
    } while (0)

__attribute__((format(printf, 2, 3))) static const struct ckpt_tensor *find(
    const struct recording *r, const char *format, ...)
{
    const struct ckpt_tensor *t;
    char name[512];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    t = ckpt_find(r->file, name);
    if (!t)
        fail_msg("%s: no tensor %s", r->name, name);
    return t;
}

static double difference(const float *a, const float *b, size_t n)
{
    double largest = 0.0;

    for (size_t i = 0; i < n; i++) {
        double d = fabs((double) a[i] - (double) b[i]);

        largest = d > largest || isnan(d) ? d : largest;
    }
    return largest;
}

/* What the model remembers is not recorded, and is a variable here. */
static bool is_memory(const char *variable)
{
    return t2_ends_with(variable, "memvals");
}

static void set_variables(const struct recording *r)
{
    struct gr_params *p = mdl_params(r->m);
    size_t n = 0;

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        const struct ckpt_tensor *t;

        if (is_memory(v->name))
            continue;
        t = find(r, "var/%s", v->name);
        assert_int_equal(t->n_bytes, (size_t) v->n * sizeof(float));
        p->dev->upload_now(p->dev, p->values + v->offset, t->data, t->n_bytes);
        n++;
    }
    for (size_t i = 0; i < ckpt_count(r->file); i++)
        n -= strncmp(ckpt_at(r->file, i)->name, "var/", 4) == 0;
    assert_int_equal(n, 0); /* no recorded variable that we lack */
}

static struct mdl_batch batch_of(const struct recording *r, size_t i)
{
    const struct ckpt_tensor *targets = find(r, "chunk%zu/targets", i);

    return (struct mdl_batch){
        .batch = (int32_t) targets->dims[0],
        .targets_length = (int32_t) targets->dims[1],
        .targets = targets->data,
        .chunk = (int32_t) t2_json_as_i64(t2_json_item(t2_json_get(r->root, "chunks"), i), -1)};
}

static void check_logits(const struct recording *r, size_t i)
{
    const struct ckpt_tensor *t = find(r, "chunk%zu/logits", i);
    struct mdl_batch batch = batch_of(r, i);
    float *logits = t2_alloc(t->n_bytes, 1);
    double d;

    OK(mdl_logits(r->m, &batch, logits, &err));
    d = difference(logits, t->data, t->n_bytes / sizeof *logits);
    if (!(d <= logits_tolerance))
        fail_msg("%s: logits of chunk %zu differ by %g", r->name, i, d);
    t2_free(logits);
}

static void check_step(const struct recording *r, size_t i)
{
    const struct gr_params *p = mdl_params(r->m);
    double loss = t2_json_as_double(t2_json_item(t2_json_get(r->root, "losses"), i), NAN);
    struct mdl_batch batch = batch_of(r, i);
    struct mdl_loss now;
    double worst = 0.0;
    float *grads;

    OK(mdl_train_step(r->m, &batch, 1, i, &now, &err));
    now.numerator /= now.denominator;
    if (!(fabs(now.numerator - loss) <= loss_tolerance * loss))
        fail_msg("%s: loss of chunk %zu is %.9g, the original's %.9g", r->name, i, now.numerator,
                 loss);
    grads = device_floats(p->dev, p->grads, p->n_floats);
    for (int k = 0; k < p->n_variables; k++) {
        const struct gr_variable *v = &p->variables[k];
        double d;

        if (is_memory(v->name))
            continue;
        d = difference(grads + v->offset, find(r, "chunk%zu/grad/%s", i, v->name)->data,
                       (size_t) v->n);
        if (!(d <= gradient_tolerance))
            fail_msg("%s: gradient of %s at chunk %zu differs by %g", r->name, v->name, i, d);
        worst = d > worst ? d : worst;
    }
    free(grads);
    print_message("  %-16s chunk %zu: gradients within %.1e\n", r->name, i, worst);
}

static void check_recording(const char *name, const char *device, bool remat)
{
    struct recording r = {.name = name};
    const char *root = getenv("T2_ROOT");
    char *folder = t2_path_join(root && *root ? root : ".", "fixtures/recordings/t2t_memory");
    char *json = t2_asprintf("%s/%s.json", folder, name);
    char *tensors = t2_asprintf("%s/%s.safetensors", folder, name);
    struct mdl_problem problem = {.loss_multiplier = 1.0};
    struct mdl_hparams *hp;
    struct dev *dev;
    size_t n;

    OK(t2_json_load(json, &r.doc, &err));
    r.root = t2_json_root(r.doc);
    OK(ckpt_open(tensors, &r.file, &err));
    OK(mdl_hparams_new(t2_json_as_string(t2_json_get(r.root, "hparams_set"), ""), &hp, &err));
    OK(mdl_hparams_override(hp, t2_json_as_string(t2_json_get(r.root, "hparams"), ""), &err));
    problem.targets_vocab = (int32_t) t2_json_as_i64(t2_json_get(r.root, "vocab_size"), 0);
    OK(dev_open(device, 1, &dev, &err));
    OK(mdl_new("transformer_memory", dev, hp, &problem, MDL_TRAIN, &r.m, &err));
    mdl_set_remat(r.m, remat);
    set_variables(&r);
    n = t2_json_size(t2_json_get(r.root, "chunks"));
    assert_true(n > 2);
    for (size_t i = 0; i < n; i++)
        check_logits(&r, i);
    for (size_t i = 0; i < n; i++)
        check_step(&r, i);
    mdl_free(r.m);
    dev_close(dev);
    mdl_hparams_free(hp);
    ckpt_close(r.file);
    t2_json_free(r.doc);
    t2_free(tensors);
    t2_free(json);
    t2_free(folder);
}

static const char *const names[] = {"memory", "memory_long", "memory_short", "memory_default",
                                    "memory_absolute"};

static void test_cpu(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_recording(names[i], "cpu", false);
}

static void test_reference(void **state)
{
    (void) state;
    check_recording("memory_long", "reference", false);
}

/* Layers computed again read the memory of before. */
static void test_remat(void **state)
{
    (void) state;
    check_recording("memory", "cpu", true);
}

T_MAIN(cmocka_unit_test(test_cpu), cmocka_unit_test(test_reference), cmocka_unit_test(test_remat))
