/*
 * base/npy.c - reading and writing the header of .npy files.
 *
 * Layout (NumPy's lib/format.py, NEP 1):
 *
 *   offset  bytes
 *   0       6       \x93NUMPY
 *   6       2       version, major and minor: 1.0, 2.0, 3.0
 *   8       2 | 4   length n of the header, little-endian: 2 bytes in version 1.0, else 4
 *   10 | 12 n       the dictionary, blanks, \n; the data begin at a multiple of 64 bytes
 *           ...     n_items * item_bytes of data, in C order or in Fortran's
 *
 * The header is the repr of a Python dictionary with exactly the keys descr, fortran_order and
 * shape; only that much of Python is understood here:
 *
 *   header = "{" entry { "," entry } [","] "}"        entry = string ":" value
 *   descr  = string: byte order (< > | =), kind (b i u f c S U V m M), bytes (U: characters)
 *   shape  = "(" [ number ["L"] { "," number ["L"] } [","] ] ")"
 */
#include "base/npy.h"

#include <inttypes.h>
#include <string.h>

enum { PREFIX_BYTES = 8, ALIGN_BYTES = 64, MAX_HEADER_BYTES = 10000 };
static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The part of the dictionary that is not parsed yet. */
struct text {
    const uint8_t *p, *end;
    const char *origin;
};

static enum t2_status fail(const char *origin, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': %s", origin, what);
}

static void blanks(struct text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\t' || *t->p == '\r'))
        t->p++;
}

static bool take(struct text *t, char c)
{
    blanks(t);
    if (t->p == t->end || *t->p != (uint8_t) c)
        return false;
    t->p++;
    return true;
}

static bool word(struct text *t, const char *w)
{
    size_t n = strlen(w);

    blanks(t);
    if ((size_t) (t->end - t->p) < n || memcmp(t->p, w, n) != 0)
        return false;
    t->p += n;
    return true;
}

/* A string without escapes, in quotes of either kind. */
static bool string(struct text *t, struct t2_slice *s)
{
    const uint8_t *q;

    blanks(t);
    if (t->p == t->end || (*t->p != '\'' && *t->p != '"'))
        return false;
    q = memchr(t->p + 1, *t->p, (size_t) (t->end - t->p - 1));
    if (!q || memchr(t->p, '\\', (size_t) (q - t->p)))
        return false;
    *s = (struct t2_slice){t->p + 1, (size_t) (q - t->p - 1)};
    t->p = q + 1;
    return true;
}

static bool number(struct text *t, uint64_t *n)
{
    const uint8_t *start;

    blanks(t);
    start = t->p;
    *n = 0;
    while (t->p < t->end && *t->p >= '0' && *t->p <= '9') {
        if (*n > (UINT64_MAX - 9) / 10)
            return false;
        *n = *n * 10 + (uint64_t) (*t->p++ - '0');
    }
    return t->p > start;
}

static enum t2_status parse_type(struct text *t, struct t2_npy *a, struct t2_err *err)
{
    struct t2_slice s;
    struct text digits;
    uint64_t n = 0;

    blanks(t);
    if (t->p < t->end && *t->p == '[')
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': a structured array; save its fields as arrays of their own",
                       t->origin);
    if (!string(t, &s) || s.len_bytes < 2 || !strchr("<>|=", s.data[0]) || s.data[0] == '\0')
        return fail(t->origin, "descr is no type of an array", err);
    a->big_endian = s.data[0] == '>';
    a->kind = (char) s.data[1];
    if (a->kind == 'O')
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': an array of pickled Python objects, which are not read "
                       "(allow_pickle=False); save it with a type of numbers, 'S' or 'U'",
                       t->origin);
    digits = (struct text){s.data + 2, s.data + s.len_bytes, t->origin};
    if (!strchr("biufcSUVmM", a->kind) || !number(&digits, &n) || n > UINT32_MAX ||
        (digits.p != digits.end && a->kind != 'm' && a->kind != 'M'))
        return fail(t->origin, "descr is no type of an array", err);
    a->item_bytes = (size_t) n * (a->kind == 'U' ? 4 : 1);
    return T2_OK;
}

static enum t2_status parse_shape(struct text *t, struct t2_npy *a, struct t2_err *err)
{
    bool comma = true;

    if (!take(t, '('))
        return fail(t->origin, "shape is no tuple", err);
    while (!take(t, ')')) {
        if (!comma || a->n_dims == T2_NPY_MAX_DIMS || !number(t, &a->dims[a->n_dims]))
            return fail(t->origin, "shape is no tuple of whole numbers", err);
        a->n_dims++;
        (void) (word(t, "L")); /* a long of Python 2 */
        comma = take(t, ',');
    }
    return T2_OK;
}

static enum t2_status parse_entry(struct text *t, struct t2_npy *a, unsigned *seen,
                                  struct t2_err *err)
{
    struct t2_slice key;

