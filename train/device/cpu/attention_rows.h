/*
 * train/device/cpu/attention_rows.h - what is done with one row of logits or weights: masks,
 * softmax, hard weights, dropout, relative positions; for attention_cpu.c.
 *
 * A row has n_keys numbers and is padded to whole vectors.  softmax_row makes the padding 0, and
 * everything after it works on the padded width.
 */
#ifndef DEV_CPU_ATTENTION_ROWS_H
#define DEV_CPU_ATTENTION_ROWS_H

#include "train/device/cpu/attention_small.h"
#include "train/device/kernels.h"

/* ---- masks and biases ---- */

/* The masks of one batch element; NULL where there are none. */
struct biases {
    const int32_t *key_ids, *q_segments, *k_segments, *q_levels, *k_levels;
    const float *proximity; /* log(1 + distance) by distance */
    int64_t offset;         /* query i stands at i + offset */
    bool causal;
    bool rare; /* has any of what comes after key_ids */
};

static inline void biases_init(struct biases *m, const struct dev_attention *a, int64_t b,
                               const float *proximity)
{
    int64_t kb = b / a->q_per_key, of_keys = kb * dev_attention_ids_rows(a);

    memset(m, 0, sizeof *m);
    m->offset = a->Lk - a->Lq;
    m->causal = a->causal;
    if (a->key_ids)
        m->key_ids = a->key_ids + of_keys;
    if (a->k_segments) {
        m->q_segments = a->q_segments + b * a->Lq;
        m->k_segments = a->k_segments + of_keys;
    }
    if (a->k_levels) {
        m->q_levels = a->q_levels + b * a->Lq;
        m->k_levels = a->k_levels + of_keys;
    }
    if (a->proximity)
        m->proximity = proximity;
    m->rare = a->k_segments || a->k_levels || a->proximity;
}

static inline void add_rare_biases(const struct biases *m, int64_t i, int64_t n_keys, float *s)
{
    int64_t at = i + m->offset;

    if (m->proximity) {
        for (int64_t j = 0; j < dev_cpu_least(at, n_keys); j++)
            s[j] -= m->proximity[at - j];
        for (int64_t j = at; j < n_keys; j++)
            s[j] -= m->proximity[j - at];
    }
    if (m->k_levels)
        for (int64_t j = 0; j < n_keys; j++)
            s[j] = m->k_levels[j] > m->q_levels[i] ? -1e9f : s[j];
}

static inline void add_segments(const struct biases *m, int64_t i, int64_t n_keys, float *s)
{
    int32_t mine = m->q_segments[i];

    for (int64_t j = 0; j < n_keys; j++) {
        float hidden = s[j] <= -1e9f ? -2e9f : -1e9f;

        s[j] = m->k_segments[j] != mine ? hidden : s[j];
    }
}

/* s = softmax(s + masks) for query i: the largest is subtracted first, so no exponential overflows.
 * Masks are as in the original: -1e9 in place of the logit, as adding -1e9 in float32 absorbs it;
 * where segments differ another -1e9.  So a row in which all is masked has equal weights, not 0 /
 * 0.  The padding is -3e38 before and 0 after. */
static inline void softmax_row(const struct biases *m, int64_t i, int64_t n_keys, float *s)
{
    vf largest = vf_set(-3.0e38f), sum = {0};
    int64_t width = padded(n_keys);
    float top, inverse;

    if (m->rare)
        add_rare_biases(m, i, n_keys, s);
    if (m->key_ids)
        for (int64_t j = 0; j < n_keys; j++)
            s[j] = m->key_ids[j] ? s[j] : -1e9f;
    if (m->causal)
        for (int64_t j = i + 1 + m->offset; j < n_keys; j++)
            s[j] = -1e9f;
    if (m->k_segments)
        add_segments(m, i, n_keys, s);
    for (int64_t j = n_keys; j < width; j++)
        s[j] = -3.0e38f;
    for (int64_t j = 0; j < width; j += DEV_LANES)
        largest = vf_max(largest, vf_load(s + j));
    top = vf_largest(largest);
    for (int64_t j = 0; j < width; j += DEV_LANES) {
        vf e = vf_exp(vf_load(s + j) - vf_set(top));

        sum += e;
        vf_store(s + j, e);
    }
    inverse = 1.0f / vf_sum(sum);
    for (int64_t j = 0; j < width; j += DEV_LANES)
        vf_store(s + j, vf_load(s + j) * vf_set(inverse));
}

/* ---- hard weights ---- */

/* The largest of the values below `top`, at least 0. */
static inline float largest_below(const float *w, int64_t width, float top)
{
    vf largest = {0};

    for (int64_t j = 0; j < width; j += DEV_LANES) {
        vf x = vf_load(w + j);

        largest = vf_max(largest, vf_select(vf_above(vf_set(top), x), x, vf_set(0.0f)));
    }
    return vf_largest(largest);
}

/* Hard weights (struct dev_attention): subtracts the hard_k-th largest distinct weight, cuts at 0
 * and divides by the sum.  The weight is found by hard_k passes, each the largest below the last
 * one; sorting would be slower for the few that are asked for.  Returns what the weights were
 * divided by. */
static inline float harden_row(int64_t hard_k, int64_t width, float *w)
{
    float top = 3.0e38f, divisor;
    vf sum = {0};

    for (int64_t n = 0; n < hard_k && top > 0.0f; n++)
        top = largest_below(w, width, top);
    for (int64_t j = 0; j < width; j += DEV_LANES) {
        vf x = vf_max(vf_load(w + j) - vf_set(top), vf_set(0.0f));

        sum += x;
        vf_store(w + j, x);
    }
    divisor = vf_sum(sum);
    divisor = divisor > 1e-6f ? divisor : 1e-6f;
    for (int64_t j = 0; j < width; j += DEV_LANES)
        vf_store(w + j, vf_load(w + j) / vf_set(divisor));
    return divisor;
}

