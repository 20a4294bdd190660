/*
 * train/decode/score_file.c - see the header.  One line at a time, as the original does; ranks have
 * parts of a block of lines each.
 */
#include "train/decode/score_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/unicode.h"

/* Lines that a rank gets of a block. */
enum { BLOCK = 256 };

/* What a line comes to. */
struct score {
    double mean, n_ids;
};

struct job {
    const struct dec_scored *s;
    struct dist *dist; /* NULL: this process alone */
    const char *path;
    uint64_t number;       /* of the line, from 1 */
    struct t2_buf text;    /* of the block's lines, without their ends */
    struct t2_buf lengths; /* (n_lines) size_t */
    struct t2_buf scores;  /* (n_lines) struct score */
    struct tok_ids inputs, targets;
    struct dec_score_report *report;
    double sum; /* of the losses of all ids */
};

static enum t2_status encode(const struct tok_encoder *e, const uint8_t *s, size_t n,
                             struct tok_ids *ids, struct t2_err *err)
{
    ids->n = 0;
    tok_strip(&s, &n);
    if (n > 0)
        T2_TRY(tok_encode(e, NULL, s, n, ids, err));
    tok_ids_push(ids, TOK_EOS);
    return T2_OK;
}

static enum t2_status encode_line(struct job *j, struct t2_slice line, struct t2_err *err)
{
    size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes), n_tabs = 0, first = 0;
    bool has_inputs = mdl_problem_of(j->s->m)->has_inputs;

    if (bad < line.len_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ", byte %zu: not UTF-8 (0x%02x)",
                       j->path, j->number, bad + 1, line.data[bad]);
    for (size_t i = line.len_bytes; i-- > 0;)
        if (line.data[i] == '\t') {
            n_tabs++;
            first = i;
        }
    if (n_tabs != has_inputs)
        return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " has %zu tabs; it must be %s",
                       j->path, j->number, n_tabs,
                       has_inputs ? "source, TAB, translation" : "a text alone");
    if (!has_inputs)
        return encode(j->s->targets, line.data, line.len_bytes, &j->targets, err);
    T2_TRY(encode(j->s->inputs, line.data, first, &j->inputs, err));
    return encode(j->s->targets, line.data + first + 1, line.len_bytes - first - 1, &j->targets,
                  err);
}

static enum t2_status score_line(struct job *j, struct t2_slice line, struct score *score,
                                 struct t2_err *err)
{
    struct mdl_batch batch;
    struct mdl_loss loss;
    double mean;

    T2_TRY(t2_check_interrupt(err));
    T2_TRY(encode_line(j, line, err));
    if (j->inputs.n > INT32_MAX / 4 || j->targets.n > INT32_MAX / 4)
        return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " is too long", j->path, j->number);
    batch = (struct mdl_batch){.batch = 1,
                               .all_rows = 1,
                               .inputs_length = (int32_t) j->inputs.n,
                               .targets_length = (int32_t) j->targets.n,
                               .inputs = j->inputs.items,
                               .targets = j->targets.items};
    if (mdl_evaluate(j->s->m, &batch, &loss, err) != T2_OK)
        return t2_wrap(err, "'%s': line %" PRIu64, j->path, j->number);
    mean = loss.numerator / loss.denominator - loss.regulariser - loss.ponder;
    if (!isfinite(mean))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 ": the model's loss is not finite (has training "
                       "diverged?)",
                       j->path, j->number);
    *score = (struct score){mean, loss.denominator};
    return T2_OK;
}

/* ---- blocks ---- */

static size_t n_lines(const struct job *j)
{
    return j->lengths.len_bytes / sizeof(size_t);
}

/* The next lines; T2_EOF behind the last, with none. */
static enum t2_status read_block(struct job *j, struct t2_in *in, struct t2_err *err)
{
    size_t most = BLOCK * (j->dist ? (size_t) dist_size(j->dist) : 1);
    struct t2_slice line;
    enum t2_status st = T2_OK;

    t2_buf_clear(&j->text);
    t2_buf_clear(&j->lengths);
    while (n_lines(j) < most && (st = t2_in_line(in, &line, err)) == T2_OK) {
        t2_buf_append(&j->lengths, &line.len_bytes, sizeof line.len_bytes);
        t2_buf_append(&j->text, line.data, line.len_bytes);
    }
    return st == T2_EOF && n_lines(j) > 0 ? T2_OK : st;
}

static enum t2_status share(struct job *j, struct t2_buf *b, struct t2_err *err)
{
    size_t n = b->len_bytes;

    T2_TRY(dist_broadcast(j->dist, &n, sizeof n, 0, err));
    if (dist_rank(j->dist) > 0) {
        t2_buf_clear(b);
        (void) t2_buf_reserve(b, n);
        b->len_bytes = n;
    }
    return dist_broadcast(j->dist, b->data, n, 0, err);
}

/* What rank 0 reads, on all. */
static enum t2_status next_block(struct job *j, struct t2_in *in, struct t2_err *err)
{
    if (!j->dist)
        return read_block(j, in, err);
    T2_TRY(dist_agree(j->dist, in ? read_block(j, in, err) : T2_OK, err));
    T2_TRY(share(j, &j->lengths, err));
    return share(j, &j->text, err);
}

