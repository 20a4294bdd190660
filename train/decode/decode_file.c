/*
 * train/decode/decode_file.c - translating a file: lines are read, sorted by length, translated in
 * batches, and written in their own order.
 *
 * All lines are encoded first, so that bad text is found before the first batch.  Sorted by falling
 * length, a batch pads little and the largest comes first, which finds out at once if memory is
 * short.
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
#include "base/signals.h"
#include "base/str.h"
#include "base/text.h"
#include "tokenizer/unicode.h"
#include "train/decode/translate_list.h"

enum { DEFAULT_BATCH = 32, WARNINGS = 10 };

struct line {
    size_t offset, len_bytes; /* in the text */
    size_t ids_at, n_ids;     /* in the ids; 0: a line of white space */
    uint64_t number;          /* from 0 */
    uint64_t repetition;      /* num_decodes */
    int rank;                 /* that translates it */
    struct t2_buf result;     /* without line end; may hold any byte */
};

struct job {
    struct dec_translator *t;
    struct dist *dist; /* NULL: this process alone */
    const struct dec_hparams *hp;
    const char *path;
    uint64_t max_memory;
    struct t2_buf text;
    struct tok_ids ids; /* of all lines */
    struct line *lines;
    size_t n, capacity;
    size_t done; /* lines */
    int32_t n_batch;
    uint64_t *load; /* (ranks): ids that each has got, with padding */
    struct dec_file_report *report;
    struct t2_progress progress;
};

/* ---- reading ---- */

/* A record of the text. */
static void add_line(struct job *j, size_t offset, size_t len_bytes)
{
    if (j->n == j->capacity) {
        j->capacity = j->capacity ? 2 * j->capacity : 1024;
        j->lines = t2_realloc(j->lines, j->capacity, sizeof *j->lines);
    }
    j->lines[j->n] = (struct line){.offset = offset, .len_bytes = len_bytes, .number = j->n};
    j->n++;
}

static bool is_blank(const uint8_t *s, size_t n)
{
    tok_strip(&s, &n);
    return n == 0;
}

/* How many bytes stand before the delimiter; all of them where there is none. */
static size_t before(const uint8_t *s, size_t n, const char *delimiter)
{
    size_t len = strlen(delimiter);

    for (size_t i = 0; i + len <= n; i++)
        if (memcmp(s + i, delimiter, len) == 0)
            return i;
    return n;
}

/* Cuts the text where the delimiter stands; white space behind the last one is no record. */
static void split_text(struct job *j)
{
    for (size_t at = 0; at < j->text.len_bytes;) {
        const uint8_t *from = j->text.data + at;
        size_t left = j->text.len_bytes - at, n = before(from, left, j->hp->delimiter);

        if (n == left && is_blank(from, left))
            return;
        add_line(j, at, n);
        at += n + strlen(j->hp->delimiter);
    }
}

/* Language models continue the whole list num_decodes times. */
static void repeat_lines(struct job *j)
{
    size_t n = j->n;

    if (!dec_continues(j->t)) {
        if (j->hp->num_decodes > 1)
            t2_warn("--decode_hparams: num_decodes has no meaning here: only what is continued is "
                    "repeated");
        return;
    }
    for (int64_t r = 1; r < j->hp->num_decodes; r++)
        for (size_t i = 0; i < n; i++) {
            add_line(j, j->lines[i].offset, j->lines[i].len_bytes);
            j->lines[j->n - 1].repetition = (uint64_t) r;
        }
}

static enum t2_status read_lines(struct job *j, struct t2_err *err)
{
    bool by_lines = strcmp(j->hp->delimiter, "\n") == 0;
    struct t2_in *in;
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new(j->path, &in, err));
    t2_in_limit_line(in, j->max_memory);
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

        if (bad < line.len_bytes) {
            st = t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ", byte %zu: not UTF-8 (0x%02x)",
                         j->path, t2_in_line_number(in), bad + 1, line.data[bad]);
            break;
        }
        if (by_lines)
            add_line(j, j->text.len_bytes, line.len_bytes);
        t2_buf_append(&j->text, line.data, line.len_bytes);
        if (!by_lines)
            t2_buf_push(&j->text, '\n');
    }
    t2_in_free(in);
    if (st == T2_EOF && !by_lines)
        split_text(j);
    if (st == T2_EOF && j->n == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' is empty: nothing to translate", j->path);
    if (st == T2_EOF)
        repeat_lines(j);
    return st == T2_EOF ? T2_OK : st;
}

