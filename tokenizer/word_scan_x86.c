/*
 * tokenizer/word_scan_x86.c - a block of a scan with AVX-512 and VBMI2: one load for the 64 bytes,
 * and set bits are listed by compressing the numbers 0 .. 63.
 */
#include "tokenizer/word_scan.h"

#ifdef TOK_SCAN_AVX512

#include <immintrin.h>

#include "tokenizer/word_scan_step.h"

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,"         \
                          "popcnt")))

bool tok_scan_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

/* x - low <= high - low, without sign. */
TARGET static inline uint64_t in_range(__m512i x, char low, char high)
{
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8(low)),
                                  _mm512_set1_epi8((char) (high - low)));
}

TARGET static inline struct tok_classes classify(const uint8_t *s, size_t n)
{
    __m512i x = _mm512_maskz_loadu_epi8(~(uint64_t) 0 >> (TOK_BLOCK - n), s);
    struct tok_classes k;

    k.alnum =
        in_range(_mm512_or_si512(x, _mm512_set1_epi8(0x20)), 'a', 'z') | in_range(x, '0', '9');
    k.space = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(' '));
    k.feed = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\n'));
    k.high = _mm512_movepi8_mask(x);
    return k;
}

/*
 * Writes base + the index of each set bit, in order.  The index bytes are compressed to the front
 * of a register and widened to 64 bits sixteen at a time, so the cost is one step for most blocks
 * and there is no loop over bits with its misprediction at the end.  Writes up to 15 more than
 * there are: the arrays of tok_scan have room.
 */
TARGET static inline void list_bits(uint64_t bits, uint64_t base, uint64_t *to)
{
    static const uint8_t numbers[TOK_BLOCK] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                               13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                               26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
                                               39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
                                               52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    __m512i first = _mm512_set1_epi64((long long) base);
    __m512i at = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers));
    int n = __builtin_popcountll(bits);

    for (int i = 0; i < n; i += 16) { /* most often once */
        __m128i sixteen = _mm512_castsi512_si128(at);

        _mm512_storeu_si512(to + i, _mm512_add_epi64(first, _mm512_cvtepu8_epi64(sixteen)));
        _mm512_storeu_si512(to + i + 8, _mm512_add_epi64(first, _mm512_cvtepu8_epi64(
                                                                    _mm_srli_si128(sixteen, 8))));
        at = _mm512_alignr_epi64(_mm512_setzero_si512(), at, 2);
    }
}

TARGET static void step(struct tok_scan *s)
{
    tok_scan_step(s, classify, list_bits);
}

const struct tok_scan_ops tok_scan_avx512 = {classify, step};

#endif
