/*
 * datagen/encode_lines.c - samples whose records are the ids of their texts, a batch at a time.
 */
#include "datagen/encode_run.h"

#include <string.h>

#include "tfrecord/example.h"

/* Puts EOS behind the ids of each line. */
static void end_lines(struct dg_encode_worker *w, int side)
{
    struct tok_ids *ids = &w->ids[side], *joined = &w->joined;
    struct tok_ids swap;
    size_t start = 0;

    joined->n = 0;
    tok_ids_reserve(joined, ids->n + w->ends[side].n);
    for (size_t i = 0; i < w->ends[side].n; i++) {
        size_t end = w->ends[side].items[i];
        if (end > start)
            memcpy(joined->items + joined->n, ids->items + start,
                   (end - start) * sizeof *ids->items);
        joined->n += end - start;
        joined->items[joined->n++] = TOK_EOS;
        w->ends[side].items[i] = joined->n;
        start = end;
    }
    swap = *ids;
    *ids = *joined;
    *joined = swap;
}

static enum t2_status encode_side_lines(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                        struct dg_encode_slot *s, int side, struct t2_slice lines,
                                        struct t2_err *err)
{
    w->ids[side].n = w->ends[side].n = 0;
    T2_TRY(tok_encode_lines(c->e->vocabs[side]->encoder, w->caches[side], lines.data,
                            lines.len_bytes, &w->ids[side], &w->ends[side], err));
    s->n_bytes += lines.len_bytes - w->ends[side].n;
    return T2_OK;
}

static void frame_lines(const struct dg_encode_run *c, struct dg_encode_worker *w,
                        struct dg_encode_slot *s)
{
    size_t first = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS;
    const int32_t *ids[DG_N_SIDES] = {w->ids[DG_INPUTS].items, w->ids[DG_TARGETS].items};
    size_t n_ids[DG_N_SIDES];

    for (size_t i = 0; i < w->ends[DG_TARGETS].n; i++) {
        for (size_t side = first; side < DG_N_SIDES; side++) {
            const size_t *ends = w->ends[side].items;
            n_ids[side] = ends[i] - (i > 0 ? ends[i - 1] : 0);
        }
        t2_buf_clear(&w->payload);
        tfr_example_build_ids(&w->payload, DG_N_SIDES - first, dg_side_name + first, ids + first,
                              n_ids + first);
        dg_encode_push_frame(s, &w->payload, 0);
        for (size_t side = first; side < DG_N_SIDES; side++)
            ids[side] += n_ids[side];
    }
}

/* All samples of a batch: ids of the texts. */
static enum t2_status encode_lines(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                   struct dg_encode_slot *s,
                                   const struct t2_slice lines[DG_N_SIDES], size_t n,
                                   struct t2_err *err)
{
    int side = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS;

    if (c->e->problem->chop_length)
        side = DG_TARGETS;
    for (; side < DG_N_SIDES; side++) {
        T2_TRY(encode_side_lines(c, w, s, side, lines[side], err));
        T2_ASSERT(w->ends[side].n == n);
        if (c->e->problem->chop_length)
            continue;
        end_lines(w, side);
        dg_stats_add_lists(&s->stats, dg_side_name[side], w->ids[side].items, w->ends[side].items,
                           n);
    }
    if (!c->e->problem->chop_length) {
        frame_lines(c, w, s);
        return T2_OK;
    }
    tok_ids_append(&s->row, w->ids[DG_TARGETS].items, w->ids[DG_TARGETS].n);
    for (size_t i = 0; i < n; i++)
        dg_encode_push_made(s, w->ends[DG_TARGETS].items[i], 0);
    return T2_OK;
}

/* The end of the line that begins at `at`, its line feed included. */
static size_t line_end(struct t2_slice lines, size_t at)
{
    const uint8_t *feed = memchr(lines.data + at, '\n', lines.len_bytes - at);

    T2_ASSERT(feed);
    return (size_t) (feed + 1 - lines.data);
}

/* For one task of many: encodes only the lines that go to its own shards. */
enum t2_status dg_encode_own_lines(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                   struct dg_encode_slot *s,
                                   const struct t2_slice lines[DG_N_SIDES], size_t n,
                                   struct t2_err *err)
{
    int first_side = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS;
    struct t2_slice own[DG_N_SIDES] = {{NULL, 0}, {NULL, 0}};
    size_t at[DG_N_SIDES] = {0, 0}, n_own = 0;

    s->n = n;
    if (!c->e->only_own)
        return encode_lines(c, w, s, lines, n, err);
    for (int side = first_side; side < DG_N_SIDES; side++)
        t2_buf_clear(&s->own[side]);
    for (size_t i = 0; i < n; i++) {
        bool is_own = dg_owns_shard(&c->e->share, c->first_bin + dg_encode_bin_of(c, s->first + i));
        n_own += is_own;
        for (int side = first_side; side < DG_N_SIDES; side++) {
            size_t end = line_end(lines[side], at[side]);
            if (is_own)
                t2_buf_append(&s->own[side], lines[side].data + at[side], end - at[side]);
            at[side] = end;
        }
    }
    for (int side = first_side; side < DG_N_SIDES; side++)
        own[side] = t2_buf_slice(&s->own[side]);
    return n_own ? encode_lines(c, w, s, own, n_own, err) : T2_OK;
}
