/*
 * train/runs/summaries.c - see the header.
 */
#include "train/runs/summaries.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "tfrecord/event_write.h"
#include "train/device/device.h"
#include "train/eval/event_log.h"
#include "train/graph/layouts.h"
#include "train/runs/image_summaries.h"

struct tr_summaries {
    struct ev_event_log *train, *eval; /* train: NULL when only evaluating */
    struct t2_buf values;
    enum tr_tags tags;
};

/* ---- places ---- */

static const char *train_dir(const struct tr_summaries *s)
{
    return s->tags == TR_TAGS_GARDEN ? "train" : s->tags == TR_TAGS_OFFICIAL ? "summary" : "";
}

static const char *eval_dir(const struct tr_summaries *s, const struct tr_run *r)
{
    if (s->tags == TR_TAGS_GARDEN)
        return r->options.validation_subdir ? r->options.validation_subdir : "validation";
    return r->options.train                ? "eval"
           : r->options.eval_on_train_data ? "eval_eval_train"
                                           : "eval_eval";
}

static const char *training_loss(const struct tr_summaries *s)
{
    return s->tags == TR_TAGS_GARDEN || s->tags == TR_TAGS_OFFICIAL ? "training_loss" : "loss";
}

static const char *validation_loss(const struct tr_summaries *s)
{
    return s->tags == TR_TAGS_GARDEN ? "validation_loss" : "loss";
}

static enum t2_status open_log(const struct tr_run *r, const char *below, int64_t step,
                               struct ev_event_log **log, struct t2_err *err)
{
    char *dir = below[0] != '\0' ? t2_path_join(r->output_dir, below) : t2_strdup(r->output_dir);
    enum t2_status st = ev_event_log_open(dir, r->options.train ? step : -1, log, err);

    t2_free(dir);
    return st;
}

/* An evaluation that metrics.jsonl does not have was not finished, and begins again. */
static int64_t last_evaluated(const struct tr_run *r)
{
    bool unfinished = r->state.step > 0 && ev_report_last_eval(r->report) < r->state.step;

    return unfinished ? r->state.step - 1 : r->state.step;
}

enum t2_status tr_summaries_open(const struct tr_run *r, struct tr_summaries **out,
                                 struct t2_err *err)
{
    struct tr_summaries *s = t2_alloc(1, sizeof *s);
    enum t2_status st = T2_OK;

    *out = NULL;
    s->tags = r->options.tags;
    if (r->options.train)
        st = open_log(r, train_dir(s), r->state.step, &s->train, err);
    if (st == T2_OK)
        st = open_log(r, eval_dir(s, r), last_evaluated(r), &s->eval, err);
    if (st != T2_OK)
        tr_summaries_close(s);
    else
        *out = s;
    return st;
}

void tr_summaries_close(struct tr_summaries *s)
{
    if (!s)
        return;
    ev_event_log_close(s->train);
    ev_event_log_close(s->eval);
    t2_buf_release(&s->values);
    t2_free(s);
}

/* ---- hparams: a table of text, and the plugin ---- */

/* One hparam as the plugin takes it; *text, owned by the caller, is what a table shows. */
static struct tfr_hparam hparam_of(const char *name, const struct t2_json_value *v, char **text)
{
    struct tfr_hparam h = {.name = name};

    switch (t2_json_type(v)) {
    case T2_JSON_BOOL:
        h.is_bool = true;
        h.number = t2_json_as_bool(v, false);
        *text = t2_strdup(h.number != 0.0 ? "True" : "False");
        return h;
    case T2_JSON_INT:
    case T2_JSON_REAL:
        h.number = t2_json_as_double(v, 0.0);
        *text = t2_asprintf("%.15g", h.number);
        return h;
    case T2_JSON_STRING:
        *text = t2_strdup(t2_json_as_string(v, ""));
        break;
    case T2_JSON_NULL:
    case T2_JSON_ARRAY:
    case T2_JSON_OBJECT:
        *text = t2_strdup(t2_json_size(v) > 0 ? "(list)" : "None");
        break;
    }
    h.text = *text;
    return h;
}

