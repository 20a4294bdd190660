/*
 * base/utf8.c - validity of UTF-8.
 */
#include <string.h>

#include "base/text.h"

/*
 * Length of the valid character at p, 0 when there is none.  Table 3-7 of the Unicode standard: the
 * lead byte gives the length and narrows the range of the second byte.
 *
 *   lead      bytes   second byte        lead      bytes   second byte
 *   00..7F    1                          ED        3       80..9F   no surrogates
 *   C2..DF    2       80..BF             F0        4       90..BF   not overlong
 *   E0        3       A0..BF             F1..F3    4       80..BF
 *   E1..EC    3       80..BF             F4        4       80..8F   to U+10FFFF
 *   EE..EF    3       80..BF             others    -
 */
static size_t character_length(const uint8_t *p, size_t left_bytes)
{
    uint8_t lead = p[0], low = 0x80, high = 0xBF;
    size_t n;

    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        n = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        n = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        n = 4;
    else
        return 0;
    if (n > left_bytes)
        return 0;
    if (lead == 0xE0)
        low = 0xA0; /* overlong */
    else if (lead == 0xED)
        high = 0x9F; /* surrogates */
    else if (lead == 0xF0)
        low = 0x90; /* overlong */
    else if (lead == 0xF4)
        high = 0x8F; /* above U+10FFFF */
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if (p[i] < 0x80 || p[i] > 0xBF)
            return 0;
    }
    return n;
}

/* Eight bytes of ASCII at a time, since most text is; everything else one character at a time. */
size_t t2_utf8_invalid_at(const uint8_t *data, size_t len_bytes)
{
    size_t i = 0;

    while (i < len_bytes) {
        uint64_t eight;
        size_t n;

        if (len_bytes - i >= 8) {
            memcpy(&eight, data + i, 8);
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                i += 8;
                continue;
            }
        }
        n = character_length(data + i, len_bytes - i);
        if (n == 0)
            return i;
        i += n;
    }
    return len_bytes;
}
