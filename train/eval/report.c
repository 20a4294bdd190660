/*
 * train/eval/report.c - report lines and metrics.jsonl, one JSON object per line, appended by one
 * write each, so that a killed run leaves whole lines.  A continued run removes the lines behind
 * the checkpoint that it continues from.
 */
#include "train/eval/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/remote/remote_file.h"
#include "base/str.h"

struct ev_report {
    char *path;
    int fd;
    int64_t last_eval; /* step */
    ev_emit_fn emit;
    void *context;
    struct t2_buf line;
};

/* ---- sums ---- */

void ev_sums_add(struct ev_sums *s, const struct mdl_loss *loss, const struct mdl_batch *batch)
{
    s->batch_losses += batch->targets_mask
                           ? loss->masked_numerator / fmax(1.0, loss->masked_denominator)
                           : loss->numerator / fmax(1.0, loss->denominator);
    s->masked_tokens += loss->masked_denominator;
    s->masked_log_prob += loss->masked_log_prob;
    s->tokens += loss->denominator;
    s->correct += loss->n_correct;
    s->top5 += loss->n_top5;
    s->log_prob += loss->log_prob;
    s->sequences_correct += loss->n_sequences_correct;
    s->n_sequences += (uint64_t) batch->batch;
    s->n_batches++;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double) NAN;
}

struct ev_scores ev_sums_scores(const struct ev_sums *s)
{
    double bytes = (double) s->text.bytes;

    return (struct ev_scores){
        .loss = ratio(s->batch_losses, (double) s->n_batches),
        .accuracy = ratio(s->correct, s->tokens),
        .accuracy_top5 = ratio(s->top5, s->tokens),
        .accuracy_per_sequence = ratio(s->sequences_correct, (double) s->n_sequences),
        .neg_log_perplexity = ratio(s->log_prob, s->tokens),
        .masked_neg_log_perplexity = ratio(s->masked_log_prob, s->masked_tokens),
        .n_batches = s->n_batches,
        .n_sequences = s->n_sequences,
        .n_tokens = s->tokens,
        .perplexity = exp(-ratio(s->log_prob, s->tokens)),
        .word_perplexity = exp(-ratio(s->log_prob, (double) s->text.words)),
        .byte_perplexity = exp(-ratio(s->log_prob, bytes)),
        .bits_per_byte = -ratio(s->log_prob, bytes) / log(2.0),
        .text = s->text,
    };
}

/* As ev_report_eval writes them. */
const char *const ev_score_names[] = {"loss",
                                      "accuracy",
                                      "accuracy_top5",
                                      "accuracy_per_sequence",
                                      "neg_log_perplexity",
                                      "approx_bleu_score",
                                      "rouge_2_fscore",
                                      "rouge_L_fscore",
                                      "edit_distance",
                                      "word_error_rate",
                                      "approx_sari_score",
                                      "image_rmse",
                                      "disc_mol_neg_log_perplexity",
                                      "sacrebleu_score",
                                      "masked_neg_log_perplexity",
                                      "rmse",
                                      "unpadded_mse",
                                      "mean_absolute_error",
                                      "r_squared",
                                      "pearson",
                                      "log_poisson",
                                      "two_class_accuracy",
                                      "two_class_log_likelihood",
                                      "binary_accuracy",
                                      "set_precision",
                                      "set_recall",
                                      "softmax_cross_entropy_one_hot",
                                      "sigmoid_accuracy",
                                      "sigmoid_accuracy_one_hot",
                                      "sigmoid_precision_one_hot",
                                      "sigmoid_recall_one_hot",
                                      "sigmoid_cross_entropy_one_hot",
                                      "roc_auc",
                                      "accuracy_multilabel_match3",
                                      NULL};

const char *ev_more_score(const struct ev_scores *s, int i, double *value)
{
    return s->values.kind == EV_NO_VALUES ? ev_id_score(&s->ids, i, value)
                                          : ev_value_score(&s->values, i, value);
}

/* ---- the file ---- */

/* True for a line up to `step`; a line that is no JSON goes, too.  *last_eval: of those that stay.
 */
