/*
 * train/ckpt/safetensors.c - reading safetensors files.
 *
 * Bytes 0 .. 7: length N of the header, little-endian.  8 .. 7 + N: a JSON object, one member per
 * tensor, {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]} with offsets that count
 * from the end of the header, and "__metadata__", an object of strings.  Then the data, row-major,
 * little-endian, without gaps; a tensor may lie at any address, so nothing is read from it by a
 * pointer to float.
 *
 * Nothing from the header is used before it is checked: the tensors, sorted by their place, must
 * cover the bytes after the header exactly once.  Writing is in safetensors_write.c.
 */
#include "train/ckpt/safetensors.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train/ckpt/tensor_file.h"

enum { LENGTH_BYTES = 8, MAX_HEADER_BYTES = 100 * 1000 * 1000 };

/* ---- types ---- */

static const struct {
    const char *name;
    enum ckpt_type type;
    size_t n_bytes;
} types[] = {{"F32", CKPT_F32, 4}, {"F64", CKPT_F64, 8},         {"BF16", CKPT_BF16, 2},
             {"F16", CKPT_F16, 2}, {"I32", CKPT_I32, 4},         {"I64", CKPT_I64, 8},
             {"U8", CKPT_U8, 1},   {"BOOL", CKPT_BOOL, 1},       {"I8", CKPT_I8, 1},
             {"I16", CKPT_I16, 2}, {"U16", CKPT_U16, 2},         {"U32", CKPT_U32, 4},
             {"U64", CKPT_U64, 8}, {"F8_E4M3", CKPT_F8_E4M3, 1}, {"F8_E5M2", CKPT_F8_E5M2, 1},
             {"C64", CKPT_C64, 8}};
enum { N_TYPES = sizeof types / sizeof *types };

/* Types of the format that are not supported here: less than a byte, or scales only. */
static const char *const other_types[] = {"F4", "F6_E2M3", "F6_E3M2", "F8_E8M0"};

const char *ckpt_type_name(enum ckpt_type type)
{
    T2_ASSERT((size_t) type < N_TYPES && types[type].type == type);
    return types[type].name;
}

size_t ckpt_type_bytes(enum ckpt_type type)
{
    T2_ASSERT((size_t) type < N_TYPES && types[type].type == type);
    return types[type].n_bytes;
}

/* ---- checking one entry of the header ---- */

static enum t2_status bad(const struct ckpt_file *f, const char *tensor, const char *what,
                          struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': tensor '%s': %s", f->path, tensor, what);
}

static enum t2_status read_type(const struct ckpt_file *f, struct ckpt_tensor *t,
                                const struct t2_json_value *v, struct t2_err *err)
{
    const char *name = t2_json_as_string(v, NULL);

    if (!name)
        return bad(f, t->name, "'dtype' is missing or not a string", err);
    for (size_t i = 0; i < N_TYPES; i++) {
        if (strcmp(types[i].name, name) == 0) {
            t->type = types[i].type;
            return T2_OK;
        }
    }
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++) {
        if (strcmp(other_types[i], name) == 0)
            return t2_fail(err, T2_EUNSUPPORTED, "'%s': tensor '%s': type %s cannot be read here",
                           f->path, t->name, name);
    }
    return t2_fail(err, T2_EFORMAT, "'%s': tensor '%s': unknown type '%s'", f->path, t->name, name);
}

/* Shape, and the number of bytes it needs, multiplied up with a check for overflow; nothing is
 * allocated by it. */
