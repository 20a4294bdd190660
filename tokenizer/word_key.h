/*
 * tokenizer/word_key.h - words as keys of open hash tables: up to 15 bytes stand in the slot
 * itself.
 *
 * A key is 16 bytes: the word padded with zeros, its length in the last byte.  Of a longer word the
 * key holds a hash, the length is LONG_WORD, and the table keeps the bytes elsewhere.
 */
#ifndef TOK_WORD_KEY_H
#define TOK_WORD_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

enum { TOK_SHORT_WORD = 15, TOK_LONG_WORD = 255 };

struct tok_key {
    uint64_t lo, hi; /* both 0: no word */
};

/* As bytes, so that the order of bytes in a word does not matter. */
extern const uint8_t tok_key_masks[16][16];

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { TOK_KEY_LEN_SHIFT = 0 };
#else
enum { TOK_KEY_LEN_SHIFT = 56 };
#endif

static inline unsigned tok_key_len(struct tok_key k)
{
    return (unsigned) (k.hi >> TOK_KEY_LEN_SHIFT & 0xFF);
}

static inline bool tok_key_eq(struct tok_key a, struct tok_key b)
{
    return ((a.lo ^ b.lo) | (a.hi ^ b.hi)) == 0;
}

static inline uint64_t tok_key_hash(struct tok_key k)
{
    uint64_t h = (k.lo ^ k.hi >> 29) * UINT64_C(0x9E3779B97F4A7C15);

    h ^= h >> 32;
    h = (h ^ k.hi) * UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

/*
 * Key of a word of len_bytes >= 1 in text[0 .. text_bytes-1], beginning at `at`.  The 16 bytes that
 * hold a short word are read from its start on, or, near the end of the text, up to its end.
 */
static inline struct tok_key tok_key_of(const uint8_t *text, size_t text_bytes, size_t at,
                                        size_t len_bytes)
{
    const uint8_t *word = text + at;
    struct tok_key key = {0, 0}, mask;

    if (len_bytes > TOK_SHORT_WORD) {
        key.lo = t2_hash64(word, len_bytes, 0);
        key.hi = (uint64_t) len_bytes * UINT64_C(0x9E3779B97F4A7C15);
        key.hi &= ~((uint64_t) 0xFF << TOK_KEY_LEN_SHIFT);
        key.hi |= (uint64_t) TOK_LONG_WORD << TOK_KEY_LEN_SHIFT;
        return key;
    }
    if (text_bytes - at >= 16) {
        memcpy(&key, word, 16);
        memcpy(&mask, tok_key_masks[len_bytes], 16);
        key.lo &= mask.lo;
        key.hi &= mask.hi;
    } else if (TOK_KEY_LEN_SHIFT > 0 && at + len_bytes >= 16) {
        unsigned unwanted = 8 * (16 - (unsigned) len_bytes); /* bits; 8 .. 120 */

        memcpy(&key, word + len_bytes - 16, 16);
        if (unwanted >= 64) {
            key.lo = key.hi >> (unwanted - 64);
            key.hi = 0;
        } else {
            key.lo = key.lo >> unwanted | key.hi << (64 - unwanted);
            key.hi >>= unwanted;
        }
    } else {
        memcpy(&key, word, len_bytes);
    }
    key.hi |= (uint64_t) len_bytes << TOK_KEY_LEN_SHIFT;
    return key;
}

#endif
