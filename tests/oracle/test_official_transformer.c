/*
 * tests/oracle/test_official_transformer.c - the official Transformer against what it computed
 * itself.
 *
 * T2_DATA/oracles/official_transformer: training.* has logits, loss, metrics, gradients and five
 * steps of both of its training loops, decode.* its beam search with all beams.
 * T2_DATA/oracles/rates has its learning rates.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/device_floats.h"
#include "tests/support/recorded_noise.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"
#include "train/decode/decode.h"
#include "train/device/device.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"

/* What may lie between ours and the original's: room for another order of sums and what the
 * recording says of itself; the second number where it says nothing. */
#define ROOM(key, ours, otherwise)                                                                 \
    recorded_room("oracles/official_transformer", NULL, (key), (ours), (otherwise))
static const double score_tolerance = 4e-5;
/* Single elements, where Adam divides noise by noise; the original's own with other seeds:
 * 1.3e-4. */
static const double step_outlier_tolerance = 2e-4, step_outliers = 0.002;

#define FOLDER "oracles/official_transformer/"

struct fixture {
    struct t2_json_doc *doc;
    const struct t2_json_value *root;
    struct ckpt_file *file;
    struct dev *dev;
    struct mdl_hparams *hp;
    struct mdl *m;
    struct mdl_batch batch;
};

#define assert_near(actual, expected, tolerance) near_at(actual, expected, tolerance, __LINE__)

static void near_at(double actual, double expected, double tolerance, int line)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("line %d: %.9g instead of %.9g", line, actual, expected);
}

/* ---- the recorded model ---- */

/* The parameters are texts, as Python prints them. */
static struct mdl_hparams *hparams_of(const struct t2_json_value *params)
{
    static const char *const names[][2] = {{"vocab_size", "vocab_size"},
                                           {"hidden_size", "hidden_size"},
                                           {"num_hidden_layers", "num_hidden_layers"},
                                           {"num_heads", "num_heads"},
                                           {"filter_size", "filter_size"},
                                           {"label_smoothing", "label_smoothing"},
                                           {"layer_postprocess_dropout",
                                            "layer_prepostprocess_dropout"},
                                           {"attention_dropout", "attention_dropout"},
                                           {"relu_dropout", "relu_dropout"},
                                           {"learning_rate", "learning_rate_constant"},
                                           {"learning_rate_warmup_steps",
                                            "learning_rate_warmup_steps"},
                                           {"optimizer_adam_beta1", "optimizer_adam_beta1"},
                                           {"optimizer_adam_beta2", "optimizer_adam_beta2"},
                                           {"optimizer_adam_epsilon", "optimizer_adam_epsilon"}};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp;

    assert_int_equal(mdl_hparams_new("official_transformer_base", &hp, &err), T2_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = t2_json_as_string(t2_json_get(params, names[i][0]), "");
        char *clause = t2_asprintf("%s=%s", names[i][1], value);

        if (mdl_hparams_override(hp, clause, &err) != T2_OK)
            fail_msg("%s", err.message);
        t2_free(clause);
    }
    return hp;
}

static void set_variables(struct mdl *m, const struct ckpt_file *file, const char *prefix)
{
    struct gr_params *p = mdl_params(m);
    size_t n = 0;

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        char *key = t2_asprintf("%s%s", prefix, v->name);
        const struct ckpt_tensor *t = ckpt_find(file, key);

        if (!t)
            fail_msg("the original has no %s", key);
        if (t->rank != v->rank || memcmp(t->dims, v->dims, (size_t) v->rank * sizeof *v->dims) != 0)
            fail_msg("%s has another shape in the original", key);
        p->dev->upload_now(p->dev, p->values + v->offset, t->data, t->n_bytes);
        t2_free(key);
    }
    for (size_t i = 0; i < ckpt_count(file); i++)
        n += t2_starts_with(ckpt_at(file, i)->name, prefix);
    assert_int_equal(n, p->n_variables);
}

