/*
 * datagen/source/mix_stream.c - several sources in turn, by weight.
 *
 * The source whose share is most behind comes next: the least (n_given + 1) / weight, the first
 * one among equals. So the order is fixed, without random numbers, and any prefix of the mixture
 * has the shares to within one sample. A source that ends is opened again until every source has
 * been read once to its end. Hashes and files are noted in the first round only.
 */
#include "datagen/source/mix_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/source/wrapped_stream.h"

struct mixed {
    struct dg_stream *stream; /* NULL: to be opened (again) */
    uint64_t weight, n_given;
    uint64_t n_of_round; /* since it was opened last */
    bool was_read;       /* to its end */
    struct dg_input_files files;
};

struct mix_stream {
    struct dg_stream base;
    dg_mix_open *open;
    const void *context;
    const struct dg_options *options;
    struct mixed items[DG_MAX_MIX];
    size_t n, n_read;
    struct dg_stream **ended; /* kept: samples on their way name the paths that these own */
    size_t n_ended, capacity;
};

/* (g_a + 1) / w_a < (g_b + 1) / w_b; counts stay below 2^43, so the products fit. */
static bool is_due_before(const struct mixed *a, const struct mixed *b)
{
    return (a->n_given + 1) * b->weight < (b->n_given + 1) * a->weight;
}

static struct mixed *next_due(struct mix_stream *s)
{
    struct mixed *first = &s->items[0];

    for (size_t i = 1; i < s->n; i++) {
        if (is_due_before(&s->items[i], first))
            first = &s->items[i];
    }
    return first;
}

static enum t2_status end_round(struct mix_stream *s, struct mixed *m, struct t2_err *err)
{
    if (m->n_of_round == 0)
        return t2_fail(err, T2_EFORMAT, "source %zu of the mixture has no samples",
                       (size_t) (m - s->items) + 1);
    if (!m->was_read) {
        dg_input_files_move(&m->stream->files, &m->files);
        m->was_read = true;
        s->n_read++;
    }
    if (s->n_ended == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 8;
        s->ended = t2_realloc(s->ended, s->capacity, sizeof(struct dg_stream *));
    }
    s->ended[s->n_ended++] = m->stream;
    m->stream = NULL;
    return T2_OK;
}

static enum t2_status next_of(struct mix_stream *s, struct mixed *m, struct dg_sample *sample,
                              struct t2_err *err)
{
    if (!m->stream) {
        T2_TRY(s->open(s->context, s->options, (size_t) (m - s->items), &m->stream, err));
        m->n_of_round = 0;
    }
    m->stream->hash_on = s->base.hash_on && !m->was_read;
    return m->stream->next(m->stream, sample, err);
}

static enum t2_status mix_next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct mix_stream *s = (struct mix_stream *) base;
    enum t2_status st;

    while (s->n_read < s->n) {
        struct mixed *m = next_due(s);
        st = next_of(s, m, sample, err);
        base->is_clean = m->stream && m->stream->is_clean;
        base->keep_blanks = m->stream && m->stream->keep_blanks;
        base->drop_blank = m->stream && m->stream->drop_blank;
        if (st == T2_OK) {
            m->n_given++;
            m->n_of_round++;
        }
        if (st != T2_EOF)
            return st;
        T2_TRY(end_round(s, m, err));
    }
    for (size_t i = 0; i < s->n; i++)
        dg_input_files_move(&s->items[i].files, &base->files);
    return T2_EOF;
}

static enum t2_status mix_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                   struct t2_err *err)
{
    struct mix_stream *s = (struct mix_stream *) base;

    for (size_t i = 0; i < s->n; i++) {
        struct mixed *m = &s->items[i];
        if (!m->stream)
            T2_TRY(s->open(s->context, s->options, i, &m->stream, err));
        t2_buf_printf(&sizes->text, "    weight %" PRIu64 ":\n", m->weight);
        T2_TRY(dg_stream_describe(m->stream, sizes, err));
    }
    return T2_OK;
}

static void mix_free(struct dg_stream *base)
{
    struct mix_stream *s = (struct mix_stream *) base;

    for (size_t i = 0; i < s->n; i++) {
        dg_stream_free(s->items[i].stream);
        dg_input_files_release(&s->items[i].files);
    }
    for (size_t i = 0; i < s->n_ended; i++)
        dg_stream_free(s->ended[i]);
    t2_free(s->ended);
    t2_free(s);
}

enum t2_status dg_mix_stream_new(dg_mix_open *open, const void *context,
                                 const struct dg_options *options, const uint32_t *weights,
                                 size_t n, struct dg_stream **stream, struct t2_err *err)
{
    struct mix_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    T2_ASSERT(n >= 1 && n <= DG_MAX_MIX);
    s->base.next = mix_next;
    s->base.free = mix_free;
    s->base.describe = mix_describe;
    s->open = open;
    s->context = context;
    s->options = options;
    s->n = n;
    for (size_t i = 0; i < n; i++)
        s->items[i].weight = weights[i];
    *stream = &s->base;
    return T2_OK;
}
