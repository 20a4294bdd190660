/*
 * train/trained/answer_questions.c - see the header.
 *
 * Questions are taken in blocks; the rows of a block go through the model in batches, and each
 * row's logits become pairs of begin and end at once, so that no more than a batch of them is kept.
 */
#include "train/trained/answer_questions.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "train/eval/python_text.h"

enum { BLOCK = 256 }; /* questions */
enum { ANSWERS, NBEST, NULL_ODDS, N_FILES };

struct row {
    size_t question, window; /* of the block */
};

struct answerer {
    const struct tr_trained *t;
    const struct tr_answer_options *o;
    struct tr_answer_report *report;
    struct tok_wordpiece w;
    struct tok_questions questions;
    struct tok_row_form form;
    struct tok_asked asked[BLOCK];
    struct ev_spans spans[BLOCK];
    int32_t n_rows, most_rows;
    struct row *rows; /* (most_rows) */
    /* Of a batch, in host memory of the device: (most_rows, length), and (most_rows, 2). */
    int32_t *ids, *parts, *targets;
    float *logits; /* (most_rows, 2, length) */
    struct ev_negative_scores negative;
    int n_files;
    char *paths[N_FILES];
    struct t2_out *files[N_FILES];
    struct t2_buf line;
};

/* ---- rows ---- */

static enum t2_status run(struct answerer *a, struct t2_err *err)
{
    size_t length = (size_t) a->form.length;
    const struct mdl_batch b = {.batch = a->n_rows,
                                .all_rows = a->n_rows,
                                .inputs_length = a->form.length,
                                .inputs = a->ids,
                                .types = a->parts,
                                .targets_length = 2,
                                .targets = a->targets};

    if (a->n_rows == 0)
        return T2_OK;
    T2_TRY(t2_check_interrupt(err));
    T2_TRY(mdl_logits(a->t->m, &b, a->logits, err));
    for (int32_t i = 0; i < a->n_rows; i++) {
        const float *begins = a->logits + 2 * (size_t) i * length;
        struct row r = a->rows[i];

        for (size_t k = 0; k < 2 * length; k++)
            if (!isfinite(begins[k]))
                return t2_fail(err, T2_EFORMAT,
                               "the model gives question '%s' a value that is not finite",
                               a->questions.items[a->asked[r.question].number].id);
        ev_spans_add(&a->spans[r.question], &a->o->rules, &a->asked[r.question], r.window, begins,
                     begins + length, length);
    }
    a->report->n_rows += (uint64_t) a->n_rows;
    a->n_rows = 0;
    return T2_OK;
}

static enum t2_status add_row(struct answerer *a, size_t question, size_t window,
                              struct t2_err *err)
{
    size_t length = (size_t) a->form.length, at = (size_t) a->n_rows * length;

    memset(a->ids + at, 0, length * sizeof *a->ids);
    memset(a->parts + at, 0, length * sizeof *a->parts);
    (void) tok_window_row(&a->asked[question], window, &a->w, a->ids + at, a->parts + at);
    a->rows[a->n_rows++] = (struct row){question, window};
    return a->n_rows == a->most_rows ? run(a, err) : T2_OK;
}

/* ---- what is written: as json.dumps(..., indent=4) has it ---- */

static void put_key(struct t2_buf *out, const char *key, bool first)
{
    t2_buf_puts(out, first ? "{\n    " : ",\n    ");
    ev_python_json_string(key, out);
    t2_buf_puts(out, ": ");
}

static void put_answer(const struct ev_answer *answer, bool first, struct t2_buf *out)
{
    t2_buf_puts(out, first ? "\n        {\n            \"text\": "
                           : ",\n        {\n            \"text\": ");
    ev_python_json_string(answer->text, out);
    t2_buf_puts(out, ",\n            \"probability\": ");
    ev_python_repr(answer->probability, out);
    t2_buf_puts(out, ",\n            \"start_logit\": ");
    ev_python_repr(answer->begin, out);
    t2_buf_puts(out, ",\n            \"end_logit\": ");
    ev_python_repr(answer->end, out);
    t2_buf_puts(out, "\n        }");
}