/* Seconds since 1970. */
static double start_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double) t.tv_sec;
}

static void put_hparams_of(struct tr_summaries *s, const struct tr_run *r,
                           const struct t2_json_value *object)
{
    size_t n = t2_json_size(object);
    struct tfr_hparam *hparams = t2_alloc(n + 1, sizeof *hparams);
    const char **cells = t2_alloc(2 * n + 2, sizeof *cells);
    char **texts = t2_alloc(n + 1, sizeof *texts);
    char *tag = t2_asprintf("%s_hparams", r->state.model);
    const struct tfr_hparam_metric shown[] = {{train_dir(s), training_loss(s)},
                                              {eval_dir(s, r), validation_loss(s)}};

    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *v;
        const char *name = t2_json_member(object, i, &v);

        hparams[i] = hparam_of(name, v, &texts[i]);
        cells[2 * i] = name;
        cells[2 * i + 1] = texts[i];
    }
    tfr_put_texts(&s->values, tag, false, cells, 2 * n, 2);
    tfr_put_hparams(&s->values, hparams, n, shown, sizeof shown / sizeof *shown,
                    t2_path_base(r->output_dir), start_time());
    for (size_t i = 0; i < n; i++)
        t2_free(texts[i]);
    t2_free(texts);
    t2_free(cells);
    t2_free(hparams);
    t2_free(tag);
}

/* Once in the life of a run. */
static enum t2_status add_hparams(struct tr_summaries *s, const struct tr_run *r,
                                  struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json_doc *doc = NULL;
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &text, 0);
    mdl_hparams_write_json(r->hp, &j);
    st = t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "hparams", &doc, err);
    t2_buf_release(&text);
    T2_TRY(st);
    t2_buf_clear(&s->values);
    put_hparams_of(s, r, t2_json_root(doc));
    t2_json_free(doc);
    return ev_event_log_add(s->train, 0, t2_buf_slice(&s->values), err);
}

/* ---- training ---- */

static void put(struct tr_summaries *s, const char *tag, double v)
{
    tfr_put_scalar(&s->values, tag, (float) v);
}

/* Of one side of a batch of text; ids (rows, length). */
static void put_feature(struct tr_summaries *s, const char *model, const char *feature,
                        const int32_t *ids, int32_t rows, int32_t length)
{
    int64_t n = (int64_t) rows * length, n_ids = 0;
    const struct {
        const char *what;
        double value;
    } stats[] = {{"batch", rows},
                 {"length", length},
                 {"nonpadding_tokens", 0},
                 {"nonpadding_fraction", 0}};

    for (int64_t i = 0; i < n; i++)
        n_ids += ids[i] != 0;
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        char *tag = t2_asprintf("%s/input_stats/%s_%s", model, feature, stats[i].what);
        double v = i < 2    ? stats[i].value
                   : i == 2 ? (double) n_ids
                            : (double) n_ids / fmax(1.0, (double) n);

        put(s, tag, v);
        t2_free(tag);
    }
}

static void put_train_t2t(struct tr_summaries *s, const struct tr_run *r,
                          const struct ev_train_line *l, const struct mdl_batch *b)
{
    double extra = 0.0, decay = l->weight_decay_loss;

    put(s, "loss", l->loss);
    put(s, "training/loss", l->loss);
    put(s, "losses/training", l->loss - decay);
    put(s, "losses/extra", extra);
    if (decay != 0.0)
        put(s, "losses/weight_decay", decay);
    put(s, "learning_rate", l->learning_rate);
    put(s, "global_step/sec", l->steps_per_s);
    put(s, "training/global_norm/gradient_norm", l->gradient_norm);
    if (b->inputs && b->inputs_length > 0)
        put_feature(s, r->state.model, "inputs", b->inputs, b->batch, b->inputs_length);
    if (!r->data.problem.class_labels && b->batch > 0)
        put_feature(s, r->state.model, "targets", b->targets, b->batch, b->targets_length);
}

