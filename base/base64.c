/*
 * base/base64.c - base64 of RFC 4648, reading the URL alphabet too.
 */
#include "base/base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void t2_base64_encode(struct t2_slice s, struct t2_buf *out)
{
    uint8_t *to = t2_buf_reserve(out, s.len_bytes / 3 * 4 + 4);
    uint8_t *p = to;
    size_t i = 0;

    /*
     * Three bytes become four characters of six bits each, the first byte in the highest bits: v =
     * aaaaaaaa bbbbbbbb cccccccc is cut as aaaaaa aabbbb bbbbcc cccccc.
     */
    for (; i + 3 <= s.len_bytes; i += 3) {
        uint32_t v =
            (uint32_t) s.data[i] << 16 | (uint32_t) s.data[i + 1] << 8 | (uint32_t) s.data[i + 2];
        *p++ = (uint8_t) alphabet[v >> 18];
        *p++ = (uint8_t) alphabet[v >> 12 & 63];
        *p++ = (uint8_t) alphabet[v >> 6 & 63];
        *p++ = (uint8_t) alphabet[v & 63];
    }
    /* One byte left gives two characters and "==", two bytes give three and "=". */
    if (i < s.len_bytes) {
        bool two = i + 1 < s.len_bytes;
        uint32_t v = (uint32_t) s.data[i] << 16 | (two ? (uint32_t) s.data[i + 1] << 8 : 0);
        *p++ = (uint8_t) alphabet[v >> 18];
        *p++ = (uint8_t) alphabet[v >> 12 & 63];
        *p++ = two ? (uint8_t) alphabet[v >> 6 & 63] : '=';
        *p++ = '=';
    }
    out->len_bytes += (size_t) (p - to);
    out->data[out->len_bytes] = 0;
}

void t2_base64_encode_u32(uint32_t checksum, struct t2_buf *out)
{
    const uint8_t bytes[4] = {(uint8_t) (checksum >> 24), (uint8_t) (checksum >> 16),
                              (uint8_t) (checksum >> 8), (uint8_t) checksum};

    t2_base64_encode((struct t2_slice){bytes, sizeof bytes}, out);
}

/* One more than the six bits of a character; 0: it is none of the alphabet. */
/* clang-format off */
static const uint8_t values[256] = {
    ['A'] = 1, ['B'] = 2, ['C'] = 3, ['D'] = 4, ['E'] = 5, ['F'] = 6, ['G'] = 7,
    ['H'] = 8, ['I'] = 9, ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14,
    ['O'] = 15, ['P'] = 16, ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21,
    ['V'] = 22, ['W'] = 23, ['X'] = 24, ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28,
    ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35,
    ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40, ['o'] = 41, ['p'] = 42,
    ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49,
    ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63,
    ['-'] = 63, ['/'] = 64, ['_'] = 64,
};
/* clang-format on */

/* Four characters as 24 bits; beyond them: one of the four is none. */
static uint32_t four(const uint8_t *p)
{
    uint32_t a = values[p[0]] - 1U, b = values[p[1]] - 1U, c = values[p[2]] - 1U,
             d = values[p[3]] - 1U;

    return (a | b | c | d) > 63 ? UINT32_MAX : a << 18 | b << 12 | c << 6 | d;
}

/*
 * Padding may be there in full or not at all, as the URL alphabet leaves it out.  A last group of
 * one character holds six bits and no byte, so it is refused.  Bits that are left over at the end
 * (two or four) are not looked at, as Python's b64decode does not.
 */
bool t2_base64_decode(struct t2_slice text, struct t2_buf *out)
{
    size_t n = text.len_bytes, i = 0;
    uint8_t last[4] = {'A', 'A', 'A', 'A'}, *to, *p;
    uint32_t v = 0;

    while (n > 0 && text.data[n - 1] == '=' && text.len_bytes - n < 2)
        n--;
    if (n % 4 == 1 || (n < text.len_bytes && text.len_bytes % 4 != 0))
        return false;
    to = p = t2_buf_reserve(out, n / 4 * 3 + 3);
    for (; i + 4 <= n && (v = four(text.data + i)) != UINT32_MAX; i += 4) {
        *p++ = (uint8_t) (v >> 16);
        *p++ = (uint8_t) (v >> 8);
        *p++ = (uint8_t) v;
    }
    if (i < n && v != UINT32_MAX) { /* two or three are left: the rest counts as zeros */
        memcpy(last, text.data + i, n - i);
        v = four(last);
        *p++ = (uint8_t) (v >> 16);
        if (n - i == 3)
            *p++ = (uint8_t) (v >> 8);
    }
    if (v == UINT32_MAX)
        return false;
    out->len_bytes += (size_t) (p - to);
    out->data[out->len_bytes] = 0;
    return true;
}
