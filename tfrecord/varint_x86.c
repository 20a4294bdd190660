/*
 * tfrecord/varint_x86.c - runs of varints with AVX-512 and VBMI2: sixteen ids out, 64 bytes in.
 *
 * Numbers below 2^28 take one to four bytes.  A block with a longer one goes to the plain form.
 *
 * Out, for each of sixteen lanes of 32 bits:
 *
 *   x        ....dddddddccccccc bbbbbbbaaaaaaa      multishift cuts seven bits into each byte
 *   w        0ddddddd 0ccccccc 0bbbbbbb 0aaaaaaa    `more`, by leading zeros, sets high bits
 *   used     one bit per byte that counts           compress closes the gaps; popcount: the length
 *
 * In, for 64 bytes: high bits as masks give the last byte of each number; v1, v2, v3 are the block
 * moved down by one, two, three bytes, 0 where the number has no such byte; compressing each at the
 * starts of numbers puts byte k of number i at part[k][i].  Then sixteen at a time are widened and
 * added with shifts.
 */
#include "tfrecord/varint.h"

#ifdef TFR_VARINT_X86

#include <immintrin.h>

#include "base/protobuf.h"

#define TARGET                                                                                     \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,popcnt")))

enum { IDS = 16, BLOCK_BYTES = 64 };

int tfr_varint_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt");
}

/* ---- out ---- */

static inline __mmask16 first_lanes(size_t n)
{
    return (__mmask16) (n >= IDS ? 0xffff : (1u << n) - 1);
}

TARGET static inline size_t count16(__mmask16 m)
{
    return (size_t) __builtin_popcount(m);
}

TARGET static size_t ids_bytes(const int32_t *ids, size_t n)
{
    size_t sum = n;

    for (size_t i = 0; i < n; i += IDS) {
        __m512i x = _mm512_maskz_loadu_epi32(first_lanes(n - i), ids + i);
        sum += count16(_mm512_cmpgt_epu32_mask(x, _mm512_set1_epi32(0x7f))) +
               count16(_mm512_cmpgt_epu32_mask(x, _mm512_set1_epi32(0x3fff))) +
               count16(_mm512_cmpgt_epu32_mask(x, _mm512_set1_epi32(0x1fffff)));
        __mmask16 large = _mm512_cmpgt_epu32_mask(x, _mm512_set1_epi32(0xfffffff));
        if (__builtin_expect(large != 0, 0))
            sum += count16(large) + 5 * count16(_mm512_movepi32_mask(x));
    }
    return sum;
}

/* By the number of leading zero bits: the high bits ("more follows") of the bytes of a number below
 * 2^28. */
static const uint32_t more_follow[2][16] = {{0, 0, 0, 0, 0x808080, 0x808080, 0x808080, 0x808080,
                                             0x808080, 0x808080, 0x808080, 0x8080, 0x8080, 0x8080,
                                             0x8080, 0x8080},
                                            {0x8080, 0x8080, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                             0x80, 0, 0, 0, 0, 0, 0, 0}};

/* Writes blocks up to one that has a longer number; returns the number of ids written.  Without any
 * call in it, so that the constants stay in registers. */
TARGET static inline size_t put_blocks(uint8_t **end, const int32_t *ids, size_t n)
{
    /* Seven bits into each byte of both halves of a 64-bit lane. */
    const __m512i cut = _mm512_set1_epi64(INT64_C(0x352e2720150e0700));
    const __m512i seven = _mm512_set1_epi8(0x7f);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i long_bits = _mm512_set1_epi32((int) 0xf0000000);
    const __m512i more_large = _mm512_loadu_si512(more_follow[0]);
    const __m512i more_small = _mm512_loadu_si512(more_follow[1]);
    uint8_t *p = *end;
    size_t i = 0;

    for (; i < n; i += IDS) {
        size_t here = n - i < IDS ? n - i : IDS;
        __m512i x = _mm512_maskz_loadu_epi32(first_lanes(here), ids + i);
        if (__builtin_expect(_mm512_test_epi32_mask(x, long_bits) != 0, 0))
            break;
        __m512i zeros = _mm512_lzcnt_epi32(_mm512_or_si512(x, one));
        __m512i more = _mm512_permutex2var_epi32(more_large, zeros, more_small);
        __m512i w = _mm512_and_si512(_mm512_multishift_epi64_epi8(cut, x), seven);
        w = _mm512_or_si512(w, more);
        /* A byte counts when it is the first of its lane or the one before says that more
         * follow. */
        uint64_t used = UINT64_C(0x1111111111111111) | _mm512_movepi8_mask(more) << 1;
        if (here < IDS)
            used &= (UINT64_C(1) << 4 * here) - 1;
        _mm512_storeu_si512((void *) p, _mm512_maskz_compress_epi8(used, w));
        p += __builtin_popcountll(used);
    }
    *end = p;
    return i;
}

/* From a block on that has a longer number. */
TARGET static __attribute__((noinline)) uint8_t *put_rest(uint8_t *p, const int32_t *ids, size_t n)
{
    while (n > 0) {
        size_t here = n < IDS ? n : IDS;
        p = tfr_varint_plain.put_ids(p, ids, here);
        size_t done = here + put_blocks(&p, ids + here, n - here);
        ids += done;
        n -= done < n ? done : n;
    }
    return p;
}

TARGET static uint8_t *put_ids(uint8_t *p, const int32_t *ids, size_t n)
{
    size_t done = put_blocks(&p, ids, n);

    return __builtin_expect(done >= n, 1) ? p : put_rest(p, ids + done, n - done);
}

/* ---- in ---- */

