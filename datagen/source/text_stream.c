/*
 * datagen/source/text_stream.c - samples out of pairs of text files and TSV files.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "datagen/source/column_table.h"
#include "datagen/source/drop_report.h"
#include "datagen/source/table_header.h"

/* One file being read. */
struct reader {
    struct t2_in *in;
    const char *path; /* borrowed from parts */
    uint64_t lines;
    uint64_t next_offset;
};

struct text_stream {
    struct dg_stream base;
    struct dg_text_parts parts;
    size_t next_part;
    bool keep_bom;
    bool is_open;
    bool is_pair;
    struct reader inputs, targets; /* of text files and two-column TSV; targets only for pairs */
    struct dg_columns columns;     /* of a table that does not say it itself */
    struct dg_table *table;        /* of other tables */
};

void dg_input_files_add(struct dg_input_files *l, const char *path, const char *role,
                        uint64_t bytes, uint64_t lines, const char sha256[65])
{
    struct dg_input_file *f;

    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 4;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    f = &l->items[l->n++];
    f->path = t2_strdup(path);
    f->role = role;
    f->bytes = bytes;
    f->lines = lines;
    memcpy(f->sha256, sha256, sizeof f->sha256);
}

void dg_input_files_release(struct dg_input_files *l)
{
    for (size_t i = 0; i < l->n; i++)
        t2_free(l->items[i].path);
    t2_free(l->items);
    memset(l, 0, sizeof *l);
}

void dg_stream_free(struct dg_stream *s)
{
    if (!s)
        return;
    dg_input_files_release(&s->files);
    if (s->left_out)
        dg_drops_release(s->left_out);
    t2_free(s->left_out);
    s->free(s);
}

enum t2_status dg_stream_describe(struct dg_stream *s, struct dg_input_sizes *sizes,
                                  struct t2_err *err)
{
    return s->describe ? s->describe(s, sizes, err) : T2_OK;
}

/* Files are read twice, so a pipe will not do. */
static enum t2_status check_readable_twice(const char *path, struct t2_err *err)
{
    struct stat info;

    if (strcmp(path, "-") == 0 || (t2_stat(path, &info) == 0 && S_ISFIFO(info.st_mode)))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is a pipe, but the text is read twice: write it to a file first",
                       path);
    return T2_OK;
}

static enum t2_status reader_open(const struct text_stream *s, struct reader *r, const char *path,
                                  struct t2_err *err)
{
    memset(r, 0, sizeof *r);
    r->path = path;
    T2_TRY(check_readable_twice(path, err));
    T2_TRY(t2_in_new(path, &r->in, err));
    t2_in_fast(r->in);
    t2_in_limit_line(r->in, s->parts.max_memory);
    if (s->base.hash_on)
        t2_in_hash_on(r->in);
    return T2_OK;
}

static void reader_close(struct reader *r)
{
    t2_in_free(r->in);
    r->in = NULL;
}

static enum t2_status reader_line(const struct text_stream *s, struct reader *r,
                                  struct t2_slice *line, struct dg_origin *origin,
                                  struct t2_err *err)
{
    T2_TRY(t2_in_line(r->in, line, err));
    origin->path = r->path;
    origin->line = ++r->lines;
    origin->offset = r->next_offset;
    r->next_offset += line->len_bytes + 1;
    if (r->lines == 1 && line->len_bytes >= 3 && memcmp(line->data, "\xef\xbb\xbf", 3) == 0) {
        if (s->keep_bom) {
            t2_warn("'%s' begins with a byte order mark; it becomes part of the first word, as in "
                    "the original",
                    r->path);
        } else {
            line->data += 3;
            line->len_bytes -= 3;
            origin->offset += 3;
        }
    }
    return T2_OK;
}

static void note_file(struct text_stream *s, const struct reader *r, const char *role)
{
    char sha256[65];
    uint64_t bytes;

    if (!s->base.hash_on)
        return;
    t2_in_sha256(r->in, sha256, &bytes);
    dg_input_files_add(&s->base.files, r->path, role, bytes, r->lines, sha256);
    if (r->lines == 0)
        t2_warn("'%s' has no lines", r->path);
}

/* One side ended at line n, the other one goes on: counts it to its end for the message. */
static enum t2_status unequal(const struct text_stream *s, struct reader *longer,
                              struct t2_err *err)
{
    uint64_t first = longer->lines;
    struct dg_origin origin;
    struct t2_slice line;
    enum t2_status st;

