/*
 * datagen/images/image_manifest.c - the manifest of a set of images.
 */
#include "datagen/images/image_manifest.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/version.h"
#include "datagen/images/image_file.h"

/* ---- splits ---- */

/* The shards of a split lie together in plan and shards, splits one after the other. */
static struct tfr_manifest_split split_of(const struct dg_image_plan *plan,
                                          const struct dg_image_shard *shards, int split)
{
    struct tfr_manifest_split s = {.n_shards = plan->n_shards[split]};
    size_t first = 0;

    for (int i = 0; i < split; i++)
        first += plan->n_shards[i];
    s.shards = t2_alloc(s.n_shards + 1, sizeof *s.shards);
    for (size_t i = 0; i < s.n_shards; i++) {
        s.shards[i] = shards[first + i].file; /* strings are borrowed */
        s.shards[i].file += t2_path_base(s.shards[i].file) - s.shards[i].file;
        s.n_records += s.shards[i].n_records;
    }
    return s;
}

/* which: DG_N_IMAGE_SPLITS stands for all. */
static bool is_wanted(int which, int split)
{
    return which == DG_N_IMAGE_SPLITS || which == split;
}

static void put_splits(struct t2_json *j, const struct dg_image_plan *plan,
                       const struct dg_image_shard *shards, int which, char sha256[65])
{
    struct t2_sha256 *h = t2_sha256_new();

    t2_json_key(j, "splits");
    t2_json_object(j);
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        struct tfr_manifest_split s = split_of(plan, shards, split);
        if (s.n_shards && is_wanted(which, split)) {
            tfr_manifest_put_split(j, dg_image_split_name((enum dg_image_split) split), &s);
            tfr_manifest_hash_split(h, &s);
        }
        t2_free(s.shards);
    }
    t2_json_end_object(j);
    t2_sha256_peek(h, sha256);
    t2_sha256_free(h);
}

/* ---- features ---- */

/* Over all shards. */
struct totals {
    uint64_t n_records, n_boxes, n_dropped, n_reencoded, n_ignored;
    struct dg_image_range height, width, label, boxes;
};

static void widen(struct dg_image_range *r, const struct dg_image_range *by, bool is_first)
{
    if (is_first || by->min < r->min)
        r->min = by->min;
    if (is_first || by->max > r->max)
        r->max = by->max;
}

static struct totals add_up(const struct dg_image_plan *plan, const struct dg_image_shard *shards,
                            int which)
{
    struct totals t = {0};
    size_t at = 0;

    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        for (size_t s = 0; s < plan->n_shards[split]; s++, at++) {
            const struct dg_image_shard *one = &shards[at];
            bool is_first = t.n_records == 0;
            if (!is_wanted(which, split))
                continue;
            t.n_dropped += one->dropped.n / 2;
            t.n_ignored += one->n_ignored;
            t.n_reencoded += one->n_reencoded;
            if (one->file.n_records == 0)
                continue;
            widen(&t.height, &one->height, is_first);
            widen(&t.width, &one->width, is_first);
            widen(&t.label, &one->label, is_first);
            widen(&t.boxes, &one->boxes, is_first);
            t.n_records += one->file.n_records;
            t.n_boxes += one->n_boxes;
        }
    }
    return t;
}

