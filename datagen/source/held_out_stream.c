/*
 * datagen/source/held_out_stream.c - see the header.
 */
#include "datagen/source/held_out_stream.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "datagen/source/wrapped_stream.h"

struct held_out_stream {
    struct dg_wrapped wrapped;
    struct dg_held_out h;
    enum dg_split split;
};

static bool is_percent(double x)
{
    return x >= 0 && x < 100;
}

enum t2_status dg_held_out_check(const struct dg_held_out *h, struct t2_err *err)
{
    if (is_percent(h->dev_percent) && is_percent(h->test_percent) &&
        is_percent(h->dev_percent + h->test_percent))
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "--dev_percent=%g, --test_percent=%g: must be 0 to below 100 together",
                   h->dev_percent, h->test_percent);
}

/* 0 to below 1; the side that comes second is hashed with what the first gave. */
static double share_of(const struct dg_sample *sample)
{
    enum { SEED = 20 };
    uint64_t hash = t2_hash64(sample->inputs.data, sample->inputs.len_bytes, SEED);

    hash = t2_hash64(sample->targets.data, sample->targets.len_bytes, hash);
    return (double) (hash >> 11) * 0x1p-53;
}

static enum dg_split split_of(const struct dg_held_out *h, const struct dg_sample *sample)
{
    double u = share_of(sample);

    if (u < h->dev_percent / 100)
        return DG_DEV;
    return u < (h->dev_percent + h->test_percent) / 100 ? DG_TEST : DG_TRAIN;
}

static enum t2_status held_out_next(struct dg_stream *base, struct dg_sample *sample,
                                    struct t2_err *err)
{
    struct held_out_stream *s = (struct held_out_stream *) base;

    for (;;) {
        T2_TRY(dg_wrapped_next(&s->wrapped, sample, err));
        /* what is left out is told once, as of training */
        if (sample->drop ? s->split == DG_TRAIN : split_of(&s->h, sample) == s->split)
            return T2_OK;
        memset(sample, 0, sizeof *sample);
    }
}

static void held_out_free(struct dg_stream *base)
{
    struct held_out_stream *s = (struct held_out_stream *) base;

    dg_wrapped_release(&s->wrapped);
    t2_free(s);
}

struct dg_stream *dg_held_out_stream_new(struct dg_stream *from, const struct dg_held_out *h,
                                         enum dg_split split)
{
    struct held_out_stream *s;

    if (h->dev_percent <= 0 && h->test_percent <= 0)
        return from;
    s = t2_alloc(1, sizeof *s);
    dg_wrapped_init(&s->wrapped, from);
    s->wrapped.base.next = held_out_next;
    s->wrapped.base.free = held_out_free;
    s->h = *h;
    s->split = split;
    return &s->wrapped.base;
}
