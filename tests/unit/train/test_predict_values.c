/*
 * tests/unit/train/test_predict_values.c - lines of values: how they are read, what is written.
 */
#include "train/trained/predict_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

static struct t2_err err;

enum { FEATURES = 2, OUT = 3 };

/* The model is y = W x + b with these. */
static const float kernel[FEATURES][OUT] = {{1.0F, 0.5F, -1.0F}, {0.0F, 2.0F, 0.25F}};
static const float bias[OUT] = {0.0F, -1.0F, 0.5F};

static void open_model(struct tr_trained *t, enum mdl_target_kind target)
{
    static const char *const labels[] = {"red", "green", "blue"};
    struct mdl_hparams *hp = NULL;
    struct dg_view *v = t2_alloc(1, sizeof *v);
    struct gr_params *p;

    *t = (struct tr_trained){.dir = NULL};
    t->data.problem = (struct mdl_problem){.targets_vocab = OUT,
                                           .target = target,
                                           .table = true,
                                           .loss_multiplier = 1.0,
                                           .class_labels = true,
                                           .image = {1, 1, FEATURES}};
    t->data.view = v;
    v->targets.labels = target == MDL_TARGET_REALS ? NULL : labels;
    assert_int_equal(mdl_hparams_new("basic_fc_small", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "num_hidden_layers=0", &err), T2_OK);
    mdl_hparams_for_eval(hp);
    assert_int_equal(dev_open("cpu", 2, &t->dev, &err), T2_OK);
    if (mdl_new("basic_fc_relu", t->dev, hp, &t->data.problem, MDL_EVAL, &t->m, &err) != T2_OK)
        fail_msg("%s", err.message);
    p = mdl_params(t->m);
    for (int i = 0; i < p->n_variables; i++)
        device_write(p->dev, p->values + p->variables[i].offset,
                     p->variables[i].n == OUT ? bias : kernel[0], p->variables[i].n);
    mdl_hparams_free(hp);
}

static void close_model(struct tr_trained *t)
{
    mdl_free(t->m);
    dev_close(t->dev);
    t2_free(t->data.view);
}

static enum t2_status predict(const struct tr_trained *t, const char *lines, int64_t batch_size,
                              bool json, char **out)
{
    const char *from = t_tmp_path("in.csv"), *to = t_tmp_path("out");
    const struct tr_predict_options o = {.from = from,
                                         .to = to,
                                         .batch_size = batch_size,
                                         .json = json};
    struct tr_predict_report report;
    enum t2_status st;
    size_t n;

    t_write_file(from, lines, strlen(lines));
    st = tr_predict_values(t, &o, &report, &err);
    if (st == T2_OK)
        *out = t_read_file(to, &n);
    return st;
}

static void gives(enum mdl_target_kind target, bool json, const char *lines, const char *expected)
{
    struct tr_trained t;

    open_model(&t, target);
    for (int64_t batch_size = 1; batch_size < 4; batch_size += 2) {
        char *out = NULL;

        if (predict(&t, lines, batch_size, json, &out) != T2_OK)
            fail_msg("%s", err.message);
        assert_string_equal(out, expected);
        free(out);
    }
    close_model(&t);
}

static void test_lines(void **state)
{
    (void) state;
    gives(MDL_TARGET_REALS, false, "a,b\n1,0.5\n2\t-1\n0 ; 0\n -1 1\n",
          "1,0.5,-0.375\n2,-2,-1.75\n0,-1,0.5\n-1,0.5,1.75\n");
    gives(MDL_TARGET_SET, false, "1,0.5\n-1,0\n2,-1\n0,0.5\n", "red|green\nblue\nred\nblue\n");
    gives(MDL_TARGET_IDS, false, "1,0\n0,3\n-4,0\n", "red\ngreen\nblue\n");
}

static void test_json(void **state)
{
    (void) state;
    gives(MDL_TARGET_REALS, true, "1,0.5\n", "{\"targets\": [1, 0.5, -0.375]}\n");
    gives(MDL_TARGET_SET, true, "0,0.5\n",
          "{\"labels\": [\"blue\"], \"probabilities\": {\"red\": 0.5, \"green\": 0.5, "
          "\"blue\": 0.651354865}}\n");
    gives(MDL_TARGET_IDS, true, "0,0\n",
          "{\"class\": \"blue\", \"probabilities\": {\"red\": 0.33149896, "
          "\"green\": 0.121951652, \"blue\": 0.546549387}}\n");
}

/* Packed weights and activations of a batch are planned: where they do not fit, batches are
 * smaller, and the lines stay as they are. */
static void test_little_memory(void **state)
{
    const char *from = t_tmp_path("in.csv");
    struct tr_predict_options o = {.from = from, .to = t_tmp_path("out"), .batch_size = 8};
    struct tr_predict_report report;
    char *want, *text;
    struct tr_trained t;
    size_t n;

    (void) state;
    OP_NEEDS_CPU();
    t_write_file(from, "1,0.5\n2,-1\n0,0\n-1,1\n3,3\n", 24);
    open_model(&t, MDL_TARGET_REALS);
    assert_int_equal(tr_predict_values(&t, &o, &report, &err), T2_OK);
    assert_true(report.n_batches == 1 && report.n_rows == 5);
    want = t_read_file(o.to, &n);
    close_model(&t);
    open_model(&t, MDL_TARGET_REALS);
    o.max_memory = 1;
    assert_int_equal(tr_predict_values(&t, &o, &report, &err), T2_OK);
    assert_true(report.n_batches == 5 && report.n_rows == 5);
    text = t_read_file(o.to, &n);
    assert_string_equal(text, want);
    /* beside packs that do not fit alone there is no room for several rows */
    o.max_memory = mdl_packs_bytes(t.m);
    assert_true(o.max_memory > 0);
    assert_int_equal(tr_predict_values(&t, &o, &report, &err), T2_OK);
    assert_int_equal(report.n_batches, 5);
    free(text);
    free(want);
    close_model(&t);
}

static void test_refused(void **state)
{
    static const struct {
        const char *lines, *part;
    } rows[] = {{"1,2\n1,x\n", "line 2: 'x' is no finite number"},
                {"1,2,3\n", "line 1: 3 numbers; the model reads 2"},
                {"1,2\n\n", "line 2: 0 numbers; the model reads 2"},
                {"1,1e60\n", "'1e60' is no finite number"}};
    struct tr_trained t;

    (void) state;
    open_model(&t, MDL_TARGET_REALS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = NULL;

        assert_int_equal(predict(&t, rows[i].lines, 2, false, &out), T2_EFORMAT);
        t_assert_contains(err.message, rows[i].part);
    }
    close_model(&t);
}

T_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_json), cmocka_unit_test(test_refused),
       cmocka_unit_test(test_little_memory))
