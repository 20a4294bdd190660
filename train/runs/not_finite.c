/*
 * train/runs/not_finite.c - see the header.
 */
#include "train/runs/not_finite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "tokenizer/encoder.h"
#include "train/device/kernels.h"
#include "train/graph/layouts.h"
#include "train/runs/next_batch.h"
#include "train/runs/ranks.h"
#include "train/runs/summaries.h"

const char *tr_saved_text(const struct tr_run *r, char *out, size_t n)
{
    if (r->saved_step < 0)
        snprintf(out, n, "no checkpoint was written yet");
    else
        snprintf(out, n, "the checkpoint of step %" PRId64 " is intact", r->saved_step);
    return out;
}

/* ---- before a save ---- */

/* A variable, or a slot of the optimizer. */
struct values {
    const char *what, *name;
    const float *values;            /* device memory */
    const struct gr_variable *like; /* laid like it, or NULL */
    int64_t n, first;               /* elements `first` on, so many */
    /* also one so large that its square is not finite: the next step would find that out, but a
     * checkpoint is written before it */
    bool squares;
};

static struct values values_at(const struct tr_run *r, size_t i)
{
    const struct gr_params *p = mdl_params(r->model);
    struct opt_slot s;

    if (i < (size_t) p->n_variables)
        return (struct values){"variable",
                               p->variables[i].name,
                               p->values + p->variables[i].offset,
                               &p->variables[i],
                               p->variables[i].n,
                               0,
                               true};
    s = opt_slot_at(r->opt, i - (size_t) p->n_variables);
    return (struct values){"slot", s.name, s.values, s.like, s.n_here, s.first, false};
}

/* The first in a checkpoint's order, where the device has another. */
static int64_t place_in_checkpoint(const struct tr_run *r, const struct values *v, int64_t found)
{
    const struct gr_params *p = mdl_params(r->model);
    float *values;

    if (!gr_is_laid(p, v->like))
        return v->first + found;
    values = t2_alloc((size_t) v->n, sizeof *values);
    gr_download(p, v->like, v->values, 0, values, v->n);
    for (found = 0; isfinite(v->squares ? values[found] * values[found] : values[found]);)
        found++;
    t2_free(values);
    return found;
}

static enum t2_status first_not_finite(const struct tr_run *r, const int64_t *first, size_t n,
                                       struct t2_err *err)
{
    char saved[80];

    for (size_t i = 0; i < n; i++) {
        const struct values v = values_at(r, i);

        if (first[i] < v.n)
            return t2_fail(err, T2_EFORMAT,
                           "element %" PRId64 " of %s '%s' is not finite%s, after step %" PRId64
                           ": nothing was saved; %s",
                           place_in_checkpoint(r, &v, first[i]), v.what, v.name,
                           v.squares ? ", or beyond 10^19" : "", r->state.step,
                           tr_saved_text(r, saved, sizeof saved));
    }
    return T2_OK;
}

enum t2_status tr_check_finite(struct tr_run *r, struct t2_err *err)
{
    struct dev *d = r->dev;
    size_t n = (size_t) mdl_params(r->model)->n_variables + opt_slot_count(r->opt);
    int64_t *first = d->alloc(d, n * sizeof *first), *host;
    enum t2_status st;

    if (!first)
        return dev_fail_memory(d, n * sizeof *first, "the search for what is not finite", NULL,
                               err);
    for (size_t i = 0; i < n; i++) {
        const struct values v = values_at(r, i);

        d->kernels->find_not_finite(d, &(struct dev_find_not_finite_args){.x = v.values,
                                                                          .n = v.n,
                                                                          .squares = v.squares,
                                                                          .first = first + i});
    }
    host = t2_alloc(n, sizeof *host);
    d->download(d, host, first, n * sizeof *host);
    d->free(d, first);
    st = dev_check(d, err);
    if (st == T2_OK)
        st = first_not_finite(r, host, n, err);
    if (st != T2_OK)
        dist_all_know(r->dist);
    t2_free(host);
    return st;
}

/* ---- a NaN for tests ---- */