/* Sum over j of x[j] y[j], in the order of vf_sum. */
static inline float dot_row(const float *x, const float *y, int64_t width)
{
    vf sum = {0};

    for (int64_t j = 0; j < width; j += DEV_LANES)
        sum += vf_load(x + j) * vf_load(y + j);
    return vf_sum(sum);
}

/* From the gradient dw of hard weights w that of the soft ones.  With S the divisor, w = max(soft -
 * top, 0) / S and top constant: d soft = (dw - sum of dw w) / S where w > 0, else 0.  Where S was
 * raised to 1e-6 it is a constant too, and the sum falls away. */
static inline void harden_row_bwd(float divisor, int64_t width, const float *w, float *dw)
{
    float total = divisor > 1e-6f ? dot_row(dw, w, width) : 0.0f;

    for (int64_t j = 0; j < width; j += DEV_LANES) {
        vf g = (vf_load(dw + j) - vf_set(total)) / vf_set(divisor);

        vf_store(dw + j, vf_select((vi) (vf_load(w + j) > vf_set(0.0f)), g, vf_set(0.0f)));
    }
}

/* ---- dropout of the weights: attention_reference.c's weight_index ---- */

/* Dropout of the weights of one pair (b,h).  Which element has which number in the mask is said in
 * attention_reference.c, weight_index; the factors of the group in use are kept, as a row asks for
 * a vector of them at a time. */
struct mask {
    const struct dev_dropout *dropout;
    uint64_t first_group; /* of the pair */
    uint64_t row_floats;  /* padded Lk; 0 where all queries have one mask */
    uint64_t group;       /* whose factors these are */
    float factor[128];
};

static inline void mask_init(struct mask *m, const struct dev_attention *a, int64_t b, int64_t h)
{
    uint64_t pair =
        (uint64_t) ((a->dropout_same_batch ? 0 : b * a->H) + (a->dropout_same_heads ? 0 : h));
    uint64_t first = a->dropout.threshold ? dev_dropout_first(&a->dropout) : 0;

    m->dropout = &a->dropout;
    m->row_floats = a->dropout_same_queries ? 0 : (uint64_t) padded(a->Lk);
    m->first_group = (first + dev_dropout_pair(a) * pair) / 128; /* both are whole groups */
    m->group = UINT64_MAX;
}

/* Factors of weights j .. j + DEV_LANES - 1 of query i. */
DEV_INLINE vf mask_factors(struct mask *m, int64_t i, int64_t j)
{
    uint64_t at = (uint64_t) i * m->row_floats + (uint64_t) j;
    uint64_t group = m->first_group + at / 128;

    if (group != m->group) {
        dropout_group(m->dropout, group, m->factor);
        m->group = group;
    }
    return vf_load(m->factor + at % 128);
}

/* ---- relative positions ---- */

/* s[j] += the product of the query of (i,j) with the row of the table of (i,j), for j < n_keys: x
 * is row i of scale q rel_k^T (rows), and row i + 1 follows `width` later.  By kind (struct
 * dev_relative) the keys fall into ranges in which the place in x moves with j or stands still, so
 * there is no test per key. */
static inline void relative_add(const struct dev_attention *a, int64_t i, int64_t n_keys,
                                const float *x, int64_t width, float *s)
{
    const struct dev_relative *r = &a->relative;
    int64_t at = i + a->Lk - a->Lq, R = r->rows / 2, end = dev_cpu_least(at + 1, n_keys);

    if (r->kind == DEV_RELATIVE_CLIPPED) {
        int64_t left = dev_cpu_least(most(at - R, 0), n_keys),
                right = dev_cpu_least(at + R, n_keys);

        for (int64_t j = 0; j < left; j++)
            s[j] += x[0];
        for (int64_t j = left; j < right; j++)
            s[j] += x[j - at + R];
        for (int64_t j = most(right, 0); j < n_keys; j++)
            s[j] += x[2 * R];
        return;
    }
    for (int64_t j = most(0, at - r->rows + 1); j < end; j++)
        s[j] += x[r->rows - 1 - at + j];
    if (!a->causal)
        for (int64_t j = most(at + 2, at + 2 + a->Lk - r->rows); j < n_keys; j++)
            s[j] += x[width + r->rows - a->Lk + j - at - 2];
}

/* The other way round: w[j] is added to the place in x that relative_add reads for j. */
static inline void relative_gather(const struct dev_attention *a, int64_t i, int64_t n_keys,
                                   const float *w, int64_t width, float *x)
{
    const struct dev_relative *r = &a->relative;
    int64_t at = i + a->Lk - a->Lq, R = r->rows / 2, end = dev_cpu_least(at + 1, n_keys);

    if (r->kind == DEV_RELATIVE_CLIPPED) {
        int64_t left = dev_cpu_least(most(at - R, 0), n_keys),
                right = dev_cpu_least(at + R, n_keys);

        for (int64_t j = 0; j < left; j++)
            x[0] += w[j];
        for (int64_t j = left; j < right; j++)
            x[j - at + R] += w[j];
        for (int64_t j = most(right, 0); j < n_keys; j++)
            x[2 * R] += w[j];
        return;
    }
    for (int64_t j = most(0, at - r->rows + 1); j < end; j++)
        x[r->rows - 1 - at + j] += w[j];
    if (!a->causal)
        for (int64_t j = most(at + 2, at + 2 + a->Lk - r->rows); j < n_keys; j++)
            x[width + r->rows - a->Lk + j - at - 2] += w[j];
}

#endif
