/*
 * tokenizer/word_scan.c - batches of words, and the variants for any processor.
 *
 * A block becomes bit masks; a run begins where the mask of alphanumeric bytes changes.  ASCII is
 * classified by comparison, other characters one by one.
 *
 *   text    D o n ' t   s t o p . \n
 *   alnum   1 1 1 0 1 0 1 1 1 1 0 0       mask, bit 0 for the first byte
 *   changes 1 0 0 1 1 1 1 0 0 0 1 .       alnum ^ (alnum << 1 | carry): a run begins
 *   words   Don | ' | t | stop | .        the blank alone between two runs is no word (words.h)
 *
 * So a block of 64 bytes costs four comparisons of vectors and a loop over set bits, whatever it
 * holds, and no branch per byte.  Blocks with bytes above 0x7F are decoded character by character
 * and their bits put into the masks.
 *
 * SSE2 is part of x86-64, NEON of aarch64; AVX-512 with VBMI2 is in word_scan_x86.c: words of many
 * lines in one scan with it were 1.3 to 1.4 times as fast for encoding
 * (bench/results/2026-11-21-tokenizer-notes.md).
 */
#include "tokenizer/word_scan.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "base/cpu.h"
#include "tokenizer/word_scan_step.h"

/* The specification: each vector form gives the same masks. */
static struct tok_classes classify_plain(const uint8_t *s, size_t n)
{
    struct tok_classes k = {0, 0, 0, 0};

    for (size_t i = 0; i < n; i++) {
        uint8_t lower = s[i] | 0x20;
        bool alnum = (lower >= 'a' && lower <= 'z') || (s[i] >= '0' && s[i] <= '9');

        k.alnum |= (uint64_t) alnum << i;
        k.space |= (uint64_t) (s[i] == ' ') << i;
        k.feed |= (uint64_t) (s[i] == '\n') << i;
        k.high |= (uint64_t) (s[i] >> 7) << i;
    }
    return k;
}

static inline void list_bits(uint64_t bits, uint64_t base, uint64_t *to)
{
    for (; bits != 0; bits &= bits - 1)
        *to++ = base + (uint64_t) __builtin_ctzll(bits);
}

static void step_plain(struct tok_scan *s)
{
    tok_scan_step(s, classify_plain, list_bits);
}

const struct tok_scan_ops tok_scan_plain = {classify_plain, step_plain};

#if defined(__SSE2__) || defined(__aarch64__)
/* A block shorter than 64 bytes with zeros behind it. */
static inline const uint8_t *whole_block(const uint8_t *s, size_t n, uint8_t padded[TOK_BLOCK])
{
    if (n == TOK_BLOCK)
        return s;
    memset(padded, 0, TOK_BLOCK);
    memcpy(padded, s, n);
    return padded;
}
#endif

#ifdef __SSE2__
/* x in [low, high] for signed bytes; bytes above 0x7F are negative and in neither range. */
static inline __m128i in_range(__m128i x, char low, char high)
{
    return _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8((char) (low - 1))),
                         _mm_cmplt_epi8(x, _mm_set1_epi8((char) (high + 1))));
}

static inline uint64_t mask_of(__m128i x, unsigned at)
{
    return (uint64_t) (uint32_t) _mm_movemask_epi8(x) << at;
}

static inline struct tok_classes classify_sse2(const uint8_t *s, size_t n)
{
    struct tok_classes k = {0, 0, 0, 0};
    uint8_t padded[TOK_BLOCK];

    s = whole_block(s, n, padded);
    for (unsigned i = 0; i < TOK_BLOCK; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *) (const void *) (s + i));
        __m128i letter = in_range(_mm_or_si128(x, _mm_set1_epi8(0x20)), 'a', 'z');

        k.alnum |= mask_of(_mm_or_si128(letter, in_range(x, '0', '9')), i);
        k.space |= mask_of(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')), i);
        k.feed |= mask_of(_mm_cmpeq_epi8(x, _mm_set1_epi8('\n')), i);
        k.high |= mask_of(x, i);
    }
    return k;
}

static void step_sse2(struct tok_scan *s)
{
    tok_scan_step(s, classify_sse2, list_bits);
}

const struct tok_scan_ops tok_scan_sse2 = {classify_sse2, step_sse2};
#endif

#ifdef __aarch64__
enum { PARTS = TOK_BLOCK / 16 };