static bool line_stays(const char *line, size_t n, int64_t step, const char *path,
                       int64_t *last_eval)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const char *kind;
    int64_t at;

    if (t2_json_parse(line, n, path, &doc, &ignored) != T2_OK)
        return false;
    at = t2_json_as_i64(t2_json_get(t2_json_root(doc), "step"), INT64_MAX);
    kind = t2_json_as_string(t2_json_get(t2_json_root(doc), "kind"), "");
    if (at <= step && strcmp(kind, "eval") == 0)
        *last_eval = at;
    t2_json_free(doc);
    return at <= step;
}

/* The lines of an evaluation that was not finished: its samples, which stand before it. */
static size_t unfinished_bytes(const struct t2_buf *kept)
{
    static const char sample[] = "{\"kind\": \"sample\"";
    size_t n = kept->len_bytes;

    while (n > 0) {
        const char *begin = t2_buf_cstr(kept), *line = memrchr(begin, '\n', n - 1);

        line = line ? line + 1 : begin;
        if (!t2_starts_with(line, sample))
            break;
        n = (size_t) (line - begin);
    }
    return kept->len_bytes - n;
}

static void keep_lines(const struct t2_buf *from, int64_t step, const char *path,
                       struct t2_buf *kept, int64_t *last_eval)
{
    const char *at = t2_buf_cstr(from), *end = at + from->len_bytes;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t) (end - at));

        if (!newline) /* cut short */
            return;
        if (line_stays(at, (size_t) (newline - at), step, path, last_eval))
            t2_buf_append(kept, at, (size_t) (newline + 1 - at));
        at = newline + 1;
    }
}

static enum t2_status remove_later_lines(const char *path, int64_t step, int64_t *last_eval,
                                         struct t2_err *err)
{
    struct t2_buf was = {0}, kept = {0};
    enum t2_status st = T2_OK;

    if (!t2_exists(path))
        return T2_OK;
    T2_GOTO(st, out, t2_read_file(path, 0, &was, err));
    keep_lines(&was, step, path, &kept, last_eval);
    kept.len_bytes -= unfinished_bytes(&kept);
    if (kept.len_bytes != was.len_bytes)
        st = t2_write_file(path, t2_buf_cstr(&kept), kept.len_bytes, err);
out:
    t2_buf_release(&was);
    t2_buf_release(&kept);
    return st;
}

enum t2_status ev_report_open(const char *output_dir, int64_t step, ev_emit_fn emit, void *context,
                              struct ev_report **report, struct t2_err *err)
{
    struct ev_report *r = t2_alloc(1, sizeof *r);
    enum t2_status st;
    int errnum;

    *report = NULL;
    r->fd = -1;
    r->last_eval = -1;
    r->emit = emit;
    r->context = context;
    r->path = t2_path_join(output_dir, "metrics.jsonl");
    T2_GOTO(st, out, remove_later_lines(r->path, step, &r->last_eval, err));
    /* A log grows line by line: the one kind of file that is not written by t2_out. */
    errnum = t2_io_open(r->path, O_WRONLY | O_CREAT | O_APPEND, 0666, &r->fd);
    if (errnum)
        st = t2_fail_errno(err, errnum, "cannot write '%s'", r->path);
out:
    if (st != T2_OK)
        ev_report_close(r);
    else
        *report = r;
    return st;
}

int64_t ev_report_last_eval(const struct ev_report *r)
{
    return r->last_eval;
}

void ev_report_close(struct ev_report *r)
{
    struct t2_err unsent = T2_ERR_INIT;

    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    if (r->fd >= 0 && t2_remote_publish(r->path, &unsent) != T2_OK)
        t2_warn("%s", unsent.message);
    t2_buf_release(&r->line);
    t2_free(r->path);
    t2_free(r);
}

static enum t2_status write_line(struct ev_report *r, struct t2_err *err)
{
    int errnum;

    if (r->emit)
        r->emit(r->context, t2_buf_cstr(&r->line));
    t2_buf_push(&r->line, '\n');
    errnum = t2_io_write(r->fd, r->line.data, r->line.len_bytes, NULL);
    return errnum ? t2_fail_errno(err, errnum, "cannot write '%s'", r->path) : T2_OK;
}

