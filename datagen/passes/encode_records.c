/*
 * datagen/passes/encode_records.c - columns of ids become records: ids alone, features, or rows to
 * chop.
 */
#include "datagen/passes/encode_run.h"

#include <string.h>

#include "base/alloc.h"
#include "tfrecord/example.h"

/* The ids of a text of sample i, borrowed. */
struct id_range {
    const int32_t *items;
    size_t n;
};

static struct id_range ids_of(const struct dg_encode_worker *w, int text, size_t i)
{
    const struct dg_column *column = &w->columns[text];
    size_t start = i > 0 ? column->ends.items[i - 1] : 0;

    return (struct id_range){column->ids.items + start, column->ends.items[i] - start};
}

/* ---- features -------------------------------------------------------------------------------- */

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

static void add_ids(struct dg_encode_worker *w, const char *name, struct id_range ids)
{
    dg_feature_append_ids(dg_record_add(&w->record, name, TFR_INT64), ids.items, ids.n);
}

/* inputs, separator, context, EOS: one feature. */
static void add_joined(const struct dg_encode_run *c, struct dg_encode_worker *w, size_t i)
{
    struct dg_feature *f = dg_record_add(&w->record, dg_side_name[DG_INPUTS], TFR_INT64);
    struct id_range inputs = ids_of(w, DG_INPUTS, i), context = ids_of(w, DG_CONTEXT, i);

    dg_feature_append_ids(f, inputs.items, inputs.n);
    dg_feature_push(f, c->separator.items[0]);
    dg_feature_append_ids(f, context.items, context.n);
    dg_feature_push(f, TOK_EOS);
}

static void add_side(const struct dg_encode_run *c, struct dg_encode_worker *w,
                     const struct dg_encode_slot *s, const struct dg_batch_item *item, int side,
                     size_t i)
{
    struct t2_slice numbers = dg_batch_values(&s->batch, &item->numbers[side]);
    struct t2_slice reals = dg_batch_values(&s->batch, &item->reals[side]);
    enum dg_context_use context = side == DG_INPUTS ? c->e->problem->text.context : DG_CONTEXT_NONE;

    if (numbers.len_bytes) {
        add_numbers(w, dg_side_name[side], numbers);
    } else if (reals.len_bytes) {
        add_reals(w, dg_side_name[side], reals);
    } else if (c->texts[side].is_wanted && context == DG_CONTEXT_JOINED) {
        add_joined(c, w, i);
    } else if (c->texts[side].is_wanted) {
        add_ids(w, dg_side_name[side], ids_of(w, side, i));
        if (context == DG_CONTEXT_FEATURE)
            add_ids(w, "context", ids_of(w, DG_CONTEXT, i));
    }
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

static enum t2_status make_features(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                    struct dg_encode_slot *s, const struct dg_batch_item *item,
                                    size_t i, struct t2_err *err)
{
    dg_record_clear(&w->record);
    if (c->e->problem->has_inputs)
        add_side(c, w, s, item, DG_INPUTS, i);
    add_side(c, w, s, item, DG_TARGETS, i);
    if (c->e->problem->record.finish)
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

/* ---- the other forms ------------------------------------------------------------------------- */

static int32_t shard_of(const struct dg_encode_samples *samples, size_t i)
{
    return samples->items ? samples->items[i]->shard : 0;
}

static void make_ids(const struct dg_encode_run *c, struct dg_encode_worker *w,
                     struct dg_encode_slot *s, const struct dg_encode_samples *samples, size_t n)
{
    size_t first = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS;
    const int32_t *ids[DG_N_SIDES];
    size_t n_ids[DG_N_SIDES];

    for (size_t side = first; side < DG_N_SIDES; side++)
        dg_stats_add_lists(&s->stats, dg_side_name[side], w->columns[side].ids.items,
                           w->columns[side].ends.items, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t side = first; side < DG_N_SIDES; side++) {
            struct id_range range = ids_of(w, (int) side, i);
            ids[side] = range.items;
            n_ids[side] = range.n;
        }
        t2_buf_clear(&w->payload);
        tfr_example_build_ids(&w->payload, DG_N_SIDES - first, dg_side_name + first, ids + first,
                              n_ids + first);
        dg_encode_push_frame(s, &w->payload, shard_of(samples, i));
    }
}

static void make_rows(struct dg_encode_worker *w, struct dg_encode_slot *s,
                      const struct dg_encode_samples *samples, size_t n)
{
    const struct dg_column *column = &w->columns[DG_TARGETS];

    tok_ids_append(&s->row, column->ids.items, n > 0 ? column->ends.items[n - 1] : 0);
    for (size_t i = 0; i < n; i++)
        dg_encode_push_made(s, column->ends.items[i], shard_of(samples, i));
}

/* What one batch says: samples that bring numbers are more than the ids of their texts. */
static enum dg_record_form form_of(const struct dg_encode_run *c, const struct dg_encode_slot *s)
{
    bool has_values = !s->kept && s->batch.values.len_bytes > 0;

    return c->form == DG_RECORD_IDS && has_values ? DG_RECORD_FEATURES : c->form;
}

enum t2_status dg_encode_records(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                 struct dg_encode_slot *s, const struct dg_encode_samples *samples,
                                 size_t n, struct t2_err *err)
{
    switch (form_of(c, s)) {
    case DG_RECORD_IDS:
        make_ids(c, w, s, samples, n);
        return T2_OK;
    case DG_RECORD_ROWS:
        make_rows(w, s, samples, n);
        return T2_OK;
    case DG_RECORD_FEATURES:
        break;
    }
    for (size_t i = 0; i < n; i++) {
        enum t2_status st = make_features(c, w, s, samples->items[i], i, err);
        if (st != T2_OK)
            return dg_encode_wrap(samples, i, st, err);
    }
    return T2_OK;
}
