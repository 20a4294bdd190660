/*
 * train/decode/decode_file.c - translating a file: lines are read and become sources, whose results
 * are written in their order.
 *
 * All lines are encoded first, so that bad text is found before the first batch.
 */
#include "train/decode/decode_file.h"

#include <inttypes.h>
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
#include "train/decode/source_list.h"

enum { WARNINGS = 10 };

struct line {
    size_t offset, len_bytes; /* in the text */
    uint64_t repetition;      /* num_decodes */
};

struct job {
    struct dec_translator *t;
    struct dist *dist; /* NULL: this process alone */
    const struct dec_hparams *hp;
    const char *path;
    uint64_t max_memory;
    struct t2_buf text;
    struct line *lines;
    size_t n, capacity;
    struct dec_source_list list; /* of the same lines */
    struct dec_file_report *report;
};

/* ---- reading ---- */

/* A record of the text. */
static void add_line(struct job *j, size_t offset, size_t len_bytes)
{
    if (j->n == j->capacity) {
        j->capacity = j->capacity ? 2 * j->capacity : 1024;
        j->lines = t2_realloc(j->lines, j->capacity, sizeof *j->lines);
    }
    j->lines[j->n++] = (struct line){.offset = offset, .len_bytes = len_bytes};
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

/* ---- ids ---- */

static void warn_cut(struct job *j, size_t i, size_t n_ids, size_t n_cut)
{
    bool asked_for = j->hp->max_input_size == (int64_t) n_ids;

    if (n_cut == 0)
        return;
    if (j->report->n_cut++ < WARNINGS)
        t2_warn("'%s': line %zu: its %zu ids are cut to the first %zu (%s)", j->path, i + 1,
                n_ids + n_cut, n_ids,
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

/* All lines to ids. */
static enum t2_status encode_lines(struct job *j, struct t2_err *err)
{
    int64_t trained = dec_trained_length(j->t);
    uint64_t n_long = 0;
    size_t longest = 0;

    for (size_t i = 0; i < j->n; i++) {
        const struct line *l = &j->lines[i];
        struct t2_slice text = {j->text.data ? j->text.data + l->offset : NULL, l->len_bytes};
        size_t n_cut, n_ids;

        T2_TRY(t2_check_interrupt(err));
        if (dec_encode(j->t, text, &j->list.ids, &n_cut, err) != T2_OK)
            return t2_wrap(err, "'%s': line %zu", j->path, i + 1);
        dec_source_list_add(&j->list, l->repetition);
        n_ids = j->list.items[i].n_ids;
        warn_cut(j, i, n_ids, n_cut);
        n_long += trained > 0 && n_ids > (size_t) trained;
        longest = n_ids > longest ? n_ids : longest;
        j->report->n_empty += n_ids == 0;
    }
    warn_long(j, n_long, longest);
    return T2_OK;
}

/* ---- writing ---- */

static void write_lines(const struct job *j, struct t2_out *out)
{
    for (size_t i = 0; i < j->n; i++) {
        t2_out_write(out, j->list.items[i].result.data, j->list.items[i].result.len_bytes);
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
                    .list = {.from = from, .item = "line", .between = "\t"},
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
    T2_GOTO(st, out, dec_source_list_translate(&j.list, t, hp, err));
    report->n_target_ids = j.list.n_target_ids;
    report->n_batches = j.list.n_batches;
    if (out) { /* rank 0 has it */
        write_lines(&j, out);
        st = t2_out_commit(out, err);
        out = NULL;
    }
    report->seconds = t2_now_s() - started;
out:
    t2_out_abort(out);
    dec_source_list_release(&j.list);
    t2_free(j.lines);
    t2_buf_release(&j.text);
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
