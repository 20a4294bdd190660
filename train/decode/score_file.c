/*
 * train/decode/score_file.c - see the header.  One line at a time, as the original does.
 */
#include "train/decode/score_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/unicode.h"

struct job {
    const struct dec_scored *s;
    const char *path;
    uint64_t number; /* of the line, from 1 */
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

static enum t2_status score_line(struct job *j, struct t2_slice line, struct t2_out *out,
                                 struct t2_err *err)
{
    struct mdl_batch batch;
    struct mdl_loss loss;
    double mean;
    char text[64];

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
    mean = loss.numerator / loss.denominator - loss.regulariser;
    if (!isfinite(mean))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 ": the model's loss is not finite (has training "
                       "diverged?)",
                       j->path, j->number);
    snprintf(text, sizeof text, "%.6f\n", mean);
    t2_out_write(out, text, strlen(text));
    j->sum += mean * loss.denominator;
    j->report->n_target_ids += (uint64_t) loss.denominator;
    j->report->n_lines++;
    return T2_OK;
}

static enum t2_status check_model(const struct mdl *m, struct t2_err *err)
{
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
    struct job j = {.s = s, .path = from, .report = report};
    struct t2_progress progress;
    struct t2_out *out = NULL;
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st;

    *report = (struct dec_score_report){0};
    T2_TRY(check_model(s->m, err));
    T2_GOTO(st, out, t2_in_new(from, &in, err));
    t2_in_limit_line(in, max_memory);
    T2_GOTO(st, out, t2_out_new(to, &out, err));
    t2_progress_start(&progress, "scoring", "lines", 0);
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        j.number++;
        if ((st = score_line(&j, line, out, err)) != T2_OK)
            break;
        t2_progress_update(&progress, j.number);
    }
    t2_progress_end(&progress);
    if (st == T2_EOF && j.number == 0)
        st = t2_fail(err, T2_EFORMAT, "'%s' is empty: nothing to score", from);
    if (st != T2_EOF)
        goto out;
    report->loss = j.sum / (double) report->n_target_ids;
    st = t2_out_commit(out, err);
    out = NULL;
out:
    t2_out_abort(out);
    t2_in_free(in);
    tok_ids_release(&j.inputs);
    tok_ids_release(&j.targets);
    return st;
}