static void open_fixture(struct fixture *f, bool use_ctl)
{
    const char *json = t_data_path(FOLDER "training.json");
    const struct ckpt_tensor *inputs, *targets;
    struct mdl_problem problem = {.has_inputs = true, .loss_multiplier = 1.0};
    struct t2_err err = T2_ERR_INIT;

    if (!json)
        t_skip("no " FOLDER " in T2_DATA");
    if (t2_json_load(json, &f->doc, &err) != T2_OK ||
        ckpt_open(t_data_path(FOLDER "training.safetensors"), &f->file, &err) != T2_OK ||
        dev_open("cpu", 2, &f->dev, &err) != T2_OK)
        fail_msg("%s", err.message);
    f->root = t2_json_root(f->doc);
    f->hp = hparams_of(t2_json_get(f->root, "params"));
    mdl_hp_set_bool(f->hp, "use_ctl", use_ctl);
    problem.inputs_vocab = problem.targets_vocab = (int32_t) mdl_hp_int(f->hp, "vocab_size");
    if (mdl_new("official_transformer", f->dev, f->hp, &problem, MDL_TRAIN, &f->m, &err) != T2_OK)
        fail_msg("%s", err.message);
    set_variables(f->m, f->file, "var/");
    inputs = ckpt_find(f->file, "in/inputs");
    targets = ckpt_find(f->file, "in/targets");
    assert_true(inputs && targets && inputs->type == CKPT_I32 && targets->type == CKPT_I32);
    f->batch = (struct mdl_batch){.batch = (int32_t) inputs->dims[0],
                                  .inputs_length = (int32_t) inputs->dims[1],
                                  .targets_length = (int32_t) targets->dims[1],
                                  .inputs = inputs->data,
                                  .targets = targets->data};
}

static void close_fixture(struct fixture *f)
{
    mdl_free(f->m);
    mdl_hparams_free(f->hp);
    dev_close(f->dev);
    ckpt_close(f->file);
    t2_json_free(f->doc);
}

static double number(const struct t2_json_value *object, const char *key)
{
    const struct t2_json_value *v = t2_json_get(object, key);

    if (!v)
        fail_msg("no '%s' in the oracle", key);
    return t2_json_as_double(v, (double) NAN);
}

/* All variables of an arena of the device against "<prefix><name>". */
static void compare(const struct fixture *f, const float *arena, const char *prefix,
                    double tolerance, double outlier_tolerance, double outliers)
{
    const struct gr_params *p = mdl_params(f->m);
    float *values = device_floats(p->dev, arena, p->n_floats);
    double largest = 0.0;
    size_t n = 0, beyond = 0;

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        char *key = t2_asprintf("%s%s", prefix, v->name);
        const struct ckpt_tensor *t = ckpt_find(f->file, key);
        const float *expected = t ? t->data : NULL;

        if (!t || t->n_bytes != (size_t) v->n * sizeof(float))
            fail_msg("no %s of that shape in the oracle", key);
        for (int64_t k = 0; k < v->n; k++) {
            double off = fabs((double) values[v->offset + k] - (double) expected[k]);

            if (!(off <= outlier_tolerance))
                fail_msg("%s[%lld] is %.9g, the original's %.9g", key, (long long) k,
                         (double) values[v->offset + k], (double) expected[k]);
            beyond += off > tolerance;
            largest = fmax(largest, off);
        }
        n += (size_t) v->n;
        t2_free(key);
    }
    free(values);
    print_message("%s largest difference %.1e, %zu of %zu beyond %.0e\n", prefix, largest, beyond,
                  n, tolerance);
    if ((double) beyond > outliers * (double) n)
        fail_msg("%s: %zu of %zu are beyond %g", prefix, beyond, n, tolerance);
}

/* ---- training ---- */

static void test_forward_and_gradients(void **state)
{
    struct fixture f = {0};
    const struct ckpt_tensor *t;
    const struct t2_json_value *metrics;
    struct t2_err err = T2_ERR_INIT;
    double loss_tolerance = ROOM("loss", 5e-7, 1e-6);
    double gradient_tolerance = ROOM("gradients_max_abs", 1e-7, 2e-7);
    struct mdl_loss loss;
    float *logits;

    (void) state;
    open_fixture(&f, true);
    t = ckpt_find(f.file, "out/logits");
    assert_non_null(t);
    logits = t2_alloc(t->n_bytes, 1);
    assert_int_equal(mdl_logits(f.m, &f.batch, logits, &err), T2_OK);
    t_assert_close(logits, t->data, t->n_bytes / sizeof(float), ROOM("logits", 2e-6, 4e-6), 0.0);
    t2_free(logits);

    assert_int_equal(mdl_train_step(f.m, &f.batch, 1, 0, &loss, &err), T2_OK);
    assert_near(loss.denominator, number(f.root, "loss_denominator"), 0.0);
    assert_near(loss.numerator, number(f.root, "loss_numerator"), loss_tolerance * loss.numerator);
    assert_near(loss.numerator / loss.denominator, number(f.root, "loss"),
                loss_tolerance * loss.numerator / loss.denominator);
    compare(&f, mdl_params(f.m)->grads, "grad/", gradient_tolerance, gradient_tolerance, 0.0);

    metrics = t2_json_get(f.root, "metrics");
    assert_int_equal(mdl_evaluate(f.m, &f.batch, &loss, &err), T2_OK);
    assert_near(loss.n_correct / loss.denominator, number(metrics, "accuracy"), 1e-7);
    assert_near(loss.n_top5 / loss.denominator, number(metrics, "accuracy_top5"), 1e-7);
    assert_near(loss.n_sequences_correct / f.batch.batch, number(metrics, "accuracy_per_sequence"),
                1e-7);
    assert_near(loss.log_prob / loss.denominator, number(metrics, "neg_log_perplexity"), 3e-6);
    close_fixture(&f);
}