static void put_line(struct t2_out *out, struct t2_buf *line)
{
    t2_out_write(out, line->data, line->len_bytes);
    t2_buf_clear(line);
}

static void write_question(struct answerer *a, const struct tok_question *q,
                           const struct ev_spans *s)
{
    bool first = a->report->n_questions == 0;

    put_key(&a->line, q->id, first);
    ev_python_json_string(s->answer, &a->line);
    put_line(a->files[ANSWERS], &a->line);
    put_key(&a->line, q->id, first);
    t2_buf_push(&a->line, '[');
    for (size_t i = 0; i < s->n; i++)
        put_answer(&s->items[i], i == 0, &a->line);
    t2_buf_puts(&a->line, "\n    ]");
    put_line(a->files[NBEST], &a->line);
    a->report->n_questions++;
    if (!a->o->rules.with_negative) {
        ev_answer_add(&a->report->scores, q, s->answer);
        return;
    }
    put_key(&a->line, q->id, first);
    ev_python_repr(s->null_odds, &a->line);
    put_line(a->files[NULL_ODDS], &a->line);
    ev_negative_add(&a->negative, q, s->answer, s->null_odds);
}

static enum t2_status end_files(struct answerer *a, struct t2_err *err)
{
    const char *end = a->report->n_questions == 0 ? "{}\n" : "\n}\n";

    for (int i = 0; i < a->n_files; i++) {
        t2_out_puts(a->files[i], end);
        T2_TRY(t2_out_finish(a->files[i], err));
    }
    for (int i = 0; i < a->n_files; i++) {
        struct t2_out *out = a->files[i];

        a->files[i] = NULL;
        T2_TRY(t2_out_commit_as(out, a->paths[i], err));
    }
    return T2_OK;
}

static void end_scores(struct answerer *a)
{
    struct tr_answer_report *r = a->report;

    if (!a->o->rules.with_negative)
        return;
    r->scores = a->negative.all;
    r->answered = a->negative.answered;
    r->unanswered = a->negative.unanswered;
    r->best_exact = ev_negative_best(&a->negative, EV_ANSWER_EXACT);
    r->best_f1 = ev_negative_best(&a->negative, EV_ANSWER_F1);
}

/* ---- questions ---- */

static enum t2_status answer_block(struct answerer *a, size_t first, size_t n, struct t2_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *id = a->questions.items[first + i].id;

        if (tok_ask(&a->asked[i], &a->questions, first + i, &a->w, &a->form, err) != T2_OK)
            return t2_wrap(err, "'%s': question '%s'", a->o->from, id);
        ev_spans_begin(&a->spans[i]);
        for (size_t k = 0; k < a->asked[i].n_windows; k++)
            T2_TRY(add_row(a, i, k, err));
    }
    T2_TRY(run(a, err));
    for (size_t i = 0; i < n; i++) {
        T2_TRY(ev_spans_end(&a->spans[i], &a->o->rules, &a->asked[i], &a->w, err));
        write_question(a, &a->questions.items[first + i], &a->spans[i]);
    }
    return T2_OK;
}

static enum t2_status answer_all(struct answerer *a, struct t2_err *err)
{
    struct t2_progress progress;
    enum t2_status st = T2_OK;

    t2_progress_start(&progress, "answering", "questions", a->questions.n);
    for (size_t first = 0; first < a->questions.n && st == T2_OK; first += BLOCK) {
        size_t left = a->questions.n - first;

        st = answer_block(a, first, left < BLOCK ? left : BLOCK, err);
        t2_progress_update(&progress, a->report->n_questions);
    }
    t2_progress_end(&progress);
    return st;
}

/* ---- all ---- */

static enum t2_status open_vocab(struct answerer *a, struct t2_err *err)
{
    int64_t known = a->t->data.problem.inputs_vocab;
    int32_t n;

