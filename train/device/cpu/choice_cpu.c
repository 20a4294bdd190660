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
 * Lanes are 16 and partial sums 32, with one tree, for all variants, of as many registers as that
 * takes.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

/* Values are looked at in groups; each group gives one maximum per lane: lane l has the values l,
 * l + LANES, ... of the group. */
enum { LANES = 16, GROUP = 256 };

static const float lowest = -3.402823466e38f;

/* ---- two passes over a row ---- */

/* e^x for x <= 0, relative error below 2e-7; about 1e-38 for all below -87.3; NaN stays NaN.  The
 * same method as vf_exp of simd.h. */
DEV_INLINE vf exp_of(vf x)
{
    const vf magic = vf_set(12582912.0f); /* 1.5 * 2^23: its last bits become the rounded sum */
    vf rounded, r, p;
    vi whole;

    x = vf_max(vf_set(-87.3f), x);
    rounded = x * vf_set(1.44269504088896341f) + magic;
    whole = (vi) rounded - 0x4b400000;
    rounded -= magic;
    r = x - rounded * vf_set(0.693359375f);
    r = r - rounded * vf_set(-2.12194440e-4f);
    p = vf_set(1.9875691500e-4f);
    p = p * r + vf_set(1.3981999507e-3f);
    p = p * r + vf_set(8.3334519073e-3f);
    p = p * r + vf_set(4.1665795894e-2f);
    p = p * r + vf_set(1.6666665459e-1f);
    p = p * r + vf_set(5.0000001201e-1f);
    p = p * r * r + r + vf_set(1.0f);
    return p * (vf) ((whole + 127) << 23);
}

/* Of lane l the largest of x[l], x[l + LANES], ...; what is NaN is passed over. */
static inline void group_max(const float *restrict x, int64_t n, float *restrict max)
{
    enum { PARTS = LANES / DEV_LANES };
    vf all[PARTS];
    int64_t i = 0;

#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++)
        all[p] = vf_set(lowest);
    for (; i + LANES <= n; i += LANES) {
#pragma GCC unroll 4
        for (int p = 0; p < PARTS; p++)
            all[p] = vf_max(vf_load(x + i + p * DEV_LANES), all[p]);
    }
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++)
        vf_store(max + p * DEV_LANES, all[p]);
    for (int l = 0; i < n; i++, l++)
        max[l] = x[i] > max[l] ? x[i] : max[l];
}

/* Lane maxima of all groups into lane_max (lanes_of), and of all of them together into all (LANES),
 * of which the largest is returned. */
static float row_max(const float *x, int64_t n, float *lane_max, float all[LANES])
{
    float best = lowest;

    for (int l = 0; l < LANES; l++)
        all[l] = lowest;
    for (int64_t at = 0; at < n; at += GROUP, lane_max += LANES) {
        group_max(x + at, n - at < GROUP ? n - at : GROUP, lane_max);
        for (int l = 0; l < LANES; l++)
            all[l] = lane_max[l] > all[l] ? lane_max[l] : all[l];
    }
    for (int l = 0; l < LANES; l++)
        best = all[l] > best ? all[l] : best;
    return best;
}

/* Sum of e^(x - shift), for x <= shift.  NaN when one of them is. */
static float row_sum_exp(const float *x, int64_t n, float shift)
{
    enum { SUMS = 2 * LANES, PARTS = SUMS / DEV_LANES };
    float sum[SUMS], rest[SUMS];
    vf sums[PARTS] = {{0}};
    int64_t i = 0;

    for (; i + SUMS <= n; i += SUMS) {
#pragma GCC unroll 8
        for (int p = 0; p < PARTS; p++)
            sums[p] += exp_of(vf_load(x + i + p * DEV_LANES) - vf_set(shift));
    }
    for (int p = 0; p < PARTS; p++)
        vf_store(sum + p * DEV_LANES, sums[p]);
    for (int l = 0; l < SUMS; l++)
        rest[l] = i + l < n ? x[i + l] - shift : 0.0f;
    for (int p = 0; p < PARTS; p++)
        vf_store(rest + p * DEV_LANES, exp_of(vf_load(rest + p * DEV_LANES)));
    for (int l = 0; i < n; i++, l++)
        sum[l] += rest[l];
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

/* What a full list of n takes at least: so many lanes have a logit that is not below this. */
static float enough_of(const float all[LANES], int64_t n, float lse, float alive)
{
    float heap[LANES], nth = n <= LANES ? nth_largest(all, LANES, n, heap) : lowest;

    return nth > lowest ? below(nth, lse, alive) : -INFINITY;
}

static bool any_reaches(const float *max, float enough)
{
    bool any = false;

    for (int l = 0; l < LANES; l++)
        any |= max[l] >= enough;
    return any;
}

/* `enough` rises with what is found. */
static void scan(const struct best *b, const float *x, const struct dev_ask *ask, float lse,
                 const float *lane_max, float enough, struct dev_candidate *best)
{
    int64_t n = b->a->n, V = b->a->V, n_found = 0;

    for (int64_t i = 0; i < b->lanes; i++) {
        int64_t end;

        if (i % LANES == 0 && !any_reaches(lane_max + i, enough)) {
            i += LANES - 1;
            continue;
        }
        if (lane_max[i] < enough)
            continue;
        end = group_end(i, V);
        for (int64_t id = first_id(i); id < end; id += LANES) {
            struct dev_candidate c = {(x[id] - lse + ask->alive) / ask->penalty, (int32_t) id};

            if (x[id] < enough || (n_found == n && !better(c, best[n - 1])))
                continue;
            insert(best, &n_found, n, c);
            if (n_found == n)
                enough = fmaxf(enough, below(x[best[n - 1].id], lse, ask->alive));
        }
    }
}

static void best_of_row(void *arg, int64_t row, int worker)
{
    const struct best *b = arg;
    const struct dev_best_ids_args *a = b->a;
    const float *x = a->logits + row * a->stride;
    struct dev_candidate *best = a->best + row * a->n;
    float *lane_max = a->scratch + worker * b->lanes, all[LANES], largest, lse;

    if (a->asks && !a->asks[row].wanted)
        return;
    largest = row_max(x, a->V, lane_max, all);
    lse = largest + logf(row_sum_exp(x, a->V, largest));
    if (!isfinite(lse))
        best->id = -1;
    else if (a->n == 1)
        argmax(x, largest, lse, lane_max, best);
    else
        scan(b, x, &a->asks[row], lse, lane_max, enough_of(all, a->n, lse, a->asks[row].alive),
             best);
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
