/*
 * tests/oracle/test_recorded_transformer.c - the Transformer against what Tensor2Tensor computed.
 *
 * Walks T2_DATA/oracles/t2t_transformer, and fixtures/recordings/t2t_models and T2_DATA's
 * recordings/t2t_models, which have models that are not there (bench/record_models.py): every case
 * that holds a model of ours is built from the hparams in its JSON, given the recorded variables
 * and batch, and must give the recorded logits, loss, gradients and variables after steps of the
 * optimizer.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/device_floats.h"
#include "tests/support/recorded_noise.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"
#include "train/dist/comm.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"
#include "train/runs/data_shards.h"

/* Where the recording does not state its own distance from double (double-check.json). */
static const double logits_tolerance = 6e-6, loss_tolerance = 3e-6, gradient_tolerance = 5e-7,
                    later_loss_tolerance = 2e-5;
/* Rows of four channels, whose normalisation divides by less. */
static const double narrow_gradient_tolerance = 4e-6;
/* Hard attention subtracts weights that are nearly equal: another order of sums can choose another
 * one, and all that follows differs. */
static const double hard_step_outliers = 0.05;
/* After steps: nearly all elements this close; single ones where Adam divides noise by noise. */
static const double step_tolerance = 3e-6, step_outlier_tolerance = 4e-4, step_outliers = 0.003;

static const char folder_name[] = "oracles/t2t_transformer";

enum { MOST_ROWS = 16 };

struct one_case {
    const char *name;    /* file */
    const char *variant; /* as in double-check.json */
    struct t2_json_doc *doc;
    const struct t2_json_value *root;
    struct ckpt_file *file, *shared; /* shared: v3, for tensors_in_v3_file */
    struct mdl_hparams *hp;
    struct mdl_problem problem;
    struct mdl *m;
    struct mdl_batch batch;
    float reals[MOST_ROWS]; /* its values */
    double gradient_tolerance;
    int n_shards; /* of which the recording's batch was made */
    struct dist *dist;
    struct tr_shards *shards;
};

static const struct ckpt_tensor *find(const struct one_case *c, const char *prefix,
                                      const char *name)
{
    char key[512];
    const struct ckpt_tensor *t;

    snprintf(key, sizeof key, "%s%s", prefix, name);
    t = ckpt_find(c->file, key);
    if (!t && c->shared) {
        const struct t2_json_value *list = t2_json_get(c->root, "tensors_in_v3_file");

        for (size_t i = 0; i < t2_json_size(list); i++)
            if (strcmp(t2_json_as_string(t2_json_item(list, i), ""), key) == 0)
                t = ckpt_find(c->shared, key);
    }
    return t;
}

static const struct ckpt_tensor *must_find(const struct one_case *c, const char *prefix,
                                           const char *name)
{
    const struct ckpt_tensor *t = find(c, prefix, name);

    if (!t)
        fail_msg("%s: no tensor %s%s", c->name, prefix, name);
    return t;
}

/* |a - b| over n elements: how many beyond tolerance, and the largest. */
struct difference {
    double largest;
    size_t n_beyond;
};

static struct difference compare(const float *a, const float *b, size_t n, double tolerance)
{
    struct difference d = {0};

    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double) a[i] - (double) b[i]);

        if (!(difference <= tolerance))
            d.n_beyond++;
        d.largest = difference > d.largest || isnan(difference) ? difference : d.largest;
    }
    return d;
}

static void set_variables(const struct one_case *c)
{
    struct gr_params *p = mdl_params(c->m);

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        const struct ckpt_tensor *t = must_find(c, "var/", v->name);

        if (t->n_bytes != (size_t) v->n * sizeof(float))
            fail_msg("%s: variable %s has %zu bytes in the oracle, %lld values here", c->name,
                     v->name, t->n_bytes, (long long) v->n);
        p->dev->upload_now(p->dev, p->values + v->offset, t->data, t->n_bytes);
    }
    /* and the other way round: no recorded variable that we lack */
    for (size_t i = 0; i < ckpt_count(c->file); i++) {
        const char *name = ckpt_at(c->file, i)->name;

        if (strncmp(name, "var/", 4) == 0 && !gr_params_find(p, name + 4))
            fail_msg("%s: the original also has variable %s", c->name, name + 4);
    }
}