    while ((st = reader_line(s, longer, &line, &origin, err)) == T2_OK)
        continue;
    if (st != T2_EOF)
        return st;
    return t2_fail(err, T2_EFORMAT,
                   "'%s' has %" PRIu64 " lines but '%s' has %" PRIu64 ": line %" PRIu64
                   " of '%s' is the first without a partner; the two sides must "
                   "correspond line by line",
                   s->inputs.path, s->inputs.lines, s->targets.path, s->targets.lines, first,
                   longer == &s->inputs ? s->inputs.path : s->targets.path);
}

static enum t2_status next_pair(struct text_stream *s, struct dg_sample *sample, struct t2_err *err)
{
    enum t2_status in_st = reader_line(s, &s->inputs, &sample->inputs, &sample->inputs_origin, err);
    enum t2_status out_st;

    if (in_st != T2_OK && in_st != T2_EOF)
        return in_st;
    out_st = reader_line(s, &s->targets, &sample->targets, &sample->targets_origin, err);
    if (out_st != T2_OK && out_st != T2_EOF)
        return out_st;
    if (in_st == T2_OK && out_st == T2_EOF)
        return unequal(s, &s->inputs, err);
    if (in_st == T2_EOF && out_st == T2_OK)
        return unequal(s, &s->targets, err);
    return in_st;
}

static enum t2_status next_row(struct text_stream *s, struct dg_sample *sample, struct t2_err *err)
{
    struct t2_slice line;
    const uint8_t *tab, *second;

    T2_TRY(reader_line(s, &s->inputs, &line, &sample->inputs_origin, err));
    sample->targets_origin = sample->inputs_origin;
    tab = memchr(line.data, '\t', line.len_bytes);
    second = tab ? memchr(tab + 1, '\t', line.len_bytes - (size_t) (tab + 1 - line.data)) : NULL;
    if (!tab || second) {
        sample->inputs = line;
        sample->targets = (struct t2_slice){0};
        sample->drop = tab ? "more than two columns" : "only one column";
        return T2_OK;
    }
    sample->inputs.data = line.data;
    sample->inputs.len_bytes = (size_t) (tab - line.data);
    sample->targets.data = tab + 1;
    sample->targets.len_bytes = line.len_bytes - sample->inputs.len_bytes - 1;
    sample->targets_origin.offset += sample->inputs.len_bytes + 1;
    return T2_OK;
}

/* Samples of targets only. */
static enum t2_status next_line(struct text_stream *s, struct dg_sample *sample, struct t2_err *err)
{
    T2_TRY(reader_line(s, &s->inputs, &sample->targets, &sample->targets_origin, err));
    sample->inputs_origin = sample->targets_origin;
    return T2_OK;
}

/* Columns of a table of which the command line says nothing. */
static void usual_columns(const struct text_stream *s, enum dg_format format, struct dg_columns *c)
{
    static const char *const names[DG_N_SIDES] = {"inputs", "targets"};
    size_t first = s->parts.one_side ? 1 : 0;

    *c = (struct dg_columns){.format = format,
                             .by_number = format != DG_FORMAT_JSONL,
                             .n_inputs = 1 - first};
    for (size_t i = 0; i < DG_N_SIDES - first; i++)
        dg_columns_add(c, names[first + i], i);
}

static enum t2_status open_table(struct text_stream *s, const char *path, struct t2_err *err)
{
    enum dg_format format = dg_format_of_name(path);
    bool said = s->parts.columns.format != DG_FORMAT_LINES;

    T2_TRY(check_readable_twice(path, err));
    if (!said)
        usual_columns(s, format, &s->columns);
    return dg_table_open(path, said ? &s->parts.columns : &s->columns, s->parts.max_memory,
                         &s->table, err);
}

static enum t2_status open_part(struct text_stream *s, struct t2_err *err)
{
    const struct dg_text_part *part = &s->parts.items[s->next_part++];
    enum dg_format format = s->parts.columns.format;