/* What rank 0 has read, to all. */
static enum t2_status share_lines(struct job *j, struct t2_err *err)
{
    uint64_t sizes[2] = {j->n, j->text.len_bytes};

    T2_TRY(dist_broadcast(j->dist, sizes, sizeof sizes, 0, err));
    if (dist_rank(j->dist) > 0) {
        j->n = (size_t) sizes[0];
        j->lines = t2_alloc(j->n, sizeof *j->lines);
        (void) t2_buf_reserve(&j->text, (size_t) sizes[1]);
        j->text.len_bytes = (size_t) sizes[1];
    }
    T2_TRY(dist_broadcast(j->dist, j->lines, j->n * sizeof *j->lines, 0, err));
    return dist_broadcast(j->dist, j->text.data, j->text.len_bytes, 0, err);
}

/* Each repetition for itself, and there decreasing length; of equals the earlier line first.  Lines
 * without ids stand at the end. */
static int by_ids(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if ((x->n_ids == 0) != (y->n_ids == 0))
        return x->n_ids == 0 ? 1 : -1;
    if (x->repetition != y->repetition)
        return x->repetition < y->repetition ? -1 : 1;
    if (x->n_ids != y->n_ids)
        return x->n_ids > y->n_ids ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    return x->number < y->number ? -1 : 1;
}

/* ---- translating ---- */

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

/* The original does nothing about them, and neither do we; but whoever waits should know why. */
static void warn_long(const struct job *j, uint64_t n_long, size_t longest)
{
    if (n_long > 0)
        t2_warn("'%s': %" PRIu64
                " of %zu lines are longer than what the model was trained on (hparam "
                "max_length=%" PRId64 "): the longest has %zu ids, which takes up to %zu steps; "
                "max_input_size in --decode_hparams cuts them",
                j->path, n_long, j->n, dec_trained_length(j->t), longest,
                longest + (size_t) dec_extra_length(j->t));
}

/* All lines to ids.  Empty ones get their result here. */
static enum t2_status encode_lines(struct job *j, struct t2_err *err)
{
    int64_t trained = dec_trained_length(j->t);
    uint64_t n_long = 0;
    size_t longest = 0;

    for (size_t i = 0; i < j->n; i++) {
        struct line *l = &j->lines[i];
        struct t2_slice text = {j->text.data ? j->text.data + l->offset : NULL, l->len_bytes};
        size_t n_cut;

        T2_TRY(t2_check_interrupt(err));
        l->ids_at = j->ids.n;
        if (dec_encode(j->t, text, &j->ids, &n_cut, err) != T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, j->path, l->number + 1);
        l->n_ids = j->ids.n - l->ids_at;
        warn_cut(j, l, l->n_ids, n_cut);
        n_long += trained > 0 && l->n_ids > (size_t) trained;
        longest = l->n_ids > longest ? l->n_ids : longest;
        if (l->n_ids == 0) {
            struct dec_hypothesis *nothing = t2_alloc((size_t) dec_n_best(j->hp), sizeof *nothing);

            join(j->hp, nothing, &l->result);
            t2_free(nothing);
            j->report->n_empty++;
        }
    }
    warn_long(j, n_long, longest);
    return T2_OK;
}

/* The lines of the next batch, from j->done on: as many as are wanted and fit, but none that is
 * much shorter than the first. */
static enum t2_status fill_batch(struct job *j, int32_t size, struct tok_ids *ids,
                                 struct t2_err *err)
{
    const struct line *first = &j->lines[j->done];
    int32_t n = 0;

    while (n < size && j->done + (size_t) n < j->n) {
        const struct line *l = first + n;

        if (l->n_ids == 0 || l->repetition != first->repetition ||
            !dec_shares_batch(first->n_ids, l->n_ids))
            break;
        /* borrowed */
        ids[n++] = (struct tok_ids){j->ids.items + l->ids_at, l->n_ids, l->n_ids};
    }
    return dec_fit(j->t, first->n_ids, n, &j->n_batch, err);
}