/* Bit i for byte i of four vectors whose bytes are all ones or zeros: each byte keeps the bit of
 * its place in eight, and three rounds of adding neighbours bring eight bytes to one. */
static inline uint64_t mask_of(const uint8x16_t x[PARTS])
{
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8(vandq_u8(x[0], bit), vandq_u8(x[1], bit));
    uint8x16_t high = vpaddq_u8(vandq_u8(x[2], bit), vandq_u8(x[3], bit));
    uint8x16_t all = vpaddq_u8(low, high);

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

/* x in [low, low + n). */
static inline uint8x16_t in_range(uint8x16_t x, uint8_t low, uint8_t n)
{
    return vcltq_u8(vsubq_u8(x, vdupq_n_u8(low)), vdupq_n_u8(n));
}

static inline struct tok_classes classify_neon(const uint8_t *s, size_t n)
{
    uint8x16_t alnum[PARTS], space[PARTS], feed[PARTS], high[PARTS];
    uint8_t padded[TOK_BLOCK];

    s = whole_block(s, n, padded);
    for (int i = 0; i < PARTS; i++) {
        uint8x16_t x = vld1q_u8(s + 16 * i);
        uint8x16_t letter = in_range(vorrq_u8(x, vdupq_n_u8(0x20)), 'a', 26);

        alnum[i] = vorrq_u8(letter, in_range(x, '0', 10));
        space[i] = vceqq_u8(x, vdupq_n_u8(' '));
        feed[i] = vceqq_u8(x, vdupq_n_u8('\n'));
        high[i] = vcgeq_u8(x, vdupq_n_u8(0x80));
    }
    return (struct tok_classes){mask_of(alnum), mask_of(space), mask_of(feed), mask_of(high)};
}

static void step_neon(struct tok_scan *s)
{
    tok_scan_step(s, classify_neon, list_bits);
}

const struct tok_scan_ops tok_scan_neon = {classify_neon, step_neon};
#endif

static const struct tok_scan_ops *choose(void)
{
#ifdef TOK_SCAN_AVX512
    if (t2_cpu_variant() >= T2_CPU_AVX512 && tok_scan_has_avx512())
        return &tok_scan_avx512;
#endif
#if defined(__SSE2__)
    return &tok_scan_sse2; /* x86-64 is never without */
#elif defined(__aarch64__)
    return &tok_scan_neon; /* nor aarch64 */
#else
    return &tok_scan_plain;
#endif
}

const struct tok_scan_ops *tok_scan_ops(void)
{
    static const struct tok_scan_ops *chosen;
    const struct tok_scan_ops *ops = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);

    if (__builtin_expect(!ops, 0)) { /* threads may race here; all choose the same */
        ops = choose();
        __atomic_store_n(&chosen, ops, __ATOMIC_RELEASE);
    }
    return ops;
}

void tok_scan_init(struct tok_scan *s, const uint8_t *text, size_t len_bytes, bool by_line)
{
    s->ops = tok_scan_ops();
    s->text = text;
    s->len_bytes = len_bytes;
    s->by_line = by_line;
    s->is_done = len_bytes == 0;
    s->block = s->n_starts = s->n_words = s->n_lines = s->n_spill = 0;
    s->alnum = s->blank = 0;
    s->feed = 1;
}

/* Ends the word and the line that are open at the end of the text. */
static void end_text(struct tok_scan *s)
{
    s->is_done = true;
    if (s->n_starts > s->n_words)
        s->ends[s->n_words++] = s->len_bytes;
    if (s->by_line && s->text[s->len_bytes - 1] != '\n')
        s->lines[s->n_lines++] = (uint32_t) s->n_words;
}

/*
 * A batch is refilled block by block until one more might not fit.  A word open at the end of a
 * batch has a start and no end yet; its start moves to the front of the next batch.
 */
bool tok_scan_next(struct tok_scan *s)
{
    if (s->is_done)
        return false;
    if (s->n_starts > s->n_words) /* a word is open */
        s->starts[0] = s->starts[s->n_words];
    s->n_starts -= s->n_words;
    s->n_words = s->n_lines = 0;
    while (s->block < s->len_bytes && s->n_words < TOK_SCAN_FULL && s->n_lines < TOK_SCAN_FULL)
        s->ops->step(s);
    if (s->block >= s->len_bytes)
        end_text(s);
    return true;
}
