/*
 * tfrec/convert/webdataset_in.c - the samples of a tar file as Examples.
 *
 * Members that follow each other and have the same key are a sample, as for webdataset.  A member
 * without an extension is passed over.  Memory: one sample.
 *
 * The name of a member is "<folder>/<key>.<field>", cut at the first dot of its base name; the key
 * includes the folder, the field may have dots ("seg.png") and is lower-cased. One member is read
 * ahead, as only the next key shows that a sample is complete.
 *
 *   field                                        feature
 *   cls, cls2, class, count, index, inx, id      int64, a decimal number
 *   X.npy of one dimension, <i8 or <f4           X, a list of int64 or float
 *   any other                                    bytes, the content as it is
 *   (the key)                                    __key__, bytes
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/npy.h"
#include "base/tar.h"
#include "base/text.h"
#include "tfrec/convert/webdataset.h"

enum { MAX_FIELDS = 1024 };

struct field {
    char *name;
    struct t2_buf content;
};

struct reader {
    struct rec_reader base;
    char *path;
    struct t2_tar *tar;
    struct t2_buf content;         /* of the member that was read ahead */
    char *ahead_key, *ahead_field; /* NULL: none was */
    struct field *fields;          /* of the sample; their memory is used again */
    size_t n, capacity;
    bool at_end;
    uint64_t n_passed_over, n_twice;
};

bool rec_is_number_field(const char *field)
{
    static const char *const names[] = {"cls", "cls2", "class", "count", "index", "inx", "id"};
    const char *dot = strrchr(field, '.');
    const char *last = dot ? dot + 1 : field;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(last, names[i]) == 0)
            return true;
    }
    return false;
}

/* Key and field of a member's name; false: it has no extension, or no base name. */
static bool cut_name(const char *name, char **key, char **field)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *dot = strchr(base, '.');

    if (!dot || dot == base || !dot[1])
        return false;
    *key = t2_strndup(name, (size_t) (dot - name));
    *field = t2_strdup(dot + 1);
    for (char *p = *field; *p; p++)
        *p = (char) (*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
    return true;
}

static enum t2_status read_ahead(struct reader *r, struct t2_err *err)
{
    const char *name;

    while (!r->ahead_key && !r->at_end) {
        enum t2_status st = t2_tar_next(r->tar, &name, &r->content, err);
        if (st == T2_EOF) {
            r->at_end = true;
            break;
        }
        T2_TRY(st);
        if (t2_utf8_invalid_at((const uint8_t *) name, strlen(name)) < strlen(name))
            return t2_fail(err, T2_EFORMAT, "'%s': the name of a member is not UTF-8", r->path);
        if (!cut_name(name, &r->ahead_key, &r->ahead_field))
            r->n_passed_over++;
    }
    return T2_OK;
}

/* The member read ahead becomes a field of the sample; of two with the same name the last one
 * wins. */
static enum t2_status take_field(struct reader *r, struct t2_err *err)
{
    struct t2_buf swap;
    size_t i = 0;

    while (i < r->n && strcmp(r->fields[i].name, r->ahead_field) != 0)
        i++;
    if (i < r->n)
        r->n_twice++;
    if (i == MAX_FIELDS)
        return t2_fail(err, T2_EFORMAT, "'%s': sample '%s' has more than %d files", r->path,
                       r->ahead_key, MAX_FIELDS);
    if (i == r->capacity) {
        r->fields = t2_realloc(r->fields, r->capacity + 16, sizeof *r->fields);
        memset(r->fields + r->capacity, 0, 16 * sizeof *r->fields);
        r->capacity += 16;
    }
    if (i == r->n)
        r->n++;
    t2_free(r->fields[i].name);
    r->fields[i].name = r->ahead_field;
    swap = r->fields[i].content;
    r->fields[i].content = r->content;
    r->content = swap;
    r->ahead_field = NULL;
    t2_free(r->ahead_key);
    r->ahead_key = NULL;
    return T2_OK;
}

/* ---- fields as features ---- */

static bool parse_number(struct t2_slice s, int64_t *value)
{
    char text[32];

    while (s.len_bytes > 0 && isspace(s.data[s.len_bytes - 1]))
        s.len_bytes--;
    while (s.len_bytes > 0 && isspace(*s.data)) {
        s.data++;
        s.len_bytes--;
    }
    if (s.len_bytes == 0 || s.len_bytes >= sizeof text || memchr(s.data, '\0', s.len_bytes))
        return false;
    memcpy(text, s.data, s.len_bytes);
    text[s.len_bytes] = '\0';
    return t2_parse_i64(text, value);
}

/* A list as webdataset_out.c writes it: one dimension of int64 or float32.  The data are at least
 * aligned to 2 bytes only, so they are copied. */
static bool take_array(struct t2_slice s, struct tfr_feature *f, void **copy)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_npy a;
    bool ints, floats;

    if (t2_npy_parse(s, "", &a, &ignored) != T2_OK || a.n_dims != 1 || a.big_endian)
        return false;
    ints = a.kind == 'i' && a.item_bytes == 8;
    floats = a.kind == 'f' && a.item_bytes == 4;
    if ((!ints && !floats) || a.header_bytes + a.n_items * a.item_bytes != s.len_bytes)
        return false;
    *copy = t2_alloc((size_t) a.n_items + 1, a.item_bytes);
    memcpy(*copy, s.data + a.header_bytes, (size_t) a.n_items * a.item_bytes);
    f->kind = ints ? TFR_INT64 : TFR_FLOAT;
    f->n = (size_t) a.n_items;
    f->ints = ints ? *copy : NULL;
    f->floats = floats ? *copy : NULL;
    return true;
}