static enum t2_status translate_batch(struct job *j, const struct tok_ids *ids, struct line *lines,
                                      int32_t n, struct t2_err *err)
{
    int32_t n_best = dec_n_best(j->hp);
    struct dec_hypothesis *h = t2_alloc((size_t) n * (size_t) n_best, sizeof *h);
    enum t2_status st;

    dec_translator_repeat(j->t, lines[0].repetition);
    st = dec_translate(j->t, ids, n, h, err);

    if (st != T2_OK && st != T2_EINTERRUPTED)
        st = t2_wrap(err, "'%s': a batch of %d lines, the longest line %" PRIu64 " of %zu ids",
                     j->path, n, lines[0].number + 1, ids[0].n);
    for (int32_t i = 0; i < n && st == T2_OK; i++) {
        join(j->hp, h + i * n_best, &lines[i].result);
        j->report->n_target_ids += (uint64_t) h[i * n_best].n_ids;
    }
    for (int32_t i = 0; i < n * n_best; i++)
        t2_buf_release(&h[i].text);
    t2_free(h);
    return st;
}

/* Whose batch it is: that of the rank with the least to do so far.  The longest come first. */
static int give_batch(struct job *j, struct line *lines, int32_t n)
{
    int rank = 0;

    for (int r = 1; j->dist && r < dist_size(j->dist); r++)
        if (j->load[r] < j->load[rank])
            rank = r;
    j->load[rank] += (uint64_t) n * lines[0].n_ids;
    for (int32_t i = 0; i < n; i++)
        lines[i].rank = rank;
    return rank;
}

static void show_step(void *context, int32_t step, int32_t max_steps)
{
    struct job *j = context;

    t2_progress_update(&j->progress, j->done + (uint64_t) ((double) j->n_batch * step / max_steps));
}

static enum t2_status translate_lines(struct job *j, struct t2_err *err)
{
    int32_t size = j->hp->batch_size > 0 ? (int32_t) j->hp->batch_size : DEFAULT_BATCH;
    int me = j->dist ? dist_rank(j->dist) : 0;
    struct tok_ids *ids;
    enum t2_status st = T2_OK;

    j->load = t2_alloc(j->dist ? (size_t) dist_size(j->dist) : 1, sizeof *j->load);
    if ((size_t) size > j->n)
        size = (int32_t) j->n;
    ids = t2_alloc((size_t) size, sizeof *ids);
    dec_translator_on_step(j->t, show_step, j);
    while (j->done < j->n && j->lines[j->done].n_ids > 0 && st == T2_OK) {
        st = fill_batch(j, size, ids, err);
        if (st == T2_OK && j->dist && j->done == 0)
            st = dec_reserve(j->t, j->lines[0].n_ids, err);
        if (st != T2_OK)
            break;
        if (give_batch(j, &j->lines[j->done], j->n_batch) == me)
            st = translate_batch(j, ids, &j->lines[j->done], j->n_batch, err);
        j->done += (size_t) j->n_batch;
        j->report->n_batches++;
        t2_progress_update(&j->progress, j->done);
    }
    dec_translator_on_step(j->t, NULL, NULL);
    t2_free(ids);
    return st;
}

/* ---- results of other ranks ---- */

/* Target ids, then the results of this rank's lines, each behind its length. */
static void pack_results(const struct job *j, int me, struct t2_buf *b)
{
    t2_buf_append(b, &j->report->n_target_ids, sizeof j->report->n_target_ids);
    for (size_t i = 0; i < j->n && j->lines[i].n_ids > 0; i++) {
        const struct t2_buf *result = &j->lines[i].result;
        uint64_t n = result->len_bytes;

        if (j->lines[i].rank != me)
            continue;
        t2_buf_append(b, &n, sizeof n);
        t2_buf_append(b, result->data, result->len_bytes);
    }
}

static void unpack_results(struct job *j, int rank, const uint8_t *from)
{
    uint64_t n;

    memcpy(&n, from, sizeof n);
    from += sizeof n;
    j->report->n_target_ids += n;
    for (size_t i = 0; i < j->n && j->lines[i].n_ids > 0; i++) {
        if (j->lines[i].rank != rank)
            continue;
        memcpy(&n, from, sizeof n);
        t2_buf_append(&j->lines[i].result, from + sizeof n, (size_t) n);
        from += sizeof n + n;
    }
}

