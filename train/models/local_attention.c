/*
 * train/models/local_attention.c - see the header.
 *
 * The blocks from the second on are batch elements of one causal attention with twice as many keys
 * as queries: query i of n stands at place i + n of its 2 n keys, so that it sees the whole block
 * before its own.  The first block, and the last where it is shorter, are attentions of their own.
 *
 * The others cut windows out of the grid of positions (ops/windows.h), a sequence being a row:
 * those of the queries, side by side, and of what each sees.  Keys beyond the edge are zeros, which
 * are masked, as the original masks what holds nothing (embedding_to_padding).
 */
#include "train/models/local_attention.h"

#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/mark_rows.h"
#include "train/ops/slices.h"
#include "train/ops/windows.h"

/* Of x (B, L, D) the blocks 1 .. n_blocks, each behind the block before it: (B * n_blocks,
 * 2 * length, D). */
static struct gr_tensor *with_previous(struct gr_graph *g, struct gr_tensor *x, int64_t n_blocks,
                                       int64_t length)
{
    int64_t n = n_blocks * length;
    struct gr_tensor *both[] = {nn_slice_positions(g, x, 0, n, n_blocks),
                                nn_slice_positions(g, x, length, n, n_blocks)};

    return nn_join_positions(g, both, 2, x->dims[0] * n_blocks);
}

struct gr_tensor *mdl_local_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                      struct gr_tensor *v, const struct nn_attention *how,
                                      int64_t block_length)
{
    int64_t B = q->dims[0], L = q->dims[1], n = block_length;
    int64_t later = L / n - 1, rest = L % n; /* whole blocks but the first, and what is left */
    struct nn_attention a = *how;
    struct gr_tensor *parts[3];
    int n_parts = 0;

    a.causal = true;
    a.q_per_key = 1;
    if (L < 2 * n)
        return nn_attention(g, q, k, v, &a);
    parts[n_parts++] =
        nn_attention(g, nn_slice_positions(g, q, 0, n, 1), nn_slice_positions(g, k, 0, n, 1),
                     nn_slice_positions(g, v, 0, n, 1), &a);
    parts[n_parts++] =
        nn_attention(g, nn_slice_positions(g, q, n, later * n, later),
                     with_previous(g, k, later, n), with_previous(g, v, later, n), &a);
    if (rest > 0)
        parts[n_parts++] = nn_attention(g, nn_slice_positions(g, q, L - rest, rest, 1),
                                        nn_slice_positions(g, k, L - rest - n, rest + n, 1),
                                        nn_slice_positions(g, v, L - rest - n, rest + n, 1), &a);
    return nn_join_positions(g, parts, n_parts, B);
}

/* ---- windows ---- */

enum { MOST_MEMORIES = GR_MAX_INPUTS - 1 };

struct windows {
    struct nn_windows own;                 /* of the queries */
    struct nn_windows seen[MOST_MEMORIES]; /* beside them */
    int n_seen;
    bool masked; /* keys of the own block up to the query are seen, too, whatever they hold */
};

/* Blocks of query[0] x query[1] over the whole grid. */
static struct nn_windows blocks(int64_t L, int64_t height, const int64_t query[2])
{
    int64_t width = L / height;

    T2_ASSERT(L % height == 0);
    return (struct nn_windows){.height = height,
                               .width = width,
                               .rows = (height + query[0] - 1) / query[0],
                               .columns = (width + query[1] - 1) / query[1],
                               .step = {query[0], query[1]},
                               .size = {query[0], query[1]}};
}

static void add_seen(struct windows *w, int64_t above, int64_t left, int64_t rows, int64_t columns)
{
    struct nn_windows *seen = &w->seen[w->n_seen++];

    *seen = w->own;
    seen->first[0] = -above;
    seen->first[1] = -left;
    seen->size[0] = rows;
    seen->size[1] = columns;
}

