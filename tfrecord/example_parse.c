/*
 * tfrecord/example_parse.c - finding the features of a tf.train.Example.
 *
 * One pass; nothing is copied.  The usual entry (key, then value with one list, nothing else) goes
 * straight through the same code as the odd ones.
 *
 *   Example  { Features features = 1 }              message Feature, one of:
 *   Features { map<string, Feature> feature = 1 }     BytesList 1 | FloatList 2 | Int64List 3
 *   map entry { string key = 1; Feature value = 2 }
 *   lists     { repeated value = 1 }, numbers packed or not
 *
 * Protobuf lets fields come in any order and several times: the last key, the last entry of a name
 * and the last kind of list win; lists of the same kind are joined (view.joined), also across
 * several values of one entry.  The result is what protobuf's own parsers accept and give.
 */
#include "tfrecord/example.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "tfrecord/example_lists.h"

enum {
    FIRST_CAPACITY = 8,
    SCAN_LIMIT = 16, /* up to here names are compared one by one */
    NAME_SHOWN = 80
};

/* Reports the first trouble only. */
static bool trouble(struct tfr_trouble *t, const uint8_t *at, const char *what)
{
    if (!t->what)
        *t = (struct tfr_trouble){what, at};
    return false;
}

/* ---- the table of views ---- */

static struct tfr_view *scan(const struct tfr_example *ex, struct t2_slice name)
{
    for (size_t i = 0; i < ex->n; i++) {
        if (t2_slice_eq(ex->views[i].name, name))
            return &ex->views[i];
    }
    return NULL;
}

/* The slot that holds name's view, or the free one where it belongs. */
static uint32_t *slot_of(const struct tfr_example *ex, struct t2_slice name)
{
    size_t mask = ex->n_slots - 1;
    size_t i = (size_t) t2_hash64(name.data, name.len_bytes, 0) & mask;

    while (ex->slots[i] != 0 && !t2_slice_eq(ex->views[ex->slots[i] - 1].name, name))
        i = (i + 1) & mask;
    return &ex->slots[i];
}

static bool hashed(const struct tfr_example *ex)
{
    return ex->n > SCAN_LIMIT;
}

/* Room for one more view, and twice as many slots as views when they are in use. */
static bool grow(struct tfr_example *ex)
{
    if (ex->n == ex->capacity) {
        size_t capacity = ex->capacity == 0 ? FIRST_CAPACITY : 2 * ex->capacity;
        struct tfr_view *views = t2_try_alloc(capacity, sizeof *views);
        if (!views || capacity > UINT32_MAX) {
            t2_free(views);
            return false;
        }
        if (ex->n > 0)
            memcpy(views, ex->views, ex->n * sizeof *views);
        t2_free(ex->views);
        ex->views = views;
        ex->capacity = capacity;
    }
    if (ex->n < SCAN_LIMIT || (hashed(ex) && ex->n_slots > 2 * ex->n))
        return true;
    if (ex->n_slots <= 2 * ex->n) {
        uint32_t *slots = t2_try_alloc(2 * ex->capacity, sizeof *slots);
        if (!slots)
            return false;
        t2_free(ex->slots);
        ex->slots = slots;
        ex->n_slots = 2 * ex->capacity;
    } else {
        memset(ex->slots, 0, ex->n_slots * sizeof *ex->slots);
    }
    for (size_t i = 0; i < ex->n; i++)
        *slot_of(ex, ex->views[i].name) = (uint32_t) i + 1;
    return true;
}

/* Takes v in; the last of equal names stays. */
static bool place(struct tfr_example *ex, const struct tfr_view *v)
{
    struct tfr_view *old = hashed(ex) ? NULL : scan(ex, v->name);
    uint32_t *slot = NULL;

    if (hashed(ex)) {
        slot = slot_of(ex, v->name);
        if (*slot != 0)
            old = &ex->views[*slot - 1];
    }
    if (old) {
        *old = *v;
        return true;
    }
    if (!grow(ex))
        return false;
    ex->views[ex->n++] = *v;
    if (hashed(ex))
        *slot_of(ex, v->name) = (uint32_t) ex->n;
    return true;
}

/* ---- messages, inner to outer ---- */

static bool next_tag(struct t2_wire *w, uint32_t *tag, struct tfr_trouble *t)
{
    return t2_wire_tag(w, tag) || trouble(t, w->p, "not a field tag");
}

static bool next_body(struct t2_wire *w, struct t2_slice *body, struct tfr_trouble *t)
{
    return t2_wire_bytes(w, body) ||
           trouble(t, w->p, "a length that is damaged or larger than what is left");
}

static bool skip(struct t2_wire *w, uint32_t tag, int depth, struct tfr_trouble *t)
{
    return t2_wire_skip(w, tag, depth) || trouble(t, w->p, "an unknown field that is damaged");
}

/* A list of a Feature: one of another kind replaces the list before it, one of the same kind
 * continues it. */
static bool parse_list(struct tfr_view *v, enum tfr_kind kind, struct t2_slice list,
                       struct tfr_trouble *t)
{
    v->joined = v->kind == kind;
    if (!v->joined)
        v->n = 0;
    v->kind = kind;
    v->list = list;
    return tfr_list_count(kind, list, &v->n, t);
}