static void key_float(struct t2_json *j, const char *key, double v)
{
    t2_json_key(j, key);
    t2_json_float9(j, v);
}

/* ---- lines ---- */

/* "950", "12.3k", "1.20M" */
static const char *short_number(double v, char *out, size_t n)
{
    if (v < 9999.5)
        snprintf(out, n, "%.0f", v);
    else if (v < 999950)
        snprintf(out, n, "%.1fk", v / 1e3);
    else
        snprintf(out, n, "%.2fM", v / 1e6);
    return out;
}

double ev_bits(double nats)
{
    return nats / log(2.0);
}

static void train_for_people(const struct ev_train_line *l)
{
    char rate[32], eta[32], bits[32] = "";

    if (l->pixels)
        snprintf(bits, sizeof bits, "bits/dim %.4f  ", l->bits_per_dim);
    t2_info("step %" PRId64 "/%" PRId64 "  loss %.4f  mean %.4f  %srate %.3g  gradient %.3g  "
            "%s %s/s  stall %.0f%%  ETA %s",
            l->step, l->train_steps, l->loss, l->loss_mean, bits, l->learning_rate,
            l->gradient_norm, short_number(l->target_tokens_per_s, rate, sizeof rate),
            l->images ? "images" : "tokens", 100 * l->stall,
            t2_human_seconds(l->eta_s, eta, sizeof eta));
}

void ev_report_first(const struct ev_train_line *l)
{
    train_for_people(l);
}

const char *ev_report_live(const struct ev_train_line *l, char *out, size_t out_bytes)
{
    char rate[32], eta[32];

    snprintf(out, out_bytes,
             "step %" PRId64 "/%" PRId64 "  loss %.4f  %.3g steps/s  %s %s/s  stall %.0f%%  ETA %s",
             l->step, l->train_steps, l->loss, l->steps_per_s,
             short_number(l->target_tokens_per_s, rate, sizeof rate),
             l->images ? "images" : "tokens", 100 * l->stall,
             t2_human_seconds(l->eta_s, eta, sizeof eta));
    return out;
}

enum t2_status ev_report_train(struct ev_report *r, const struct ev_train_line *l,
                               struct t2_err *err)
{
    struct t2_json j;

    train_for_people(l);
    t2_buf_clear(&r->line);
    t2_json_init(&j, &r->line, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", "train");
    t2_json_kv_i64(&j, "step", l->step);
    key_float(&j, "loss", l->loss);
    key_float(&j, "loss_mean", l->loss_mean);
    t2_json_kv_i64(&j, "steps", l->n_steps);
    if (l->pixels)
        key_float(&j, "bits_per_dim", l->bits_per_dim);
    key_float(&j, "learning_rate", l->learning_rate);
    key_float(&j, "gradient_norm", l->gradient_norm);
    key_float(&j, "target_tokens", l->target_tokens);
    key_float(&j, "target_tokens_per_s", l->target_tokens_per_s);
    key_float(&j, "stall", l->stall);
    key_float(&j, "save_s", l->save_s);
    key_float(&j, "eval_s", l->eval_s);
    t2_json_kv_u64(&j, "samples", l->samples);
    key_float(&j, "epoch", l->epoch);
    key_float(&j, "wall_s", l->wall_s);
    key_float(&j, "eta_s", l->eta_s);
    t2_json_kv_u64(&j, "memory", l->memory);
    t2_json_end_object(&j);
    return write_line(r, err);
}

static void eval_for_people(const struct ev_eval_line *l)
{
    const struct ev_scores *s = &l->scores;
    struct t2_buf more = {0};
    const char *name;
    double value;

    for (int i = 0; (name = ev_more_score(s, i, &value)); i++)
        t2_buf_printf(&more, "%s %.4f  ", name, value);
    if (s->values.kind != EV_NO_VALUES) {
        if (s->values.kind == EV_LABEL_SETS)
            t2_buf_printf(&more, "accuracy %.4f  ", s->accuracy);
        t2_info("step %" PRId64 "  %s: loss %.4f  %s(%" PRIu64 " samples, %.1f s)", l->step,
                l->split, s->loss, t2_buf_cstr(&more), s->n_sequences, l->seconds);
        t2_buf_release(&more);
        return;
    }
    if (l->images) {
        t2_info("step %" PRId64 "  %s: loss %.4f  accuracy %.4f  top 5 %.4f  "
                "neg_log_perplexity %.4f  (%" PRIu64 " images, %.1f s)",
                l->step, l->split, s->loss, s->accuracy, s->accuracy_top5, s->neg_log_perplexity,
                s->n_sequences, l->seconds);
        return;
    }
    if (l->pixels) {
        t2_info("step %" PRId64 "  %s: loss %.4f  bits/dim %.4f  accuracy %.4f  %s(%" PRIu64
                " images, %.1f s)",
                l->step, l->split, s->loss, ev_bits(-s->neg_log_perplexity), s->accuracy,
                t2_buf_cstr(&more), s->n_sequences, l->seconds);
        t2_buf_release(&more);
        return;
    }
    t2_info("step %" PRId64 "  %s: loss %.4f  accuracy %.4f  per sequence %.4f  "
            "neg_log_perplexity %.4f  %s(%" PRIu64 " sequences, %.1f s)",
            l->step, l->split, s->loss, s->accuracy, s->accuracy_per_sequence,
            s->neg_log_perplexity, t2_buf_cstr(&more), s->n_sequences, l->seconds);
    t2_buf_release(&more);
    if (s->text.bytes > 0)
        t2_info("step %" PRId64 "  %s: perplexity %.4f  per word %.4f  per byte %.4f  (%.0f ids, "
                "%" PRIu64 " words, %" PRIu64 " bytes)",
                l->step, l->split, s->perplexity, s->word_perplexity, s->byte_perplexity,
                s->n_tokens, s->text.words, s->text.bytes);
}

enum t2_status ev_report_eval(struct ev_report *r, const struct ev_eval_line *l, struct t2_err *err)
{
    const struct ev_scores *s = &l->scores;
    struct t2_json j;
    const char *name;
    double value;