static void put_features(struct t2_json *j, const struct totals *t, bool has_boxes)
{
    const struct dg_image_range none = {0, 0}, three = {3, 3};
    const struct {
        const char *name, *kind;
        const struct dg_image_range *values;
        bool of_box;
    } rows[] = {
        {"image/channels", "int64", &three, false},
        {"image/class/label", "int64", &t->label, false},
        {"image/class/synset", "bytes", &none, false},
        {"image/colorspace", "bytes", &none, false},
        {"image/encoded", "bytes", &none, false},
        {"image/filename", "bytes", &none, false},
        {"image/format", "bytes", &none, false},
        {"image/height", "int64", &t->height, false},
        {"image/object/bbox/label", "int64", &t->label, true},
        {"image/object/bbox/xmax", "float", &none, true},
        {"image/object/bbox/xmin", "float", &none, true},
        {"image/object/bbox/ymax", "float", &none, true},
        {"image/object/bbox/ymin", "float", &none, true},
        {"image/width", "int64", &t->width, false},
    };
    struct tfr_manifest_feature features[sizeof rows / sizeof *rows];
    size_t n = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool of_box = rows[i].of_box;
        if (of_box && !has_boxes)
            continue;
        features[n++] = (struct tfr_manifest_feature){
            .name = t2_strdup(rows[i].name),
            .kind = t2_strdup(rows[i].kind),
            .min_length = of_box ? (uint64_t) t->boxes.min : 1,
            .max_length = of_box ? (uint64_t) t->boxes.max : 1,
            .n_values = of_box ? t->n_boxes : t->n_records,
            .min_value = rows[i].values->min,
            .max_value = rows[i].values->max,
        };
    }
    tfr_manifest_put_features(j, features, n);
    for (size_t i = 0; i < n; i++)
        tfr_manifest_release_feature(&features[i]);
}

/* ---- the whole ---- */

static void put_labels(struct t2_json *j, const struct t2_strs *labels)
{
    t2_json_key(j, "labels"); /* the first is number 1 */
    t2_json_array(j);
    for (size_t i = 0; i < labels->n; i++)
        t2_json_string(j, labels->items[i]);
    t2_json_end_array(j);
}

static void put_drop(struct t2_buf *out, const char *path, const char *why)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "file", path);
    t2_json_kv_string(&j, "why", why);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

