/*
 * datagen/problems/revision_pairs.c - two revisions become pairs.
 */
#include "datagen/problems/revision_pairs.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

static const double ERROR_RATE = 3e-3;
enum { MOST_INFILLED = 8 };

void dg_pairs_release(struct dg_pairs *p)
{
    dg_matcher_release(&p->matcher);
    dg_matcher_release(&p->inner);
    t2_free(p->cuts);
    t2_free(p->places);
    p->cuts = NULL;
    p->places = NULL;
    p->n_cuts = p->cuts_capacity = p->places_capacity = 0;
}

/* ---- errors ---- */

/* The beginnings of all characters, and the end of the text; returns the number of characters. */
static size_t find_characters(struct dg_pairs *p, struct t2_slice text)
{
    size_t n = 0;

    T2_ASSERT(text.len_bytes < UINT32_MAX);
    if (text.len_bytes + 1 > p->places_capacity) {
        p->places_capacity = text.len_bytes + text.len_bytes / 4 + 1;
        t2_free(p->places);
        p->places = t2_alloc(p->places_capacity, sizeof *p->places);
    }
    for (size_t i = 0; i < text.len_bytes; i++) {
        if ((text.data[i] & 0xc0) != 0x80)
            p->places[n++] = (uint32_t) i;
    }
    p->places[n] = (uint32_t) text.len_bytes;
    return n;
}

static void put_characters(const struct dg_pairs *p, struct t2_slice text, size_t from, size_t to,
                           struct t2_buf *out)
{
    t2_buf_append(out, text.data + p->places[from], p->places[to] - p->places[from]);
}

static void put_any_character(struct dg_pairs *p, struct t2_slice text, size_t n,
                              struct t2_buf *out)
{
    size_t i = (size_t) t2_mt_below(&p->mt, n);

    put_characters(p, text, i, i + 1, out);
}

/* An error at a character; returns how many characters it takes. */
static size_t bring_error(struct dg_pairs *p, struct t2_slice text, size_t at, size_t n,
                          struct t2_buf *out)
{
    enum { DELETE, INSERT, REPLACE, TRANSPOSE, INFILL, N_OPERATIONS };

    switch (t2_mt_below(&p->mt, N_OPERATIONS)) {
    case DELETE:
        return 1;
    case INSERT:
        put_any_character(p, text, n, out);
        return 0;
    case REPLACE:
        put_any_character(p, text, n, out);
        return 1;
    case TRANSPOSE:
        if (at + 1 < n)
            put_characters(p, text, at + 1, at + 2, out);
        put_characters(p, text, at, at + 1, out);
        return 2;
    default:
        t2_buf_puts(out, "|?|");
        return (size_t) t2_mt_below(&p->mt, MOST_INFILLED + 1);
    }
}

void dg_pairs_bring_errors(struct dg_pairs *p, struct t2_slice text, struct t2_buf *out)
{
    size_t n = find_characters(p, text), at = 0, from = 0;
    uint64_t n_errors = 0;

    t2_buf_clear(out);
    while (at < n) {
        if (t2_mt_random(&p->mt) >= ERROR_RATE) {
            at++;
            continue;
        }
        put_characters(p, text, from, at, out);
        n_errors++;
        at += bring_error(p, text, at, n, out);
        from = at < n ? at : n;
    }
    if (from < n)
        put_characters(p, text, from, n, out);
    p->counts.errors += n_errors;
    p->counts.with_errors += n_errors > 0;
}

/* ---- cutting ---- */

static void push_cut(struct dg_pairs *p, size_t i, size_t j)
{
    if (p->n_cuts == p->cuts_capacity) {
        p->cuts_capacity = p->cuts_capacity ? 2 * p->cuts_capacity : 256;
        p->cuts = t2_realloc(p->cuts, p->cuts_capacity, sizeof *p->cuts);
    }
    p->cuts[p->n_cuts++] = (struct dg_cut){i, j};
}

/* Probabilities between 1/4 and 2 / max_length, their logarithms evenly. */
static double draw_cut_probability(struct dg_pairs *p)
{
    double most = -log(4.0), least = -log((double) p->max_length / 2.0);

    return exp(t2_mt_random(&p->mt) * (least - most) + most);
}

static void draw_cuts(struct dg_pairs *p, const struct tok_ids *old_ids,
                      const struct tok_ids *new_ids)
{
    double probability = draw_cut_probability(p);

    dg_match_ids(&p->matcher, old_ids->items, old_ids->n, new_ids->items, new_ids->n);
    p->n_cuts = 0;
    push_cut(p, 0, 0);
    for (size_t k = 0; k < p->matcher.n; k++) {
        const struct dg_match *m = &p->matcher.items[k];
        for (size_t i = m->i1; m->is_equal && i <= m->i2; i++) {
            if (t2_mt_random(&p->mt) < probability)
                push_cut(p, i, i + m->j1 - m->i1);
        }
    }
    push_cut(p, old_ids->n, new_ids->n);
}

/* edit_distance_filter */
static bool is_too_different(struct dg_pairs *p, const int32_t *source, size_t n_source,
                             const int32_t *target, size_t n_target)
{
    uint64_t different = 0, equal = 0;

    if (p->max_equal_to_diff == 0)
        return false;
    dg_match_ids(&p->inner, source, n_source, target, n_target);
    for (size_t k = 0; k < p->inner.n; k++) {
        const struct dg_match *m = &p->inner.items[k];
        size_t n_i = m->i2 - m->i1, n_j = m->j2 - m->j1;
        if (m->is_equal)
            equal += n_i;
        else
            different += n_i > n_j ? n_i : n_j;
    }
    return !((double) different <= p->max_equal_to_diff * (double) equal);
}

/* Of pairs without a difference only a share is kept. */
static bool leaves_out_identical(struct dg_pairs *p)
{
    double share = (double) p->counts.identical / (double) (1 + p->counts.pairs);

    return share > p->percent_identical || t2_mt_random(&p->mt) > 0.5;
}

static enum t2_status give_pair(struct dg_pairs *p, const int32_t *source, size_t n_source,
                                const int32_t *target, size_t n_target, dg_pair_fn give,
                                void *context, struct t2_err *err)
{
    if (n_source == 0 || n_target == 0)
        return T2_OK;
    if (is_too_different(p, source, n_source, target, n_target)) {
        p->counts.thrown_distance++;
        return T2_OK;
    }
    if (n_source + 1 > p->max_length || n_target + 1 > p->max_length) {
        p->counts.too_long++;
        return T2_OK;
    }
    if (n_source == n_target && memcmp(source, target, n_source * sizeof *source) == 0) {
        if (leaves_out_identical(p)) {
            p->counts.thrown_identical++;
            return T2_OK;
        }
        p->counts.identical++;
    }
    p->counts.pairs++;
    p->counts.source_tokens += n_source;
    p->counts.target_tokens += n_target;
    return give(context, source, n_source, target, n_target, err);
}

enum t2_status dg_pairs_cut(struct dg_pairs *p, const struct tok_ids *old_ids,
                            const struct tok_ids *new_ids, dg_pair_fn give, void *context,
                            struct t2_err *err)
{
    draw_cuts(p, old_ids, new_ids);
    if (old_ids->n == 0 || new_ids->n == 0) /* no pair has two sides */
        return T2_OK;
    for (size_t k = 0; k + 1 < p->n_cuts; k++) {
        const struct dg_cut *from = &p->cuts[k], *to = &p->cuts[k + 1];
        T2_TRY(give_pair(p, old_ids->items + from->i, to->i - from->i, new_ids->items + from->j,
                         to->j - from->j, give, context, err));
    }
    return T2_OK;
}