/* Five steps; prefixes: what the oracle has of the state after each, or NULL. */
static void five_steps(bool use_ctl, const char *list, const char *const prefixes[5],
                       const char *loss_after, double step_outlier)
{
    struct fixture f = {0};
    const struct t2_json_value *steps;
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;
    double last;

    open_fixture(&f, use_ctl);
    steps = t2_json_get(f.root, list);
    assert_int_equal(t2_json_size(steps), 5);
    if (opt_new(f.hp, mdl_params(f.m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < 5; step++) {
        const struct t2_json_value *s = t2_json_item(steps, (size_t) step);
        double rate = number(s, "learning_rate");

        assert_int_equal(mdl_train_step(f.m, &f.batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        if (t2_json_get(s, "loss_before_update")) {
            double before = number(s, "loss_before_update");

            assert_near(loss.numerator / loss.denominator, before, 4e-6 * before);
        }
        assert_int_equal(opt_step(o, step, 1000, &report, &err), T2_OK);
        assert_near(report.learning_rate, rate, 3e-7 * rate);
        if (prefixes[step])
            compare(&f, mdl_params(f.m)->values, prefixes[step], 3e-6,
                    fmax(step_outlier_tolerance, step_outlier), step_outliers);
    }
    assert_int_equal(mdl_train_step(f.m, &f.batch, 1, 5, &loss, &err), T2_OK);
    last = number(f.root, loss_after);
    assert_near(loss.numerator / loss.denominator, last, 1e-5 * last);
    opt_free(o);
    close_fixture(&f);
}

/* The first step has rate 0. */
static void test_custom_loop(void **state)
{
    static const char *const prefixes[5] = {"var/", "custom_loop_step2/", NULL, NULL,
                                            "custom_loop_step5/"};

    (void) state;
    five_steps(true, "custom_loop", prefixes, "custom_loop_loss_after_5",
               ROOM("custom_loop_variables_after_5", 0.0, 0.0));
}

static void test_keras_fit(void **state)
{
    static const char *const prefixes[5] = {"fit_step1/", NULL, NULL, NULL, "fit_step5/"};

    (void) state;
    five_steps(false, "fit", prefixes, "fit_loss_after_5", ROOM("fit_variables_after_5", 0.0, 0.0));
}

/* ---- rates ---- */

static double rate_at(const struct mdl_hparams *hp, int64_t step)
{
    struct t2_err err = T2_ERR_INIT;
    double rate = (double) NAN;

    if (opt_learning_rate(hp, step, 0, &rate, &err) != T2_OK)
        fail_msg("%s", err.message);
    return rate;
}

/* The set of that name has the schedule's numbers, and gives its rates in both loops. */
static void compare_rates(const struct t2_json_value *schedule, const struct t2_json_value *steps)
{
    char *set = t2_asprintf("official_%s", t2_json_as_string(t2_json_get(schedule, "name"), ""));
    const struct t2_json_value *custom = t2_json_get(schedule, "custom_loop");
    const struct t2_json_value *fit = t2_json_get(schedule, "fit_callback_double");
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp;

    if (mdl_hparams_new(set, &hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(t2_json_size(custom), t2_json_size(steps));
    assert_int_equal(t2_json_size(fit), t2_json_size(steps));
    for (size_t i = 0; i < t2_json_size(steps); i++) {
        int64_t step = t2_json_as_i64(t2_json_item(steps, i), -1);
        double in_loop = t2_json_as_double(t2_json_item(custom, i), -1.0);
        double in_fit = t2_json_as_double(t2_json_item(fit, i), -1.0);

        mdl_hp_set_bool(hp, "use_ctl", true);
        assert_near(rate_at(hp, step), in_loop, 4e-7 * in_loop);
        mdl_hp_set_bool(hp, "use_ctl", false);
        if (step > 0) /* its counter is 1 before the first step */
            assert_near(rate_at(hp, step - 1), in_fit, 1e-12 * in_fit);
    }
    mdl_hparams_free(hp);
    t2_free(set);
}

static void test_rates(void **state)
{
    const char *path = t_data_path("oracles/rates/official.json");
    const struct t2_json_value *schedules;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc;
    int n = 0;

    (void) state;
    if (!path)
        t_skip("no oracles/rates/official.json in T2_DATA");
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    schedules = t2_json_get(t2_json_root(doc), "schedules");
    for (size_t i = 0; i < t2_json_size(schedules); i++) {
        const struct t2_json_value *s = t2_json_item(schedules, i);
        const char *name = t2_json_as_string(t2_json_get(s, "name"), "");

        if (t2_starts_with(name, "transformer_")) {
            compare_rates(s, t2_json_get(t2_json_root(doc), "steps"));
            n++;
        } else {
            print_message("not the Transformer's: %s\n", name);
        }
    }
    assert_true(n > 0);
    t2_json_free(doc);
}

/* ---- beam search ---- */

static enum t2_status choose(void *context, int32_t at, const int32_t *ids,
                             const struct dev_ask *asks, struct dev_candidate *best,
                             struct t2_err *err)
{
    return mdl_decoder_choose(context, at, ids, asks, best, err);
}

static enum t2_status reorder(void *context, const int32_t *from, struct t2_err *err)
{
    return mdl_decoder_reorder(context, from, err);
}

/* (rows, *width) ids; owned by the caller. */
static int32_t *id_matrix(const struct t2_json_value *rows, int32_t *n_rows, int32_t *width)
{
    int32_t *ids;

    *n_rows = (int32_t) t2_json_size(rows);
    *width = (int32_t) t2_json_size(t2_json_item(rows, 0));
    ids = t2_alloc((size_t) (*n_rows * *width), sizeof *ids);
    for (int32_t r = 0; r < *n_rows; r++)
        for (int32_t k = 0; k < *width; k++)
            ids[r * *width + k] =
                (int32_t) t2_json_as_i64(t2_json_item(t2_json_item(rows, (size_t) r), (size_t) k),
                                         -1);
    return ids;
}

struct search {
    const struct t2_json_value *c;
    const char *name;
    struct dec_options o;
    int32_t batch;
    double largest;
};

/* All beams of source b: ids behind the leading 0, and scores. */
static void compare_beams(struct search *s, const struct dec_result *r, int32_t b)
{
    const struct t2_json_value *beams = t2_json_item(t2_json_get(s->c, "all_beams"), (size_t) b);
    const struct t2_json_value *scores = t2_json_item(t2_json_get(s->c, "all_scores"), (size_t) b);

    assert_int_equal(t2_json_size(beams), s->o.beam_size);
    for (int32_t k = 0; k < s->o.beam_size; k++) {
        const struct t2_json_value *row = t2_json_item(beams, (size_t) k);
        int64_t at = (int64_t) b * s->o.n_best + k;
        double score = t2_json_as_double(t2_json_item(scores, (size_t) k), (double) NAN);
        int32_t width = (int32_t) t2_json_size(row) - 1;

        if (fabs(r->scores[at] - score) > fmax(score_tolerance, 2e-7 * fabs(score)))
            fail_msg("%s: source %d, beam %d has score %.9g, the original's %.9g", s->name, b, k,
                     r->scores[at], score);
        s->largest = fmax(s->largest, fabs(score) < 1e6 ? fabs(r->scores[at] - score) : 0.0);
        assert_true(r->lengths[at] <= width);
        for (int32_t i = 0; i < width; i++) {
            int32_t id = i < r->lengths[at] ? r->ids[at * s->o.max_length + i] : 0;
            int64_t expected = t2_json_as_i64(t2_json_item(row, (size_t) i + 1), -1);

            if (id != expected)
                fail_msg("%s: source %d, beam %d, id %d is %d, the original's %d", s->name, b, k, i,
                         id, (int) expected);
        }
    }
}

/* What the model gives out: the ids and the score of the first beam. */
static void compare_outputs(const struct search *s, const struct dec_result *r, int32_t b)
{
    const struct t2_json_value *row = t2_json_item(t2_json_get(s->c, "outputs"), (size_t) b);
    int64_t at = (int64_t) b * s->o.n_best;

    assert_true(r->lengths[at] <= (int32_t) t2_json_size(row));
    for (int32_t i = 0; i < r->lengths[at]; i++)
        assert_int_equal(r->ids[at * s->o.max_length + i],
                         t2_json_as_i64(t2_json_item(row, (size_t) i), -1));
    assert_near(r->scores[at],
                t2_json_as_double(t2_json_item(t2_json_get(s->c, "scores"), (size_t) b),
                                  (double) NAN),
                score_tolerance);
}

static void run_search(struct fixture *f, const struct t2_json_value *c, const int32_t *inputs,
                       int32_t batch, int32_t n_inputs, int32_t n_best)
{
    struct search s = {.c = c,
                       .name = t2_json_as_string(t2_json_get(c, "name"), "?"),
                       .batch = batch};
    struct mdl_search_shape shape;
    struct dec_model model;
    struct mdl_choice choice;
    struct dec_result r;
    struct mdl_decoder *d;
    struct t2_err err = T2_ERR_INIT;
    const struct t2_json_value *first = t2_json_item(t2_json_get(c, "all_beams"), 0);
    int32_t width = (int32_t) t2_json_size(t2_json_item(first, 0)) - 1;

    s.o = (struct dec_options){.beam_size = (int32_t) number(c, "beam_size"),
                               .alpha = number(c, "alpha"),
                               .max_length = n_inputs + (int32_t) number(c, "extra_decode_length"),
                               .rules = DEC_RULES_OFFICIAL,
                               .settle_together = true};
    s.o.n_best = n_best < s.o.beam_size ? n_best : s.o.beam_size;
    assert_int_equal(s.o.max_length, (int32_t) number(c, "max_decode_length"));
    shape = (struct mdl_search_shape){batch, s.o.beam_size, n_inputs, s.o.max_length, 0, 0};
    if (mdl_decoder_new(f->m, NULL, &d, &err) != T2_OK)
        fail_msg("%s", err.message);
    choice = dec_choice(&s.o);
    mdl_decoder_set_choice(d, &choice);
    if (mdl_decoder_begin(d, &shape, inputs, &err) != T2_OK)
        fail_msg("%s", err.message);
    model = (struct dec_model){.context = d,
                               .vocab = mdl_decoder_vocab(d),
                               .choose = choose,
                               .reorder = reorder};
    if (dec_search(&model, batch, &s.o, NULL, 0, &r, &err) != T2_OK)
        fail_msg("%s: %s", s.name, err.message);
    if (!t2_json_as_bool(t2_json_get(c, "padded_decode"), false))
        assert_int_equal(r.steps, width);
    for (int32_t b = 0; b < batch; b++) {
        if (s.o.n_best == s.o.beam_size)
            compare_beams(&s, &r, b);
        compare_outputs(&s, &r, b);
    }
    print_message("%s: %d steps, scores differ by %.1e\n", s.name, r.steps, s.largest);
    dec_result_release(&r);
    mdl_decoder_free(d);
}

static void test_searches(void **state)
{
    struct fixture f = {0};
    struct t2_json_doc *doc;
    struct ckpt_file *weights;
    const struct t2_json_value *cases;
    struct t2_err err = T2_ERR_INIT;
    int32_t batch, n_inputs, *inputs;
    size_t n_run = 0;

    (void) state;
    if (!t_data_path(FOLDER "decode.json"))
        t_skip("no " FOLDER "decode.json in T2_DATA");
    open_fixture(&f, true);
    if (t2_json_load(t_data_path(FOLDER "decode.json"), &doc, &err) != T2_OK ||
        ckpt_open(t_data_path(FOLDER "decode-weights.safetensors"), &weights, &err) != T2_OK)
        fail_msg("%s", err.message);
    set_variables(f.m, weights, "");
    inputs = id_matrix(t2_json_get(t2_json_root(doc), "inputs"), &batch, &n_inputs);
    cases = t2_json_get(t2_json_root(doc), "cases");
    for (size_t i = 0; i < t2_json_size(cases); i++) {
        const struct t2_json_value *c = t2_json_item(cases, i);

        if (t2_json_get(c, "failed"))
            continue;
        run_search(&f, c, inputs, batch, n_inputs, INT32_MAX);
        run_search(&f, c, inputs, batch, n_inputs, 1); /* the best alone: the same search */
        n_run++;
    }
    assert_true(n_run > 0);
    t2_free(inputs);
    ckpt_close(weights);
    t2_json_free(doc);
    close_fixture(&f);
}

T_MAIN(cmocka_unit_test(test_forward_and_gradients), cmocka_unit_test(test_custom_loop),
       cmocka_unit_test(test_keras_fit), cmocka_unit_test(test_rates),
       cmocka_unit_test(test_searches))