static enum t2_status write_drops(const char *dir, const struct dg_images *l,
                                  const struct dg_image_plan *plan,
                                  const struct dg_image_shard *shards, struct t2_err *err)
{
    char *path = t2_path_join(dir, "pictures.dropped.jsonl");
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    for (size_t i = 0; i < l->n_drops; i++)
        put_drop(&text, l->drops[i].path, l->drops[i].why);
    for (size_t s = 0; s < plan->names.n; s++)
        for (size_t i = 0; i + 1 < shards[s].dropped.n; i += 2)
            put_drop(&text, shards[s].dropped.items[i], shards[s].dropped.items[i + 1]);
    st =
        text.len_bytes ? t2_write_file(path, text.data, text.len_bytes, err) : t2_remove(path, err);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

static enum t2_status write_one(const char *path, const struct dg_images *l,
                                const struct dg_image_plan *plan,
                                const struct dg_image_shard *shards, int which, struct t2_err *err)
{
    const struct totals t = add_up(plan, shards, which);
    struct t2_buf text = {NULL, 0, 0};
    struct t2_json j;
    char sha256[65];
    enum t2_status st;

    t2_json_init(&j, &text, 1);
    t2_json_object(&j);
    t2_json_kv_string(&j, "format", "t2t.c data set");
    t2_json_kv_i64(&j, "format_version", 1);
    t2_json_kv_string(&j, "problem", "pictures");
    t2_json_kv_string(&j, "version", t2_version());
    t2_json_kv_string(&j, "command", "jpeg-to-tfrecord");
    t2_json_kv_string(&j, "plan_sha256", plan->sha256);
    put_labels(&j, &l->labels);
    t2_json_kv_u64(&j, "dropped", t.n_dropped + l->n_drops);
    t2_json_kv_u64(&j, "reencoded", t.n_reencoded);
    t2_json_kv_u64(&j, "ignored", t.n_ignored);
    put_features(&j, &t, l->has_boxes);
    put_splits(&j, plan, shards, which, sha256);
    t2_json_kv_string(&j, "data_sha256", sha256);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

static enum t2_status shards_are_there(const struct tfr_manifest *m, const char *dir, bool *there,
                                       struct t2_err *err)
{
    enum t2_status st = T2_OK;

    *there = true;
    for (size_t i = 0; i < m->n_splits; i++) {
        for (size_t s = 0; s < m->splits[i].n_shards && *there && st == T2_OK; s++) {
            char *path = t2_path_join(dir, m->splits[i].shards[s].file);
            struct t2_file_info seen;
            st = t2_look_at(path, &seen, err);
            *there = st == T2_OK && seen.kind != T2_FILE_ABSENT && seen.kind != T2_FILE_DIR &&
                     seen.bytes == m->splits[i].shards[s].bytes;
            t2_free(path);
        }
    }
    return st;
}

/* Whether a manifest is of this plan, newer than all images, and its shards are there.  A damaged
 * one is not; one that cannot be read for another reason is a failure, as it may be. */
static enum t2_status is_of(const char *path, const struct dg_image_plan *plan, bool *same,
                            struct t2_err *err)
{
    struct tfr_manifest *m = NULL;
    struct t2_err why = T2_ERR_INIT;
    struct t2_file_info seen;
    enum t2_status st;
    char *dir;

    *same = false;
    T2_TRY(t2_look_at(path, &seen, err));
    if (seen.kind == T2_FILE_ABSENT || seen.changed_ns < plan->newest)
        return T2_OK;
    st = tfr_manifest_load(path, &m, &why);
    if (st != T2_OK)
        return st == T2_EFORMAT ? T2_OK : t2_fail(err, st, "%s", why.message);
    dir = t2_path_dir(path);
    if (strcmp(t2_json_as_string(t2_json_get(t2_json_root(m->doc), "plan_sha256"), ""),
               plan->sha256) == 0)
        st = shards_are_there(m, dir, same, err);
    t2_free(dir);
    tfr_manifest_free(m);
    return st;
}

/* ---- in one folder, or in several ---- */

/* The manifest of one split, or of all; owned by the caller. */
static char *path_of(const char *dir, int which)
{
    static const char name[] = "pictures.manifest.json";
    char *folder = which == DG_N_IMAGE_SPLITS
                       ? t2_strdup(dir)
                       : t2_path_join(dir, dg_image_split_name((enum dg_image_split) which));
    char *path = t2_path_join(folder, name);

    t2_free(folder);
    return path;
}

static bool has_manifest(const struct dg_image_plan *plan, bool in_folders, int which)
{
    if (which == DG_N_IMAGE_SPLITS)
        return !in_folders;
    return in_folders && plan->n_shards[which] > 0;
}

enum t2_status dg_image_manifests_write(const char *dir, bool in_folders, const struct dg_images *l,
                                        const struct dg_image_plan *plan,
                                        const struct dg_image_shard *shards, struct t2_err *err)
{
    T2_TRY(write_drops(dir, l, plan, shards, err));
    for (int which = 0; which <= DG_N_IMAGE_SPLITS; which++) {
        char *path = path_of(dir, which);
        enum t2_status st = T2_OK;
        if (has_manifest(plan, in_folders, which))
            st = write_one(path, l, plan, shards, which, err);
        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

enum t2_status dg_image_manifests_are_of(const char *dir, bool in_folders,
                                         const struct dg_image_plan *plan, bool *are_of,
                                         struct t2_err *err)
{
    enum t2_status st = T2_OK;

    *are_of = true;
    for (int which = 0; which <= DG_N_IMAGE_SPLITS && *are_of && st == T2_OK; which++) {
        char *path = path_of(dir, which);
        if (has_manifest(plan, in_folders, which))
            st = is_of(path, plan, are_of, err);
        t2_free(path);
    }
    return st;
}

enum t2_status dg_image_manifests_remove(const char *dir, bool in_folders, struct t2_err *err)
{
    for (int which = 0; which <= DG_N_IMAGE_SPLITS; which++) {
        char *path;
        enum t2_status st;
        if (in_folders == (which == DG_N_IMAGE_SPLITS))
            continue;
        path = path_of(dir, which);
        st = t2_remove(path, err);
        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}
