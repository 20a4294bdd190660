/*
 * base/base64.c - base64 of RFC 4648, reading the URL alphabet too.
 */
#include "base/base64.h"

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

static int value_of(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/*
 * Padding may be there in full or not at all, as the URL alphabet leaves it out.  A last group of
 * one character holds six bits and no byte, so it is refused.  Bits that are left over at the end
 * (two or four) are not looked at, as Python's b64decode does not.
 */
bool t2_base64_decode(struct t2_slice text, struct t2_buf *out)
{
    size_t n = text.len_bytes;
    uint32_t held = 0; /* the bits not yet written, in its low n_bits */
    int n_bits = 0;

    while (n > 0 && text.data[n - 1] == '=' && text.len_bytes - n < 2)
        n--;
    if (n % 4 == 1 || (n < text.len_bytes && text.len_bytes % 4 != 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        int v = value_of(text.data[i]);
        if (v < 0)
            return false;
        held = held << 6 | (uint32_t) v;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            t2_buf_push(out, (uint8_t) (held >> n_bits));
        }
    }
    return true;
}
