/*
 * tests/oracle/test_decode.c - Tensor2Tensor's own greedy and beam searches, from its own weights.
 *
 * T2_DATA/oracles/t2t_decode: decode.json says which sets, sources, beams and lengths, and what
 * came out; weights.safetensors has each model's variables.  Ids and the step at which the search
 * stopped must be equal, scores within what float32 leaves open.  A model that cannot be built here
 * is named and left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"
#include "train/decode/decode.h"
#include "train/device/device.h"
#include "train/models/model.h"

/* README of the oracles: the original's own noise is 1.2e-5. */
static const double score_tolerance = 4e-5;

/* ---- lists of the JSON file, flattened ---- */

struct numbers {
    double *items;
    size_t n, capacity;
};

static void flatten(const struct t2_json_value *v, struct numbers *out)
{
    if (t2_json_type(v) != T2_JSON_ARRAY) {
        if (out->n == out->capacity) {
            out->capacity = out->capacity ? 2 * out->capacity : 256;
            out->items = t2_realloc(out->items, out->capacity, sizeof *out->items);
        }
        out->items[out->n++] = t2_json_as_double(v, (double) NAN);
        return;
    }
    for (size_t i = 0; i < t2_json_size(v); i++)
        flatten(t2_json_item(v, i), out);
}

/* (rows, *n) ids; owned by the caller. */
static int32_t *id_matrix(const struct t2_json_value *rows, int32_t *n_rows, int32_t *n)
{
    struct numbers list = {NULL, 0, 0};
    int32_t *ids;

    flatten(rows, &list);
    *n_rows = (int32_t) t2_json_size(rows);
    *n = (int32_t) t2_json_size(t2_json_item(rows, 0));
    assert_int_equal(list.n, *n_rows * *n);
    ids = t2_alloc(list.n, sizeof *ids);
    for (size_t i = 0; i < list.n; i++)
        ids[i] = (int32_t) list.items[i];
    t2_free(list.items);
    return ids;
}

/* ---- a model with the recorded weights ---- */

struct sizes {
    int64_t hidden, filter, layers, vocab;
    bool has_inputs;
};

/* What the shapes of the variables below "<name>/" tell. */
static struct sizes sizes_of(const struct ckpt_file *weights, const char *name)
{
    struct sizes s = {0, 0, 0, 0, false};
    size_t n_name = strlen(name);

    for (size_t i = 0; i < ckpt_count(weights); i++) {
        const struct ckpt_tensor *t = ckpt_at(weights, i);
        const char *layer;

        if (strncmp(t->name, name, n_name) != 0 || t->name[n_name] != '/')
            continue;
        if (strstr(t->name, "ffn/conv1/kernel")) {
            s.hidden = t->dims[0];
            s.filter = t->dims[1];
        }
        if (strstr(t->name, "symbol_modality"))
            s.vocab = strtol(strstr(t->name, "symbol_modality_") + 16, NULL, 10);
        layer = strstr(t->name, "/decoder/layer_");
        if (layer && strtol(layer + 15, NULL, 10) >= s.layers)
            s.layers = strtol(layer + 15, NULL, 10) + 1;
        s.has_inputs |= strstr(t->name, "/encoder/") != NULL;
    }
    return s;
}

/* Not in decode.json, but one for all its models: relative positions are as wide as a head. Without
 * such a model, the number of the training oracles, which the generators share. */
static int64_t number_of_heads(const struct ckpt_file *weights, int64_t hidden)
{
    const char *path = t_data_path("oracles/t2t_transformer/v3.json");
    struct t2_json_doc *doc;
    struct t2_err err = T2_ERR_INIT;
    int64_t n = 4;

    for (size_t i = 0; i < ckpt_count(weights); i++) {
        const struct ckpt_tensor *t = ckpt_at(weights, i);

        if (strstr(t->name, "relative_positions_keys/embeddings") && t->dims[1] > 0)
            return hidden / t->dims[1];
    }
    if (path && t2_json_load(path, &doc, &err) == T2_OK) {
        n = t2_json_as_i64(t2_json_get(t2_json_get(t2_json_root(doc), "hparams"), "num_heads"), n);
        t2_json_free(doc);
    }
    return n;
}

static enum t2_status build(const char *name, const struct t2_json_value *entry,
                            const struct ckpt_file *weights, struct dev *dev, struct mdl **m,
                            struct t2_err *err)
{
    struct sizes s = sizes_of(weights, name);
    struct mdl_problem problem = {.has_inputs = s.has_inputs,
                                  .inputs_vocab = (int32_t) s.vocab,
                                  .targets_vocab = (int32_t) s.vocab,
                                  .loss_multiplier = 1};
    struct mdl_hparams *hp;
    enum t2_status st;