/* Rank 0 gets the results of all. */
static enum t2_status collect_results(struct job *j, struct t2_err *err)
{
    int me = dist_rank(j->dist), n_ranks = dist_size(j->dist);
    size_t *bytes = t2_alloc((size_t) n_ranks, sizeof *bytes);
    size_t *at = t2_alloc((size_t) n_ranks, sizeof *at), sum = 0;
    struct t2_buf mine = {NULL, 0, 0};
    uint8_t *all = NULL;
    enum t2_status st;

    if (me > 0)
        pack_results(j, me, &mine);
    T2_GOTO(st, out, dist_all_gather(j->dist, &mine.len_bytes, sizeof mine.len_bytes, bytes, err));
    for (int r = 0; r < n_ranks; r++) {
        at[r] = sum;
        sum += bytes[r];
    }
    if (me == 0)
        all = t2_alloc(sum, 1);
    T2_GOTO(st, out, dist_gather_parts(j->dist, mine.data, mine.len_bytes, 0, all, at, bytes, err));
    for (int r = 1; r < n_ranks && me == 0; r++)
        unpack_results(j, r, all + at[r]);
out:
    t2_free(all);
    t2_buf_release(&mine);
    t2_free(at);
    t2_free(bytes);
    return st;
}

/* ---- writing ---- */

static void write_lines(const struct job *j, struct t2_out *out)
{
    for (size_t i = 0; i < j->n; i++) {
        t2_out_write(out, j->lines[i].result.data, j->lines[i].result.len_bytes);
        t2_out_write(out, j->hp->delimiter, strlen(j->hp->delimiter));
    }
}

/* The text is read, and the output opened: a folder that is not there should not cost an hour. */
static enum t2_status begin(struct job *j, const char *to, struct t2_out **out, struct t2_err *err)
{
    T2_TRY(read_lines(j, err));
    return t2_out_new(to, out, err);
}

/* The same on all ranks, of which rank 0 does it; failures are everybody's. */
static enum t2_status begin_together(struct job *j, const char *to, struct t2_out **out,
                                     struct t2_err *err)
{
    bool reads = dist_rank(j->dist) == 0;

    T2_TRY(dist_agree(j->dist, reads ? begin(j, to, out, err) : T2_OK, err));
    return share_lines(j, err);
}

enum t2_status dec_file(struct dec_translator *t, const struct dec_hparams *hp, const char *from,
                        const char *to, uint64_t max_memory, struct dec_file_report *report,
                        struct t2_err *err)
{
    struct job j = {.t = t,
                    .dist = dec_dist(t),
                    .hp = hp,
                    .path = from,
                    .max_memory = max_memory,
                    .report = report};
    struct t2_out *out = NULL;
    double started = t2_now_s();
    enum t2_status st;

    *report = (struct dec_file_report){0};
    T2_GOTO(st, out, j.dist ? begin_together(&j, to, &out, err) : begin(&j, to, &out, err));
    report->n_lines = j.n;
    st = encode_lines(&j, err);
    if (j.dist)
        st = dist_agree(j.dist, st, err);
    if (st != T2_OK)
        goto out;
    qsort(j.lines, j.n, sizeof *j.lines, by_ids);
    t2_progress_start(&j.progress, "translating", "lines", j.n);
    st = translate_lines(&j, err);
    t2_progress_end(&j.progress);
    if (st == T2_OK && j.dist)
        st = collect_results(&j, err);
    if (st != T2_OK)
        goto out;
    qsort(j.lines, j.n, sizeof *j.lines, by_number);
    if (out) { /* rank 0 has it */
        write_lines(&j, out);
        st = t2_out_commit(out, err);
        out = NULL;
    }
    report->seconds = t2_now_s() - started;
out:
    t2_out_abort(out);
    for (size_t i = 0; i < j.n; i++)
        t2_buf_release(&j.lines[i].result);
    t2_free(j.lines);
    t2_free(j.load);
    t2_buf_release(&j.text);
    tok_ids_release(&j.ids);
    return st;
}

/* ---- names ---- */

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
