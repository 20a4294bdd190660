/*
 * datagen/source/clean_stream.c - pairs cleaned as T2T's *_clean problems do it.
 */
#include "datagen/source/clean_stream.h"

#include "base/alloc.h"
#include "base/text.h"
#include "datagen/source/sentence_cleaner.h"
#include "datagen/source/wrapped_stream.h"
#include "tokenizer/unicode.h"

/* Ends of the two texts of a pair, one behind the other in `texts`. */
struct pair {
    size_t english_end, other_end;
};

struct clean_stream {
    struct dg_wrapped wrapped;
    enum dg_side_index english;
    struct dg_sample sample; /* the pair that is cut up */
    struct t2_buf texts;     /* what it gave */
    struct pair *pairs;
    size_t n, capacity, next, at;
};

static void add_pair(void *context, struct t2_slice english, struct t2_slice other)
{
    struct clean_stream *s = context;
    struct pair *p;

    if (s->n == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 8;
        s->pairs = t2_realloc(s->pairs, s->capacity, sizeof *s->pairs);
    }
    p = &s->pairs[s->n++];
    t2_buf_append(&s->texts, english.data, english.len_bytes);
    p->english_end = s->texts.len_bytes;
    t2_buf_append(&s->texts, other.data, other.len_bytes);
    p->other_end = s->texts.len_bytes;
}

static void next_pair(struct clean_stream *s, struct dg_sample *sample)
{
    const struct pair *p = &s->pairs[s->next++];
    struct t2_slice english = {s->texts.data + s->at, p->english_end - s->at};
    struct t2_slice other = {s->texts.data + p->english_end, p->other_end - p->english_end};

    s->at = p->other_end;
    *sample = s->sample;
    sample->inputs = s->english == DG_INPUTS ? english : other;
    sample->targets = s->english == DG_INPUTS ? other : english;
}

static bool is_utf8(struct t2_slice text)
{
    return t2_utf8_invalid_at(text.data, text.len_bytes) == text.len_bytes;
}

static enum t2_status clean_next(struct dg_stream *base, struct dg_sample *sample,
                                 struct t2_err *err)
{
    struct clean_stream *s = (struct clean_stream *) base;
    const char *fault;

    if (s->next == s->n) {
        struct t2_slice in, out;
        s->n = s->next = s->at = 0;
        t2_buf_clear(&s->texts);
        T2_TRY(dg_wrapped_next(&s->wrapped, sample, err));
        in = tok_stripped(sample->inputs);
        out = tok_stripped(sample->targets);
        if (sample->drop || !is_utf8(in) || !is_utf8(out))
            return T2_OK;
        fault = s->english == DG_INPUTS ? dg_clean_pair(in, out, add_pair, s)
                                        : dg_clean_pair(out, in, add_pair, s);
        s->sample = *sample;
        if (s->n == 0) {
            sample->drop = fault ? fault : "no good sentence";
            return T2_OK;
        }
    }
    next_pair(s, sample);
    return T2_OK;
}

static void clean_free(struct dg_stream *base)
{
    struct clean_stream *s = (struct clean_stream *) base;

    dg_wrapped_release(&s->wrapped);
    t2_buf_release(&s->texts);
    t2_free(s->pairs);
    t2_free(s);
}

struct dg_stream *dg_clean_stream_new(struct dg_stream *from, enum dg_side_index english)
{
    struct clean_stream *s = t2_alloc(1, sizeof *s);

    dg_wrapped_init(&s->wrapped, from);
    s->wrapped.base.next = clean_next;
    s->wrapped.base.free = clean_free;
    s->english = english;
    return &s->wrapped.base;
}