bool tfr_feature_parse(struct tfr_view *v, struct t2_slice body, struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice list;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!next_tag(&w, &tag, t))
            return false;
        if (tag == TFR_TAG_1 || tag == TFR_TAG_2 || tag == TFR_TAG_3) {
            if (!next_body(&w, &list, t) || !parse_list(v, (enum tfr_kind)(tag >> 3), list, t))
                return false;
        } else if (!skip(&w, tag, TFR_IN_FEATURE, t)) {
            return false;
        }
    }
    return true;
}

static bool is_ascii(struct t2_slice s)
{
    uint8_t all = 0;

    for (size_t i = 0; i < s.len_bytes; i++)
        all |= s.data[i];
    return all < 0x80;
}

static bool parse_entry(struct tfr_view *v, struct t2_slice body, struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice value;
    uint32_t tag;

    *v = (struct tfr_view){.name = {body.data, 0}};
    while (t2_wire_more(&w)) {
        if (!next_tag(&w, &tag, t))
            return false;
        if (tag == TFR_TAG_1) {
            if (!next_body(&w, &v->name, t))
                return false;
            if (!is_ascii(v->name) &&
                t2_utf8_invalid_at(v->name.data, v->name.len_bytes) < v->name.len_bytes)
                return trouble(t, v->name.data, "the name is not UTF-8");
        } else if (tag == TFR_TAG_2) {
            if (!next_body(&w, &value, t) || !tfr_feature_parse(v, value, t))
                return false;
        } else if (!skip(&w, tag, TFR_IN_ENTRY, t)) {
            return false;
        }
    }
    if (v->joined)
        v->list = body;
    return true;
}

/* ex runs out of memory: trouble without text. */
static bool parse_features(struct tfr_example *ex, struct t2_slice body, struct tfr_view *v,
                           struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice entry;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!next_tag(&w, &tag, t))
            return false;
        if (tag == TFR_TAG_1) {
            if (!next_body(&w, &entry, t) || !parse_entry(v, entry, t) || !place(ex, v))
                return false;
            v->name.len_bytes = 0;
        } else if (!skip(&w, tag, TFR_IN_FEATURES, t)) {
            return false;
        }
    }
    return true;
}

static bool parse_example(struct tfr_example *ex, struct t2_slice record, struct tfr_view *v,
                          struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(record);
    struct t2_slice features;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!next_tag(&w, &tag, t))
            return false;
        if (tag == TFR_TAG_1) {
            if (!next_body(&w, &features, t) || !parse_features(ex, features, v, t))
                return false;
        } else if (!skip(&w, tag, TFR_IN_EXAMPLE, t)) {
            return false;
        }
    }
    return true;
}

/* ---- what callers see ---- */

static enum t2_status report(struct t2_slice record, struct t2_slice name,
                             const struct tfr_trouble *t, size_t offset, struct t2_err *err)
{
    int shown = name.len_bytes > NAME_SHOWN ? NAME_SHOWN : (int) name.len_bytes;

    if (!t->what)
        return t2_fail(err, T2_ENOMEM,
                       "not an Example: no memory for its features (%zu bytes in all)",
                       record.len_bytes);
    if (shown == 0 || t2_utf8_invalid_at(name.data, name.len_bytes) < name.len_bytes)
        return t2_fail(err, T2_EFORMAT, "not an Example: byte %zu of %zu: %s", offset,
                       record.len_bytes, t->what);
    return t2_fail(err, T2_EFORMAT, "not an Example: byte %zu of %zu, in feature '%.*s': %s",
                   offset, record.len_bytes, shown, (const char *) name.data, t->what);
}

enum t2_status tfr_example_parse_at(struct tfr_example *ex, struct t2_slice record, size_t *offset,
                                    struct t2_err *err)
{
    struct tfr_trouble t = {0};
    struct tfr_view v = {0};

    ex->n = 0;
    if (record.len_bytes == 0 || parse_example(ex, record, &v, &t))
        return T2_OK;
    ex->n = 0;
    *offset = !t.what ? 0 : (size_t) (t.at - record.data);
    return report(record, v.name, &t, *offset, err);
}

enum t2_status tfr_example_parse(struct tfr_example *ex, struct t2_slice record, struct t2_err *err)
{
    size_t offset;

    return tfr_example_parse_at(ex, record, &offset, err);
}

bool tfr_is_example(struct tfr_example *ex, struct t2_slice record)
{
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st = tfr_example_parse(ex, record, &why);

    if (st == T2_ENOMEM)
        t2_out_of_memory("%s", why.message);
    return st == T2_OK;
}

void tfr_example_release(struct tfr_example *ex)
{
    if (!ex)
        return;
    t2_free(ex->views);
    t2_free(ex->slots);
    *ex = (struct tfr_example){0};
}

const struct tfr_view *tfr_example_find(const struct tfr_example *ex, const char *name)
{
    struct t2_slice key = t2_slice_of(name);

    if (!hashed(ex))
        return scan(ex, key);
    uint32_t slot = *slot_of(ex, key);
    return slot == 0 ? NULL : &ex->views[slot - 1];
}