/* Model Garden's loss is a mean, that of the others of the step. */
static void put_train_others(struct tr_summaries *s, const struct ev_train_line *l)
{
    put(s, training_loss(s), s->tags == TR_TAGS_GARDEN ? l->loss_mean : l->loss);
    put(s, "learning_rate", l->learning_rate);
    if (s->tags == TR_TAGS_TPU_RESNET)
        put(s, "current_epoch", l->epoch);
    else
        put(s, s->tags == TR_TAGS_GARDEN ? "steps_per_second" : "t2t/steps_per_second",
            l->steps_per_s);
    put(s, "t2t/gradient_norm", l->gradient_norm);
}

/* tensorflow's names: a variable is called "...:0", whose colon a tag cannot have. */
static enum t2_status put_histograms(struct tr_summaries *s, const struct tr_run *r,
                                     const float *values, const char *prefix, struct t2_err *err)
{
    const struct gr_params *p = mdl_params(r->model);
    struct tfr_histogram *h = t2_alloc(1, sizeof *h);

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        char *tag = t2_asprintf("%s%s_0", prefix, v->name);
        float *host = v->trainable ? t2_alloc((size_t) v->n, sizeof *host) : NULL;

        if (host) {
            gr_download(p, v, values + v->offset, 0, host, v->n);
            tfr_histogram_init(h);
            tfr_histogram_add(h, host, (size_t) v->n);
            tfr_put_histogram(&s->values, tag, h);
        }
        t2_free(host);
        t2_free(tag);
    }
    t2_free(h);
    return dev_check(r->dev, err);
}

static bool asks(const struct tr_run *r, const char *hparam)
{
    return r->options.summary_histograms ||
           (mdl_hp_has(r->hp, hparam) && mdl_hp_bool(r->hp, hparam));
}

enum t2_status tr_summaries_train(struct tr_summaries *s, const struct tr_run *r,
                                  const struct ev_train_line *l, const struct mdl_batch *b,
                                  struct t2_err *err)
{
    const struct gr_params *p = mdl_params(r->model);

    if (!s || !s->train)
        return T2_OK;
    if (ev_event_log_is_empty(s->train))
        T2_TRY(add_hparams(s, r, err));
    t2_buf_clear(&s->values);
    if (s->tags == TR_TAGS_T2T)
        put_train_t2t(s, r, l, b);
    else
        put_train_others(s, l);
    put(s, "t2t/loss_mean", l->loss_mean);
    put(s, "t2t/target_tokens_per_s", l->target_tokens_per_s);
    put(s, "t2t/stall", l->stall);
    put(s, "t2t/save_s", l->save_s);
    put(s, "t2t/eval_s", l->eval_s);
    if (b->batch > 0 && asks(r, "summarize_vars"))
        T2_TRY(put_histograms(s, r, p->values, "training_variables/", err));
    if (b->batch > 0 && asks(r, "summarize_grads"))
        T2_TRY(put_histograms(s, r, p->grads, "training/gradients/", err));
    return ev_event_log_add(s->train, l->step, t2_buf_slice(&s->values), err);
}

/* ---- evaluation ---- */

/* A run that had reached its last step evaluates that again. */
static bool has_evaluated(const struct tr_run *r, int64_t step)
{
    return r->options.train && ev_report_last_eval(r->report) == step;
}

