/*
 * tfrec/sort_keys.c - values as bytes that memcmp puts in order.
 *
 *   number: 01, eight bytes of the nearest double, two of the int64 minus that double
 *   bytes:  02, the bytes with 00 as 00 ff, then 00 01
 *   missing: ff
 *
 * No key is the beginning of another, so the keys of several expressions can follow each other.
 * Descending: all bytes inverted; the tags fe and fd still sort before ff, so missing values are
 * last either way.
 *
 * A double as an integer: IEEE 754 numbers of one sign compare as their bits do; negative ones are
 * inverted, positive ones get the top bit.  An int64 beyond 2^53 is the nearest double and the
 * difference (at most 512), so that int64 and double compare exactly.
 */
#include "tfrec/sort_keys.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum { TAG_NUMBER = 1, TAG_BYTES = 2, TAG_MISSING = 0xff };

#define TWO_63 9223372036854775808.0

struct part {
    struct rec_where *expression;
    bool descending;
};

struct rec_sort_keys {
    struct part *parts;
    size_t n;
};

void rec_sort_keys_free(struct rec_sort_keys *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->n; i++)
        rec_where_free(k->parts[i].expression);
    t2_free(k->parts);
    t2_free(k);
}

/* ":asc", ":desc" or nothing. */
static enum t2_status read_direction(const char *text, size_t *at, bool *descending,
                                     struct t2_err *err)
{
    const char *word = text + *at + 1;

    *descending = false;
    if (text[*at] != ':')
        return T2_OK;
    if (t2_starts_with(word, "desc") && (word[4] == ',' || word[4] == '\0')) {
        *descending = true;
        *at += 5;
    } else if (t2_starts_with(word, "asc") && (word[3] == ',' || word[3] == '\0')) {
        *at += 4;
    } else {
        return t2_fail(err, T2_EUSAGE, "'%s': after the colon at column %zu comes desc or asc",
                       text, *at + 1);
    }
    return T2_OK;
}

enum t2_status rec_sort_keys_parse(const char *text, struct rec_sort_keys **out, struct t2_err *err)
{
    struct rec_sort_keys *k = t2_alloc(1, sizeof *k);
    enum t2_status st = T2_OK;

    *out = NULL;
    for (size_t at = 0;; at++) {
        struct part part = {NULL, false};
        st = rec_where_parse_part(text, &at, &part.expression, err);
        if (st != T2_OK)
            break;
        k->parts = t2_realloc(k->parts, k->n + 1, sizeof *k->parts);
        k->parts[k->n++] = part;
        st = read_direction(text, &at, &k->parts[k->n - 1].descending, err);
        if (st != T2_OK || text[at] == '\0')
            break;
    }
    if (st != T2_OK) {
        rec_sort_keys_free(k);
        return st;
    }
    *out = k;
    return T2_OK;
}

bool rec_sort_keys_need_example(const struct rec_sort_keys *k)
{
    for (size_t i = 0; i < k->n; i++) {
        if (rec_where_needs_example(k->parts[i].expression))
            return true;
    }
    return false;
}

static void put_big_endian(struct t2_buf *key, uint64_t v, int n_bytes)
{
    for (int i = n_bytes - 1; i >= 0; i--)
        t2_buf_push(key, (uint8_t) (v >> (8 * i)));
}

static void put_number(struct t2_buf *key, const struct rec_value *v)
{
    double d = v->kind == REC_INT ? (double) v->i : v->d;
    int64_t rest = 0;
    uint64_t bits;

    if (v->kind == REC_INT) /* at most 512 either way; 2^63 itself is no int64 */
        rest = d >= TWO_63 ? v->i - INT64_MAX - 1 : v->i - (int64_t) d;
    if (d == 0)
        d = 0; /* not -0 */
    if (isnan(d))
        bits = UINT64_MAX;
    else
        memcpy(&bits, &d, sizeof bits);
    if (!isnan(d)) /* negative: all bits turned; else only the sign */
        bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    put_big_endian(key, bits, 8);
    put_big_endian(key, (uint64_t) (rest + 0x8000), 2);
}

static void put_bytes(struct t2_buf *key, struct t2_slice bytes)
{
    while (bytes.len_bytes > 0) {
        const uint8_t *zero = memchr(bytes.data, 0, bytes.len_bytes);
        size_t n = zero ? (size_t) (zero - bytes.data) + 1 : bytes.len_bytes;
        t2_buf_append(key, bytes.data, n);
        if (zero)
            t2_buf_push(key, 0xff);
        bytes.data += n;
        bytes.len_bytes -= n;
    }
    t2_buf_push(key, 0);
    t2_buf_push(key, 1);
}

void rec_sort_key_of(const struct rec_value *v, bool descending, struct t2_buf *key)
{
    size_t start = key->len_bytes;

    if (v->kind == REC_MISSING) {
        t2_buf_push(key, TAG_MISSING);
        return;
    }
    t2_buf_push(key, v->kind == REC_BYTES ? TAG_BYTES : TAG_NUMBER);
    if (v->kind == REC_BYTES)
        put_bytes(key, v->bytes);
    else
        put_number(key, v);
    for (size_t i = start; descending && i < key->len_bytes; i++)
        key->data[i] =
            (uint8_t) ~key->data[i]; /* the tag becomes fe or fd: before what is missing */
}

void rec_sort_keys_put(const struct rec_sort_keys *k, struct rec_where_scratch *scratch,
                       const struct tfr_example *example, struct t2_slice record, uint64_t number,
                       struct t2_buf *key)
{
    for (size_t i = 0; i < k->n; i++) {
        struct rec_value v =
            rec_where_value(k->parts[i].expression, scratch, example, record, number);
        rec_sort_key_of(&v, k->parts[i].descending, key);
    }
}