void tr_plant(struct tr_run *r, int64_t number, uint64_t first_sample)
{
    const char *text = getenv("T2_PLANT_NAN");
    long long step = 0;
    int layer = 0;

    if (!text || sscanf(text, "%lld:%d", &step, &layer) != 2 || step != number)
        return;
    if (r->planted && r->planted_sample != first_sample)
        return;
    r->planted = true;
    r->planted_sample = first_sample;
    r->watch.plant_layer = layer;
    r->watch.planted = false;
    mdl_set_watch(r->model, &r->watch);
}

void tr_plant_end(struct tr_run *r)
{
    r->watch.plant_layer = 0;
    mdl_set_watch(r->model, NULL);
}

/* ---- the step once more ---- */

enum t2_status tr_watch_step(struct tr_run *r, const struct mdl_batch *batch,
                             struct gr_watch *watch, struct mdl_loss *loss, struct t2_err *err)
{
    enum t2_status st;

    watch->measures = true;
    watch->plant_layer = r->watch.plant_layer;
    mdl_set_watch(r->model, watch);
    if (r->state.loss_scale.scale > 0.0)
        mdl_set_loss_scale(r->model, r->state.loss_scale.scale);
    st = mdl_train_step(r->model, batch, r->state.seed, (uint64_t) r->state.step, loss, err);
    mdl_set_watch(r->model, NULL);
    return st;
}

static void put_ids(struct t2_json *j, const char *key, const int32_t *ids, int32_t rows,
                    int32_t width)
{
    t2_json_key(j, key);
    t2_json_array(j);
    for (int32_t i = 0; i < rows; i++) {
        t2_json_array(j);
        for (int32_t k = 0; k < width; k++)
            t2_json_i64(j, ids[i * width + k]);
        t2_json_end_array(j);
    }
    t2_json_end_array(j);
}

/* The texts of rows of ids, when the side has a vocabulary of text. */
static void put_texts(struct t2_json *j, const char *key, const struct dg_side *side,
                      const int32_t *ids, int32_t rows, int32_t width)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct tok_encoder *encoder = NULL;
    struct t2_buf text = {0};

    if (dg_side_encoder(side, &encoder, &ignored) != T2_OK)
        return;
    t2_json_key(j, key);
    t2_json_array(j);
    for (int32_t i = 0; i < rows; i++) {
        size_t n = (size_t) width;

        while (n > 0 && ids[(int64_t) i * width + (int64_t) n - 1] <= 1) /* padding, EOS */
            n--;
        t2_buf_clear(&text);
        tok_decode(encoder, ids + (int64_t) i * width, n, &text);
        t2_json_bytes(j, text.data, text.len_bytes);
    }
    t2_json_end_array(j);
    t2_buf_release(&text);
    tok_free(encoder);
}

/* Rows of floats; NULL: none. */
static void put_values(struct t2_json *j, const char *key, const float *values, int32_t rows,
                       int32_t width)
{
    if (!values)
        return;
    t2_json_key(j, key);
    t2_json_array(j);
    for (int32_t i = 0; i < rows; i++) {
        t2_json_array(j);
        for (int32_t k = 0; k < width; k++)
            t2_json_float9(j, (double) values[i * width + k]);
        t2_json_end_array(j);
    }
    t2_json_end_array(j);
}

static void put_batch(struct t2_json *j, const struct tr_run *r, const struct mdl_batch *b)
{
    const struct dg_view *v = r->data.view;

    if (b->inputs && b->inputs_length > 0) {
        put_ids(j, "inputs", b->inputs, b->batch, b->inputs_length);
        if (v)
            put_texts(j, "inputs_text", &v->inputs, b->inputs, b->batch, b->inputs_length);
    }
    if (r->data.problem.table)
        put_values(j, "inputs", b->images, b->batch, b->channels);
    put_values(j, "targets", b->values, b->batch, b->n_values);
    if (!b->targets)
        return;
    put_ids(j, "targets", b->targets, b->batch, b->targets_length);
    if (v)
        put_texts(j, "targets_text", &v->targets, b->targets, b->batch, b->targets_length);
}