/* Memory that features of one sample point to. */
struct made {
    int64_t *numbers;
    struct t2_slice *bytes;
    void **arrays;
    struct tfr_feature *features;
    size_t n_arrays;
};

static enum t2_status make_feature(const struct reader *r, const char *key, size_t i,
                                   struct made *m, struct t2_err *err)
{
    struct field *from = &r->fields[i];
    struct tfr_feature *f = &m->features[i];
    struct t2_slice content = t2_buf_slice(&from->content);
    size_t n = strlen(from->name);

    *f = (struct tfr_feature){.name = from->name, .n = 1};
    if (rec_is_number_field(from->name)) {
        f->kind = TFR_INT64;
        f->ints = &m->numbers[i];
        if (!parse_number(content, &m->numbers[i]))
            return t2_fail(err, T2_EFORMAT, "'%s': '%s.%s' should hold a whole number and does not",
                           r->path, key, from->name);
        return T2_OK;
    }
    if (n > 4 && strcmp(from->name + n - 4, ".npy") == 0 &&
        take_array(content, f, &m->arrays[m->n_arrays])) {
        m->n_arrays++;
        from->name[n - 4] = '\0';
        return T2_OK;
    }
    f->kind = TFR_BYTES;
    m->bytes[i] = content;
    f->bytes = &m->bytes[i];
    return T2_OK;
}

/* "x.npy" and "x" both there are two features of one name: the first stays what it is. */
static void keep_names_apart(const struct reader *r, size_t i, const struct made *m)
{
    for (size_t k = 0; k < r->n; k++) {
        if (k != i && strcmp(r->fields[k].name, r->fields[i].name) == 0 &&
            m->features[i].kind != TFR_BYTES)
            r->fields[i].name[strlen(r->fields[i].name)] = '.'; /* ".npy" is still behind it */
    }
}

static enum t2_status build(struct reader *r, const char *key, struct t2_buf *out,
                            struct t2_err *err)
{
    struct made m = {t2_alloc(r->n, sizeof *m.numbers), t2_alloc(r->n + 1, sizeof *m.bytes),
                     t2_alloc(r->n, sizeof *m.arrays), t2_alloc(r->n + 1, sizeof *m.features), 0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < r->n && st == T2_OK; i++)
        st = make_feature(r, key, i, &m, err);
    for (size_t i = 0; i < r->n && st == T2_OK; i++)
        keep_names_apart(r, i, &m);
    if (st == T2_OK) {
        m.bytes[r->n] = t2_slice_of(key);
        m.features[r->n] = (struct tfr_feature){.name = REC_KEY_FEATURE,
                                                .kind = TFR_BYTES,
                                                .n = 1,
                                                .bytes = &m.bytes[r->n]};
        tfr_example_build(out, m.features, r->n + 1);
    }
    for (size_t i = 0; i < m.n_arrays; i++)
        t2_free(m.arrays[i]);
    t2_free(m.arrays);
    t2_free(m.numbers);
    t2_free(m.bytes);
    t2_free(m.features);
    return st;
}

/* ---- samples ---- */

static void say(const struct rec_reader *base)
{
    const struct reader *r = (const struct reader *) base;

    if (r->n_passed_over > 0)
        t2_warn("'%s': %" PRIu64 " member%s without an extension passed over", r->path,
                r->n_passed_over, r->n_passed_over == 1 ? "" : "s");
    if (r->n_twice > 0)
        t2_warn("'%s': %" PRIu64 " member%s came again in the same sample; the last one was taken",
                r->path, r->n_twice, r->n_twice == 1 ? "" : "s");
}

static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;
    enum t2_status st;
    char *key;

    *place = 0;
    T2_TRY(read_ahead(r, err));
    if (!r->ahead_key)
        return T2_EOF;
    key = t2_strdup(r->ahead_key);
    r->n = 0;
    do {
        st =
            strcmp(r->ahead_field, REC_KEY_FEATURE) == 0
                ? t2_fail(err, T2_EFORMAT,
                          "'%s': '%s' has a file whose extension is " REC_KEY_FEATURE, r->path, key)
                : take_field(r, err);
        if (st == T2_OK)
            st = read_ahead(r, err);
    } while (st == T2_OK && r->ahead_key && strcmp(r->ahead_key, key) == 0);
    if (st == T2_OK)
        st = build(r, key, out, err);
    t2_free(key);
    return st;
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    for (size_t i = 0; i < r->capacity; i++) {
        t2_free(r->fields[i].name);
        t2_buf_release(&r->fields[i].content);
    }
    t2_free(r->fields);
    t2_buf_release(&r->content);
    t2_free(r->ahead_key);
    t2_free(r->ahead_field);
    t2_tar_free(r->tar);
    t2_free(r->path);
    t2_free(r);
}

enum t2_status rec_webdataset_open(const struct rec_convert *c, const char *path,
                                   struct rec_reader **out, struct t2_err *err)
{
    struct t2_tar *tar;
    struct reader *r;

    (void) c;
    T2_TRY(t2_tar_new(path, &tar, err));
    r = t2_alloc(1, sizeof *r);
    r->base = (struct rec_reader){.next = next, .free = free_reader, .say = say};
    r->path = t2_strdup(path);
    r->tar = tar;
    *out = &r->base;
    return T2_OK;
}
