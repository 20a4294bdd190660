/*
 * train/decode/row_scan.c - see the header.
 *
 * The score grows with the logit (rounding keeps order), so a block whose largest logit does not
 * score above the worst of the list has nothing for it; equal scores do not displace, because ids
 * come in ascending order.
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

/* common_layers.log_prob_from_logits subtracts this: log of the sum of all e^logit. */
static bool log_sum_exp(const float *logits, int32_t vocab, float *block_max, float *largest,
                        float *lse)
{
    const struct dec_row_kernel *k = kernel();

    *largest = k->max(logits, vocab, block_max);
    *lse = *largest + logf(k->sum_exp(logits, vocab, *largest));
    return isfinite(*lse);
}

bool dec_row_argmax(const float *logits, int32_t vocab, float *block_max, int32_t *id,
                    float *log_prob)
{
    float largest, lse;
    int32_t at = 0, b = 0;

    if (!log_sum_exp(logits, vocab, block_max, &largest, &lse))
        return false;
    while (block_max[b] < largest)
        b++;
    at = b * DEC_ROW_BLOCK;
    while (logits[at] < largest)
        at++;
    *id = at;
    *log_prob = logits[at] - lse;
    return true;
}

/* Puts a candidate behind those that are as good; the last of a full list falls out. */
static void insert(struct dec_candidate *best, int32_t *n_found, int32_t n, struct dec_candidate c)
{
    int32_t at = *n_found < n ? (*n_found)++ : n - 1;

    for (; at > 0 && best[at - 1].score < c.score; at--)
        best[at] = best[at - 1];
    best[at] = c;
}

bool dec_row_best(const float *logits, int32_t vocab, float alive, float penalty, int32_t n,
                  float *block_max, struct dec_candidate *best)
{
    float largest, lse;
    int32_t n_found = 0;

    T2_ASSERT(n >= 1 && n <= vocab);
    if (!log_sum_exp(logits, vocab, block_max, &largest, &lse))
        return false;
    for (int32_t b = 0, at = 0; at < vocab; b++, at += DEC_ROW_BLOCK) {
        int32_t end = vocab - at < DEC_ROW_BLOCK ? vocab : at + DEC_ROW_BLOCK;

        if (n_found == n && !((block_max[b] - lse + alive) / penalty > best[n - 1].score))
            continue;
        for (int32_t id = at; id < end; id++) {
            float score = (logits[id] - lse + alive) / penalty;

            if (n_found < n || score > best[n - 1].score)
                insert(best, &n_found, n, (struct dec_candidate){score, id});
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