    T2_TRY(mdl_hparams_new(t2_json_as_string(t2_json_get(entry, "hparams_set"), ""), &hp, err));
    mdl_hp_set_int(hp, "hidden_size", s.hidden);
    mdl_hp_set_int(hp, "filter_size", s.filter);
    mdl_hp_set_int(hp, "num_hidden_layers", s.layers);
    mdl_hp_set_int(hp, "num_heads", number_of_heads(weights, s.hidden));
    st = mdl_hparams_override(hp, t2_json_as_string(t2_json_get(entry, "overrides"), ""), err);
    mdl_hparams_for_eval(hp);
    if (st == T2_OK)
        st = mdl_new("transformer", dev, hp, &problem, MDL_EVAL, m, err);
    mdl_hparams_free(hp);
    return st;
}

static void set_variables(const char *name, struct mdl *m, const struct ckpt_file *weights,
                          struct dev *dev)
{
    struct gr_params *p = mdl_params(m);

    assert_true(p->n_variables > 0);
    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        char *key = t2_asprintf("%s/%s", name, v->name);
        const struct ckpt_tensor *t = ckpt_find(weights, key);

        if (!t)
            fail_msg("'%s' is not in weights.safetensors", key);
        assert_int_equal(t->type, CKPT_F32);
        assert_int_equal(t->n_bytes, (size_t) v->n * sizeof(float));
        dev->upload_now(dev, p->values + v->offset, t->data, t->n_bytes);
        t2_free(key);
    }
    dev->sync(dev);
}

/* ---- one search ---- */

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

struct run {
    const char *name;
    struct mdl *m;
    const int32_t *inputs, *prefix; /* (batch, n_inputs), (batch, n_prefix); NULL: none */
    int32_t batch, n_inputs, n_prefix;
    double largest; /* difference of scores */
    int n_cases, n_hypotheses;
};

/* The original's forced prefixes are laid out (beam, batch) where hypotheses are (batch, beam), so
 * source b begins with the prefix of source b * beam mod batch. */
static int32_t *prefix_as_original(const struct run *r, int32_t beam)
{
    int32_t *ids;

    if (!r->prefix)
        return NULL;
    ids = t2_alloc((size_t) (r->batch * r->n_prefix), sizeof *ids);
    for (int32_t b = 0; b < r->batch; b++)
        memcpy(ids + b * r->n_prefix, r->prefix + b * beam % r->batch * r->n_prefix,
               (size_t) r->n_prefix * sizeof *ids);
    return ids;
}

static void compare(struct run *run, const char *what, const struct dec_options *o,
                    const struct t2_json_value *want, const struct dec_result *got)
{
    struct numbers ids = {NULL, 0, 0}, scores = {NULL, 0, 0};
    int32_t n = run->batch * o->n_best, width;

    flatten(t2_json_get(want, "outputs"), &ids);
    flatten(t2_json_get(want, "scores"), &scores); /* one null where there are none */
    width = (int32_t) ids.n / n;
    assert_int_equal(ids.n, width * n);
    /* attention other than dot_product is searched greedily by a slow loop, which does not stop
     * where all have ended, and knows no scores */
    if (got->steps - run->n_prefix != width &&
        !(o->beam_size == 1 && scores.n != (size_t) n && got->steps - run->n_prefix < width))
        fail_msg("%s: %d steps, T2T made %d", what, got->steps - run->n_prefix, width);
    for (int32_t i = 0; i < n; i++) {
        const int32_t *row = got->ids + i * o->max_length + run->n_prefix;
        bool ended = false;

        for (int32_t k = 0; k < width && !ended; k++) {
            if (row[k] != (int32_t) ids.items[i * width + k])
                fail_msg("%s: hypothesis %d, id %d is %d, T2T has %d", what, i, k, row[k],
                         (int32_t) ids.items[i * width + k]);
            /* greedy search goes on behind EOS there, which is cut later */
            ended = o->beam_size == 1 && row[k] == DEC_EOS;
        }
        run->n_hypotheses++;
        if (scores.n == (size_t) n && fabs(scores.items[i]) < 1e6) {
            double off = fabs(got->scores[i] - scores.items[i]);

            if (!(off < score_tolerance))
                fail_msg("%s: hypothesis %d has score %.9g, T2T %.9g", what, i, got->scores[i],
                         scores.items[i]);
            run->largest = fmax(run->largest, off);
        }
    }
    t2_free(ids.items);
    t2_free(scores.items);
}

