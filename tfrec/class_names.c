/*
 * tfrec/class_names.c - the names of classes that records have as numbers.
 */
#include "tfrec/class_names.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/text.h"
#include "tfrecord/example.h"
#include "tfrecord/manifest.h"

enum { MOST_NAMES = 1 << 17, MOST_NAME_BYTES = 256 };
#define IMAGE_LABEL "image/class/label"

/* The source of a name; the lower value has precedence. */
enum source { MANIFEST, RECORDS, FILE_BESIDE };

struct name {
    char *text; /* NULL: two different ones were given */
    enum source source;
};

struct rec_class_names {
    struct t2_map *places; /* feature, NUL, number -> index */
    struct name *names;
    size_t capacity;
    struct tfr_example example;
};

/* ---- numbers and names ---- */

static void make_key(struct t2_slice feature, int64_t value, struct t2_buf *key)
{
    t2_buf_clear(key);
    t2_buf_append(key, feature.data, feature.len_bytes);
    t2_buf_push(key, 0);
    t2_buf_append(key, &value, sizeof value);
}

static void set_name(struct name *n, struct t2_slice text, enum source source, bool is_new)
{
    bool same = !is_new && n->text && strlen(n->text) == text.len_bytes &&
                (text.len_bytes == 0 || memcmp(n->text, text.data, text.len_bytes) == 0);

    if (same || (!is_new && n->source < source))
        return;
    t2_free(n->text);
    n->text =
        is_new || source < n->source ? t2_strndup((const char *) text.data, text.len_bytes) : NULL;
    n->source = source;
}

static void put(struct rec_class_names *c, struct t2_slice feature, int64_t value,
                struct t2_slice text, enum source source)
{
    struct t2_buf key = {NULL, 0, 0};
    uint64_t *place;
    bool is_new = false;

    if (text.len_bytes == 0 || text.len_bytes > MOST_NAME_BYTES ||
        memchr(text.data, 0, text.len_bytes))
        return;
    make_key(feature, value, &key);
    place = t2_map_count(c->places) < MOST_NAMES
                ? t2_map_at(c->places, key.data, key.len_bytes, &is_new)
                : t2_map_find(c->places, key.data, key.len_bytes);
    t2_buf_release(&key);
    if (!place)
        return;
    if (is_new) {
        *place = t2_map_count(c->places) - 1;
        if (*place == c->capacity) {
            c->capacity = c->capacity ? 2 * c->capacity : 64;
            c->names = t2_realloc(c->names, c->capacity, sizeof *c->names);
        }
        c->names[*place] = (struct name){NULL, source};
    }
    set_name(&c->names[*place], text, source, is_new);
}

const char *rec_class_name(const struct rec_class_names *c, struct t2_slice feature, int64_t value)
{
    struct t2_buf key = {NULL, 0, 0};
    const uint64_t *place;

    if (!c || t2_map_count(c->places) == 0)
        return NULL;
    make_key(feature, value, &key);
    place = t2_map_find(c->places, key.data, key.len_bytes);
    t2_buf_release(&key);
    return place ? c->names[*place].text : NULL;
}

/* ---- manifests ---- */

static void take_list(struct rec_class_names *c, const char *feature,
                      const struct t2_json_value *list, int64_t first)
{
    for (size_t i = 0, n = t2_json_size(list); i < n && i < MOST_NAMES; i++)
        put(c, t2_slice_of(feature), first + (int64_t) i,
            t2_slice_of(t2_json_as_string(t2_json_item(list, i), "")), MANIFEST);
}

/* Numbers from 1 on show in the largest, as for the trainer (datagen/sets/problem_view.c). */
static int64_t first_number(const struct tfr_manifest *m, const char *feature, size_t n)
{
    const struct tfr_manifest_feature *f = tfr_manifest_find_feature(m, feature);

    return f && f->min_value > 0 && f->max_value == (int64_t) n;
}

static void take_manifest(struct rec_class_names *c, const struct tfr_manifest *m)
{
    static const char *const sides[] = {"inputs", "targets"};
    const struct t2_json_value *root = t2_json_root(m->doc);
    const struct t2_json_value *vocabs = t2_json_get(root, "vocabularies");

    if (!vocabs)
        take_list(c, IMAGE_LABEL, t2_json_get(root, "labels"), 1);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const struct t2_json_value *list = t2_json_get(t2_json_get(vocabs, sides[i]), "labels");
        const char *feature = tfr_manifest_find_feature(m, IMAGE_LABEL) ? IMAGE_LABEL : sides[i];
        take_list(c, feature, list, first_number(m, feature, t2_json_size(list)));
    }
}

