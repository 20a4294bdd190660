/*
 * datagen/encode_items.c - samples one by one: labels, context, prefixes, what a problem adds.
 */
#include "datagen/encode_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/example.h"

static enum t2_status encode_text(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                  struct dg_encode_slot *s, int side, struct t2_slice text,
                                  struct t2_err *err)
{
    const char *prefix = c->e->problem->text.prefix[side];

    s->n_bytes += text.len_bytes;
    if (prefix) {
        t2_buf_clear(&w->text);
        t2_buf_append(&w->text, prefix, strlen(prefix));
        t2_buf_append(&w->text, text.data, text.len_bytes);
        text = t2_buf_slice(&w->text);
    }
    return dg_vocab_encode(c->e->vocabs[side], w->caches[side], text, &w->ids[side], err);
}

static enum t2_status encode_side(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                  struct dg_encode_slot *s, int side, struct t2_slice text,
                                  struct t2_err *err)
{
    w->ids[side].n = 0;
    T2_TRY(encode_text(c, w, s, side, text, err));
    if (!c->e->problem->text.no_eos[side] && !c->e->problem->chopping.length &&
        !(side == DG_TARGETS && c->e->problem->text.targets_are_labels))
        tok_ids_push(&w->ids[side], TOK_EOS);
    return T2_OK;
}

static const int64_t *aligned_numbers(struct dg_encode_worker *w, struct t2_slice bytes)
{
    if (bytes.len_bytes > w->numbers_capacity) {
        w->numbers_capacity = 2 * bytes.len_bytes;
        w->numbers = t2_realloc(w->numbers, w->numbers_capacity, 1);
    }
    if (bytes.len_bytes)
        memcpy(w->numbers, bytes.data, bytes.len_bytes);
    return w->numbers;
}

static void add_numbers(struct dg_encode_worker *w, const char *name, struct t2_slice bytes)
{
    const int64_t *numbers = aligned_numbers(w, bytes);
    struct dg_feature *f = dg_record_add(&w->record, name, TFR_INT64);

    for (size_t i = 0; i < bytes.len_bytes / sizeof *numbers; i++)
        dg_feature_push(f, numbers[i]);
}

static void add_reals(struct dg_encode_worker *w, const char *name, struct t2_slice bytes)
{
    struct dg_feature *f = dg_record_add(&w->record, name, TFR_FLOAT);
    float value;

    for (size_t i = 0; i < bytes.len_bytes / sizeof value; i++) {
        memcpy(&value, bytes.data + i * sizeof value, sizeof value);
        dg_feature_push_float(f, value);
    }
}

static enum t2_status add_context(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                  struct dg_encode_slot *s, struct t2_slice context,
                                  struct t2_err *err)
{
    struct tok_ids *ids = &w->ids[DG_INPUTS];

    if (c->e->problem->text.context == DG_CONTEXT_FEATURE) {
        T2_TRY(encode_side(c, w, s, DG_INPUTS, context, err));
        dg_feature_append_ids(dg_record_add(&w->record, "context", TFR_INT64), ids->items, ids->n);
        return T2_OK;
    }
    if (!c->e->problem->text.no_eos[DG_INPUTS])
        ids->n--; /* it goes to the end */
    tok_ids_push(ids, c->separator.items[0]);
    T2_TRY(encode_text(c, w, s, DG_INPUTS, context, err));
    tok_ids_push(ids, TOK_EOS);
    return T2_OK;
}

static enum t2_status add_side(const struct dg_encode_run *c, struct dg_encode_worker *w,
                               struct dg_encode_slot *s, const struct dg_batch_item *item, int side,
                               struct t2_err *err)
{
    const struct dg_problem *p = c->e->problem;
    struct t2_slice numbers = dg_batch_values(&s->batch, &item->numbers[side]);
    struct t2_slice reals = dg_batch_values(&s->batch, &item->reals);
    struct tok_ids *ids = &w->ids[side];

    if (numbers.len_bytes) {
        add_numbers(w, dg_side_name[side], numbers);
        return T2_OK;
    }
    if (side == DG_TARGETS && reals.len_bytes) {
        add_reals(w, dg_side_name[side], reals);
        return T2_OK;
    }
    if (!dg_vocab_is_of_text(c->e->vocabs[side]->kind))
        return T2_OK;
    T2_TRY(
        encode_side(c, w, s, side, dg_batch_text(&s->batch, item, (enum dg_side_index) side), err));
    if (side == DG_INPUTS && p->text.context == DG_CONTEXT_JOINED)
        T2_TRY(add_context(c, w, s, dg_batch_text(&s->batch, item, DG_CONTEXT), err));
    dg_feature_append_ids(dg_record_add(&w->record, dg_side_name[side], TFR_INT64), ids->items,
                          ids->n);
    if (side == DG_INPUTS && p->text.context == DG_CONTEXT_FEATURE)
        T2_TRY(add_context(c, w, s, dg_batch_text(&s->batch, item, DG_CONTEXT), err));
    return T2_OK;
}

