/*
 * tfrecord/example_check.c - one more walk through an Example, by its tags only.
 *
 * TensorFlow's parse_example is a hand-written reader that takes less than protobuf allows: known
 * fields only, each once, packed or not but not both. Records outside of that parse everywhere
 * else and fail in training; `tfrec verify` warns of them. The walk sees only records that
 * tfr_example_parse() has accepted, so it stops at trouble without a message.
 */
#include "tfrecord/example_check.h"

#include "base/protobuf.h"
#include "base/text.h"
#include "tfrecord/example_lists.h"

#define REFUSES "; TensorFlow's parse_example refuses that"

enum { NAME_SHOWN = 80 };

struct walk {
    const uint8_t *begin; /* of the record */
    struct tfr_oddity *found;
    size_t n, capacity;
    struct t2_slice name; /* of the feature at hand */
};

/* Notes an oddity once per feature; words are compared as pointers. */
static void odd(struct walk *k, const uint8_t *at, const char *words)
{
    for (size_t i = k->n; i-- > 0 && k->found[i].name.data == k->name.data;) {
        if (k->found[i].words == words)
            return;
    }
    if (k->n < k->capacity)
        k->found[k->n++] = (struct tfr_oddity){words, (size_t) (at - k->begin), k->name};
}

/* The next tag; *at is where it begins.  false: the end (the record was parsed before). */
static bool next(struct walk *k, struct t2_wire *w, uint32_t *tag, const uint8_t **at)
{
    *at = w->p;
    if (!t2_wire_more(w) || !t2_wire_tag(w, tag))
        return false;
    if ((size_t) (w->p - *at) > t2_varint_bytes(*tag))
        odd(k, *at,
            "a tag takes more bytes than it needs; TensorFlow's parse_example takes it for another "
            "field");
    return true;
}

static void unknown(struct walk *k, struct t2_wire *w, uint32_t tag, const uint8_t *at, int depth,
                    const char *words)
{
    odd(k, at, words);
    if (!t2_wire_skip(w, tag, depth))
        w->p = w->end;
}

static void walk_list(struct walk *k, uint32_t kind_tag, struct t2_slice list)
{
    struct t2_wire w = t2_wire_of(list);
    uint32_t tag, single = 0;
    bool packed = false, unpacked = false;
    const uint8_t *at;
    struct t2_slice run;

    if (kind_tag != TFR_TAG_1)
        single = kind_tag == TFR_TAG_2 ? TFR_TAG_1_FIXED32 : TFR_TAG_1_VARINT;
    while (next(k, &w, &tag, &at)) {
        if (tag == TFR_TAG_1 && t2_wire_bytes(&w, &run)) {
            packed = single != 0;
        } else if (tag == single) {
            unpacked = true;
            (void) t2_wire_skip(&w, tag, TFR_IN_LIST);
        } else {
            unknown(k, &w, tag, at, TFR_IN_LIST, "a list has an unknown field" REFUSES);
        }
        if (packed && unpacked)
            odd(k, at, "a list is packed and unpacked at once" REFUSES);
    }
}

static void walk_feature(struct walk *k, struct t2_slice body)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice list;
    uint32_t tag;
    int n_lists = 0;
    const uint8_t *at;

    while (next(k, &w, &tag, &at)) {
        if ((tag == TFR_TAG_1 || tag == TFR_TAG_2 || tag == TFR_TAG_3) &&
            t2_wire_bytes(&w, &list)) {
            if (n_lists++ > 0)
                odd(k, at,
                    "the feature has more than one list; TensorFlow's parse_example uses the "
                    "first");
            walk_list(k, tag, list);
        } else {
            unknown(k, &w, tag, at, TFR_IN_FEATURE, "the Feature has an unknown field" REFUSES);
        }
    }
}

/* The key comes first nearly always; oddities before it have no name. */
static void walk_entry(struct walk *k, struct t2_slice body)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice part;
    uint32_t tag;
    int n_keys = 0, n_values = 0;
    const uint8_t *at;

    k->name = (struct t2_slice){body.data, 0};
    while (next(k, &w, &tag, &at)) {
        if (tag == TFR_TAG_1 && t2_wire_bytes(&w, &part)) {
            k->name = part;
            if (n_keys++ > 0)
                odd(k, at, "an entry has its key twice" REFUSES);
            else if (n_values > 0)
                odd(k, at,
                    "an entry has its value before its key; TensorFlow 1's parse_example refuses "
                    "that");
        } else if (tag == TFR_TAG_2 && t2_wire_bytes(&w, &part)) {
            if (n_values++ > 0)
                odd(k, at, "an entry has its value twice" REFUSES);
            walk_feature(k, part);
        } else {
            unknown(k, &w, tag, at, TFR_IN_ENTRY, "an entry has an unknown field" REFUSES);
        }
    }
    if (n_keys == 0)
        odd(k, body.data, "an entry has no key" REFUSES);
    if (n_values == 0)
        odd(k, body.data, "an entry has no value" REFUSES);
    k->name = (struct t2_slice){NULL, 0};
}