static void put_eval_t2t(struct tr_summaries *s, const struct tr_run *r,
                         const struct ev_eval_line *l)
{
    const struct ev_scores *e = &l->scores;
    const struct {
        const char *name;
        double value;
    } scores[] = {{"accuracy", e->accuracy},
                  {"accuracy_per_sequence", e->accuracy_per_sequence},
                  {"accuracy_top5", e->accuracy_top5},
                  {"neg_log_perplexity", e->neg_log_perplexity}};
    char *path = t2_asprintf("%s/model-%" PRId64 ".safetensors", r->output_dir, l->step);
    const char *text = path, *name;
    double value;

    put(s, "loss", e->loss);
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        char *tag = t2_asprintf("metrics-%s/targets/%s", r->state.problem, scores[i].name);

        put(s, tag, scores[i].value);
        t2_free(tag);
    }
    for (int i = 0; (name = ev_more_score(e, i, &value)); i++) {
        char *tag = t2_asprintf("metrics-%s/targets/%s", r->state.problem, name);

        put(s, tag, value);
        t2_free(tag);
    }
    if (e->text.bytes > 0) {
        put(s, "t2t/perplexity", e->perplexity);
        put(s, "t2t/word_perplexity", e->word_perplexity);
        put(s, "t2t/byte_perplexity", e->byte_perplexity);
        put(s, "t2t/bits_per_byte", e->bits_per_byte);
    }
    tfr_put_texts(&s->values, "checkpoint_path", true, &text, 1, 0);
    t2_free(path);
}

static void put_eval_others(struct tr_summaries *s, const struct ev_scores *e)
{
    const bool official = s->tags == TR_TAGS_OFFICIAL, resnet = s->tags == TR_TAGS_TPU_RESNET;

    put(s, validation_loss(s), e->loss);
    put(s, resnet ? "top_1_accuracy" : "accuracy", e->accuracy);
    put(s, official ? "accuracy_top5" : "top_5_accuracy", e->accuracy_top5);
    if (official)
        put(s, "accuracy_per_sequence", e->accuracy_per_sequence);
    put(s, official ? "neg_log_perplexity" : "t2t/neg_log_perplexity", e->neg_log_perplexity);
    if (e->ids.wanted & EV_SACREBLEU)
        put(s, "sacrebleu_score", e->ids.sacrebleu_score);
}

enum t2_status tr_summaries_eval(struct tr_summaries *s, const struct tr_run *r,
                                 const struct ev_eval_line *l, struct t2_err *err)
{
    if (!s || has_evaluated(r, l->step))
        return T2_OK;
    t2_buf_clear(&s->values);
    if (s->tags == TR_TAGS_T2T)
        put_eval_t2t(s, r, l);
    else
        put_eval_others(s, &l->scores);
    return ev_event_log_add(s->eval, l->step, t2_buf_slice(&s->values), err);
}

enum t2_status tr_summaries_images(struct tr_summaries *s, const struct tr_run *r,
                                   const struct mdl_batch *batch, struct t2_err *err)
{
    if (!s || batch->batch == 0 || has_evaluated(r, r->state.step))
        return T2_OK;
    t2_buf_clear(&s->values);
    T2_TRY(tr_put_images(&s->values, &r->data.problem, batch, err));
    if (s->values.len_bytes == 0)
        return T2_OK;
    return ev_event_log_add(s->eval, r->state.step, t2_buf_slice(&s->values), err);
}

enum t2_status tr_summaries_page(struct tr_summaries *s, const struct tr_run *r,
                                 struct t2_slice png, int32_t height, int32_t width,
                                 struct t2_err *err)
{
    if (!s || has_evaluated(r, r->state.step))
        return T2_OK;
    t2_buf_clear(&s->values);
    tfr_put_image(&s->values, "t2t/samples/image/0", height, width, 3, png);
    return ev_event_log_add(s->eval, r->state.step, t2_buf_slice(&s->values), err);
}

enum t2_status tr_summaries_sample(struct tr_summaries *s, const struct tr_run *r, int i,
                                   const char *source, const char *target, const char *output,
                                   struct t2_err *err)
{
    const char *const cells[] = {"source", source, "reference", target, "model", output};
    char *tag;

    if (!s)
        return T2_OK;
    t2_buf_clear(&s->values);
    tag = t2_asprintf("samples/%d", i);
    tfr_put_texts(&s->values, tag, false, cells, sizeof cells / sizeof *cells, 2);
    t2_free(tag);
    return ev_event_log_add(s->eval, r->state.step, t2_buf_slice(&s->values), err);
}
