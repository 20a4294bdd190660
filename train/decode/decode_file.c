/*
 * train/decode/decode_file.c - see the header.
 */
#include "train/decode/decode_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/text.h"
#include "tokenizer/unicode.h"

enum { DEFAULT_BATCH = 32, WARNINGS = 10 };

struct line {
    size_t offset, len_bytes; /* in the text */
    size_t n_words;
    uint64_t number;      /* from 0 */
    struct t2_buf result; /* without line end; may hold any byte */
};

struct job {
    struct dec_translator *t;
    const struct dec_hparams *hp;
    const char *path;
    struct t2_buf text;
    struct line *lines;
    size_t n, capacity;
    struct dec_file_report *report;
    struct t2_progress progress;
};

/* ---- reading ------------------------------------------------------------------------------------- */

/* len(text.split()) */
static size_t count_words(const uint8_t *s, size_t n)
{
    size_t words = 0;
    bool inside = false;

    for (size_t i = 0; i < n;) {
        uint32_t c;
        bool valid;

        i += tok_utf8_decode(s + i, n - i, &c, &valid);
        if (tok_is_space(c)) {
            inside = false;
        } else {
            words += !inside;
            inside = true;
        }
    }
    return words;
}

static void add_line(struct job *j, struct t2_slice line)
{
    if (j->n == j->capacity) {
        j->capacity = j->capacity ? 2 * j->capacity : 1024;
        j->lines = t2_realloc(j->lines, j->capacity, sizeof *j->lines);
    }
    j->lines[j->n] = (struct line){j->text.len_bytes,
                                   line.len_bytes,
                                   count_words(line.data, line.len_bytes),
                                   j->n,
                                   {NULL, 0, 0}};
    j->n++;
    t2_buf_append(&j->text, line.data, line.len_bytes);
}

static enum t2_status read_lines(struct job *j, struct t2_err *err)
{
    struct t2_in *in;
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new(j->path, &in, err));
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

        if (bad < line.len_bytes) {
            st = t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ", byte %zu: not UTF-8 (0x%02x)",
                         j->path, t2_in_line_number(in), bad + 1, line.data[bad]);
            break;
        }
        add_line(j, line);
    }
    t2_in_free(in);
    if (st == T2_EOF && j->n == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' is empty: nothing to translate", j->path);
    return st == T2_EOF ? T2_OK : st;
}

/* Decreasing number of words; of equals the earlier line first. */
static int by_words(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->n_words != y->n_words)
        return x->n_words > y->n_words ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    return x->number < y->number ? -1 : 1;
}

/* ---- translating --------------------------------------------------------------------------------- */

/* The hypotheses of a source as one line: beams side by side, each with its score when wanted. */
static void join(const struct dec_hparams *hp, const struct dec_hypothesis *h, struct t2_buf *line)
{
    for (int32_t k = 0; k < dec_n_best(hp); k++) {
        if (k)
            t2_buf_push(line, '\t');
        t2_buf_append(line, h[k].text.data, h[k].text.len_bytes);
        if (hp->write_beam_scores)
            t2_buf_printf(line, "\t%.2f", h[k].score);
    }
}

static void warn_cut(struct job *j, const struct line *l, size_t n_ids, size_t n_cut)
{
    bool asked_for = j->hp->max_input_size == (int64_t) n_ids;

    if (n_cut == 0)
        return;
    if (j->report->n_cut++ < WARNINGS)
        t2_warn("'%s': line %" PRIu64 ": its %zu ids are cut to the first %zu (%s)", j->path,
                l->number + 1, n_ids + n_cut, n_ids,
                asked_for ? "max_input_size" : "more do not fit into --max_memory");
    else if (j->report->n_cut == WARNINGS + 1)
        t2_warn("'%s': more lines are cut", j->path);
}

/* Encodes lines from `first` on until the batch is full; *n of them are not empty, *n_lines were
 * looked at.  Empty ones get their result here. */
static enum t2_status fill_batch(struct job *j, size_t first, int32_t size, struct tok_ids *ids,
                                 struct line **lines, int32_t *n, size_t *n_lines,
                                 struct t2_err *err)
{
    size_t longest = 0;

    *n = 0;
    for (*n_lines = 0; first + *n_lines < j->n && *n < size; ++*n_lines) {
        struct line *l = &j->lines[first + *n_lines];
        struct t2_slice text = {j->text.data ? j->text.data + l->offset : NULL, l->len_bytes};
        size_t n_cut;

        ids[*n].n = 0;
        if (l->n_words > 0 && dec_encode(j->t, text, &ids[*n], &n_cut, err) != T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, j->path, l->number + 1);
        if (ids[*n].n == 0) {
            struct dec_hypothesis *nothing = t2_alloc((size_t) dec_n_best(j->hp), sizeof *nothing);

            join(j->hp, nothing, &l->result);
            t2_free(nothing);
            j->report->n_empty++;
            continue;
        }
        longest = ids[*n].n > longest ? ids[*n].n : longest;
        if (*n > 0 && dec_fit(j->t, longest) < *n + 1)
            break; /* belongs to the next batch */
        warn_cut(j, l, ids[*n].n, n_cut);
        lines[(*n)++] = l;
    }
    return T2_OK;
}

