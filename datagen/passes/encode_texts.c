/*
 * datagen/passes/encode_texts.c - the texts of many samples become columns of ids.
 *
 * A column is encoded at once, as the lines of one text, when every sample has a text in it that is
 * a line: tok_encode_lines looks words up across lines, a call for each sample cannot.  Else it is
 * encoded sample by sample.  Both give the same column.
 */
#include "datagen/passes/encode_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

/* ---- which samples --------------------------------------------------------------------------- */

/* The end of the line that begins at `at`, its line feed included. */
static size_t line_end(struct t2_slice lines, size_t at)
{
    const uint8_t *feed = memchr(lines.data + at, '\n', lines.len_bytes - at);

    T2_ASSERT(feed);
    return (size_t) (feed + 1 - lines.data);
}

/* The samples of the batch that were not dropped. */
static void list_items(struct dg_encode_worker *w, const struct dg_batch *b)
{
    size_t n = 0;

    if (b->n_kept > w->items_capacity) {
        w->items_capacity = b->n;
        w->items = t2_realloc(w->items, w->items_capacity, sizeof *w->items);
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!b->items[i].drop)
            w->items[n++] = &b->items[i];
    }
}

/* Of a task of many: the items and the lines of its own shards move together. */
static void keep_own(const struct dg_encode_run *c, struct dg_encode_slot *s,
                     struct dg_encode_samples *samples)
{
    size_t at[DG_N_TEXTS] = {0}, n = samples->n;

    samples->n = 0;
    for (int text = 0; text < DG_N_TEXTS; text++)
        t2_buf_clear(&s->own[text]);
    for (size_t i = 0; i < n; i++) {
        bool is_own = dg_owns_shard(&c->e->share, c->first_bin + dg_encode_bin_of(c, s->first + i));
        for (int text = 0; text < DG_N_TEXTS; text++) {
            size_t end;
            if (!samples->are_lines || !c->texts[text].is_wanted)
                continue;
            end = line_end(samples->lines[text], at[text]);
            if (is_own)
                t2_buf_append(&s->own[text], samples->lines[text].data + at[text], end - at[text]);
            at[text] = end;
        }
        if (is_own && samples->items)
            samples->items[samples->n] = samples->items[i];
        samples->n += is_own;
    }
    for (int text = 0; text < DG_N_TEXTS; text++)
        samples->lines[text] = t2_buf_slice(&s->own[text]);
}

void dg_encode_choose(const struct dg_encode_run *c, struct dg_encode_worker *w,
                      struct dg_encode_slot *s, struct dg_encode_samples *samples)
{
    *samples = (struct dg_encode_samples){.n = s->kept ? s->kept->n : s->batch.n_kept,
                                          .are_lines = s->kept || !s->batch.has_feeds};
    if (s->kept) {
        memcpy(samples->lines, s->kept->lines, sizeof s->kept->lines);
    } else {
        list_items(w, &s->batch);
        samples->items = w->items;
        for (int text = 0; text < DG_N_TEXTS && samples->are_lines; text++)
            samples->lines[text] = dg_batch_lines(&s->batch, (enum dg_side_index) text, s->batch.n);
    }
    s->n = samples->n;
    if (c->e->only_own)
        keep_own(c, s, samples);
}

enum t2_status dg_encode_wrap(const struct dg_encode_samples *samples, size_t i, enum t2_status st,
                              struct t2_err *err)
{
    const struct dg_batch_item *item = samples->items ? samples->items[i] : NULL;