static void put_ranges(struct t2_json *j, const struct gr_watch *w)
{
    struct t2_buf name = {0};

    t2_json_key(j, "operators");
    t2_json_array(j);
    for (size_t i = 0; i < w->n; i++) {
        const struct gr_range *g = &w->ranges[i];

        t2_buf_clear(&name);
        gr_range_name(g, &name);
        t2_json_object(j);
        t2_json_kv_string(j, "tensor", t2_buf_cstr(&name));
        t2_json_key(j, "least");
        t2_json_float9(j, g->least);
        t2_json_key(j, "most");
        t2_json_float9(j, g->most);
        t2_json_kv_i64(j, "elements", g->n);
        t2_json_kv_i64(j, "not_finite", g->n_not_finite);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_buf_release(&name);
}

static enum t2_status write_dump(struct tr_run *r, const struct tr_bad_step *bad,
                                 const struct mdl_batch *batch, const struct t2_strs *records,
                                 const struct gr_watch *watch, const char *path, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_kv_i64(&j, "step", bad->number);
    t2_json_kv_string(&j, "what", bad->what);
    t2_json_kv_u64(&j, "first_sample", bad->first_sample);
    t2_json_key(&j, "records");
    t2_json_array(&j);
    for (size_t i = 0; i < records->n; i++)
        t2_json_string(&j, records->items[i]);
    t2_json_end_array(&j);
    put_batch(&j, r, batch);
    put_ranges(&j, watch);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

/* The first tensor that is not finite: a variable, before any operator ran, or what one wrote. */
static void name_first(struct tr_run *r, const struct gr_watch *w, struct t2_buf *text)
{
    struct t2_err found = T2_ERR_INIT;
    const struct gr_range *g = gr_watch_first_bad(w);

    if (tr_check_finite(r, &found) != T2_OK) {
        const char *end = strstr(found.message, ", after step");

        t2_buf_printf(text, "; before any operator, %.*s",
                      (int) (end ? (size_t) (end - found.message) : strlen(found.message)),
                      found.message);
    } else if (g) {
        t2_buf_puts(text, "; the first is ");
        gr_range_name(g, text);
        t2_buf_printf(text, ", element %" PRId64 " and %" PRId64 " more", g->first_not_finite,
                      g->n_not_finite - 1);
    }
}

/* Reads the batch again, computes it, writes the file; *text says what was found. */
static enum t2_status look_closer(struct tr_run *r, struct tr_bad_step *bad, const char *path,
                                  struct t2_buf *text, struct t2_err *err)
{
    struct gr_watch watch = {0};
    struct t2_strs records = {0};
    struct mdl_batch batch;
    struct mdl_loss loss;
    enum t2_status st;

    mdl_forget_sent(r->model);
    T2_GOTO(st, out, in_name_rows(r->train, bad->first_sample, &records, err));
    T2_GOTO(st, out, in_rewind(r->train, bad->first_sample, err));
    T2_GOTO(st, out, tr_next_batch(r->train, r->model, &batch, &bad->next_sample, err));
    tr_plant(r, bad->number, bad->first_sample);
    st = tr_watch_step(r, &batch, &watch, &loss, err);
    tr_plant_end(r);
    if (st == T2_OK)
        name_first(r, &watch, text);
    if (st == T2_OK)
        st = write_dump(r, bad, &batch, &records, &watch, path, err);
    mdl_forget_sent(r->model);
out:
    gr_watch_release(&watch);
    t2_strs_release(&records);
    return st;
}

enum t2_status tr_not_finite(struct tr_run *r, struct tr_bad_step *bad, struct t2_err *err)
{
    char *path = tr_ranks_path(r, "not-finite", bad->number);
    const struct t2_strs no_records = {0};
    const struct gr_watch no_ranges = {0};
    static const char way_out[] =
        "; to go on, lower the learning rate, for example --hparams=learning_rate_constant=... "
        "--allow_hparams_change, or say --on_nan=skip or rollback";
    struct t2_err look_err = T2_ERR_INIT;
    struct t2_buf text = {0};
    enum t2_status st;
    char saved[80];

    bad->next_sample = bad->first_sample;
    dist_all_know(r->dist); /* all have the same sums */
    st = r->shards ? write_dump(r, bad, &bad->kept, &no_records, &no_ranges, path, &look_err)
                   : look_closer(r, bad, path, &text, &look_err);
    (void) t2_fail(err, T2_EFORMAT, "step %" PRId64 ": %s%s; %s; %s%s%s%s", bad->number, bad->what,
                   t2_buf_cstr(&text), tr_saved_text(r, saved, sizeof saved),
                   st == T2_OK ? "the batch is in '" : look_err.message, st == T2_OK ? path : "",
                   st == T2_OK ? "'" : "", r->options.on_nan == TR_NAN_STOP ? way_out : "");
    t2_buf_release(&text);
    t2_free(path);
    return T2_EFORMAT;
}

/* ---- going on ---- */

enum t2_status tr_check_alone(const struct tr_run *r, struct t2_err *err)
{
    if (!r->shards || (r->options.on_nan == TR_NAN_STOP && r->options.replay_step == 0))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "--on_nan=skip, --on_nan=rollback and --replay_step are not supported with "
                   "several ranks or data shards: leave --worker_gpu out");
}

enum t2_status tr_above_bound(struct tr_run *r, double loss, struct t2_err *err)
{
    struct tr_bad_step bad = {.number = r->state.step, .next_sample = r->state.samples};
    struct t2_err why = T2_ERR_INIT;
    char saved[80];

    (void) t2_fail(&why, T2_EFORMAT,
                   "step %" PRId64 ": the mean loss since the last report, %g, is above "
                   "trainer.loss_upper_bound=%g; %s",
                   r->state.step, loss, r->options.loss_bound,
                   tr_saved_text(r, saved, sizeof saved));
    if (r->options.on_nan == TR_NAN_ROLLBACK && r->saved_step >= 0)
        return tr_recover(r, &bad, &why, err);
    *err = why;
    return err->status;
}

/* The newest checkpoint, and reports that end where it does. */
static enum t2_status roll_back(struct tr_run *r, struct t2_err *err)
{
    struct ckpt_state state;

    T2_TRY(ckpt_load_state(r->output_dir, r->saved_step, &state, NULL, err));
    T2_TRY(ckpt_restore(r->output_dir, state.step, mdl_params(r->model), r->opt, err));
    state.wall_seconds = r->state.wall_seconds;
    r->state = state;
    ev_report_close(r->report);
    r->report = NULL;
    T2_TRY(ev_report_open(r->output_dir, state.step, r->options.emit, r->options.emit_context,
                          &r->report, err));
    if (!r->summaries)
        return T2_OK;
    tr_summaries_close(r->summaries);
    r->summaries = NULL;
    return tr_summaries_open(r, &r->summaries, err);
}

enum t2_status tr_recover(struct tr_run *r, const struct tr_bad_step *bad, const struct t2_err *why,
                          struct t2_err *err)
{
    bool back = r->options.on_nan == TR_NAN_ROLLBACK && r->saved_step >= 0;
    int64_t most = r->options.max_recoveries;
    struct t2_err finite_err = T2_ERR_INIT;

    if (bad->next_sample == bad->first_sample ||
        ++r->n_recoveries > (most > 0 ? most : TR_MAX_RECOVERIES)) {
        *err = *why;
        if (bad->next_sample == bad->first_sample)
            return err->status;
        return most > 0
                   ? t2_wrap(err, "given up behind trainer.recovery_max_trials=%" PRId64, most)
                   : t2_wrap(err, "given up: %d steps were not finite since the last checkpoint",
                             TR_MAX_RECOVERIES + 1);
    }
    /* a forward pass may have left moving averages that are not finite */
    if (!back && tr_check_finite(r, &finite_err) != T2_OK) {
        if (r->saved_step < 0) {
            *err = finite_err;
            return err->status;
        }
        back = true;
    }
    if (back)
        T2_TRY(roll_back(r, err));
    r->state.samples = bad->next_sample;
    mdl_forget_sent(r->model);
    T2_TRY(in_rewind(r->train, r->state.samples, err));
    t2_warn("%s", why->message);
    if (back)
        t2_warn("step %" PRId64 ": back to step %" PRId64 ", and on with the batches behind it",
                bad->number, r->state.step);
    else
        t2_warn("step %" PRId64 ": its batch is left out", bad->number);
    return T2_OK;
}
