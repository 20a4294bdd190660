/*
 * tfrec/convert/webdataset_out.c - Examples as samples in a tar file.
 *
 * bytes: "<key>.<feature>" as they are; one int64 of a field that webdataset reads as a number: its
 * digits; other int64 and float lists: "<key>.<feature>.npy".  A slash in a feature's name becomes
 * a dot, except image/encoded (jpg, png, ... by content) and image/class/label (cls).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/tar.h"
#include "tfrec/convert/images.h"
#include "tfrec/convert/webdataset.h"

const struct rec_format rec_format_webdataset = {"webdataset", rec_webdataset_open, NULL,
                                                 rec_webdataset_create};

struct writer {
    struct rec_writer base;
    struct t2_out *out;
    const char *key;                      /* the feature */
    struct t2_buf last_key, name, member; /* the last two: of one member */
};

/* A slice behind its length in 8 bytes. */
static void put_slice(struct t2_buf *out, struct t2_slice s)
{
    uint64_t n = s.len_bytes;

    t2_buf_append(out, &n, sizeof n);
    t2_buf_append(out, s.data, s.len_bytes);
}

static struct t2_slice take_slice(struct t2_slice *from)
{
    struct t2_slice s;
    uint64_t n;

    memcpy(&n, from->data, sizeof n);
    s = (struct t2_slice){from->data + sizeof n, (size_t) n};
    from->data += sizeof n + s.len_bytes;
    from->len_bytes -= sizeof n + s.len_bytes;
    return s;
}

/* A relative path without "..", whose base name has no dot. */
static bool is_key(struct t2_slice s)
{
    size_t part = 0;

    if (s.len_bytes == 0 || s.len_bytes > 4096 || s.data[0] == '/')
        return false;
    for (size_t i = 0; i <= s.len_bytes; i++) {
        uint8_t b = i < s.len_bytes ? s.data[i] : '/';
        if (b == '\0')
            return false;
        if (b != '/')
            continue;
        if (i == part || (i == part + 1 && s.data[part] == '.') ||
            (i == part + 2 && s.data[part] == '.' && s.data[part + 1] == '.'))
            return false;
        if (i == s.len_bytes && memchr(s.data + part, '.', i - part))
            return false;
        part = i + 1;
    }
    return true;
}

static enum t2_status find_key(const struct writer *w, struct rec_scratch *s, uint64_t number,
                               struct t2_buf *key, struct t2_err *err)
{
    const struct tfr_view *view = tfr_example_find(&s->example, w->key);
    struct t2_slice k;

    if (!view || view->kind != TFR_BYTES || view->n != 1) {
        t2_buf_printf(key, "%09" PRIu64, number);
        return T2_OK;
    }
    T2_TRY(rec_values_load(&s->values, view, err));
    k = s->values.bytes[0];
    if (!is_key(k))
        return t2_fail(err, T2_EFORMAT,
                       "feature '%s' is no key of a sample: a relative path whose last part has no "
                       "dot; --key=FEATURE takes another, --key= numbers the samples",
                       w->key);
    t2_buf_append(key, k.data, k.len_bytes);
    return T2_OK;
}

/* The extension of a feature's member. */
static enum t2_status field_name(const struct rec_values *v, const char *name, struct t2_buf *out,
                                 struct t2_err *err)
{
    enum rec_image type = REC_NO_IMAGE;

    if (v->kind == TFR_BYTES && v->n == 1 && strcmp(name, "image/encoded") == 0)
        type = rec_image_type(v->bytes[0]);
    if (type != REC_NO_IMAGE) {
        t2_buf_puts(out, type == REC_JPEG ? "jpg" : rec_image_format(type));
    } else if (strcmp(name, "image/class/label") == 0 && v->n == 1) {
        t2_buf_puts(out, "cls");
    } else {
        for (const char *p = name; *p; p++)
            t2_buf_push(out, (uint8_t) (*p == '/' ? '.' : *p));
    }
    if (out->len_bytes == 0 || strlen(t2_buf_cstr(out)) != out->len_bytes)
        return t2_fail(err, T2_EUNSUPPORTED, "a feature without a name cannot be a file");
    return T2_OK;
}

static void put_array(const struct rec_values *v, struct t2_buf *text)
{
    uint64_t dims[1] = {v->n};
    bool ints = v->kind == TFR_INT64;

    t2_npy_header(text, ints ? "<i8" : "<f4", dims, 1);
    if (v->n > 0)
        t2_buf_append(text, ints ? (const void *) v->ints : (const void *) v->floats,
                      v->n * (ints ? sizeof *v->ints : sizeof *v->floats));
}

static enum t2_status put_member(const struct rec_values *v, const char *feature, const char *key,
                                 struct t2_strs *fields, struct t2_buf *out, struct t2_err *err)
{
    struct t2_buf field = {NULL, 0, 0}, text = {NULL, 0, 0};
    enum t2_status st = field_name(v, feature, &field, err);

    if (st == T2_OK && v->kind == TFR_BYTES && v->n != 1)
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "feature '%s' is a list of %zu texts, and a file holds one; leave it out: "
                     "tfrec project --drop='%s'",
                     feature, v->n, feature);
    if (st == T2_OK) {
        if (v->kind == TFR_BYTES) {
            t2_buf_append(&text, v->bytes[0].data, v->bytes[0].len_bytes);
        } else if (v->kind == TFR_INT64 && v->n == 1 && rec_is_number_field(t2_buf_cstr(&field))) {
            t2_buf_printf(&text, "%" PRId64, v->ints[0]);
        } else {
            t2_buf_puts(&field, ".npy");
            put_array(v, &text);
        }
        char *name = t2_asprintf("%s.%s", key, t2_buf_cstr(&field));
        t2_strs_push(fields, t2_buf_cstr(&field));
        put_slice(out, t2_slice_of(name));
        put_slice(out, t2_buf_slice(&text));
        t2_free(name);
    }
    t2_buf_release(&field);
    t2_buf_release(&text);
    return st;
}

