/*
 * datagen/source/ids_stream.c - ids, written as numbers.
 */
#include "datagen/source/ids_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/source/wrapped_stream.h"
#include "tokenizer/encoder.h"

struct ids_stream {
    struct dg_wrapped wrapped;
    bool has_inputs;
    int64_t vocab_size;
    int64_t *ids[DG_N_SIDES];
    size_t n[DG_N_SIDES], capacity[DG_N_SIDES];
};

static void push(struct ids_stream *s, int side, int64_t id)
{
    if (s->n[side] == s->capacity[side]) {
        s->capacity[side] = s->capacity[side] ? 2 * s->capacity[side] : 64;
        s->ids[side] = t2_realloc(s->ids[side], s->capacity[side], sizeof *s->ids[side]);
    }
    s->ids[side][s->n[side]++] = id;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The number that begins at data[*at]; -1 when it is none below limit. */
static int64_t parse_id(struct t2_slice text, size_t *at, int64_t limit)
{
    int64_t id = 0;
    size_t i = *at;

    for (; i < text.len_bytes && !is_blank(text.data[i]); i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return -1;
        id = 10 * id + (text.data[i] - '0');
        if (id >= limit)
            return -1;
    }
    *at = i;
    return id;
}

static enum t2_status parse_ids(struct ids_stream *s, int side, struct t2_slice text,
                                const struct dg_origin *origin, struct t2_err *err)
{
    size_t at = 0;

    s->n[side] = 0;
    for (;;) {
        int64_t id;
        while (at < text.len_bytes && is_blank(text.data[at]))
            at++;
        if (at == text.len_bytes)
            break;
        id = parse_id(text, &at, s->vocab_size);
        if (id < 0)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %" PRIu64 ": byte %zu: not an id of 0 to %" PRId64,
                           origin->path, origin->line, at + 1, s->vocab_size - 1);
        push(s, side, id);
    }
    if (s->n[side] == 0 || s->ids[side][s->n[side] - 1] != TOK_EOS)
        push(s, side, TOK_EOS);
    return T2_OK;
}

static enum t2_status ids_next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct ids_stream *s = (struct ids_stream *) base;

    T2_TRY(dg_wrapped_next(&s->wrapped, sample, err));
    base->drop_blank = false; /* there is no text any more */
    if (sample->drop)
        return T2_OK;
    if (s->has_inputs)
        T2_TRY(parse_ids(s, DG_INPUTS, sample->inputs, &sample->inputs_origin, err));
    T2_TRY(parse_ids(s, DG_TARGETS, sample->targets, &sample->targets_origin, err));
    for (int side = s->has_inputs ? DG_INPUTS : DG_TARGETS; side < DG_N_SIDES; side++) {
        sample->numbers[side] = s->ids[side];
        sample->n_numbers[side] = s->n[side];
    }
    sample->inputs = sample->targets = (struct t2_slice){0};
    return T2_OK;
}

static void ids_free(struct dg_stream *base)
{
    struct ids_stream *s = (struct ids_stream *) base;

    dg_wrapped_release(&s->wrapped);
    for (int side = 0; side < DG_N_SIDES; side++)
        t2_free(s->ids[side]);
    t2_free(s);
}

struct dg_stream *dg_ids_stream_new(struct dg_stream *from, bool has_inputs, int64_t vocab_size)
{
    struct ids_stream *s = t2_alloc(1, sizeof *s);

    dg_wrapped_init(&s->wrapped, from);
    s->wrapped.base.next = ids_next;
    s->wrapped.base.free = ids_free;
    s->has_inputs = has_inputs;
    s->vocab_size = vocab_size;
    return &s->wrapped.base;
}
