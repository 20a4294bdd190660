/*
 * datagen/passes/encode_chop.c - the ids of a shard, cut into records of one length.
 */
#include "datagen/passes/encode_run.h"

#include <string.h>

#include "tfrecord/writer.h"

/* One record out of the ids that wait. */
static enum t2_status add_block(struct dg_encode_run *c, const int32_t *ids, int32_t shard,
                                struct t2_err *err)
{
    static const struct dg_texts no_texts = {.text = {{NULL, 0}}};
    const struct dg_problem *p = c->e->problem;
    struct dg_record *r = &c->block_record;
    struct t2_buf payload = {0};

    dg_record_clear(r);
    dg_feature_append_ids(dg_record_add(r, dg_side_name[DG_TARGETS], TFR_INT64), ids,
                          (size_t) p->chopping.length);
    if (p->record.finish)
        T2_TRY(p->record.finish(p, &no_texts, r, err));
    dg_record_write(r, &payload);
    t2_buf_clear(&c->block);
    tfr_frame(&c->block, payload.data, payload.len_bytes);
    t2_buf_release(&payload);
    dg_stats_add_record(&c->e->stats, r);
    return dg_encode_add_frame(c, t2_buf_slice(&c->block), shard, err);
}

enum t2_status dg_encode_chop_end(struct dg_encode_run *c, struct t2_err *err)
{
    size_t length = (size_t) c->e->problem->chopping.length;

    for (size_t i = 0; i < c->n_bins && !c->e->problem->chopping.drops_rest; i++) {
        struct tok_ids *rest = &c->rests[i];
        if (rest->n == 0)
            continue;
        while (rest->n < length)
            tok_ids_push(rest, TOK_PAD);
        T2_TRY(add_block(c, rest->items, (int32_t) i + 1, err));
    }
    return T2_OK;
}

enum t2_status dg_encode_chop(struct dg_encode_run *c, const struct dg_encode_slot *s,
                              struct t2_err *err)
{
    size_t length = (size_t) c->e->problem->chopping.length, at, start = 0;

    for (size_t i = 0; i < s->n_made; i++) {
        int32_t shard = s->made[i].shard;
        struct tok_ids *rest = &c->rests[(size_t) (shard - 1) % c->n_bins];
        tok_ids_append(rest, s->row.items + start, s->made[i].end - start);
        start = s->made[i].end;
        for (at = 0; at + length <= rest->n; at += length)
            T2_TRY(add_block(c, rest->items + at, shard, err));
        rest->n -= at;
        if (rest->n)
            memmove(rest->items, rest->items + at, rest->n * sizeof *rest->items);
    }
    return T2_OK;
}