static enum t2_status finish_record(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                    const struct dg_encode_slot *s,
                                    const struct dg_batch_item *item, struct t2_err *err)
{
    const struct dg_problem *p = c->e->problem;
    struct dg_texts texts = {.split = c->split,
                             .text = {dg_batch_text(&s->batch, item, DG_INPUTS),
                                      dg_batch_text(&s->batch, item, DG_TARGETS),
                                      dg_batch_text(&s->batch, item, DG_CONTEXT)}};

    for (int side = 0; side < DG_N_SIDES; side++)
        texts.encoders[side] = c->e->vocabs[side] ? c->e->vocabs[side]->encoder : NULL;
    return p->record.finish(p, &texts, &w->record, err);
}

static void drop_late(struct dg_encode_slot *s, const char *reason,
                      const struct dg_batch_item *item)
{
    struct t2_buf text = {0};

    if (s->n_drops == s->drops_capacity) {
        s->drops_capacity = s->drops_capacity ? 2 * s->drops_capacity : 16;
        s->drops = t2_realloc(s->drops, s->drops_capacity, sizeof *s->drops);
    }
    dg_excerpt_put(dg_batch_text(&s->batch, item, DG_INPUTS),
                   dg_batch_text(&s->batch, item, DG_TARGETS), &text);
    s->drops[s->n_drops++] = (struct dg_late_drop){reason, item->inputs_path, item->inputs_line,
                                                   t2_strdup(t2_buf_cstr(&text))};
    t2_buf_release(&text);
}

/* T2T refuses an empty list: no reader could tell it from a missing feature. */
static enum t2_status check_not_empty(const struct dg_record *r, struct t2_err *err)
{
    if (r->n == 0)
        return t2_fail(err, T2_EFORMAT, "the record has no feature");
    for (size_t i = 0; i < r->n; i++) {
        if (r->features[i].kind != TFR_BYTES && r->features[i].n == 0)
            return t2_fail(err, T2_EFORMAT, "feature '%s' is empty", r->features[i].name);
    }
    return T2_OK;
}

static enum t2_status encode_record(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                    struct dg_encode_slot *s, const struct dg_batch_item *item,
                                    struct t2_err *err)
{
    const struct dg_problem *p = c->e->problem;

    dg_record_clear(&w->record);
    if (p->has_inputs)
        T2_TRY(add_side(c, w, s, item, DG_INPUTS, err));
    T2_TRY(add_side(c, w, s, item, DG_TARGETS, err));
    if (p->record.finish)
        T2_TRY(finish_record(c, w, s, item, err));
    if (w->record.drop) {
        drop_late(s, w->record.drop, item);
        return T2_OK;
    }
    T2_TRY(check_not_empty(&w->record, err));
    dg_stats_add_record(&s->stats, &w->record);
    t2_buf_clear(&w->payload);
    dg_record_write(&w->record, &w->payload);
    dg_encode_push_frame(s, &w->payload, item->shard);
    return T2_OK;
}

static enum t2_status encode_row(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                 struct dg_encode_slot *s, const struct dg_batch_item *item,
                                 struct t2_err *err)
{
    T2_TRY(encode_side(c, w, s, DG_TARGETS, dg_batch_text(&s->batch, item, DG_TARGETS), err));
    tok_ids_append(&s->row, w->ids[DG_TARGETS].items, w->ids[DG_TARGETS].n);
    dg_encode_push_made(s, s->row.n, item->shard);
    return T2_OK;
}

enum t2_status dg_encode_items(const struct dg_encode_run *c, struct dg_encode_worker *w,
                               struct dg_encode_slot *s, struct t2_err *err)
{
    bool is_row = c->e->problem->chopping.length > 0;

    for (size_t i = 0; i < s->batch.n; i++) {
        const struct dg_batch_item *one = &s->batch.items[i];
        enum t2_status st;
        if (one->drop)
            continue;
        st = is_row ? encode_row(c, w, s, one, err) : encode_record(c, w, s, one, err);
        if (st != T2_OK)
            return one->inputs_path
                       ? t2_wrap(err, "'%s': line %" PRIu64, one->inputs_path, one->inputs_line)
                       : st;
    }
    return T2_OK;
}