    if (!string(t, &key) || !take(t, ':'))
        return fail(t->origin, "the header is no dictionary", err);
    if (t2_slice_eq(key, t2_slice_of("descr"))) {
        *seen |= 1;
        return parse_type(t, a, err);
    }
    if (t2_slice_eq(key, t2_slice_of("shape"))) {
        *seen |= 2;
        a->n_dims = 0;
        return parse_shape(t, a, err);
    }
    if (t2_slice_eq(key, t2_slice_of("fortran_order"))) {
        *seen |= 4;
        a->fortran = word(t, "True");
        return a->fortran || word(t, "False")
                   ? T2_OK
                   : fail(t->origin, "fortran_order is neither True nor False", err);
    }
    return fail(t->origin, "the header has a key besides descr, fortran_order and shape", err);
}

/* The keys come in any order; `seen` has a bit for each of the three, and all must be there. */
static enum t2_status parse_dictionary(struct text *t, struct t2_npy *a, struct t2_err *err)
{
    unsigned seen = 0;

    if (!take(t, '{'))
        return fail(t->origin, "the header is no dictionary", err);
    while (!take(t, '}')) {
        T2_TRY(parse_entry(t, a, &seen, err));
        if (!take(t, ',') && (blanks(t), t->p == t->end || *t->p != '}'))
            return fail(t->origin, "the header is no dictionary", err);
    }
    blanks(t);
    if (t->p != t->end)
        return fail(t->origin, "text follows the dictionary in the header", err);
    if (seen != 7)
        return fail(t->origin, "the header lacks descr, fortran_order or shape", err);
    return T2_OK;
}

/*
 * The product of the dimensions, with care: an array of shape (0, 2^63, 2) is empty and valid, so
 * a zero anywhere is looked for before anything can overflow.
 */
static enum t2_status check_size(struct t2_slice all, const char *origin, struct t2_npy *a,
                                 struct t2_err *err)
{
    uint64_t n = 1, bytes;
    bool empty = false;

    for (size_t i = 0; i < a->n_dims; i++)
        empty = empty || a->dims[i] == 0;
    for (size_t i = 0; i < a->n_dims && !empty; i++) {
        if (__builtin_mul_overflow(n, a->dims[i], &n))
            return fail(origin, "the shape is too large", err);
    }
    a->n_items = empty ? 0 : n;
    if (__builtin_mul_overflow(a->n_items, a->item_bytes, &bytes) ||
        bytes > all.len_bytes - a->header_bytes)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': the data are cut short: %" PRIu64 " items of %zu bytes should be "
                       "there, %zu bytes are",
                       origin, a->n_items, a->item_bytes, all.len_bytes - a->header_bytes);
    return T2_OK;
}

enum t2_status t2_npy_parse(struct t2_slice all, const char *origin, struct t2_npy *a,
                            struct t2_err *err)
{
    const uint8_t *p = all.data;
    size_t n, length_bytes;
    struct text t;

    *a = (struct t2_npy){.kind = 0};
    if (all.len_bytes < PREFIX_BYTES + 4 || memcmp(p, magic, sizeof magic) != 0)
        return fail(origin, "not a .npy array (it does not begin with \\x93NUMPY)", err);
    if (p[6] < 1 || p[6] > 3 || p[7] != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': version %d.%d of .npy; 1.0 to 3.0 are known",
                       origin, p[6], p[7]);
    n = (size_t) p[8] | (size_t) p[9] << 8;
    length_bytes = p[6] == 1 ? 2 : 4;
    if (p[6] > 1)
        n |= (size_t) p[10] << 16 | (size_t) p[11] << 24;
    if (n > all.len_bytes - PREFIX_BYTES - length_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': the header is cut short: %zu of %zu bytes", origin,
                       all.len_bytes - PREFIX_BYTES - length_bytes, n);
    if (n > MAX_HEADER_BYTES)
        return fail(origin, "the header has more than 10000 bytes", err);
    a->header_bytes = PREFIX_BYTES + length_bytes + n;
    t = (struct text){p + PREFIX_BYTES + length_bytes, p + a->header_bytes, origin};
    T2_TRY(parse_dictionary(&t, a, err));
    return check_size(all, origin, a, err);
}

/* Version 1.0 with the spelling of numpy.save, blanks included: files are compared byte by byte. */
void t2_npy_header(struct t2_buf *out, const char *descr, const uint64_t *dims, size_t n_dims)
{
    static const uint8_t version[2] = {1, 0};
    struct t2_buf text = {NULL, 0, 0};
    size_t total;

    t2_buf_printf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t i = 0; i < n_dims; i++)
        t2_buf_printf(&text,
                      i + 1 < n_dims ? "%" PRIu64 ", "
                      : n_dims == 1  ? "%" PRIu64 ","
                                     : "%" PRIu64,
                      dims[i]);
    t2_buf_puts(&text, "), }");
    total = (PREFIX_BYTES + 2 + text.len_bytes + 1 + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    while (PREFIX_BYTES + 2 + text.len_bytes + 1 < total)
        t2_buf_push(&text, ' ');
    t2_buf_push(&text, '\n');
    t2_buf_append(out, magic, sizeof magic);
    t2_buf_append(out, version, sizeof version);
    t2_buf_push(out, (uint8_t) (text.len_bytes & 0xff));
    t2_buf_push(out, (uint8_t) (text.len_bytes >> 8));
    t2_buf_append(out, text.data, text.len_bytes);
    t2_buf_release(&text);
}