size_t tfr_example_oddities(struct t2_slice record, struct tfr_oddity *found, size_t capacity)
{
    struct walk k = {.begin = record.data, .found = found, .capacity = capacity};
    struct t2_wire w = t2_wire_of(record);
    struct t2_slice features, entry;
    uint32_t tag;
    const uint8_t *at;

    if (record.len_bytes == 0)
        return 0;
    while (next(&k, &w, &tag, &at)) {
        if (tag != TFR_TAG_1 || !t2_wire_bytes(&w, &features)) {
            if ((tag & 7) == T2_WIRE_GROUP)
                odd(&k, at, "a group stands beside the features" REFUSES);
            if (!t2_wire_skip(&w, tag, TFR_IN_EXAMPLE))
                break;
            continue;
        }
        struct t2_wire v = t2_wire_of(features);
        while (next(&k, &v, &tag, &at)) {
            if (tag == TFR_TAG_1 && t2_wire_bytes(&v, &entry))
                walk_entry(&k, entry);
            else
                unknown(&k, &v, tag, at, TFR_IN_FEATURES, "Features has an unknown field" REFUSES);
        }
    }
    return k.n;
}

bool tfr_has_field(struct t2_slice record, uint32_t number)
{
    struct t2_wire w = t2_wire_of(record);
    uint32_t tag;

    while (record.len_bytes > 0 && t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (tag >> 3 == number)
            return true;
        if (!t2_wire_skip(&w, tag, TFR_IN_EXAMPLE))
            break;
    }
    return false;
}

/* ---- names of fields ---- */

/* In w, the length-delimited field that holds the byte at; its tag.  false: none does. */
static bool field_around(struct t2_wire w, const uint8_t *at, int depth, uint32_t *tag,
                         struct t2_slice *body)
{
    while (t2_wire_more(&w) && w.p <= at) {
        struct t2_wire start = w;
        if (!t2_wire_tag(&w, tag))
            return false;
        if ((*tag & 7) != T2_WIRE_BYTES) {
            if (!t2_wire_skip(&w, *tag, depth))
                return false;
            continue;
        }
        if (!t2_wire_bytes(&w, body)) { /* longer than what is around it: then up to its end */
            uint64_t n;
            if (!t2_wire_varint(&w, 5, &n) || at < w.p)
                return false;
            *body = (struct t2_slice){w.p, (size_t) (w.end - w.p)};
            return true;
        }
        if (at < w.p || (at == w.p && !t2_wire_more(&w)))
            return at > start.p && at >= body->data;
    }
    return false;
}

static void put_name(struct t2_buf *path, struct t2_slice entry)
{
    struct t2_wire w = t2_wire_of(entry);
    struct t2_slice key;
    uint32_t tag;

    if (!t2_wire_tag(&w, &tag) || tag != TFR_TAG_1 || !t2_wire_bytes(&w, &key))
        return;
    int n = key.len_bytes > NAME_SHOWN ? NAME_SHOWN : (int) key.len_bytes;
    if (t2_utf8_invalid_at(key.data, key.len_bytes) == key.len_bytes)
        t2_buf_printf(path, "['%.*s']", n, (const char *) key.data);
}

void tfr_example_path(struct t2_slice record, size_t offset, struct t2_buf *path)
{
    static const char *const lists[] = {".bytes_list", ".float_list", ".int64_list"};
    struct t2_wire w = t2_wire_of(record);
    const uint8_t *at = record.data + offset;
    struct t2_slice body;
    uint32_t tag;

    if (record.len_bytes == 0 || !field_around(w, at, TFR_IN_EXAMPLE, &tag, &body) ||
        tag != TFR_TAG_1)
        return;
    t2_buf_puts(path, "features");
    if (!field_around(t2_wire_of(body), at, TFR_IN_FEATURES, &tag, &body) || tag != TFR_TAG_1)
        return;
    t2_buf_puts(path, ".feature");
    put_name(path, body);
    if (!field_around(t2_wire_of(body), at, TFR_IN_ENTRY, &tag, &body) || tag > TFR_TAG_2)
        return;
    if (tag == TFR_TAG_1) {
        t2_buf_puts(path, ".key");
        return;
    }
    if (field_around(t2_wire_of(body), at, TFR_IN_FEATURE, &tag, &body) && tag <= TFR_TAG_3)
        t2_buf_puts(path, lists[(tag >> 3) - 1]);
}