/* Compares all variables with "<prefix><name>"; returns whether there were such tensors. */
static bool compare_variables(const struct one_case *c, const float *on_device, const char *prefix,
                              double tolerance, double outlier_tolerance, double outliers)
{
    const struct gr_params *p = mdl_params(c->m);
    float *values = device_floats(p->dev, on_device, p->n_floats);
    double largest = 0.0;
    size_t beyond = 0, all = 0;
    const char *worst = "";

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        const struct ckpt_tensor *t = find(c, prefix, v->name);
        struct difference d;

        if (!t)
            continue;
        d = compare(values + v->offset, t->data, (size_t) v->n, tolerance);
        beyond += d.n_beyond;
        all += (size_t) v->n;
        if (!(d.largest <= largest)) {
            largest = d.largest;
            worst = v->name;
        }
    }
    free(values);
    if (all == 0)
        return false;
    print_message("  %-34s %-7s largest difference %.2e, %zu of %zu beyond %.0e\n", c->name, prefix,
                  largest, beyond, all, tolerance);
    if (!(largest <= outlier_tolerance) || (double) beyond > outliers * (double) all)
        fail_msg("%s: %s differs: %zu of %zu beyond %g, largest %g in %s", c->name, prefix, beyond,
                 all, tolerance, largest, worst);
    return true;
}

static bool is_hard(const struct one_case *c)
{
    return mdl_hp_has(c->hp, "hard_attention_k") && mdl_hp_int(c->hp, "hard_attention_k") > 0;
}

/* Packed rows end in padding, whose logits the original's bias of -1e9 swallows: no noise is that
 * of the real ones, then, and the recording's figure is about both. */
static double logits_room(const struct one_case *c)
{
    return c->batch.targets_segmentation
               ? logits_tolerance
               : recorded_room(folder_name, c->variant, "logits", 2e-6, logits_tolerance);
}

static void check_forward(const struct one_case *c)
{
    const struct ckpt_tensor *t = must_find(c, "out/", "logits");
    size_t n = t->n_bytes / sizeof(float);
    float *logits = t2_alloc(n, sizeof *logits);
    struct t2_err err = T2_ERR_INIT;
    struct difference d;

    assert_int_equal(mdl_logits(c->m, &c->batch, logits, &err), T2_OK);
    d = compare(logits, t->data, n, logits_room(c));
    print_message("  %-34s logits  largest difference %.2e\n", c->name, d.largest);
    if (d.n_beyond)
        fail_msg("%s: logits differ by up to %g", c->name, d.largest);
    t2_free(logits);
}

static double sum_of(const struct t2_json_value *list)
{
    double sum = 0.0;

    for (size_t i = 0; i < t2_json_size(list); i++)
        sum += t2_json_as_double(t2_json_item(list, i), NAN);
    return sum;
}

/* With several shards, as a run with --worker_gpu. */
static enum t2_status train_step(const struct one_case *c, uint64_t step, struct mdl_loss *loss,
                                 struct t2_err *err)
{
    if (!c->shards)
        return mdl_train_step(c->m, &c->batch, 1, step, loss, err);
    T2_TRY(tr_shards_queue_step(c->shards, &c->batch, mdl_count_targets(c->m, &c->batch), 1, step,
                                err));
    return mdl_take_loss(c->m, loss, err);
}

