/*
 * tokenizer/word_scan.h - where the words of a text begin and end, found for 64 bytes at a time.
 *
 * words.h defines words.  A scan gives them in batches, so that look-ups have many memory accesses
 * under way at once; a text of many lines is scanned in one go, without a start and an end for each
 * line.
 */
#ifndef TOK_WORD_SCAN_H
#define TOK_WORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A batch is full when one more block might not fit: TOK_SCAN_FULL words or lines. */
enum { TOK_BLOCK = 64, TOK_SCAN_FULL = 192, TOK_SCAN_MAX = TOK_SCAN_FULL + TOK_BLOCK };

struct tok_scan {
    /* The batch: word i is text[starts[i] .. ends[i]).  lines[k] is how many words of the batch
     * come before the end of its k-th line. */
    size_t n_words, n_lines;
    uint64_t starts[TOK_SCAN_MAX + 16], ends[TOK_SCAN_MAX + 16]; /* written by sixteens */
    uint32_t lines[TOK_SCAN_MAX + 1];

    const struct tok_scan_ops *ops;
    const uint8_t *text;
    size_t len_bytes;
    size_t block;    /* where the next 64 bytes begin */
    size_t n_starts; /* n_words, and one more while a word is open */
    bool by_line, is_done;
    /* Of the last byte classified, in bit 0: it is alphanumeric; a line feed (also before the
     * text); a blank that begins a run inside a line. */
    uint64_t alnum, feed, blank;
    unsigned n_spill; /* bytes of the next block that belong to a character of the last one */
};

/* by_line: each line is a text of its own, without its line feed; else a line feed is a character
 * like any other.  text is borrowed. */
void tok_scan_init(struct tok_scan *s, const uint8_t *text, size_t len_bytes, bool by_line);
/* Finds the next words and lines; false when there are no more. */
bool tok_scan_next(struct tok_scan *s);

/* ---- inside, and for tests ---- */

/* Bit i is for byte i of a block: ASCII letter or digit, U+0020, line feed, above 0x7F. */
struct tok_classes {
    uint64_t alnum, space, feed, high;
};

/* What is written for a kind of processor. */
struct tok_scan_ops {
    /* Classes of s[0 .. n), 1 <= n <= 64; no other byte is read. */
    struct tok_classes (*classify)(const uint8_t *s, size_t n);
    /* Takes s->block from its masks to the batch: see tok_scan_step in word_scan_step.h. */
    void (*step)(struct tok_scan *s);
};
extern const struct tok_scan_ops tok_scan_plain; /* the specification */
#ifdef __SSE2__
extern const struct tok_scan_ops tok_scan_sse2;
#endif
#ifdef __aarch64__
extern const struct tok_scan_ops tok_scan_neon;
#endif
#if defined(__x86_64__) && defined(T2_HAVE_CPU_avx512)
#define TOK_SCAN_AVX512
extern const struct tok_scan_ops tok_scan_avx512;
bool tok_scan_has_avx512(void);
#endif
const struct tok_scan_ops *tok_scan_ops(void); /* the one in use */

#endif
