/*
 * tfrecord/idx_text.c - DALI's .idx: "<offset> <bytes of the whole record>", one line a record.
 */
#include "tfrecord/idx_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/framing.h"
#include "tfrecord/record_index.h"

#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The eight digits of a number below 10^8, the first in the lowest byte: halves, then quarters,
 * then eighths of it side by side in one word, each divided by a multiplication. */
static uint64_t eight_digits(uint64_t v)
{
    uint64_t x = v / 10000 | v % 10000 << 32;
    uint64_t y = x * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t z = y | (x - 100 * y) << 16;
    uint64_t t = z * 103 >> 10 & UINT64_C(0x000f000f000f000f);

    return t | (z - 10 * t) << 8;
}

static void put_word(char *to, uint64_t w)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    memcpy(to, &w, sizeof w);
}

/* Called twice per record, so without division and branches per digit.  Up to seven bytes behind
 * the number are written too, never beyond 20. */
static size_t put_number(char *to, uint64_t v)
{
    enum { FULL = 100000000 };
    size_t n = 0;

    if (v >= FULL) {
        n = put_number(to, v / FULL);
        put_word(to + n, eight_digits(v % FULL) | EIGHT('0'));
        return n + 8;
    }
    uint64_t digits = eight_digits(v);
    size_t n_zeros = (size_t) __builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    put_word(to, (digits | EIGHT('0')) >> 8 * n_zeros);
    return 8 - n_zeros;
}

size_t tfr_idx_line(char line[TFR_IDX_LINE_BYTES], uint64_t offset, uint64_t bytes)
{
    size_t n = put_number(line, offset);

    line[n++] = ' ';
    n += put_number(line + n, bytes);
    line[n++] = '\n';
    return n;
}

/* Digits from *at on; false: none, or too large. */
static bool get_number(const char *text, size_t len_bytes, size_t *at, uint64_t *value)
{
    size_t begin = *at;
    uint64_t v = 0;

    while (*at < len_bytes && text[*at] >= '0' && text[*at] <= '9') {
        uint64_t digit = (uint64_t) (text[*at] - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
        ++*at;
    }
    *value = v;
    return *at > begin;
}

/* One line from *at on; its LF may be missing at the end of the text. */
static bool get_line(const char *text, size_t len_bytes, size_t *at, uint64_t *offset,
                     uint64_t *bytes)
{
    if (!get_number(text, len_bytes, at, offset) || *at == len_bytes || text[*at] != ' ')
        return false;
    ++*at;
    if (!get_number(text, len_bytes, at, bytes))
        return false;
    if (*at < len_bytes && text[*at] == '\r')
        ++*at;
    if (*at == len_bytes)
        return true;
    return text[(*at)++] == '\n';
}

/* An upper bound. */
static size_t count_lines(const char *text, size_t len_bytes)
{
    const char *end = text + len_bytes;
    size_t n = 0;

    for (const char *p = text; p < end; n++) {
        const char *lf = memchr(p, '\n', (size_t) (end - p));
        p = !lf ? end : lf + 1;
    }
    return n;
}

static enum t2_status parse_lines(const char *text, size_t len_bytes, const char *origin,
                                  uint64_t *offsets, uint64_t *n_records, struct t2_err *err)
{
    uint64_t n = 0, end = 0, offset, bytes;
    size_t at = 0;

    offsets[0] = 0;
    while (at < len_bytes) {
        if (!get_line(text, len_bytes, &at, &offset, &bytes))
            return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " is not '<offset> <bytes>'",
                           origin, n + 1);
        if (offset != end || bytes < TFR_FRAME_BYTES || bytes > UINT64_MAX - end)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %" PRIu64 ": a record of %" PRIu64 " bytes at %" PRIu64
                           " cannot follow what ends at %" PRIu64,
                           origin, n + 1, bytes, offset, end);
        end += bytes;
        offsets[++n] = end;
    }
    *n_records = n;
    return T2_OK;
}

enum t2_status tfr_idx_parse(const char *text, size_t len_bytes, const char *origin,
                             uint64_t **offsets, uint64_t *n_records, struct t2_err *err)
{
    size_t n = len_bytes == 0 ? 0 : count_lines(text, len_bytes);
    uint64_t *list = t2_try_alloc(n + 1, sizeof *list);
    enum t2_status st;

    *offsets = NULL;
    *n_records = 0;
    if (!list)
        return t2_fail(err, T2_ENOMEM, "'%s': no memory for %zu offsets", origin, n);
    st = parse_lines(text, len_bytes, origin, list, n_records, err);
    if (st != T2_OK) {
        t2_free(list);
        return st;
    }
    *offsets = list;
    return T2_OK;
}