static void open_shards(struct one_case *c, struct dev *dev)
{
    struct t2_err err = T2_ERR_INIT;
    struct dist_comm comm;

    c->n_shards = (int) t2_json_size(t2_json_get(c->root, "loss_numerator"));
    c->batch.all_rows = c->batch.batch;
    if (c->n_shards < 2)
        return;
    dist_comm_one(&comm);
    assert_int_equal(dist_new(&comm, "", &c->dist, &err), T2_OK);
    c->shards = tr_shards_new(c->dist, dev, c->m, c->n_shards, DIST_FLOAT32);
    assert_int_equal(tr_shards_place(c->shards, &err), T2_OK);
}

/* Keys of areas that are drawn in training: the recording is of an evaluation, which draws none. */
static bool draws(const struct one_case *c)
{
    return mdl_hp_has(c->hp, "area_key_mode") &&
           t2_starts_with(mdl_hp_string(c->hp, "area_key_mode"), "sample");
}

static void check_loss_and_gradients(const struct one_case *c, struct mdl_loss *loss)
{
    double denominator = sum_of(t2_json_get(c->root, "loss_denominator"));
    double numerator =
        sum_of(t2_json_get(c->root, "loss_numerator")) +
        t2_json_as_double(t2_json_get(t2_json_get(c->root, "losses"), "act_loss"), 0.0) *
            denominator;
    double tolerance =
        recorded_room(folder_name, c->variant, "gradients_max_abs", 2e-7, c->gradient_tolerance);
    double loss_room = recorded_room(folder_name, c->variant, "loss.difference",
                                     1e-6 * fabs(numerator / denominator),
                                     loss_tolerance * fabs(numerator / denominator));
    struct gr_params *p = mdl_params(c->m);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(draws(c) ? mdl_evaluate(c->m, &c->batch, loss, &err)
                              : train_step(c, 0, loss, &err),
                     T2_OK);
    if (!(fabs(loss->numerator - numerator) <= loss_room * denominator) ||
        loss->denominator != denominator)
        fail_msg("%s: loss is %.9g / %g, the original's %.9g / %g", c->name, loss->numerator,
                 loss->denominator, numerator, denominator);
    /* "grad/" has the gradient of the weight decay in it, which is the optimizer's business here */
    if (mdl_hp_float(c->hp, "weight_decay") == 0.0 && !draws(c))
        (void) compare_variables(c, p->grads, "grad/", tolerance, tolerance, 0.0);
}

static void check_steps(const struct one_case *c)
{
    struct gr_params *p = mdl_params(c->m);
    int64_t train_steps = 1000;
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;
    int n_steps = (int) t2_json_size(t2_json_get(c->root, "steps"));
    double after, later_room;
    char key[32];

    if (mdl_hp_has(c->hp, "train_steps"))
        train_steps = mdl_hp_int(c->hp, "train_steps");
    if (n_steps == 0)
        return;
    if (opt_new(c->hp, p, &o, &err) != T2_OK)
        fail_msg("%s: %s", c->name, err.message);
    for (int step = 0; step < n_steps; step++) {
        char prefix[32];

        assert_int_equal(train_step(c, (uint64_t) step, &loss, &err), T2_OK);
        if (opt_step(o, step, train_steps, &report, &err) != T2_OK)
            fail_msg("%s: %s", c->name, err.message);
        snprintf(prefix, sizeof prefix, "step%d/", step + 1);
        (void) compare_variables(c, p->values, prefix, step_tolerance, step_outlier_tolerance,
                                 is_hard(c) ? hard_step_outliers : step_outliers);
    }
    snprintf(key, sizeof key, "loss_after_%d_steps", n_steps);
    after = t2_json_as_double(t2_json_get(c->root, key), NAN);
    later_room = recorded_room(folder_name, c->variant, "loss_after_last_step", 2e-5 * after,
                               later_loss_tolerance * after);
    assert_int_equal(train_step(c, (uint64_t) n_steps, &loss, &err), T2_OK);
    if (!isnan(after) && mdl_hp_float(c->hp, "weight_decay") == 0.0 &&
        !(fabs(loss.numerator / loss.denominator - after) <= later_room))
        fail_msg("%s: loss after the last step is %.8g, the original's %.8g", c->name,
                 loss.numerator / loss.denominator, after);
    opt_free(o);
}

