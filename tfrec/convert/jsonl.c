/*
 * tfrec/convert/jsonl.c - JSON Lines, in and out; a line is made and read by tfrec/rows.h.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "tfrec/convert/formats.h"

struct reader {
    struct rec_reader base;
    struct t2_in *in;
};

static bool is_blank(struct t2_slice line)
{
    for (size_t i = 0; i < line.len_bytes; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t' && line.data[i] != '\r')
            return false;
    }
    return true;
}

static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;
    struct t2_slice line;

    do {
        T2_TRY(t2_in_line(r->in, &line, err));
    } while (is_blank(line));
    t2_buf_append(out, line.data, line.len_bytes);
    *place = t2_in_line_number(r->in);
    return T2_OK;
}

static enum t2_status parse(const struct rec_reader *base, uint64_t place, struct t2_slice item,
                            struct t2_buf *out, struct t2_err *err)
{
    const struct reader *r = (const struct reader *) base;

    return rec_row_parse(t2_in_path(r->in), place, item, out, err);
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    t2_in_free(r->in);
    t2_free(r);
}

static enum t2_status open_reader(const struct rec_convert *c, const char *path,
                                  struct rec_reader **out, struct t2_err *err)
{
    struct t2_in *in;
    struct reader *r;

    (void) c;
    T2_TRY(t2_in_new(path, &in, err));
    t2_in_most_line(in, REC_MAX_LINE_BYTES); /* refused by the parser, too, but read before */
    r = t2_alloc(1, sizeof *r);
    *r = (struct reader){{.next = next, .parse = parse, .free = free_reader}, in};
    *out = &r->base;
    return T2_OK;
}

/* ---- writing ---- */

struct writer {
    struct rec_writer base;
    struct rec_row_options options;
    struct t2_out *out;
};

static enum t2_status format(const struct rec_writer *base, struct rec_scratch *s, uint64_t number,
                             struct t2_slice record, struct t2_buf *out, struct t2_err *err)
{
    const struct writer *w = (const struct writer *) base;

    return rec_row_print(&w->options, &s->row, number, record, out, err);
}

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    t2_out_write(w->out, made.data, made.len_bytes);
    return number % 1024 == 0 ? t2_out_status(w->out, err) : T2_OK;
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_out *out = w->out;

    w->out = NULL;
    return t2_out_commit(out, err);
}

static void free_writer(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    t2_out_abort(w->out);
    t2_free(w);
}

static enum t2_status create(const struct rec_convert *c, struct rec_writer **out,
                             struct t2_err *err)
{
    struct writer *w;
    struct t2_out *file;
    bool proto = strcmp(c->json, "proto") == 0;

    if (*c->json && !proto && strcmp(c->json, "short") != 0)
        return t2_fail(err, T2_EUSAGE, "--json=%s: there are short and proto", c->json);
    T2_TRY(t2_out_new(c->output, &file, err));
    w = t2_alloc(1, sizeof *w);
    w->base = (struct rec_writer){NULL, NULL, format, add, commit, free_writer};
    w->options.shape = proto ? REC_PROTO : REC_SHORT;
    w->options.bytes = REC_BYTES_BASE64;
    w->out = file;
    *out = &w->base;
    return T2_OK;
}

const struct rec_format rec_format_jsonl = {"jsonl", open_reader, NULL, create};