static enum t2_status translate_batch(struct job *j, const struct tok_ids *ids, struct line **lines,
                                      int32_t n, struct t2_err *err)
{
    int32_t n_best = dec_n_best(j->hp);
    struct dec_hypothesis *h = t2_alloc((size_t) n * (size_t) n_best, sizeof *h);
    enum t2_status st = dec_translate(j->t, ids, n, h, err);

    if (st != T2_OK && st != T2_EINTERRUPTED)
        st = t2_wrap(err, "'%s': a batch of %d lines, the longest line %" PRIu64 " of %zu ids",
                     j->path, n, lines[0]->number + 1, ids[0].n);
    for (int32_t i = 0; i < n && st == T2_OK; i++) {
        join(j->hp, h + i * n_best, &lines[i]->result);
        j->report->n_target_ids += (uint64_t) h[i * n_best].n_ids;
    }
    for (int32_t i = 0; i < n * n_best; i++)
        t2_buf_release(&h[i].text);
    t2_free(h);
    return st;
}

static enum t2_status translate_lines(struct job *j, struct t2_err *err)
{
    int32_t size = j->hp->batch_size > 0 ? (int32_t) j->hp->batch_size : DEFAULT_BATCH;
    struct tok_ids *ids;
    struct line **lines;
    size_t done = 0, n_lines;
    enum t2_status st = T2_OK;

    if ((size_t) size > j->n)
        size = (int32_t) j->n;
    ids = t2_alloc((size_t) size, sizeof *ids);
    lines = t2_alloc((size_t) size, sizeof *lines);
    while (done < j->n && st == T2_OK) {
        int32_t n;

        T2_GOTO(st, out, fill_batch(j, done, size, ids, lines, &n, &n_lines, err));
        if (n > 0)
            T2_GOTO(st, out, translate_batch(j, ids, lines, n, err));
        done += n_lines;
        t2_progress_update(&j->progress, done);
    }
out:
    for (int32_t i = 0; i < size; i++)
        tok_ids_release(&ids[i]);
    t2_free(lines);
    t2_free(ids);
    return st;
}

/* ---- writing ------------------------------------------------------------------------------------- */

static void write_lines(const struct job *j, struct t2_out *out)
{
    for (size_t i = 0; i < j->n; i++) {
        t2_out_write(out, j->lines[i].result.data, j->lines[i].result.len_bytes);
        t2_out_write(out, "\n", 1);
    }
}

enum t2_status dec_file(struct dec_translator *t, const struct dec_hparams *hp, const char *from,
                        const char *to, struct dec_file_report *report, struct t2_err *err)
{
    struct job j = {.t = t, .hp = hp, .path = from, .report = report};
    struct t2_out *out =
        NULL; /* opened first: a folder that is not there should not cost an hour */
    double started = t2_now_s();
    enum t2_status st;

    *report = (struct dec_file_report){0};
    T2_GOTO(st, out, read_lines(&j, err));
    T2_GOTO(st, out, t2_out_new(to, &out, err));
    report->n_lines = j.n;
    qsort(j.lines, j.n, sizeof *j.lines, by_words);
    t2_progress_start(&j.progress, "translating", "lines", j.n);
    st = translate_lines(&j, err);
    t2_progress_end(&j.progress);
    if (st != T2_OK)
        goto out;
    qsort(j.lines, j.n, sizeof *j.lines, by_number);
    write_lines(&j, out);
    st = t2_out_commit(out, err);
    out = NULL;
    report->seconds = t2_now_s() - started;
out:
    t2_out_abort(out);
    for (size_t i = 0; i < j.n; i++)
        t2_buf_release(&j.lines[i].result);
    t2_free(j.lines);
    t2_buf_release(&j.text);
    return st;
}

/* ---- names --------------------------------------------------------------------------------------- */

char *dec_shard_name(const char *name, const struct dec_hparams *hp)
{
    long long id = (long long) hp->shard_id, n = (long long) hp->shards;

    if (n <= 1)
        return t2_strdup(name);
    if (hp->shard_google_format)
        return t2_asprintf("%s-%05lld-of-%05lld", name, id, n);
    return t2_asprintf("%s%03lld", name, id + (long long) hp->shards_start_offset);
}

char *dec_output_name(const char *from, const char *model, const char *hparams_set,
                      const char *problem, const struct dec_hparams *hp)
{
    struct t2_buf end = {NULL, 0, 0}, alpha = {NULL, 0, 0};
    struct t2_json json;
    char *name;

    t2_json_init(&json, &alpha, 0); /* the shortest text, which is Python's */
    t2_json_double(&json, hp->alpha);
    if (!strpbrk(t2_buf_cstr(&alpha), ".e"))
        t2_buf_puts(&alpha, ".0");
    t2_buf_printf(&end, "beam%lld.alpha%s.decodes", (long long) hp->beam_size, t2_buf_cstr(&alpha));
    name = strstr(from, t2_buf_cstr(&end)) ? t2_strdup(from)
                                           : t2_asprintf("%s.%s.%s.%s.%s", from, model, hparams_set,
                                                         problem, t2_buf_cstr(&end));
    t2_buf_release(&end);
    t2_buf_release(&alpha);
    return name;
}