/* Packed data has more. */
static const int32_t *optional_ids(const struct one_case *c, const char *name)
{
    const struct ckpt_tensor *t = find(c, "in/", name);

    return t ? t->data : NULL;
}

static void read_batch(struct one_case *c)
{
    const struct ckpt_tensor *targets = must_find(c, "in/", "targets");

    if (targets->type != CKPT_I32 || targets->rank < 2)
        fail_msg("%s: targets are not int32 ids", c->name);
    c->batch = (struct mdl_batch){.batch = (int32_t) targets->dims[0],
                                  .targets_length = (int32_t) targets->dims[1],
                                  .targets = targets->data};
    if (c->problem.target == MDL_TARGET_REALS) { /* the number of a class is what it means */
        for (int32_t i = 0; i < c->batch.batch && i < MOST_ROWS; i++)
            c->reals[i] = (float) c->batch.targets[i];
        c->batch.n_values = 1;
        c->batch.values = c->reals;
        c->batch.targets = NULL;
    }
    if (c->problem.has_inputs) {
        const struct ckpt_tensor *inputs = must_find(c, "in/", "inputs");

        c->batch.inputs_length = (int32_t) inputs->dims[1];
        c->batch.inputs = inputs->data;
    }
    c->batch.inputs_segmentation = optional_ids(c, "inputs_segmentation");
    c->batch.inputs_position = optional_ids(c, "inputs_position");
    c->batch.targets_segmentation = optional_ids(c, "targets_segmentation");
    c->batch.targets_position = optional_ids(c, "targets_position");
}

static bool gives_classes(const char *model)
{
    return t2_ends_with(model, "transformer_encoder") || strcmp(model, "lstm_encoder") == 0 ||
           strcmp(model, "text_cnn") == 0 || strcmp(model, "transformer_regressor") == 0;
}

static void read_problem(struct one_case *c)
{
    const struct t2_json_value *vocab = t2_json_get(c->root, "vocab_size");

    c->problem.has_inputs = t2_json_get(vocab, "inputs") != NULL;
    c->problem.inputs_vocab = (int32_t) t2_json_as_i64(t2_json_get(vocab, "inputs"), 0);
    c->problem.targets_vocab = (int32_t) t2_json_as_i64(t2_json_get(vocab, "targets"), 0);
    c->problem.target_space_id = (int) t2_json_as_i64(t2_json_get(c->root, "target_space_id"), 0);
    c->problem.loss_multiplier = 1.0;
    c->problem.class_labels = gives_classes(t2_json_as_string(t2_json_get(c->root, "model"), ""));
    if (strcmp(t2_json_as_string(t2_json_get(c->root, "model"), ""), "transformer_regressor") == 0)
        c->problem.target = MDL_TARGET_REALS;
}

static bool is_ours(const char *model)
{
    for (size_t i = 0; i < mdl_count(); i++)
        if (strcmp(mdl_name(i), model) == 0)
            return true;
    return false;
}

/* Runs one case; false when it is refused, with the reason in err. */
static bool run_case(struct one_case *c, struct dev *dev, struct t2_err *err)
{
    const char *model = t2_json_as_string(t2_json_get(c->root, "model"), "");
    struct mdl_loss loss;

    if (!t2_json_get(c->root, "loss_numerator") || !is_ours(model))
        return t2_fail(err, T2_EUNSUPPORTED, "model '%s'", model) == T2_OK;
    if (mdl_hparams_new(t2_json_as_string(t2_json_get(c->root, "hparams_set"), ""), &c->hp, err) !=
        T2_OK)
        return false;
    if (mdl_hparams_read_json(c->hp, t2_json_get(c->root, "hparams"), err) != T2_OK)
        fail_msg("%s: hparams: %s", c->name, err->message);
    if (strcmp(t2_json_as_string(t2_json_get(c->root, "mode"), "train"), "train") != 0)
        mdl_hparams_for_eval(c->hp);
    read_problem(c);
    if (mdl_new(model, dev, c->hp, &c->problem, MDL_TRAIN, &c->m, err) != T2_OK)
        return false;
    read_batch(c);
    set_variables(c);
    open_shards(c, dev);
    check_forward(c);
    check_loss_and_gradients(c, &loss);
    check_steps(c);
    return true;
}