/* Sorted, so that a record of very many features takes no square of them. */
static enum t2_status check_once(struct t2_strs *fields, const char *key, struct t2_err *err)
{
    t2_strs_sort(fields);
    for (size_t i = 1; i < fields->n; i++) {
        if (strcmp(fields->items[i - 1], fields->items[i]) == 0)
            return t2_fail(err, T2_EUNSUPPORTED, "two features would be the file '%s.%s'", key,
                           fields->items[i]);
    }
    return T2_OK;
}

/* Views are in the order of the record; members come in the order of their names. */
static int by_name(const void *a, const void *b)
{
    const struct tfr_view *x = *(const struct tfr_view *const *) a;
    const struct tfr_view *y = *(const struct tfr_view *const *) b;

    return t2_slice_cmp(x->name, y->name);
}

static enum t2_status put_sample(const struct writer *w, struct rec_scratch *s, const char *key,
                                 struct t2_buf *out, struct t2_err *err)
{
    const struct tfr_view **views = t2_alloc(s->example.n, sizeof *views);
    struct t2_strs fields = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < s->example.n; i++)
        views[i] = &s->example.views[i];
    qsort(views, s->example.n, sizeof *views, by_name);
    for (size_t i = 0; i < s->example.n && st == T2_OK; i++) {
        if (views[i]->name.len_bytes > 0 &&
            memchr(views[i]->name.data, '\0', views[i]->name.len_bytes)) {
            st = t2_fail(err, T2_EUNSUPPORTED, "the name of a feature holds a NUL byte");
            break;
        }
        char *name = t2_strndup((const char *) views[i]->name.data, views[i]->name.len_bytes);
        if (views[i]->kind != TFR_NONE && strcmp(name, w->key) != 0 &&
            strcmp(name, REC_KEY_FEATURE) != 0) {
            st = rec_values_load(&s->values, views[i], err);
            if (st == T2_OK)
                st = put_member(&s->values, name, key, &fields, out, err);
        }
        t2_free(name);
    }
    if (st == T2_OK)
        st = check_once(&fields, key, err);
    if (st == T2_OK && fields.n == 0)
        st = t2_fail(err, T2_EUNSUPPORTED, "there are no features, so there would be no file");
    t2_strs_release(&fields);
    t2_free(views);
    return st;
}

/* Made: the key, then name and content of each member; blocks of 512 bytes are made of it in add,
 * because a member of a few bytes would take a thousand in every piece that is in flight. */
static enum t2_status format(const struct rec_writer *base, struct rec_scratch *s, uint64_t number,
                             struct t2_slice record, struct t2_buf *out, struct t2_err *err)
{
    const struct writer *w = (const struct writer *) base;
    struct t2_buf key = {NULL, 0, 0};
    enum t2_status st;

    T2_TRY(tfr_example_parse(&s->example, record, err));
    st = find_key(w, s, number, &key, err);
    if (st == T2_OK) {
        put_slice(out, t2_buf_slice(&key));
        st = put_sample(w, s, t2_buf_cstr(&key), out, err);
    }
    t2_buf_release(&key);
    return st;
}

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_slice key = take_slice(&made), name, content;

    if (number > 0 && t2_slice_eq(key, t2_buf_slice(&w->last_key)))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "its key '%s' is that of the record before: both would be one sample; "
                       "--key= numbers the samples",
                       t2_buf_cstr(&w->last_key));
    t2_buf_clear(&w->last_key);
    t2_buf_append(&w->last_key, key.data, key.len_bytes);
    while (made.len_bytes > 0) {
        name = take_slice(&made);
        content = take_slice(&made);
        t2_buf_clear(&w->name);
        t2_buf_append(&w->name, name.data, name.len_bytes);
        t2_buf_clear(&w->member);
        t2_tar_put(&w->member, t2_buf_cstr(&w->name), content.data, content.len_bytes);
        t2_out_write(w->out, w->member.data, w->member.len_bytes);
    }
    return number % 1024 == 0 ? t2_out_status(w->out, err) : T2_OK;
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_out *out = w->out;
    struct t2_buf end = {NULL, 0, 0};

    t2_tar_end(&end);
    t2_out_write(out, end.data, end.len_bytes);
    t2_buf_release(&end);
    w->out = NULL;
    return t2_out_commit(out, err);
}

static void free_writer(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    t2_out_abort(w->out);
    t2_buf_release(&w->last_key);
    t2_buf_release(&w->name);
    t2_buf_release(&w->member);
    t2_free(w);
}

enum t2_status rec_webdataset_create(const struct rec_convert *c, struct rec_writer **out,
                                     struct t2_err *err)
{
    struct t2_out *file;
    struct writer *w;

    if (t2_ends_with(c->output, ".gz") || t2_ends_with(c->output, ".tgz"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': tar files are written plain; pipe it: tfrec convert --to=webdataset "
                       "-o - ... | gzip -n",
                       c->output);
    T2_TRY(t2_out_new(c->output, &file, err));
    w = t2_alloc(1, sizeof *w);
    w->base = (struct rec_writer){NULL, NULL, format, add, commit, free_writer};
    w->out = file;
    w->key = c->key;
    *out = &w->base;
    return T2_OK;
}