static enum t2_status read_shape(const struct ckpt_file *f, struct ckpt_tensor *t,
                                 const struct t2_json_value *v, struct t2_err *err)
{
    size_t n = t2_json_size(v);

    if (t2_json_type(v) != T2_JSON_ARRAY)
        return bad(f, t->name, "'shape' is missing or not a list", err);
    if (n > CKPT_MAX_RANK)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': tensor '%s': %zu dimensions; at most %d can be read", f->path,
                       t->name, n, CKPT_MAX_RANK);
    t->rank = (int) n;
    t->n_bytes = ckpt_type_bytes(t->type);
    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *item = t2_json_item(v, i);

        t->dims[i] = t2_json_as_i64(item, -1);
        if (t2_json_type(item) != T2_JSON_INT || t->dims[i] < 0)
            return bad(f, t->name, "'shape' has something other than a size", err);
        if (!t2_mul_size(t->n_bytes, (size_t) t->dims[i], &t->n_bytes))
            return bad(f, t->name, "the sizes of 'shape' are too large", err);
    }
    return T2_OK;
}

static enum t2_status read_offsets(const struct ckpt_file *f, struct ckpt_tensor *t,
                                   const struct t2_json_value *v, struct t2_err *err)
{
    int64_t begin = t2_json_as_i64(t2_json_item(v, 0), -1);
    int64_t end = t2_json_as_i64(t2_json_item(v, 1), -1);

    if (t2_json_type(v) != T2_JSON_ARRAY || t2_json_size(v) != 2 || begin < 0 || end < 0)
        return bad(f, t->name, "'data_offsets' must be two offsets", err);
    if (end < begin)
        return bad(f, t->name, "its data ends before it begins", err);
    if ((uint64_t) end > f->n_data)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': tensor '%s': its data ends at %" PRId64
                       ", but there are %zu bytes after the header (cut short?)",
                       f->path, t->name, end, f->n_data);
    if ((uint64_t) (end - begin) != t->n_bytes)
        return t2_fail(
            err, T2_EFORMAT,
            "'%s': tensor '%s': type and shape need %zu bytes, the offsets give %" PRId64, f->path,
            t->name, t->n_bytes, end - begin);
    t->data = f->data + begin;
    return T2_OK;
}

static enum t2_status read_metadata(const struct ckpt_file *f, const struct t2_json_value *v,
                                    struct t2_err *err)
{
    const struct t2_json_value *value;

    if (t2_json_type(v) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "'%s': '__metadata__' is not an object", f->path);
    for (size_t i = 0; i < t2_json_size(v); i++) {
        const char *key = t2_json_member(v, i, &value);

        if (t2_json_type(value) != T2_JSON_STRING)
            return t2_fail(err, T2_EFORMAT, "'%s': '__metadata__': '%s' is not a string", f->path,
                           key);
    }
    return T2_OK;
}

static enum t2_status read_entry(struct ckpt_file *f, const char *name,
                                 const struct t2_json_value *v, struct t2_err *err)
{
    struct ckpt_tensor *t = &f->tensors[f->n_tensors];

    if (strcmp(name, "__metadata__") == 0)
        return read_metadata(f, v, err);
    t->name = name;
    if (t2_json_type(v) != T2_JSON_OBJECT)
        return bad(f, name, "its entry is not an object", err);
    T2_TRY(read_type(f, t, t2_json_get(v, "dtype"), err));
    T2_TRY(read_shape(f, t, t2_json_get(v, "shape"), err));
    T2_TRY(read_offsets(f, t, t2_json_get(v, "data_offsets"), err));
    *t2_map_at(f->index, name, strlen(name), NULL) = f->n_tensors++;
    return T2_OK;
}

/* ---- the whole ---- */

/* By place; empty ones before the one that begins there. */
static int by_place(const void *a, const void *b)
{
    const struct ckpt_tensor *x = *(const struct ckpt_tensor *const *) a;
    const struct ckpt_tensor *y = *(const struct ckpt_tensor *const *) b;
    const uint8_t *p = x->data, *q = y->data;

    if (p != q)
        return p < q ? -1 : 1;
    return (x->n_bytes > y->n_bytes) - (x->n_bytes < y->n_bytes);
}

/* Neither overlaps nor gaps nor a rest: as the safetensors library requires, since bytes that
 * belong to no tensor could hide anything. */