static void release_case(struct one_case *c)
{
    tr_shards_free(c->shards);
    dist_close(c->dist);
    mdl_free(c->m);
    mdl_hparams_free(c->hp);
    ckpt_close(c->file);
    ckpt_close(c->shared);
    t2_json_free(c->doc);
}

/* One file of a folder; false where it is not a case. */
static bool check_file(const char *path, const char *name, struct dev *dev, double tolerance)
{
    struct one_case c = {.name = name, .gradient_tolerance = tolerance};
    char *json = t2_path_join(path, name);
    char *tensors = t2_asprintf("%.*s.safetensors", (int) strlen(json) - 5, json);
    char *v3 = t2_path_join(path, "v3.safetensors");
    struct t2_err err = T2_ERR_INIT;
    bool is_case = t2_exists(tensors);

    if (is_case) {
        assert_int_equal(t2_json_load(json, &c.doc, &err), T2_OK);
        assert_int_equal(ckpt_open(tensors, &c.file, &err), T2_OK);
        if (t2_exists(v3))
            assert_int_equal(ckpt_open(v3, &c.shared, &err), T2_OK);
        c.root = t2_json_root(c.doc);
        c.variant = t2_json_as_string(t2_json_get(c.root, "variant"), "");
        if (!run_case(&c, dev, &err))
            fail_msg("%s is refused: %s", c.name, err.message);
        release_case(&c);
    }
    t2_free(json);
    t2_free(tensors);
    t2_free(v3);
    return is_case;
}

/* All cases of a folder; how many there are. */
static int check_folder(const char *path, double tolerance)
{
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    int n_checked = 0;

    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    assert_int_equal(t2_list_dir(path, &names, &err), T2_OK);
    for (size_t i = 0; i < names.n; i++)
        n_checked += t2_ends_with(names.items[i], ".json") &&
                     check_file(path, names.items[i], dev, tolerance);
    print_message("%d cases equal the original\n", n_checked);
    t2_strs_release(&names);
    dev_close(dev);
    return n_checked;
}

static void test_all_cases(void **state)
{
    const char *folder = t_data_path(folder_name);
    char path[1024];
    int n;

    (void) state;
    if (!folder)
        t_skip("no %s in T2_DATA", folder_name);
    snprintf(path, sizeof path, "%s", folder);
    n = check_folder(path, gradient_tolerance);
    assert_true(n > 0);
    assert_int_equal(n, t_data_files(folder_name, ".safetensors"));
}

static void test_further_models(void **state)
{
    const char *root = getenv("T2_ROOT");
    char *path = t2_path_join(root && *root ? root : ".", "fixtures/recordings/t2t_models");

    (void) state;
    assert_true(check_folder(path, narrow_gradient_tolerance) >= 9);
    t2_free(path);
}

static void test_recordings_made_here(void **state)
{
    const char *folder = t_data_path("recordings/t2t_models");
    char path[1024];

    (void) state;
    if (!folder)
        t_skip("no recordings/t2t_models in T2_DATA: bench/record_models.py makes them");
    snprintf(path, sizeof path, "%s", folder);
    assert_true(check_folder(path, narrow_gradient_tolerance) > 0);
}

T_MAIN(cmocka_unit_test(test_all_cases), cmocka_unit_test(test_further_models),
       cmocka_unit_test(test_recordings_made_here))
