/*
 * train/device/cpu/choice_cpu.c - the end of a step of decoding: the best ids of each row of logits
 * (V), or one that is drawn.
 *
 * A row is read twice: once for the largest of every LANES values, once for the sum of
 * exponentials.  After that only the places whose largest value can enter the list are looked into:
 * the score grows with the logit, so a lane whose largest logit is below that of the worst of the
 * list cannot improve it, unless rounding makes their scores equal and its id is the lower one
 * (below()).  Of V = 32768 logits some hundred are looked at.
 *
 * Plain loops over 16 lanes, which the compiler makes vectors of for every variant.  Sums use 32
 * partial sums and one tree, the same for all variants.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

/* Values are looked at in groups; each group gives one maximum per lane: lane l has the values l,
 * l + LANES, ... of the group. */
enum { LANES = 16, GROUP = 256 };

static const float lowest = -3.402823466e38f;

/* ---- two passes over a row ---- */

/* e^x for x <= 0, relative error below 2e-7; about 1e-38 for all below -87.3; NaN stays NaN.  The
 * same method as vf_exp of simd.h; the integer is read from the bits of the rounded sum. */
static inline float exp_of(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: its last bits become the rounded sum */
    const uint32_t magic_bits = 0x4b400000u;
    float rounded, r, p, scale;
    uint32_t bits;

    x = x < -87.3f ? -87.3f : x;
    rounded = x * 1.44269504088896341f + magic;
    memcpy(&bits, &rounded, sizeof bits);
    rounded -= magic;
    r = x - rounded * 0.693359375f;
    r = r - rounded * -2.12194440e-4f;
    p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    bits = (bits - magic_bits + 127u) << 23;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline void group_max(const float *restrict x, int64_t n, float *restrict max)
{
    for (int l = 0; l < LANES; l++)
        max[l] = lowest;
    if (n == GROUP) {
        for (int j = 0; j < GROUP; j += LANES)
            for (int l = 0; l < LANES; l++)
                max[l] = larger(x[j + l], max[l]);
    } else {
        for (int64_t i = 0; i < n; i++)
            max[i % LANES] = larger(x[i], max[i % LANES]);
    }
}

/* Lane maxima of all groups into lane_max (lanes_of); returns the largest of all.  A NaN is passed
 * over. */
static float row_max(const float *x, int64_t n, float *lane_max)
{
    float all[LANES], best = lowest;

    for (int l = 0; l < LANES; l++)
        all[l] = lowest;
    for (int64_t at = 0; at < n; at += GROUP, lane_max += LANES) {
        group_max(x + at, n - at < GROUP ? n - at : GROUP, lane_max);
        for (int l = 0; l < LANES; l++)
            all[l] = larger(lane_max[l], all[l]);
    }
    for (int l = 0; l < LANES; l++)
        best = larger(all[l], best);
    return best;
}

/* Sum of e^(x - shift), for x <= shift.  NaN when one of them is. */
static float row_sum_exp(const float *x, int64_t n, float shift)
{
    float sum[2 * LANES] = {0};
    int64_t i = 0;

    for (; i + 2 * LANES <= n; i += 2 * LANES)
        for (int l = 0; l < 2 * LANES; l++)
            sum[l] += exp_of(x[i + l] - shift);
    for (int l = 0; i < n; i++, l++)
        sum[l] += exp_of(x[i] - shift);
    for (int step = LANES; step > 0; step /= 2) /* always the same tree */
        for (int l = 0; l < step; l++)
            sum[l] += sum[l + step];
    return sum[0];
}

static int64_t lanes_of(int64_t V)
{
    return dev_cpu_div_up(V, GROUP) * LANES;
}

/* The id that lane maximum number i stands for; further ones are LANES apart. */
static int64_t first_id(int64_t i)
{
    return i / LANES * GROUP + i % LANES;
}

/* Behind the last id of the group that lane maximum number i belongs to. */
static int64_t group_end(int64_t i, int64_t V)
{
    int64_t end = (i / LANES + 1) * GROUP;

    return end < V ? end : V;
}

/* ---- the best ids ---- */

struct best {
    const struct dev_best_ids_args *a;
    int64_t lanes;
};

/* Best first: higher score, of equals the lower id. */
static bool better(struct dev_candidate a, struct dev_candidate b)
{
    return a.score > b.score || (a.score == b.score && a.id < b.id);
}

/* Puts a candidate where it belongs; the last of a full list falls out. */
static void insert(struct dev_candidate *best, int64_t *n_found, int64_t n, struct dev_candidate c)
{
    int64_t at = *n_found < n ? (*n_found)++ : n - 1;

    for (; at > 0 && better(c, best[at - 1]); at--)
        best[at] = best[at - 1];
    best[at] = c;
}

/* No logit below this has the score of `logit` or a better one: eight times what the three
 * roundings of (logit - lse + alive) / penalty can hide. */
static float below(float logit, float lse, float alive)
{
    return logit - 1e-6f * (fabsf(logit) + fabsf(lse) + fabsf(alive) + 1);
}

static void argmax(const float *x, float largest, float lse, const float *lane_max,
                   struct dev_candidate *best)
{
    int64_t i = 0, at;

    while (lane_max[i] < largest)
        i++;
    /* the lowest of equals may be in another lane of the same group */
    at = i / LANES * GROUP;
    while (x[at] < largest)
        at++;
    *best = (struct dev_candidate){x[at] - lse, (int32_t) at};
}

static void scan(const struct best *b, const float *x, const struct dev_ask *ask, float lse,
                 const float *lane_max, struct dev_candidate *best)
{
    float enough = -INFINITY; /* what a full list takes */
    int64_t n = b->a->n, V = b->a->V, n_found = 0;

    for (int64_t i = 0; i < b->lanes; i++) {
        int64_t end;

        if (lane_max[i] < enough)
            continue;
        end = group_end(i, V);
        for (int64_t id = first_id(i); id < end; id += LANES) {
            struct dev_candidate c = {(x[id] - lse + ask->alive) / ask->penalty, (int32_t) id};

            if (x[id] < enough || (n_found == n && !better(c, best[n - 1])))
                continue;
            insert(best, &n_found, n, c);
            if (n_found == n)
                enough = below(x[best[n - 1].id], lse, ask->alive);
        }
    }
}

static void best_of_row(void *arg, int64_t row, int worker)
{
    const struct best *b = arg;
    const struct dev_best_ids_args *a = b->a;
    const float *x = a->logits + row * a->stride;
    struct dev_candidate *best = a->best + row * a->n;
    float *lane_max = a->scratch + worker * b->lanes, largest, lse;

    if (a->asks && !a->asks[row].wanted)
        return;
    largest = row_max(x, a->V, lane_max);
    lse = largest + logf(row_sum_exp(x, a->V, largest));
    if (!isfinite(lse))
        best->id = -1;
    else if (a->n == 1)
        argmax(x, largest, lse, lane_max, best);
    else
        scan(b, x, &a->asks[row], lse, lane_max, best);
}

void DEV_CPU(dev_cpu_best_ids)(struct dev *d, const struct dev_best_ids_args *a)
{
    struct best b = {a, lanes_of(a->V)};

    T2_ASSERT(a->n >= 1 && a->n <= a->V && (a->asks || a->n == 1));
    dev_cpu_run(d, a->rows, best_of_row, &b);
}

int64_t DEV_CPU(dev_cpu_best_ids_scratch)(const struct dev *d, int64_t V)
{
    return t2_pool_threads(d->pool) * lanes_of(V);
}

/* ---- drawing ---- */

static void sink(float *heap, int64_t n, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        float value = heap[at];

        if (child >= n)
            return;
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (heap[child] >= value)
            return;
        heap[at] = heap[child];
        heap[child] = value;
        at = child;
    }
}

