/*
 * train/device/search_kernels.h - arguments of the kernels of decoding: caches, and the choice of
 * ids; a part of kernels.h.
 */
#ifndef DEV_SEARCH_KERNELS_H
#define DEV_SEARCH_KERNELS_H

#include <stdint.h>

#include "train/device/step_block.h"
#include "train/device/types.h"

/* cache (B,cache_rows,D)[b, row] = x (B,D)[b], row = at_step->position */
struct dev_cache_put_args {
    enum dev_type type;
    const void *x;
    int64_t B, D, cache_rows;
    const struct dev_step *at_step;
    void *cache;
};

/*
 * Beam search without moving caches: row r of hypothesis b's caches lies in element
 * tables[position % 2][b,r].  From the table of the step before, with b continuing what origins[b]
 * was, and n = step_rows rows of the caches for each position:
 *   tables[position % 2][b,r] = tables[1 - position % 2][origins[b],r] for r < position n
 *   tables[position % 2][b,r] = b for the n rows of the position
 * Two tables that take turns, so no hypothesis reads what another one writes.
 */
struct dev_cache_index_args {
    const int32_t *origins; /* (B) */
    int64_t B, cache_rows, step_rows;
    const struct dev_step *at_step;
    int32_t *tables; /* (2, B, cache_rows) */
};

/* What the search wants to know of a row of logits; its hypothesis so far. */
struct dev_ask {
    double draw;    /* of draw_ids: 0 <= draw < 1 */
    float alive;    /* log-probability */
    float penalty;  /* what scores are divided by */
    int32_t wanted; /* 0: the row is passed over, and nothing is written for it */
    int32_t rests;  /* nor ever again: the model need not compute it any more */
};

struct dev_candidate {
    float score;
    int32_t id;
};

/*
 * The n best ids of each row of logits (rows,V), rows `stride` apart, by
 *   score = (log_softmax(logits)[id] + alive) / penalty
 * all in float32: largest first, of equals the lower id first.  n 1: the id of the largest logit,
 * of equals the lowest, and its log-probability.  The first id is -1 where a logit is not a number,
 * or +infinity.
 */
struct dev_best_ids_args {
    const float *logits;
    int64_t rows, V, stride;
    const struct dev_ask *asks; /* (rows); NULL, with n 1: every row is wanted */
    int64_t n;                  /* at most V */
    struct dev_candidate *best; /* (rows,n) */
    float *scratch;             /* best_ids_scratch_floats */
};

/*
 * An id of each row: logits that are not above the (keep_top_k + 1)-th largest become -1e6, so that
 * equals at that place are all left out (keep_top_k -1: none); of the rest only the most likely
 * stay whose shares of softmax(logits / temperature) together reach keep_top_p, and equals of the
 * last of them (1: all stay).  Then the id at which the running sum of softmax(logits /
 * temperature) passes draw.  Its score is its log-probability by softmax(logits).  The id is -1
 * where a logit is not finite.  common_layers.sample_with_temperature; keep_top_p: Holtzman et al.
 * 2020.
 */
struct dev_draw_ids_args {
    const float *logits;
    int64_t rows, V, stride;
    const struct dev_ask *asks; /* (rows) */
    double temperature;         /* above 0 */
    int64_t keep_top_k;
    double keep_top_p;           /* above 0, up to 1 */
    struct dev_candidate *drawn; /* (rows) */
    float *scratch;              /* draw_ids_scratch_floats */
};

#endif
