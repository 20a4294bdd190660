/*
 * datagen/shards/pack_records.c - several records joined into one.
 */
#include "datagen/shards/pack_records.h"

#include <string.h>

#include "base/alloc.h"
#include "tfrecord/example.h"
#include "tfrecord/writer.h"

enum { QUEUE = 10 };

static const char *const names[DG_N_SIDES][3] = {
    {"inputs", "inputs_segmentation", "inputs_position"},
    {"targets", "targets_segmentation", "targets_position"},
};

/* One side of a record that grows. */
struct row {
    int64_t *ids, *segments, *positions;
    size_t n, capacity;
};

struct bin {
    struct row rows[DG_N_SIDES];
};

/* A record goes into the first bin that has room on all sides (with `spacing` zeros before it); if
 * none has, the oldest is given out when the queue is full, and a new bin begins.  Deterministic in
 * the order of records, so it runs after the shuffle, shard by shard. */
struct dg_packer {
    struct dg_packing how;
    struct bin bins[QUEUE + 1]; /* oldest first; the one behind the last serves pieces */
    size_t n;
    struct tfr_example example;
    struct {
        int64_t *ids;
        size_t n, capacity;
    } sides[DG_N_SIDES]; /* of the record that is taken */
    struct t2_buf payload;
};

struct dg_packer *dg_packer_new(const struct dg_packing *how)
{
    struct dg_packer *p = t2_alloc(1, sizeof *p);

    p->how = *how;
    return p;
}

void dg_packer_free(struct dg_packer *p)
{
    if (!p)
        return;
    for (int side = 0; side < DG_N_SIDES; side++) {
        for (size_t i = 0; i <= QUEUE; i++) {
            t2_free(p->bins[i].rows[side].ids);
            t2_free(p->bins[i].rows[side].segments);
            t2_free(p->bins[i].rows[side].positions);
        }
        t2_free(p->sides[side].ids);
    }
    tfr_example_release(&p->example);
    t2_buf_release(&p->payload);
    t2_free(p);
}

static int first_side(const struct dg_packer *p)
{
    return p->how.has_inputs ? DG_INPUTS : DG_TARGETS;
}

/* ---- rows ---- */

static void put(struct row *r, int64_t id, int64_t segment, int64_t position)
{
    if (r->n == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 512;
        r->ids = t2_realloc(r->ids, r->capacity, sizeof *r->ids);
        r->segments = t2_realloc(r->segments, r->capacity, sizeof *r->segments);
        r->positions = t2_realloc(r->positions, r->capacity, sizeof *r->positions);
    }
    r->ids[r->n] = id;
    r->segments[r->n] = segment;
    r->positions[r->n++] = position;
}

static void add_to_row(struct row *r, const int64_t *ids, size_t n, int spacing)
{
    int64_t segment = r->n ? r->segments[r->n - 1] + 1 : 1;

    for (int k = 0; k < spacing; k++)
        put(r, 0, 0, 0);
    for (size_t i = 0; i < n; i++)
        put(r, ids[i], segment, (int64_t) i);
}

static bool fits(const struct dg_packer *p, const struct bin *b)
{
    for (int side = first_side(p); side < DG_N_SIDES; side++) {
        if (b->rows[side].n + (size_t) p->how.spacing + p->sides[side].n > (size_t) p->how.length)
            return false;
    }
    return true;
}

/* ---- records out ---- */