/* Lines first .. end - 1 of the block. */
static enum t2_status score_lines(struct job *j, size_t first, size_t end, struct t2_err *err)
{
    const size_t *lengths = (const void *) j->lengths.data;
    struct score *scores = (void *) j->scores.data;
    uint64_t before = j->number;
    size_t at = 0;

    for (size_t i = 0; i < end; at += lengths[i++]) {
        struct t2_slice line = {j->text.data ? j->text.data + at : NULL, lengths[i]};

        j->number = before + i + 1;
        if (i >= first)
            T2_TRY(score_line(j, line, &scores[i], err));
    }
    return T2_OK;
}

/* The block's scores, on rank 0. */
static enum t2_status score_block(struct job *j, struct t2_err *err)
{
    size_t n = n_lines(j), ranks = j->dist ? (size_t) dist_size(j->dist) : 1;
    size_t me = j->dist ? (size_t) dist_rank(j->dist) : 0;
    size_t first = n * me / ranks, end = n * (me + 1) / ranks;
    size_t *at = t2_alloc(ranks, sizeof *at), *bytes = t2_alloc(ranks, sizeof *bytes);
    uint64_t before = j->number;
    enum t2_status st;

    t2_buf_clear(&j->scores);
    (void) t2_buf_reserve(&j->scores, n * sizeof(struct score));
    j->scores.len_bytes = n * sizeof(struct score);
    st = score_lines(j, first, end, err);
    j->number = before + n;
    for (size_t r = 0; r < ranks; r++) {
        at[r] = n * r / ranks * sizeof(struct score);
        bytes[r] = n * (r + 1) / ranks * sizeof(struct score) - at[r];
    }
    if (j->dist)
        st = dist_agree(j->dist, st, err);
    if (j->dist && st == T2_OK)
        st = dist_all_gather_parts(j->dist, j->scores.data, at, bytes, err);
    t2_free(at);
    t2_free(bytes);
    return st;
}

static void write_block(struct job *j, struct t2_out *out)
{
    const struct score *scores = (const void *) j->scores.data;

    for (size_t i = 0; i < n_lines(j); i++) {
        char text[64];

        snprintf(text, sizeof text, "%.6f\n", scores[i].mean);
        if (out)
            t2_out_write(out, text, strlen(text));
        j->sum += scores[i].mean * scores[i].n_ids;
        j->report->n_target_ids += (uint64_t) scores[i].n_ids;
        j->report->n_lines++;
    }
}

/* Rank 0 has the files. */
static enum t2_status open_files(const char *from, const char *to, uint64_t max_memory,
                                 struct t2_in **in, struct t2_out **out, struct t2_err *err)
{
    T2_TRY(t2_in_new(from, in, err));
    t2_in_limit_line(*in, max_memory);
    return t2_out_new(to, out, err);
}

static enum t2_status check_model(struct mdl *m, struct t2_err *err)
{
    if (mdl_params(m)->dev->weights != DEV_FLOAT32)
        return t2_fail(err, T2_EUSAGE, "--precision=%s is not for --score_file: leave it out",
                       dev_type_name(mdl_params(m)->dev->weights));
    if (mdl_problem_of(m)->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--score_file scores texts, and the targets of this model are class labels");
    if (strcmp(mdl_hp_string(mdl_hparams_of(m), "prepend_mode"), "none") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--score_file does not know hparam prepend_mode; --schedule=evaluate of "
                       "t2t-trainer does");
    return T2_OK;
}

enum t2_status dec_score_file(const struct dec_scored *s, const char *from, const char *to,
                              uint64_t max_memory, struct dec_score_report *report,
                              struct t2_err *err)
{
    struct job j = {.s = s,
                    .dist = s->dist && dist_size(s->dist) > 1 ? s->dist : NULL,
                    .path = from,
                    .report = report};
    bool has_files = !j.dist || dist_rank(j.dist) == 0;
    struct t2_progress progress;
    struct t2_out *out = NULL;
    struct t2_in *in = NULL;
    enum t2_status st;

    *report = (struct dec_score_report){0};
    st = check_model(s->m, err);
    if (st == T2_OK && has_files)
        st = open_files(from, to, max_memory, &in, &out, err);
    if (j.dist)
        st = dist_agree(j.dist, st, err);
    if (st != T2_OK)
        goto out;
    t2_progress_start(&progress, "scoring", "lines", 0);
    while ((st = next_block(&j, in, err)) == T2_OK) {
        if ((st = score_block(&j, err)) != T2_OK)
            break;
        write_block(&j, out);
        t2_progress_update(&progress, j.number);
    }
    t2_progress_end(&progress);
    if (st == T2_EOF && j.number == 0) {
        st = t2_fail(err, T2_EFORMAT, "'%s' is empty: nothing to score", from);
        if (j.dist)
            dist_all_know(j.dist);
    }
    if (st != T2_EOF)
        goto out;
    report->loss = j.sum / (double) report->n_target_ids;
    st = out ? t2_out_commit(out, err) : T2_OK;
    out = NULL;
out:
    t2_out_abort(out);
    t2_in_free(in);
    t2_buf_release(&j.text);
    t2_buf_release(&j.lengths);
    t2_buf_release(&j.scores);
    tok_ids_release(&j.inputs);
    tok_ids_release(&j.targets);
    return st;
}
