/*
 * base/crc32c_streams.h - CRC-32C by an instruction, in three streams: the body that
 * crc32c_x86.c and crc32c_arm.c compile with theirs.
 *
 * Before it is included: CRC_TARGET (what a function needs to use them), CRC_STREAMS (the name of
 * the function), crc_state (a type that holds the register), and crc_u64, crc_u32, crc_u16, crc_u8
 * (register, bytes -> register) and crc_multiply (the low 64 bits of a carry-less product).
 *
 * Joining.  A register a must become a x^(8n) mod P, when n bytes follow that were summed by
 * another stream.  The 64-bit product of a (as a word: a x^32) and k (k x^32), read as one word, is
 * a k x (crc32c_x86.c says why); the instruction multiplies with x^32 and reduces; so
 * k = x^(8n - 33) mod P.
 */
#ifndef T2_CRC32C_STREAMS_H
#define T2_CRC32C_STREAMS_H

#include <string.h>

#include "base/crc32c_impl.h"

#ifdef CRC_STREAMS

enum {
    SPLIT_MIN_WORDS = 15,               /* below, one stream is as fast as three */
    SPLIT_MAX_WORDS = T2_CRC_SHIFTS / 2 /* of one stream: twice as many are appended to the first */
};

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* state x^(64 n_words) mod P, for 1 <= n_words <= T2_CRC_SHIFTS. */
CRC_TARGET static inline crc_state shifted(crc_state state, size_t n_words)
{
    return crc_u64(0, crc_multiply((uint32_t) state, t2_crc_shift[n_words]));
}

/*
 * A record: a new sum (a register of ones) of SHORT_MIN .. SHORT_MAX bytes.  They are of many
 * lengths, so each branch that depends on the length is mispredicted, which costs more than all the
 * arithmetic: here only the loop is one.  Zero bytes in front change nothing in a register of
 * zeros, so the odd bytes come first, as the end of a word; then the words that three streams would
 * leave, both always summed and taken or not; what the ones of the register become is known.
 */
enum { SHORT_MIN = 24, SHORT_MAX = T2_CRC_ONES - 1 };

CRC_TARGET static inline uint32_t short_sum(const uint8_t *data, size_t len_bytes)
{
    size_t odd = len_bytes % 8, n = len_bytes / 24, left = len_bytes / 8 % 3;
    crc_state a = crc_u64(0, load64(data) << 1 << (63 - 8 * odd)), b = 0, c = 0;

    data += odd;
    for (size_t k = 0; k < 2; k++) {
        size_t taken = 0 - (size_t) (k < left); /* all ones: yes */

        a ^= (a ^ crc_u64(a, load64(data))) & (crc_state) taken;
        data += taken & 8;
    }
    for (size_t i = 0; i < n; i++) {
        a = crc_u64(a, load64(data + 8 * i));
        b = crc_u64(b, load64(data + 8 * (n + i)));
        c = crc_u64(c, load64(data + 8 * (2 * n + i)));
    }
    return (uint32_t) (shifted(a, 2 * n) ^ shifted(b, n) ^ c ^ t2_crc_ones[len_bytes]);
}

/*
 * The instruction takes two or three cycles and one can start every cycle, so three streams of n
 * words run side by side and are joined by two multiplications.
 */
CRC_TARGET uint32_t CRC_STREAMS(uint32_t state, const uint8_t *data, size_t len_bytes)
{
    crc_state s = state;
    size_t n_words = len_bytes / 8;

    if (len_bytes == sizeof(uint64_t)) /* the length of every record */
        return (uint32_t) crc_u64(s, load64(data));
    if (state == UINT32_MAX && len_bytes >= SHORT_MIN && len_bytes <= SHORT_MAX)
        return short_sum(data, len_bytes);
    while (n_words >= SPLIT_MIN_WORDS) {
        size_t n = n_words / 3;
        if (n > SPLIT_MAX_WORDS)
            n = SPLIT_MAX_WORDS;
        const uint8_t *b = data + 8 * n;
        const uint8_t *c = b + 8 * n;
        crc_state sb = 0;
        crc_state sc = 0;
        for (size_t i = 0; i < n; i++) {
            s = crc_u64(s, load64(data + 8 * i));
            sb = crc_u64(sb, load64(b + 8 * i));
            sc = crc_u64(sc, load64(c + 8 * i));
        }
        s = shifted(s, 2 * n) ^ shifted(sb, n) ^ sc;
        data = c + 8 * n;
        n_words -= 3 * n;
    }
    for (; n_words > 0; n_words--, data += 8)
        s = crc_u64(s, load64(data));
    if (len_bytes & 4) {
        uint32_t v;
        memcpy(&v, data, sizeof v);
        s = crc_u32((uint32_t) s, v);
        data += 4;
    }
    if (len_bytes & 2) {
        uint16_t v;
        memcpy(&v, data, sizeof v);
        s = crc_u16((uint32_t) s, v);
        data += 2;
    }
    if (len_bytes & 1)
        s = crc_u8((uint32_t) s, *data);
    return (uint32_t) s;
}

#endif
#endif