static enum t2_status check_cover(const struct ckpt_file *f, struct t2_err *err)
{
    const struct ckpt_tensor **order = t2_alloc(f->n_tensors, sizeof(const struct ckpt_tensor *));
    const uint8_t *end = f->data;
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < f->n_tensors; i++)
        order[i] = &f->tensors[i];
    qsort(order, f->n_tensors, sizeof(const struct ckpt_tensor *), by_place);
    for (size_t i = 0; i < f->n_tensors && st == T2_OK; i++) {
        const uint8_t *begin = order[i]->data;

        if (begin < end)
            st = bad(f, order[i]->name, "its data overlaps that of another tensor", err);
        else if (begin > end)
            st = bad(f, order[i]->name, "there are bytes before its data that belong to no tensor",
                     err);
        end = begin + order[i]->n_bytes;
    }
    if (st == T2_OK && end != f->data + f->n_data)
        st = t2_fail(err, T2_EFORMAT, "'%s': %zu bytes after the last tensor", f->path,
                     (size_t) (f->data + f->n_data - end));
    t2_free(order);
    return st;
}

static uint64_t little_endian_64(const uint8_t *p)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static enum t2_status read_header(struct ckpt_file *f, struct t2_err *err)
{
    const struct t2_json_value *root, *v = NULL;
    uint64_t n_header;
    size_t n;

    if (f->n_bytes < LENGTH_BYTES)
        return t2_fail(err, T2_EFORMAT, "'%s': %zu bytes are too few for a safetensors file",
                       f->path, f->n_bytes);
    n_header = little_endian_64(f->bytes);
    if (n_header > MAX_HEADER_BYTES)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': header of %" PRIu64 " bytes; not a safetensors file?", f->path,
                       n_header);
    if (n_header > f->n_bytes - LENGTH_BYTES)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': header of %" PRIu64 " bytes in a file of %zu bytes (cut short?)",
                       f->path, n_header, f->n_bytes);
    f->data = f->bytes + LENGTH_BYTES + n_header;
    f->n_data = f->n_bytes - LENGTH_BYTES - (size_t) n_header;
    T2_TRY(t2_json_parse((const char *) f->bytes + LENGTH_BYTES, (size_t) n_header, f->path,
                         &f->header, err));
    root = t2_json_root(f->header);
    if (t2_json_type(root) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "'%s': the header is not a JSON object", f->path);
    n = t2_json_size(root);
    f->tensors = t2_alloc(n, sizeof *f->tensors);
    for (size_t i = 0; i < n; i++) {
        const char *name = t2_json_member(root, i, &v);

        T2_TRY(read_entry(f, name, v, err));
    }
    return check_cover(f, err);
}

enum t2_status ckpt_open_memory(const void *data, size_t len_bytes, const char *origin,
                                struct ckpt_file **f, struct t2_err *err)
{
    struct ckpt_file *file = ckpt_file_new(origin);
    enum t2_status st;

    *f = NULL;
    file->bytes = data;
    file->n_bytes = len_bytes;
    st = read_header(file, err);
    if (st == T2_OK)
        *f = file;
    else
        ckpt_close(file);
    return st;
}

enum t2_status ckpt_open(const char *path, struct ckpt_file **f, struct t2_err *err)
{
    struct t2_mapped map = {0};
    enum t2_status st;

    *f = NULL;
    T2_TRY(t2_map_file(path, &map, err));
    st = ckpt_open_memory(map.data, map.len_bytes, path, f, err);
    if (st == T2_OK)
        ckpt_file_keep_map(*f, &map);
    else
        t2_unmap_file(&map);
    return st;
}

struct t2_slice ckpt_data(const struct ckpt_file *f)
{
    return (struct t2_slice){f->data, f->n_data};
}

const char *ckpt_metadata(const struct ckpt_file *f, const char *key)
{
    return t2_json_as_string(t2_json_get(t2_json_get(t2_json_root(f->header), "__metadata__"), key),
                             NULL);
}
