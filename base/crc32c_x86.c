/*
 * base/crc32c_x86.c - CRC-32C with the instructions of x86-64; three streams of words are in
 * crc32c_streams.h.
 *
 * Derivation.  The register holds a polynomial over GF(2) of degree < 32 with its bits reflected:
 * bit i stands for x^(31 - i).  A 64-bit word loaded from memory holds one of degree < 64 in the
 * same way (bit i for x^(63 - i)), so the first byte in memory has the highest powers.  A message M
 * leaves M x^32 mod P in the register, and so does the crc32 instruction for one word: crc32(s, w)
 * = (s x^32 + w) x^32 mod P.  Carry-less multiplication of two reflected words gives the reflected
 * product times x: bit i times bit j lands in bit i + j of 128, that is x^(127 - i - j) where the
 * true power is x^(126 - i - j).  The constants below carry x^-1 for that reason.
 *
 * Folding (avx512).  A lane of 128 bits holds L x^64 + H.  To move it D bits up, so that it can be
 * added to the lane that lies D bits further in memory: L x^(64 + D) + H x^D.  With the x^-1 from
 * above L is multiplied with x^(D + 63) mod P and H with x^(D - 1) mod P, each as a reflected word
 * (remainder of degree < 32, so the low half of the word is zero).  D = 0 has its words too (x^-1
 * is one mod P): so all lanes of all pieces are multiplied at once, each with the words for its own
 * distance to the last lane, and added; no product waits for another.
 */
#include "base/crc32c_impl.h"

#ifdef T2_CRC_X86

#include <immintrin.h>
#include <string.h>

#define TARGET_SSE42 __attribute__((target("sse4.2,pclmul")))
#define TARGET_AVX512                                                                              \
    __attribute__((target("sse4.2,pclmul,avx512f,avx512bw,avx512vl,avx512vbmi2,vpclmulqdq")))

enum { FOLD_MIN_BYTES = 16 }; /* below, words are as fast as folding */

int t2_crc_has_sse42(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

int t2_crc_has_avx512(void)
{
    return t2_crc_has_sse42() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("vpclmulqdq");
}

typedef uint64_t crc_state; /* its upper half is zero; 32 bits would be extended at each step */

TARGET_SSE42 static inline uint64_t crc_multiply(uint32_t a, uint32_t k)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(a), _mm_cvtsi64_si128(k), 0);

    return (uint64_t) _mm_cvtsi128_si64(product);
}

#define crc_u64 _mm_crc32_u64
#define crc_u32 _mm_crc32_u32
#define crc_u16 _mm_crc32_u16
#define crc_u8 _mm_crc32_u8
#define CRC_TARGET TARGET_SSE42
#define CRC_STREAMS t2_crc_sse42
#include "base/crc32c_streams.h"

/* x^(D + 63) mod P and x^(D - 1) mod P as reflected words, the second first; D = 2048. */
#define FOLD_2048 INT64_C(0x1426a81500000000), (long long) UINT64_C(0xe9a5d8be00000000)

/* acc moved, and added to sum. */
TARGET_AVX512 static inline __m512i fold(__m512i acc, __m512i k, __m512i sum)
{
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(acc, k, 0x00),
                                     _mm512_clmulepi64_epi128(acc, k, 0x11), sum, 0x96);
}

TARGET_AVX512 static inline __m512i load512(const void *p)
{
    return _mm512_loadu_si512(p);
}

/* The piece is added to sum as the k-th before the last. */
TARGET_AVX512 static inline __m512i fold_piece(__m512i piece, size_t k, __m512i sum)
{
    return fold(piece, load512(t2_crc_fold[k]), sum);
}

/* The 64 bytes from k on have their high bits set in the last k. */
#define EIGHT_ONES 255, 255, 255, 255, 255, 255, 255, 255
static const uint8_t last_bytes[128] = {
    [64] = EIGHT_ONES, [72] = EIGHT_ONES,  [80] = EIGHT_ONES,  [88] = EIGHT_ONES,
    [96] = EIGHT_ONES, [104] = EIGHT_ONES, [112] = EIGHT_ONES, [120] = EIGHT_ONES};

/* a when n > k, else b; compilers would branch. */
static inline const uint8_t *choose(size_t n, size_t k, const uint8_t *a, const uint8_t *b)
{
    __asm__("cmp %2, %1\n\tcmovbe %3, %0" : "+r"(a) : "r"(n), "ri"(k), "r"(b) : "cc");
    return a;
}