    if (format == DG_FORMAT_LINES && !part->targets)
        format = dg_format_of_name(part->inputs);
    s->is_pair = part->targets != NULL;
    s->is_open = true;
    if (s->parts.columns.format == DG_FORMAT_LINES &&
        (format == DG_FORMAT_CSV || format == DG_FORMAT_TSV)) {
        T2_TRY(check_readable_twice(part->inputs, err));
        T2_TRY(dg_check_table_header(part->inputs, format, s->parts.one_side ? 1 : 2,
                                     s->parts.max_memory, err));
    }
    s->base.drop_blank = format != DG_FORMAT_LINES && !s->parts.one_side;
    if (format != DG_FORMAT_LINES && (format != DG_FORMAT_TSV || s->parts.one_side ||
                                      s->parts.columns.format != DG_FORMAT_LINES))
        return open_table(s, part->inputs, err);
    T2_TRY(reader_open(s, &s->inputs, part->inputs, err));
    if (s->is_pair)
        T2_TRY(reader_open(s, &s->targets, part->targets, err));
    return T2_OK;
}

static enum t2_status next_of_part(struct text_stream *s, struct dg_sample *sample,
                                   struct t2_err *err)
{
    if (s->table)
        return dg_table_next(s->table, sample, err);
    if (s->is_pair)
        return next_pair(s, sample, err);
    return s->parts.one_side ? next_line(s, sample, err) : next_row(s, sample, err);
}

static enum t2_status note_table(struct text_stream *s, struct t2_err *err)
{
    const char *path = s->parts.items[s->next_part - 1].inputs;
    char sha256[65];
    uint64_t bytes;

    if (!s->base.hash_on)
        return T2_OK;
    T2_TRY(t2_sha256_file(path, sha256, &bytes, err));
    dg_input_files_add(&s->base.files, path, s->parts.one_side ? "targets" : "pairs", bytes,
                       dg_table_rows(s->table), sha256);
    if (dg_table_rows(s->table) == 0)
        t2_warn("'%s' has no rows", path);
    return T2_OK;
}

static void close_part(struct text_stream *s)
{
    reader_close(&s->inputs);
    reader_close(&s->targets);
    dg_table_free(s->table);
    s->table = NULL;
    dg_columns_release(&s->columns);
    s->is_open = false;
}

static enum t2_status end_part(struct text_stream *s, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    if (s->table) {
        st = note_table(s, err);
    } else {
        note_file(s, &s->inputs, s->is_pair ? "inputs" : s->parts.one_side ? "targets" : "pairs");
        if (s->is_pair)
            note_file(s, &s->targets, "targets");
    }
    close_part(s);
    return st;
}

static enum t2_status text_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct text_stream *s = (struct text_stream *) base;
    enum t2_status st;

    for (;;) {
        if (!s->is_open) {
            if (s->next_part == s->parts.n)
                return T2_EOF;
            T2_TRY(open_part(s, err));
        }
        st = next_of_part(s, sample, err);
        if (st != T2_EOF)
            return st;
        T2_TRY(end_part(s, err));
    }
}

void dg_describe_file(const char *path, const char *role, struct dg_input_sizes *sizes,
                      struct t2_err *first)
{
    struct t2_err err = T2_ERR_INIT;
    uint64_t bytes;
    char human[32];

    if (t2_file_size(path, &bytes, &err) == T2_OK) {
        t2_buf_printf(&sizes->text, "    %s: '%s' (%s)\n", role, path,
                      t2_human_bytes(bytes, human, sizeof human));
        dg_sizes_add_file(sizes, path, 0);
        return;
    }
    t2_buf_printf(&sizes->text, "    %s: '%s' (missing)\n", role, path);
    if (first->status == T2_OK)
        *first = err;
}

/* All sources are described; the first that is missing is the failure. */
static enum t2_status text_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    const struct text_stream *s = (const struct text_stream *) base;

    for (size_t i = 0; i < s->parts.n; i++) {
        const struct dg_text_part *part = &s->parts.items[i];
        dg_describe_file(part->inputs,
                         part->targets       ? "inputs"
                         : s->parts.one_side ? "targets"
                                             : "pairs",
                         sizes, err);
        if (part->targets)
            dg_describe_file(part->targets, "targets", sizes, err);
    }
    return err->status;
}

static void text_free(struct dg_stream *base)
{
    struct text_stream *s = (struct text_stream *) base;

    close_part(s);
    dg_text_parts_release(&s->parts);
    t2_free(s);
}

enum t2_status dg_text_stream_new(const struct dg_text_parts *parts, bool keep_bom,
                                  struct dg_stream **stream, struct t2_err *err)
{
    struct text_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = text_next;
    s->base.free = text_free;
    s->base.describe = text_describe;
    s->keep_bom = keep_bom;
    dg_text_parts_copy(parts, NULL, &s->parts);
    *stream = &s->base;
    return T2_OK;
}