    if (!a->o->vocab_file[0])
        return t2_fail(err, T2_EUSAGE,
                       "answers to questions need --decode_hparams=vocab_file=FILE: the vocab.txt "
                       "that the rows of training were made with");
    T2_TRY(tok_wordpiece_load(a->o->vocab_file, a->o->cased, &a->w, err));
    n = tok_wordpiece_size(&a->w);
    if (n > known)
        return t2_fail(err, T2_EUSAGE, "'%s' has %d entries, and the model knows %lld",
                       a->o->vocab_file, n, (long long) known);
    return T2_OK;
}

static enum t2_status start(struct answerer *a, struct t2_err *err)
{
    const struct mdl_hparams *hp = mdl_hparams_of(a->t->m);
    struct dev *dev = a->t->dev;
    size_t n;

    a->form = (struct tok_row_form){.length = (int32_t) mdl_hp_int(hp, "max_input_seq_length"),
                                    .stride = a->o->stride,
                                    .most_question = a->o->most_question};
    T2_TRY(open_vocab(a, err));
    T2_TRY(tok_row_form_check(&a->form, err));
    T2_TRY(tok_questions_load(a->o->from, &a->questions, err));
    a->most_rows = (int32_t) a->o->batch_size;
    n = (size_t) a->most_rows * (size_t) a->form.length;
    a->rows = t2_alloc((size_t) a->most_rows, sizeof *a->rows);
    a->logits = t2_alloc(n, 2 * sizeof *a->logits);
    a->ids = dev->alloc_host(dev, n * sizeof *a->ids);
    a->parts = dev->alloc_host(dev, n * sizeof *a->parts);
    a->targets = dev->alloc_host(dev, 2 * (size_t) a->most_rows * sizeof *a->targets);
    if (!a->ids || !a->parts || !a->targets)
        return t2_fail(err, T2_ENOMEM, "no memory for a batch of %d rows", a->most_rows);
    memset(a->targets, 0, 2 * (size_t) a->most_rows * sizeof *a->targets);
    mdl_pack_weights(a->t->m);
    for (int i = 0; i < a->n_files; i++)
        T2_TRY(t2_out_new(a->paths[i], &a->files[i], err));
    return T2_OK;
}

static void release(struct answerer *a)
{
    struct dev *dev = a->t->dev;

    mdl_forget_sent(a->t->m);
    dev->free_host(dev, a->ids);
    dev->free_host(dev, a->parts);
    dev->free_host(dev, a->targets);
    for (int i = 0; i < BLOCK; i++) {
        tok_asked_release(&a->asked[i]);
        ev_spans_release(&a->spans[i]);
    }
    t2_free(a->rows);
    t2_free(a->logits);
    for (int i = 0; i < N_FILES; i++)
        t2_free(a->paths[i]);
    tok_questions_release(&a->questions);
    tok_wordpiece_release(&a->w);
    t2_buf_release(&a->line);
    ev_negative_release(&a->negative);
    for (int i = 0; i < N_FILES; i++)
        t2_out_abort(a->files[i]);
}

static char *path_beside(const char *to, const char *prefix)
{
    char *dir = t2_path_dir(to), *name = t2_asprintf("%s%s", prefix, t2_path_base(to));
    char *path = t2_path_join(dir, name);

    t2_free(dir);
    t2_free(name);
    return path;
}

enum t2_status tr_answer_questions(const struct tr_trained *t, const struct tr_answer_options *o,
                                   struct tr_answer_report *report, struct t2_err *err)
{
    struct answerer *a = t2_alloc(1, sizeof *a);
    double since = t2_now_s();
    enum t2_status st;

    *report = (struct tr_answer_report){0};
    *a = (struct answerer){.t = t,
                           .o = o,
                           .report = report,
                           .n_files = o->rules.with_negative ? N_FILES : NULL_ODDS,
                           .paths = {t2_strdup(o->to), path_beside(o->to, "nbest_"),
                                     path_beside(o->to, "null_odds_")}};
    T2_GOTO(st, out, start(a, err));
    T2_GOTO(st, out, answer_all(a, err));
    st = end_files(a, err);
    end_scores(a);
    report->seconds = t2_now_s() - since;
out:
    release(a);
    t2_free(a);
    return st;
}
