/*
 * datagen/official/official_stream.c - two rows of files, read in lock step.
 *
 * The original zips the two concatenations of all files: one line too many in one file shifts all
 * pairs after it. Here that is an error; only in the last file, where nothing follows, surplus
 * lines are dropped, as zip drops them.
 */
#include "datagen/official/official_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

enum { N_SIDES = 2 };

static const char *const roles[N_SIDES] = {"inputs", "targets"};

struct side {
    struct t2_in *in; /* of the current part */
    uint64_t next_offset;
};

struct official_stream {
    struct dg_stream base;
    struct dg_text_parts parts;
    size_t part;
    struct side sides[N_SIDES];
};

static const char *path_of(const struct official_stream *s, int side)
{
    const struct dg_text_part *part = &s->parts.items[s->part];

    return side == 0 ? part->inputs : part->targets;
}

static void close_part(struct official_stream *s)
{
    for (int side = 0; side < N_SIDES; side++) {
        t2_in_free(s->sides[side].in);
        s->sides[side] = (struct side){0};
    }
}

static enum t2_status open_part(struct official_stream *s, struct t2_err *err)
{
    for (int side = 0; side < N_SIDES; side++) {
        T2_TRY(t2_in_new(path_of(s, side), &s->sides[side].in, err));
        t2_in_limit_line(s->sides[side].in, s->parts.max_memory);
        if (s->base.hash_on)
            t2_in_hash_on(s->sides[side].in);
    }
    return T2_OK;
}

static enum t2_status next_line(struct official_stream *s, int side, struct t2_slice *line,
                                struct dg_origin *origin, struct t2_err *err)
{
    struct side *r = &s->sides[side];

    T2_TRY(t2_in_line(r->in, line, err));
    origin->path = path_of(s, side);
    origin->line = t2_in_line_number(r->in);
    origin->offset = r->next_offset;
    r->next_offset += line->len_bytes + 1;
    return T2_OK;
}

/* Both sides are at their ends: what they were. */
static void note_files(struct official_stream *s)
{
    for (int side = 0; side < N_SIDES && s->base.hash_on; side++) {
        uint64_t bytes;
        char sha256[65];
        t2_in_sha256(s->sides[side].in, sha256, &bytes);
        dg_input_files_add(&s->base.files, path_of(s, side), roles[side], bytes,
                           t2_in_line_number(s->sides[side].in), sha256);
    }
}

/* One side ended, the other one has a line more. */
static enum t2_status unequal(struct official_stream *s, int longer, struct dg_sample *sample,
                              struct t2_err *err)
{
    struct dg_origin origin;
    struct t2_slice line;
    enum t2_status st = T2_OK;

    if (s->part + 1 == s->parts.n) {
        struct dg_origin *ended = longer == 0 ? &sample->targets_origin : &sample->inputs_origin;
        *ended = longer == 0 ? sample->inputs_origin : sample->targets_origin;
        ended->path = path_of(s, 1 - longer);
        sample->drop = "a line that the other side does not have";
        return T2_OK;
    }
    while (st == T2_OK)
        st = next_line(s, longer, &line, &origin, err);
    if (st != T2_EOF)
        return st;
    return t2_fail(err, T2_EFORMAT,
                   "'%s' has %" PRIu64 " lines but '%s' has %" PRIu64
                   ": all pairs of the sources behind them would be shifted; the two sides must "
                   "correspond line by line",
                   path_of(s, 0), t2_in_line_number(s->sides[0].in), path_of(s, 1),
                   t2_in_line_number(s->sides[1].in));
}

/* A pair of the current part; T2_EOF at its end. */
static enum t2_status next_pair(struct official_stream *s, struct dg_sample *sample,
                                struct t2_err *err)
{
    enum t2_status in_st = next_line(s, 0, &sample->inputs, &sample->inputs_origin, err);
    enum t2_status out_st;

    if (in_st != T2_OK && in_st != T2_EOF)
        return in_st;
    out_st = next_line(s, 1, &sample->targets, &sample->targets_origin, err);
    if (out_st != T2_OK && out_st != T2_EOF)
        return out_st;
    return in_st == out_st ? in_st : unequal(s, in_st == T2_OK ? 0 : 1, sample, err);
}

static enum t2_status official_next(struct dg_stream *base, struct dg_sample *sample,
                                    struct t2_err *err)
{
    struct official_stream *s = (struct official_stream *) base;
    enum t2_status st;

    while (s->part < s->parts.n) {
        if (!s->sides[0].in)
            T2_TRY(open_part(s, err));
        st = next_pair(s, sample, err);
        if (st != T2_EOF)
            return st;
        note_files(s);
        close_part(s);
        s->part++;
    }
    return T2_EOF;
}

static enum t2_status official_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                        struct t2_err *err)
{
    const struct official_stream *s = (const struct official_stream *) base;
    struct t2_err first = T2_ERR_INIT;

    for (size_t i = 0; i < s->parts.n; i++) {
        dg_describe_file(s->parts.items[i].inputs, roles[0], sizes, &first);
        dg_describe_file(s->parts.items[i].targets, roles[1], sizes, &first);
    }
    if (first.status != T2_OK)
        *err = first;
    return first.status;
}

static void official_free(struct dg_stream *base)
{
    struct official_stream *s = (struct official_stream *) base;

    close_part(s);
    dg_text_parts_release(&s->parts);
    t2_free(s);
}

struct dg_stream *dg_official_stream_new(const struct dg_text_parts *parts)
{
    struct official_stream *s = t2_alloc(1, sizeof *s);

    s->base.next = official_next;
    s->base.free = official_free;
    s->base.describe = official_describe;
    for (size_t i = 0; i < parts->n; i++)
        dg_text_parts_add(&s->parts, parts->items[i].inputs, parts->items[i].targets);
    return &s->base;
}