/* Keys or values of every block: what it sees, then with `masked` its own. */
static struct gr_tensor *cut_seen(struct gr_graph *g, struct gr_tensor *x, const struct windows *w)
{
    struct gr_tensor *parts[MOST_MEMORIES + 1];
    int n = 0;

    for (int i = 0; i < w->n_seen; i++)
        parts[n++] = nn_cut_windows(g, x, &w->seen[i]);
    if (w->masked)
        parts[n++] = nn_cut_windows(g, x, &w->own);
    return n == 1 ? parts[0] : nn_join_positions(g, parts, n, parts[0]->dims[0]);
}

static struct gr_tensor *attend(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                struct gr_tensor *v, const struct nn_attention *how,
                                const struct windows *w)
{
    struct nn_attention a = *how;

    q = nn_cut_windows(g, q, &w->own);
    k = cut_seen(g, k, w);
    v = cut_seen(g, v, w);
    a.causal = w->masked;
    a.q_per_key = 1;
    if (w->n_seen > 0)
        a.key_ids = nn_mark_rows_but(g, k, w->masked ? q->dims[1] : 0);
    return nn_put_windows(g, nn_attention(g, q, k, v, &a), &w->own);
}

static struct windows row_blocks(const struct gr_tensor *q, int64_t block, bool masked)
{
    const int64_t query[] = {1, block};

    return (struct windows){.own = blocks(q->dims[1], 1, query), .masked = masked};
}

struct gr_tensor *mdl_block_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                      struct gr_tensor *v, const struct nn_attention *how,
                                      const struct mdl_reach *reach)
{
    struct windows w = row_blocks(q, reach->block, true);

    return attend(g, q, k, v, how, &w);
}

struct gr_tensor *mdl_dilated_attention(struct gr_graph *g, struct gr_tensor *q,
                                        struct gr_tensor *k, struct gr_tensor *v,
                                        const struct nn_attention *how,
                                        const struct mdl_reach *reach)
{
    struct windows w = row_blocks(q, reach->block, true);

    T2_ASSERT(reach->n_memories <= MOST_MEMORIES);
    for (int64_t i = 1; i <= reach->n_memories; i++)
        add_seen(&w, 0, i * (reach->memory + reach->gap), 1, reach->memory);
    return attend(g, q, k, v, how, &w);
}

struct gr_tensor *mdl_wide_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                     struct gr_tensor *v, const struct nn_attention *how,
                                     const struct mdl_reach *reach)
{
    struct windows w = row_blocks(q, reach->block, false);

    add_seen(&w, 0, reach->width, 1, reach->block + 2 * reach->width);
    return attend(g, q, k, v, how, &w);
}

struct gr_tensor *mdl_local_attention_2d(struct gr_graph *g, struct gr_tensor *q,
                                         struct gr_tensor *k, struct gr_tensor *v,
                                         const struct nn_attention *how,
                                         const struct mdl_reach *reach, int64_t height)
{
    const int64_t *query = reach->query, *flange = reach->flange;
    struct windows w = {.own = blocks(q->dims[1], height, query), .masked = true};

    if (flange[0] > 0)
        add_seen(&w, flange[0], flange[1], flange[0], query[1] + 2 * flange[1]);
    if (flange[1] > 0)
        add_seen(&w, 0, flange[1], query[0], flange[1]);
    return attend(g, q, k, v, how, &w);
}

struct gr_tensor *mdl_shift_blocks(struct gr_graph *g, struct gr_tensor *x, const int64_t query[2],
                                   int64_t height)
{
    struct nn_windows own = blocks(x->dims[1], height, query);
    int64_t row[4], flat[3];

    x = nn_cut_windows(g, x, &own); /* (B * blocks, query[0] * query[1], D) */
    for (int i = 0; i < 3; i++)
        flat[i] = x->dims[i];
    row[0] = flat[0];
    row[1] = 1;
    row[2] = flat[1];
    row[3] = flat[2];
    x = nn_shift_pixels(g, nn_reshape(g, x, 4, row), 0, -1);
    return nn_put_windows(g, nn_reshape(g, x, 3, flat), &own);
}
