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

static size_t count_digits(uint64_t v)
{
    size_t n = 1;

    for (; v >= 10000; v /= 10000)
        n += 4;
    return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* Two digits a division: there is a line for every record. */
static size_t put_number(char *to, uint64_t v)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    size_t n = count_digits(v);
    size_t at = n;

    for (; v >= 100; v /= 100)
        memcpy(to + (at -= 2), pairs + 2 * (v % 100), 2);
    if (v >= 10)
        memcpy(to, pairs + 2 * v, 2);
    else
        to[0] = (char) ('0' + v);
    return n;
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
        p = lf == NULL ? end : lf + 1;
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
    if (list == NULL)
        return t2_fail(err, T2_ENOMEM, "'%s': no memory for %zu offsets", origin, n);
    st = parse_lines(text, len_bytes, origin, list, n_records, err);
    if (st != T2_OK) {
        t2_free(list);
        return st;
    }
    *offsets = list;
    return T2_OK;
}
