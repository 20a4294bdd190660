/*
 * datagen/passes/encode_frames.c - frames of records on their way into bins: numbering and dealing.
 */
#include "datagen/passes/encode_run.h"

#include "base/alloc.h"
#include "datagen/shards/layout.h"
#include "tfrecord/writer.h"

enum { CASES_PER_LOG_LINE = 100000 };

const char *const dg_side_name[DG_N_SIDES] = {"inputs", "targets"};

void dg_encode_push_made(struct dg_encode_slot *s, size_t end, int32_t shard)
{
    if (s->n_made == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 512;
        s->made = t2_realloc(s->made, s->capacity, sizeof *s->made);
    }
    s->made[s->n_made++] = (struct dg_made){end, shard, 0};
}

void dg_encode_push_frame(struct dg_encode_slot *s, const struct t2_buf *payload, int32_t shard)
{
    tfr_frame(&s->frames, payload->data, payload->len_bytes);
    dg_encode_push_made(s, s->frames.len_bytes, shard);
}

/* The bin of record k of the split: k mod n as T2T deals, or with deal_at_random by the place of k
 * in a permutation. */
size_t dg_encode_bin_of(const struct dg_encode_run *c, uint64_t k)
{
    if (c->e->deal_at_random && k < c->perm.n)
        k = t2_perm_at(&c->perm, k);
    return (size_t) (k % c->n_bins);
}

void dg_encode_log_case(const struct dg_encode_run *c)
{
    if (c->n_records % CASES_PER_LOG_LINE != 0)
        return;
    dg_layout_of(c->e->problem)->says.many_records(c->n_records);
}

enum t2_status dg_encode_add_frame(struct dg_encode_run *c, struct t2_slice frame, int32_t shard,
                                   struct t2_err *err)
{
    size_t bin = c->first_bin +
                 (shard ? (size_t) (shard - 1) % c->n_bins : dg_encode_bin_of(c, c->n_records));

    dg_encode_log_case(c);
    c->n_records++;
    if (c->e->bin_records)
        c->e->bin_records[bin]++;
    if (!dg_owns_shard(&c->e->share, bin))
        return T2_OK;
    return dg_bins_add(c->e->bins, bin, frame.data, frame.len_bytes, err);
}