/* The register after the polynomial in four lanes, all at the place of the last. */
TARGET_AVX512 static inline uint64_t reduce(__m512i sum)
{
    __m256i b = _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
    __m128i c = _mm_xor_si128(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
    uint64_t s = _mm_crc32_u64(0, (uint64_t) _mm_cvtsi128_si64(c));
    double high; /* through memory: an extract would need the port that multiplies */

    _mm_storeh_pd(&high, _mm_castsi128_pd(c));
    __asm__("" : "+m"(high));
    uint64_t word;
    memcpy(&word, &high, sizeof word);
    return _mm_crc32_u64(s, word);
}

/*
 *   | odd bytes | 64 | 64 | ... | 64 | 64 |       pieces of 64 bytes = four lanes of 128 bits
 *     first piece               k = 1   0         k: pieces behind it
 *
 * At most T2_CRC_PIECES pieces: each is multiplied by the words of its own distance to the end
 * and added, all independent of each other.  More: four accumulators take 256 bytes a step, each
 * moved 2048 bits up, until few enough are left.  Then four lanes are added to one, which two
 * crc32 instructions reduce.
 *
 * At 200 bytes the port that multiplies is the limit: hence masks by table, the last word through
 * memory, and no loop for three pieces.  Storing the whole sum and adding the lanes as words was
 * half as fast: a 64-byte store does not forward to smaller loads
 * (bench/results/2026-11-21-tfrecord-notes.md: 82 GB/s at 4 KiB, 35 at 200 bytes).
 */
TARGET_AVX512 uint32_t t2_crc_avx512(uint32_t state, const uint8_t *data, size_t len_bytes)
{
    if (len_bytes == sizeof(uint64_t)) /* the length of every record */
        return (uint32_t) _mm_crc32_u64(state, load64(data));
    if (len_bytes < FOLD_MIN_BYTES)
        return t2_crc_sse42(state, data, len_bytes);

    __m128i first = _mm_cvtsi32_si128((int) state);
    size_t odd = len_bytes % 64;
    size_t n = len_bytes / 64; /* pieces after the first */
    __m512i sum = _mm512_setzero_si512();
    uint32_t end = 0;
    __m512i a;

    /* Zero bytes in front change nothing, so the odd bytes come first, at the end of a register.
     * The old state counts as added to the first four bytes; where there are fewer, they come last.
     */
    if (odd >= 4) {
        /* The masked bytes in front of data are not read. */
        const void *from = (const void *) ((uintptr_t) data - (64 - odd));
        a = _mm512_maskz_loadu_epi8(_mm512_movepi8_mask(load512(last_bytes + odd)), from);
        if (__builtin_expect(state == UINT32_MAX && n < T2_CRC_PIECES, 1))
            end = t2_crc_ones[len_bytes]; /* a new sum: what the state becomes is known */
        else
            a = _mm512_xor_si512(a, _mm512_maskz_expand_epi8(UINT64_C(15) << (64 - odd),
                                                             _mm512_castsi128_si512(first)));
        data += odd;
        odd = 0;
    } else {
        a = _mm512_xor_si512(load512(data), _mm512_zextsi128_si512(first));
        data += 64;
        n--;
    }
    if (n >= T2_CRC_PIECES) {
        const __m512i k2048 = _mm512_set_epi64(FOLD_2048, FOLD_2048, FOLD_2048, FOLD_2048);
        __m512i b = load512(data);
        __m512i c = load512(data + 64);
        __m512i d = load512(data + 128);
        data += 192;
        for (n -= 3; n >= 4; n -= 4, data += 256) {
            a = fold(a, k2048, load512(data));
            b = fold(b, k2048, load512(data + 64));
            c = fold(c, k2048, load512(data + 128));
            d = fold(d, k2048, load512(data + 192));
        }
        sum = fold_piece(a, n + 3, fold_piece(b, n + 2, fold_piece(c, n + 1, sum)));
        a = d;
    }
    sum = fold_piece(a, n, sum);
    if (n <= 2) {
        /* Records are of many lengths and short: three products always cost less than one
         * mispredicted branch. */
        static const uint8_t zeros[64];
        const uint8_t *p0 = choose(n, 0, data + 64 * n - 64, zeros);
        const uint8_t *p1 = choose(n, 1, data + 64 * n - 128, zeros);
        sum = fold_piece(load512(p0), 0, sum);
        sum = fold_piece(load512(p1), 1, sum);
        data += 64 * n;
    } else {
        data += 64 * n; /* the last three are always there: without a loop */
        sum = fold_piece(load512(data - 64), 0, sum);
        sum = fold_piece(load512(data - 128), 1, sum);
        sum = fold_piece(load512(data - 192), 2, sum);
        for (size_t k = 3; k < n; k++)
            sum = fold_piece(load512(data - 64 * (k + 1)), k, sum);
    }

    uint64_t s = reduce(sum) ^ end;
    for (; odd > 0; odd--)
        s = _mm_crc32_u8((uint32_t) s, *data++);
    return (uint32_t) s;
}

#endif