static void run_case(struct run *run, const struct t2_json_value *c)
{
    int32_t extra = (int32_t) t2_json_as_i64(t2_json_get(c, "extra_length"), -1);
    struct dec_options o = {.beam_size = (int32_t) t2_json_as_i64(t2_json_get(c, "beam_size"), -1),
                            .alpha = t2_json_as_double(t2_json_get(c, "alpha"), (double) NAN),
                            .n_best = (int32_t) t2_json_as_i64(t2_json_get(c, "top_beams"), -1),
                            .max_length = run->n_inputs + run->n_prefix + extra,
                            .settle_together = true};
    char *what =
        t2_asprintf("%s, beam %d, alpha %g, extra_length %d, top_beams %d%s", run->name,
                    o.beam_size, o.alpha, extra, o.n_best, run->prefix ? ", forced prefix" : "");
    int32_t *prefix = prefix_as_original(run, o.beam_size);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_search_shape shape = {run->batch, o.beam_size, run->n_inputs, o.max_length, 0, 0};
    struct mdl_decoder *d;
    struct dec_result result;
    struct dec_model model;
    struct mdl_choice choice;

    assert_true(extra >= 0 && o.beam_size > 0 && o.n_best > 0);
    if (mdl_decoder_new(run->m, NULL, &d, &err) != T2_OK)
        fail_msg("%s", err.message);
    choice = dec_choice(&o);
    mdl_decoder_set_choice(d, &choice);
    if (mdl_decoder_begin(d, &shape, run->inputs, &err) != T2_OK)
        fail_msg("%s: %s", what, err.message);
    model = (struct dec_model){.context = d,
                               .vocab = mdl_problem_of(run->m)->targets_vocab,
                               .choose = choose,
                               .reorder = reorder};
    if (dec_search(&model, run->batch, &o, prefix, run->n_prefix, &result, &err) != T2_OK)
        fail_msg("%s: %s", what, err.message);
    compare(run, what, &o, c, &result);
    run->n_cases++;
    dec_result_release(&result);
    mdl_decoder_free(d);
    t2_free(prefix);
    t2_free(what);
}

static void run_cases(struct run *run, const struct t2_json_value *cases)
{
    for (size_t i = 0; i < t2_json_size(cases); i++)
        run_case(run, t2_json_item(cases, i));
}

static void run_model(struct run *run, const struct t2_json_value *entry)
{
    int32_t *data = id_matrix(t2_json_get(entry, "data"), &run->batch, &run->n_inputs);
    const struct t2_json_value *partial = t2_json_get(entry, "partial_targets");

    if (mdl_problem_of(run->m)->has_inputs) {
        run->inputs = data;
    } else {
        run->prefix = data;
        run->n_prefix = run->n_inputs;
        run->n_inputs = 0;
    }
    run_cases(run, t2_json_get(entry, "cases"));
    if (partial) {
        int32_t n_rows, *prefix = id_matrix(partial, &n_rows, &run->n_prefix);

        assert_int_equal(n_rows, run->batch);
        run->prefix = prefix;
        run_cases(run, t2_json_get(entry, "forced_prefix_cases"));
        t2_free(prefix);
    }
    t2_free(data);
}

static void test_searches(void **state)
{
    const char *path = t_data_path("oracles/t2t_decode/decode.json");
    const struct t2_json_value *models;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc;
    struct ckpt_file *weights;
    struct dev *dev;
    int n_run = 0;

    (void) state;
    if (!path)
        t_skip("no oracles/t2t_decode in T2_DATA");
    if (t2_json_load(path, &doc, &err) != T2_OK ||
        ckpt_open(t_data_path("oracles/t2t_decode/weights.safetensors"), &weights, &err) != T2_OK ||
        dev_open("cpu", 1, &dev, &err) != T2_OK)
        fail_msg("%s", err.message);
    models = t2_json_get(t2_json_root(doc), "models");
    assert_true(t2_json_size(models) > 0);
    for (size_t i = 0; i < t2_json_size(models); i++) {
        struct run run = {.name = NULL};
        const struct t2_json_value *entry;

        run.name = t2_json_member(models, i, &entry);
        if (t2_json_get(entry, "failed"))
            continue;
        switch (build(run.name, entry, weights, dev, &run.m, &err)) {
        case T2_OK:
            break;
        case T2_EUNSUPPORTED:
            t_skip_reason("t2t_decode/%s: %s", run.name, err.message);
            continue;
        default:
            fail_msg("%s: %s", run.name, err.message);
        }
        set_variables(run.name, run.m, weights, dev);
        run_model(&run, entry);
        printf("%s: %d searches, %d hypotheses, largest difference of scores %.1e\n", run.name,
               run.n_cases, run.n_hypotheses, run.largest);
        assert_true(run.n_cases > 0);
        mdl_free(run.m);
        n_run++;
    }
    dev_close(dev);
    ckpt_close(weights);
    t2_json_free(doc);
    assert_true(n_run > 0);
}

T_MAIN(cmocka_unit_test(test_searches))