/* The numbers of a block: byte k of each in part[k], seven bits, 0 where it has none. */
struct block {
    __m512i part[4];
    size_t n;       /* numbers that end in the block */
    size_t n_bytes; /* their bytes; 0: not for this form */
};

/* Splits the block at p; at most 64 bytes are read.  n_bytes is 0 when no number ends in it or one
 * has more than four bytes. */
TARGET static inline struct block load_block(const uint8_t *p, size_t left)
{
    const __m512i next =
        _mm512_set_epi8(63, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46,
                        45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27,
                        26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
                        6, 5, 4, 3, 2, 1);
    uint64_t here = left >= BLOCK_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
    __m512i v = _mm512_maskz_loadu_epi8(here, p);
    uint64_t more = _mm512_movepi8_mask(v);
    uint64_t ends = ~more & here;
    uint64_t more2 = more & more >> 1;
    uint64_t more3 = more2 & more >> 2;
    struct block b = {.n_bytes = 0};

    if (ends == 0 || (more3 & more >> 3) != 0)
        return b;
    b.n_bytes = (size_t) (64 - __builtin_clzll(ends));
    b.n = (size_t) __builtin_popcountll(ends);
    uint64_t starts = ends << 1 | 1;
    if (b.n_bytes < 64)
        starts &= (UINT64_C(1) << b.n_bytes) - 1;
    v = _mm512_and_si512(v, _mm512_set1_epi8(0x7f));
    __m512i v1 = _mm512_maskz_permutexvar_epi8(more, next, v);
    __m512i v2 = _mm512_maskz_permutexvar_epi8(more2, next, _mm512_permutexvar_epi8(next, v));
    b.part[0] = _mm512_maskz_compress_epi8(starts, v);
    b.part[1] = _mm512_maskz_compress_epi8(starts, v1);
    b.part[2] = _mm512_maskz_compress_epi8(starts, v2);
    b.part[3] = _mm512_setzero_si512();
    if (more3 != 0) {
        __m512i v3 = _mm512_permutexvar_epi8(next, _mm512_permutexvar_epi8(next, v));
        v3 = _mm512_maskz_permutexvar_epi8(more3, next, v3);
        b.part[3] = _mm512_maskz_compress_epi8(starts, v3);
    }
    return b;
}

/* The first sixteen numbers; the parts move on by sixteen. */
TARGET static inline __m512i take16(struct block *b)
{
    __m512i x[4];

    for (int k = 0; k < 4; k++) {
        x[k] = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(b->part[k]));
        b->part[k] = _mm512_shuffle_i64x2(b->part[k], b->part[k], 0x39);
    }
    x[0] = _mm512_or_si512(x[0], _mm512_slli_epi32(x[1], 7));
    x[2] = _mm512_or_si512(_mm512_slli_epi32(x[2], 14), _mm512_slli_epi32(x[3], 21));
    return _mm512_or_si512(x[0], x[2]);
}

TARGET static void get_ints(const uint8_t *run, size_t len_bytes, int64_t *out, size_t n)
{
    while (n > 0) {
        struct block b = load_block(run, len_bytes);
        if (__builtin_expect(b.n_bytes == 0 || b.n > n, 0)) {
            tfr_varint_plain.get_ints(run, len_bytes, out, n);
            return;
        }
        for (size_t i = 0; i < b.n; i += IDS) {
            __m512i x = take16(&b);
            __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x));
            __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1));
            if (n - i >= IDS) { /* what is beyond b.n is written again */
                _mm512_storeu_si512((void *) (out + i), low);
                _mm512_storeu_si512((void *) (out + i + 8), high);
            } else {
                __mmask16 m = first_lanes(n - i);
                _mm512_mask_storeu_epi64(out + i, (__mmask8) m, low);
                _mm512_mask_storeu_epi64(out + i + 8, (__mmask8) (m >> 8), high);
            }
        }
        run += b.n_bytes;
        len_bytes -= b.n_bytes;
        out += b.n;
        n -= b.n;
    }
}

TARGET static bool get_ids(const uint8_t *run, size_t len_bytes, int32_t *out, size_t n)
{
    while (n > 0) {
        struct block b = load_block(run, len_bytes);
        if (__builtin_expect(b.n_bytes == 0 || b.n > n, 0))
            return tfr_varint_plain.get_ids(run, len_bytes, out, n);
        for (size_t i = 0; i < b.n; i += IDS) {
            __m512i x = take16(&b);
            if (n - i >= IDS)
                _mm512_storeu_si512((void *) (out + i), x);
            else
                _mm512_mask_storeu_epi32(out + i, first_lanes(n - i), x);
        }
        run += b.n_bytes;
        len_bytes -= b.n_bytes;
        out += b.n;
        n -= b.n;
    }
    return true;
}

TARGET static size_t read_ints(const uint8_t *run, size_t len_bytes, int64_t *out)
{
    size_t sum = 0;

    while (len_bytes > 0) {
        struct block b = load_block(run, len_bytes);
        if (__builtin_expect(b.n_bytes == 0, 0)) {
            size_t n = tfr_varint_plain.read_ints(run, len_bytes, out);
            return n == SIZE_MAX ? n : sum + n;
        }
        for (size_t i = 0; i < b.n;
             i += IDS) { /* what is beyond b.n is written again, or is slack */
            __m512i x = take16(&b);
            __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1));
            _mm512_storeu_si512((void *) (out + i),
                                _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x)));
            _mm512_storeu_si512((void *) (out + i + 8), high);
        }
        run += b.n_bytes;
        len_bytes -= b.n_bytes;
        out += b.n;
        sum += b.n;
    }
    return sum;
}

const struct tfr_varint_ops tfr_varint_avx512 = {ids_bytes, put_ids, get_ints, get_ids, read_ints};

#endif