    if (!item || !item->inputs_path)
        return st;
    return t2_wrap(err, "'%s': line %" PRIu64, item->inputs_path, item->inputs_line);
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool has_values(const struct dg_batch_item *item, int side)
{
    return item->numbers[side].len_bytes > 0 || item->reals[side].len_bytes > 0;
}

static bool goes_at_once(const struct dg_encode_run *c, const struct dg_encode_samples *samples,
                         int text)
{
    if (!samples->are_lines || c->texts[text].prefix)
        return false;
    for (size_t i = 0; samples->items && i < samples->n; i++) {
        if (has_values(samples->items[i], c->texts[text].side))
            return false;
    }
    return true;
}

/* Puts EOS behind the ids of each sample. */
static void end_lines(struct dg_column *column, struct tok_ids *joined)
{
    struct tok_ids *ids = &column->ids;
    struct tok_ids swap;
    size_t start = 0;

    joined->n = 0;
    tok_ids_reserve(joined, ids->n + column->ends.n);
    for (size_t i = 0; i < column->ends.n; i++) {
        size_t end = column->ends.items[i];
        if (end > start)
            memcpy(joined->items + joined->n, ids->items + start,
                   (end - start) * sizeof *ids->items);
        joined->n += end - start;
        joined->items[joined->n++] = TOK_EOS;
        column->ends.items[i] = joined->n;
        start = end;
    }
    swap = *ids;
    *ids = *joined;
    *joined = swap;
}

static enum t2_status encode_at_once(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                     struct dg_encode_slot *s,
                                     const struct dg_encode_samples *samples, int text, size_t n,
                                     struct t2_err *err)
{
    const struct dg_text_plan *plan = &c->texts[text];
    struct dg_column *column = &w->columns[text];
    struct t2_slice lines = samples->lines[text];
    enum t2_status st;

    if (n < samples->n) {
        lines.len_bytes = 0;
        for (size_t i = 0; i < n; i++)
            lines.len_bytes = line_end(samples->lines[text], lines.len_bytes);
    }
    st = tok_encode_lines(c->e->vocabs[plan->side]->encoder, w->caches[plan->side], lines.data,
                          lines.len_bytes, &column->ids, &column->ends, err);
    T2_ASSERT(st != T2_OK || column->ends.n == n);
    s->n_bytes += lines.len_bytes - n;
    if (plan->ends_with_eos)
        end_lines(column, &w->joined);
    return st;
}

static enum t2_status encode_one(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                 struct dg_encode_slot *s, const struct dg_batch_item *item,
                                 int text, struct t2_err *err)
{
    const struct dg_text_plan *plan = &c->texts[text];
    struct t2_slice bytes = dg_batch_text(&s->batch, item, (enum dg_side_index) text);
    struct tok_ids *ids = &w->columns[text].ids;

    s->n_bytes += bytes.len_bytes;
    if (plan->prefix) {
        t2_buf_clear(&w->text);
        t2_buf_append(&w->text, plan->prefix, strlen(plan->prefix));
        t2_buf_append(&w->text, bytes.data, bytes.len_bytes);
        bytes = t2_buf_slice(&w->text);
    }
    T2_TRY(dg_vocab_encode(c->e->vocabs[plan->side], w->caches[plan->side], bytes, ids, err));
    if (plan->ends_with_eos)
        tok_ids_push(ids, TOK_EOS);
    return T2_OK;
}

static enum t2_status encode_one_by_one(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                        struct dg_encode_slot *s,
                                        const struct dg_encode_samples *samples, int text, size_t n,
                                        struct t2_err *err)
{
    struct dg_column *column = &w->columns[text];

    T2_ASSERT(samples->items);
    for (size_t i = 0; i < n; i++) {
        if (!has_values(samples->items[i], c->texts[text].side))
            T2_TRY(encode_one(c, w, s, samples->items[i], text, err));
        tok_ends_push(&column->ends, column->ids.n);
    }
    return T2_OK;
}

enum t2_status dg_encode_texts(const struct dg_encode_run *c, struct dg_encode_worker *w,
                               struct dg_encode_slot *s, const struct dg_encode_samples *samples,
                               size_t *n_done, struct t2_err *err)
{
    static const int in_order[DG_N_TEXTS] = {DG_INPUTS, DG_CONTEXT, DG_TARGETS};
    enum t2_status st = T2_OK;

    *n_done = samples->n;
    for (int k = 0; k < DG_N_TEXTS; k++) {
        int text = in_order[k];
        struct dg_column *column = &w->columns[text];
        enum t2_status one;

        column->ids.n = column->ends.n = 0;
        if (!c->texts[text].is_wanted)
            continue;
        /* After a failure only what is in front of it: the first sample that fails is named. */
        one = goes_at_once(c, samples, text)
                  ? encode_at_once(c, w, s, samples, text, *n_done, err)
                  : encode_one_by_one(c, w, s, samples, text, *n_done, err);
        if (one == T2_OK)
            continue;
        *n_done = column->ends.n;
        st = dg_encode_wrap(samples, *n_done, one, err);
    }
    return st;
}