/* The n-th largest: the least of a min-heap that holds the n largest so far; V log n at worst, and
 * close to V for random rows. */
static float nth_largest(const float *x, int64_t length, int64_t n, float *heap)
{
    memcpy(heap, x, (size_t) n * sizeof *heap);
    for (int64_t i = n / 2; i-- > 0;)
        sink(heap, n, i);
    for (int64_t i = n; i < length; i++)
        if (x[i] > heap[0]) {
            heap[0] = x[i];
            sink(heap, n, 0);
        }
    return heap[0];
}

static bool all_finite(const float *x, int64_t n)
{
    bool fine = true;

    for (int64_t i = 0; i < n; i++)
        fine &= isfinite(x[i]) != 0;
    return fine;
}

/* How many of the largest are looked for: nothing is kept at and below the last of them; 0: all
 * are. */
static int64_t n_looked_for(int64_t V, int64_t keep_top_k)
{
    return keep_top_k > 0 && keep_top_k < V ? keep_top_k + 1 : 0;
}

static int64_t heap_floats(int64_t V, int64_t keep_top_k, double keep_top_p)
{
    return keep_top_p < 1 ? V : n_looked_for(V, keep_top_k);
}

/* What is left of the sum of exponentials by an id, and of one that is left out. */
static double part_of(const struct dev_draw_ids_args *a, float x, float threshold, double top)
{
    return exp(((x > threshold ? (double) x : -1e6) - top) / a->temperature);
}