/* Is this file one of the manifest's? */
static bool lists(const struct tfr_manifest *m, const char *file)
{
    for (size_t i = 0; i < m->n_splits; i++)
        for (size_t k = 0; k < m->splits[i].n_shards; k++)
            if (strcmp(m->splits[i].shards[k].file, file) == 0)
                return true;
    return false;
}

/* ---- label files ---- */

static void take_file(struct rec_class_names *c, const char *dir, const char *name)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_slice line, feature = {(const uint8_t *) name, strlen(name) - strlen(".labels.txt")};
    char *path = t2_path_join(dir, name);
    struct t2_in *in = NULL;
    int64_t i = 0;

    if (t2_in_new(path, &in, &ignored) == T2_OK)
        while (i < MOST_NAMES && t2_in_line(in, &line, &ignored) == T2_OK)
            put(c, feature, i++, line, FILE_BESIDE);
    t2_in_free(in);
    t2_free(path);
}

/* What lies in the folder of an input; `seen`: manifests that were taken. */
static void look_beside(struct rec_class_names *c, const char *dir, const char *file,
                        bool is_new_dir, struct t2_strs *seen)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs names = {NULL, 0, 0};

    if (t2_list_dir(dir, &names, &ignored) != T2_OK)
        names.n = 0;
    for (size_t i = 0; i < names.n; i++) {
        struct tfr_manifest *m = NULL;
        char *path = t2_path_join(dir, names.items[i]);
        if (is_new_dir && t2_ends_with(names.items[i], ".labels.txt"))
            take_file(c, dir, names.items[i]);
        if (t2_ends_with(names.items[i], TFR_MANIFEST_SUFFIX) && !t2_strs_contains(seen, path) &&
            tfr_manifest_load(path, &m, &ignored) == T2_OK && lists(m, file)) {
            take_manifest(c, m);
            t2_strs_push(seen, path);
        }
        tfr_manifest_free(m);
        t2_free(path);
    }
    t2_strs_release(&names);
}

/* Shards of one set follow each other: only the first of each is looked up. */
static bool is_like(const struct tfr_inputs *in, size_t i)
{
    const char *a = i ? in->files[i - 1].path : "", *b = in->files[i].path;
    const char *number = strrchr(b, '-');
    size_t n = number && number - b > 9 ? (size_t) (number - b) - 9 : 0; /* -00000-of */

    return n > 0 && strncmp(a, b, n) == 0 && strlen(a) == strlen(b);
}

struct rec_class_names *rec_class_names_new(const struct tfr_inputs *in)
{
    struct rec_class_names *c = t2_alloc(1, sizeof *c);
    struct t2_strs seen = {NULL, 0, 0};
    char *last = NULL;

    c->places = t2_map_new();
    for (size_t i = 0; i < in->n; i++) {
        const char *path = in->files[i].path;
        char *dir = t2_path_dir(path);
        if (!is_like(in, i) && strcmp(path, "-") != 0)
            look_beside(c, dir, t2_path_base(path), !last || strcmp(last, dir) != 0, &seen);
        t2_free(last);
        last = dir;
    }
    t2_free(last);
    t2_strs_release(&seen);
    return c;
}

void rec_class_names_free(struct rec_class_names *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < t2_map_count(c->places); i++)
        t2_free(c->names[i].text);
    t2_map_free(c->places);
    t2_free(c->names);
    tfr_example_release(&c->example);
    t2_free(c);
}

/* ---- records ---- */

static const struct tfr_view *find_one(const struct rec_class_names *c, const char *name,
                                       enum tfr_kind kind)
{
    const struct tfr_view *v = tfr_example_find(&c->example, name);

    return v && v->kind == kind && v->n == 1 ? v : NULL;
}

static bool see_record(struct rec_class_names *c, struct t2_slice record)
{
    const struct tfr_view *number, *text;
    struct t2_slice name;
    int64_t value;

    if (!tfr_is_example(&c->example, record))
        return true;
    number = find_one(c, IMAGE_LABEL, TFR_INT64);
    text = find_one(c, "image/class/text", TFR_BYTES);
    if (!text)
        text = find_one(c, "image/class/synset", TFR_BYTES);
    if (!number || !text)
        return false;
    tfr_view_ints(number, &value);
    tfr_view_bytes(text, &name);
    put(c, t2_slice_of(IMAGE_LABEL), value, name, RECORDS);
    return true;
}

/* A batch whose first record has no name has none: other sets cost one look a batch. */
void rec_class_names_see(struct rec_class_names *c, const struct tfr_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (!see_record(c, b->records[i].data))
            return;
}