static void give(struct dg_packer *p, struct bin *b, struct dg_packed *out)
{
    static const int64_t zero = 0;
    struct tfr_feature features[DG_N_SIDES * 3];
    size_t n = 0, i;

    for (int side = first_side(p); side < DG_N_SIDES; side++) {
        const struct row *r = &b->rows[side];
        const int64_t *const lists[3] = {r->ids, r->segments, r->positions};
        for (int kind = 0; kind < 3; kind++)
            features[n++] = (struct tfr_feature){.name = names[side][kind],
                                                 .kind = TFR_INT64,
                                                 .n = r->n,
                                                 .ints = lists[kind]};
    }
    if (!p->how.has_inputs)
        features[n++] = (struct tfr_feature){.name = names[DG_INPUTS][0],
                                             .kind = TFR_INT64,
                                             .n = 1,
                                             .ints = &zero};
    for (i = 0; i < n; i++) {
        /* the rest of a sequence that is cut into whole records, and nothing joined it: the
         * original stops at such a record */
        if (features[i].n == 0)
            return;
    }
    for (i = 0; i < n; i++)
        dg_stats_add_ints(out->stats, features[i].name, features[i].ints, features[i].n);
    t2_buf_clear(&p->payload);
    tfr_example_build(&p->payload, features, n);
    tfr_frame(out->frames, p->payload.data, p->payload.len_bytes);
    out->n_records++;
}

static void clear(struct bin *b)
{
    for (int side = 0; side < DG_N_SIDES; side++)
        b->rows[side].n = 0;
}

static void give_oldest(struct dg_packer *p, struct dg_packed *out)
{
    struct bin oldest = p->bins[0];

    give(p, &oldest, out);
    clear(&oldest);
    p->n--;
    memmove(p->bins, p->bins + 1, p->n * sizeof *p->bins);
    p->bins[p->n] = oldest; /* its memory serves the next one */
}

/* ---- records in ---- */

static enum t2_status take_side(struct dg_packer *p, int side, struct t2_err *err)
{
    const struct tfr_view *v = tfr_example_find(&p->example, names[side][0]);

    if (!v || v->kind != TFR_INT64)
        return t2_fail(err, T2_EFORMAT, "a record to be packed has no ids '%s'", names[side][0]);
    if (v->n > p->sides[side].capacity) {
        p->sides[side].capacity = 2 * v->n;
        p->sides[side].ids =
            t2_realloc(p->sides[side].ids, p->sides[side].capacity, sizeof *p->sides[side].ids);
    }
    p->sides[side].n = v->n;
    tfr_view_ints(v, p->sides[side].ids);
    return T2_OK;
}

/* Targets longer than a record: whole pieces come out by themselves, the rest stays. */
static void cut_long(struct dg_packer *p, struct dg_packed *out)
{
    size_t length = (size_t) p->how.length, n = p->sides[DG_TARGETS].n, at = 0;
    struct bin *piece = &p->bins[QUEUE];

    if (n <= length)
        return;
    for (; n - at >= length; at += length) {
        add_to_row(&piece->rows[DG_TARGETS], p->sides[DG_TARGETS].ids + at, length, 0);
        give(p, piece, out);
        clear(piece);
    }
    memmove(p->sides[DG_TARGETS].ids, p->sides[DG_TARGETS].ids + at,
            (n - at) * sizeof *p->sides[DG_TARGETS].ids);
    p->sides[DG_TARGETS].n = n - at;
}

enum t2_status dg_packer_add(struct dg_packer *p, struct t2_slice payload, struct dg_packed *out,
                             struct t2_err *err)
{
    size_t i = 0;
    int spacing = p->how.spacing;

    T2_TRY(tfr_example_parse(&p->example, payload, err));
    for (int side = first_side(p); side < DG_N_SIDES; side++)
        T2_TRY(take_side(p, side, err));
    if (!p->how.has_inputs)
        cut_long(p, out);
    while (i < p->n && !fits(p, &p->bins[i]))
        i++;
    if (i == p->n) {
        if (p->n == QUEUE)
            give_oldest(p, out);
        i = p->n++;
        spacing = 0;
    }
    for (int side = first_side(p); side < DG_N_SIDES; side++)
        add_to_row(&p->bins[i].rows[side], p->sides[side].ids, p->sides[side].n, spacing);
    return T2_OK;
}

void dg_packer_end(struct dg_packer *p, struct dg_packed *out)
{
    for (size_t i = 0; i < p->n; i++) {
        give(p, &p->bins[i], out);
        clear(&p->bins[i]);
    }
    p->n = 0;
}