/* The threshold that leaves the most likely ids whose parts reach keep_top_p of the sum: the
 * largest are taken from a heap (of their negatives) one after the other. */
static float top_p_threshold(const struct dev_draw_ids_args *a, const float *x, float threshold,
                             double top, double sum, float *heap)
{
    double reached = 0;
    int64_t n = 0;

    for (int64_t i = 0; i < a->V; i++)
        if (x[i] > threshold)
            heap[n++] = -x[i];
    for (int64_t i = n / 2; i-- > 0;)
        sink(heap, n, i);
    while (n > 0) {
        float largest = -heap[0];

        reached += part_of(a, largest, threshold, top);
        if (reached >= a->keep_top_p * sum)
            return nextafterf(largest, -INFINITY);
        heap[0] = heap[--n];
        sink(heap, n, 0);
    }
    return threshold;
}

/* Inverts the distribution: the id at which the running sum of probabilities passes the number that
 * was drawn.  Sums in double; the exponentials are computed twice instead of being stored. */
static void draw_of_row(void *arg, int64_t row, int worker)
{
    const struct dev_draw_ids_args *a = arg;
    const float *x = a->logits + row * a->stride;
    struct dev_candidate *drawn = a->drawn + row;
    int64_t n_largest = n_looked_for(a->V, a->keep_top_k);
    float *heap = a->scratch + worker * heap_floats(a->V, a->keep_top_k, a->keep_top_p);
    float threshold = -INFINITY, largest = -INFINITY;
    double top, sum = 0, all = 0, rest;
    bool any = false;

    if (!a->asks[row].wanted)
        return;
    drawn->id = -1;
    if (!all_finite(x, a->V))
        return;
    if (n_largest > 0)
        threshold = nth_largest(x, a->V, n_largest, heap);
    for (int64_t i = 0; i < a->V; i++) {
        largest = fmaxf(largest, x[i]);
        any |= x[i] > threshold;
    }
    top = any ? (double) largest : -1e6;
    for (int64_t i = 0; i < a->V; i++) {
        sum += part_of(a, x[i], threshold, top);
        all += exp((double) x[i] - (double) largest);
    }
    if (a->keep_top_p < 1) {
        threshold = top_p_threshold(a, x, threshold, top, sum, heap);
        sum = 0;
        for (int64_t i = 0; i < a->V; i++)
            sum += part_of(a, x[i], threshold, top);
    }
    rest = a->asks[row].draw * sum;
    drawn->id = 0;
    for (int64_t i = 0; i < a->V; i++) {
        double part = part_of(a, x[i], threshold, top);

        if (part > 0) /* rounding may leave the last one with nothing */
            drawn->id = (int32_t) i;
        rest -= part;
        if (rest < 0)
            break;
    }
    drawn->score = (float) ((double) x[drawn->id] - (double) largest - log(all));
}

void DEV_CPU(dev_cpu_draw_ids)(struct dev *d, const struct dev_draw_ids_args *a)
{
    struct dev_draw_ids_args args = *a;

    dev_cpu_run(d, a->rows, draw_of_row, &args);
}

int64_t DEV_CPU(dev_cpu_draw_ids_scratch)(const struct dev *d, int64_t V, int64_t keep_top_k,
                                          double keep_top_p)
{
    return t2_pool_threads(d->pool) * heap_floats(V, keep_top_k, keep_top_p);
}
