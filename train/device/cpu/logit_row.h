/*
 * train/device/cpu/logit_row.h - one row of logits (V): its largest, its sum, and where the label's
 * stands; for losses over a vocabulary (xent_cpu.c) and over classes (class_loss_cpu.c).
 */
#ifndef DEV_CPU_LOGIT_ROW_H
#define DEV_CPU_LOGIT_ROW_H

#include "train/device/cpu/cpu_kernels.h"

/* Result of one pass over a row of logits. */
struct logit_row {
    float largest, total;
    int64_t best;
};

/* Largest logit (the first of equals), its place, and the sum of all.  Each lane keeps its largest
 * and the number of the vector where it stood (a strict comparison keeps the first); the smallest
 * place among the lanes that hold the largest is the argmax, as tf.argmax has it. */
static inline struct logit_row logit_row_of(const float *s, int64_t V)
{
    struct logit_row r = {.largest = -3.0e38f};
    vf top = vf_set(-3.0e38f), sum = {0};
    vi block = {0}, best = {0}; /* of each lane, counted in vectors */
    int64_t v = 0;

    for (; v + DEV_LANES <= V; v += DEV_LANES, block += 1) {
        vf x = vf_load(s + v);

        best = (vi) vf_select(vf_above(x, top), (vf) block, (vf) best);
        top = vf_max(top, x);
        sum += x;
    }
    r.largest = vf_largest(top);
    r.total = vf_sum(sum);
    r.best = V - 1;
    for (int i = 0; i < DEV_LANES; i++) {
        int64_t at = (int64_t) best[i] * DEV_LANES + i;

        if (v > 0 && top[i] == r.largest && at < r.best)
            r.best = at;
    }
    for (; v < V; v++) {
        if (s[v] > r.largest)
            r.best = v;
        r.largest = s[v] > r.largest ? s[v] : r.largest;
        r.total += s[v];
    }
    return r;
}

/* How many of n values are above x, or not below it. */
DEV_INLINE int count_above(const float *s, int64_t n, float x, bool or_equal)
{
    vf limit = vf_set(x);
    vi counts = {0};
    int64_t v = 0;
    int count = 0;

    for (; v + DEV_LANES <= n; v += DEV_LANES)
        counts -= or_equal ? (vi) (vf_load(s + v) >= limit) : (vi) (vf_load(s + v) > limit);
    for (int i = 0; i < DEV_LANES; i++)
        count += counts[i];
    for (; v < n; v++)
        count += or_equal ? s[v] >= x : s[v] > x;
    return count;
}

/* True if fewer than five logits stand before the label's; of equals the first stands first, as
 * tf.nn.top_k orders them. */
static inline bool is_among_five(const float *s, int64_t V, int64_t label)
{
    enum { PART = 256 }; /* mostly five are found soon */
    int ahead = 0;

    for (int64_t v = 0; v < label && ahead < 5; v += PART)
        ahead += count_above(s + v, label - v < PART ? label - v : PART, s[label], true);
    for (int64_t v = label + 1; v < V && ahead < 5; v += PART)
        ahead += count_above(s + v, V - v < PART ? V - v : PART, s[label], false);
    return ahead < 5;
}

/* 1: the label has the largest logit; 0.5: one of the five largest; 0 (row_stats of struct
 * dev_xent). */
static inline float logit_hit(const float *s, int64_t V, const struct logit_row *r, int64_t label)
{
    return r->best == label ? 1.0f : is_among_five(s, V, label) ? 0.5f : 0.0f;
}

#endif
