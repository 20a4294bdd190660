/*
 * train/decode/row_scan.c - the best continuations of a row, found by the maxima of its lanes.
 *
 * The score grows with the logit, so a lane whose largest logit is below that of the worst of the
 * list cannot improve it, unless rounding makes their scores equal and its id is the lower one
 * (below()). Of V = 32768 logits some hundred are looked at.
 */
#include "train/decode/row_scan.h"

#include <math.h>

#include "base/cpu.h"
#include "base/err.h"
#include "train/decode/row_kernel.h"

static const struct dec_row_kernel *kernel(void)
{
    switch (t2_cpu_variant()) {
#ifdef T2_HAVE_CPU_avx512
    case T2_CPU_AVX512:
        return &dec_row_kernel_avx512;
#endif
#ifdef T2_HAVE_CPU_avx2
    case T2_CPU_AVX2:
        return &dec_row_kernel_avx2;
#endif
    default:
        return &dec_row_kernel_generic;
    }
}

/* lse = log of the sum of all e^logit, which common_layers.log_prob_from_logits subtracts: largest
 * + log of the sum of e^(x - largest).  False where it is not finite. */
static bool log_sum_exp(const float *logits, int32_t vocab, float *work, float *largest, float *lse)
{
    const struct dec_row_kernel *k = kernel();

    *largest = k->max(logits, vocab, work);
    *lse = *largest + logf(k->sum_exp(logits, vocab, *largest));
    return isfinite(*lse);
}

/* The id that lane maximum number i stands for; further ones are DEC_ROW_LANES apart. */
static int32_t first_id(int32_t i)
{
    return i / DEC_ROW_LANES * DEC_ROW_GROUP + i % DEC_ROW_LANES;
}

/* Behind the last id of the group that lane maximum number i belongs to. */
static int32_t group_end(int32_t i, int32_t vocab)
{
    int32_t end = (i / DEC_ROW_LANES + 1) * DEC_ROW_GROUP;

    return end < vocab ? end : vocab;
}

bool dec_row_argmax(const float *logits, int32_t vocab, float *work, int32_t *id, float *log_prob)
{
    float largest, lse;
    int32_t i = 0, at;

    if (!log_sum_exp(logits, vocab, work, &largest, &lse))
        return false;
    while (work[i] < largest)
        i++;
    /* the lowest of equals may be in another lane of the same group */
    at = i / DEC_ROW_LANES * DEC_ROW_GROUP;
    while (logits[at] < largest)
        at++;
    *id = at;
    *log_prob = logits[at] - lse;
    return true;
}

/* Best first: higher score, of equals the lower id. */
static bool better(struct dec_candidate a, struct dec_candidate b)
{
    return a.score > b.score || (a.score == b.score && a.id < b.id);
}

/* Puts a candidate where it belongs; the last of a full list falls out. */
static void insert(struct dec_candidate *best, int32_t *n_found, int32_t n, struct dec_candidate c)
{
    int32_t at = *n_found < n ? (*n_found)++ : n - 1;

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

bool dec_row_best(const float *logits, int32_t vocab, float alive, float penalty, int32_t n,
                  float *work, struct dec_candidate *best)
{
    float largest, lse, enough = -INFINITY; /* what a full list takes */
    int32_t n_found = 0, n_lanes = dec_row_work(vocab);

    T2_ASSERT(n >= 1 && n <= vocab);
    if (!log_sum_exp(logits, vocab, work, &largest, &lse))
        return false;
    for (int32_t i = 0; i < n_lanes; i++) {
        int32_t end;

        if (work[i] < enough)
            continue;
        end = group_end(i, vocab);
        for (int32_t id = first_id(i); id < end; id += DEC_ROW_LANES) {
            struct dec_candidate c = {(logits[id] - lse + alive) / penalty, id};

            if (logits[id] < enough || (n_found == n && !better(c, best[n - 1])))
                continue;
            insert(best, &n_found, n, c);
            if (n_found == n)
                enough = below(logits[best[n - 1].id], lse, alive);
        }
    }
    return true;
}

void dec_row_forced(int32_t id, int32_t vocab, float alive, float penalty, int32_t n,
                    struct dec_candidate *best)
{
    float others = (-1e9f + alive) / penalty;
    int32_t i = 0;

    T2_ASSERT(id >= 0 && id < vocab && n >= 1 && n <= vocab);
    best[i++] = (struct dec_candidate){alive / penalty, id};
    for (int32_t other = 0; i < n; other++)
        if (other != id)
            best[i++] = (struct dec_candidate){others, other};
}