    eval_for_people(l);
    r->last_eval = l->step;
    t2_buf_clear(&r->line);
    t2_json_init(&j, &r->line, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", "eval");
    t2_json_kv_i64(&j, "step", l->step);
    t2_json_kv_string(&j, "split", l->split);
    key_float(&j, "loss", s->loss);
    key_float(&j, "accuracy", s->accuracy);
    key_float(&j, "accuracy_top5", s->accuracy_top5);
    key_float(&j, "accuracy_per_sequence", s->accuracy_per_sequence);
    key_float(&j, "neg_log_perplexity", s->neg_log_perplexity);
    if (l->pixels)
        key_float(&j, "bits_per_dim", ev_bits(-s->neg_log_perplexity));
    for (int i = 0; (name = ev_more_score(s, i, &value)); i++)
        key_float(&j, name, value);
    t2_json_kv_u64(&j, "batches", s->n_batches);
    t2_json_kv_u64(&j, "sequences", s->n_sequences);
    key_float(&j, "target_tokens", s->n_tokens);
    if (s->text.bytes > 0) {
        key_float(&j, "perplexity", s->perplexity);
        key_float(&j, "word_perplexity", s->word_perplexity);
        key_float(&j, "byte_perplexity", s->byte_perplexity);
        key_float(&j, "bits_per_byte", s->bits_per_byte);
        t2_json_kv_u64(&j, "target_words", s->text.words);
        t2_json_kv_u64(&j, "target_bytes", s->text.bytes);
    }
    key_float(&j, "seconds", l->seconds);
    t2_json_end_object(&j);
    T2_TRY(write_line(r, err));
    return t2_remote_publish(r->path, err);
}

enum t2_status ev_report_sample(struct ev_report *r, int64_t step, const char *source,
                                const char *target, const char *output, struct t2_err *err)
{
    struct t2_json j;

    t2_buf_clear(&r->line);
    t2_json_init(&j, &r->line, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", "sample");
    t2_json_kv_i64(&j, "step", step);
    t2_json_kv_string(&j, "source", source);
    t2_json_kv_string(&j, "target", target);
    t2_json_kv_string(&j, "output", output);
    t2_json_end_object(&j);
    return write_line(r, err);
}
