/*
 * tfrec/convert/tfds.c - folders of TensorFlow Datasets, read without TensorFlow.
 *
 * dataset_info.json lists the splits and the number of records of each shard, which is checked when
 * the shards are read. The records are Examples; how TFDS would decode their features
 * (features.json) is not looked at.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "tfrec/convert/formats.h"

enum { MAX_INFO_BYTES = 64 << 20, MAX_SHARDS = 1 << 20 };

/* A folder and what its description says. */
struct folder {
    const char *dir;
    char *info_path;
    const char *name, *format; /* borrowed from doc */
    const struct t2_json_value *splits;
    struct t2_json_doc *doc;
};

/* int64 in protobuf's JSON is a string. */
static bool number(const struct t2_json_value *v, uint64_t *n)
{
    int64_t i = t2_json_as_i64(v, -1);

    if (t2_json_type(v) == T2_JSON_STRING)
        return t2_parse_u64(t2_json_as_string(v, ""), n);
    *n = (uint64_t) i;
    return i >= 0;
}

static const char *or_default(const char *s, const char *otherwise)
{
    return *s ? s : otherwise;
}

static void replace(struct t2_buf *out, const char *text, const char *key, const char *value,
                    bool *found)
{
    const char *at = strstr(text, key);

    t2_buf_clear(out);
    *found = at != NULL;
    if (!at)
        return;
    t2_buf_append(out, text, (size_t) (at - text));
    t2_buf_puts(out, value);
    t2_buf_puts(out, at + strlen(key));
}

/* The name of a shard by the split's template: "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}". */
static char *shard_name(const struct folder *f, const struct t2_json_value *split, size_t shard,
                        size_t n_shards)
{
    const char *template = or_default(t2_json_as_string(t2_json_get(split, "filepathTemplate"), ""),
                                      "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}");
    char index[32], total[32], of[80];
    char *name = t2_strdup(template);
    struct t2_buf next = {NULL, 0, 0};

    snprintf(index, sizeof index, "%05zu", shard);
    snprintf(total, sizeof total, "%05zu", n_shards);
    snprintf(of, sizeof of, "%s-of-%s", index, total);
    const struct {
        const char *key, *value;
    } keys[] = {{"{DATASET}", f->name},
                {"{SPLIT}", t2_json_as_string(t2_json_get(split, "name"), "")},
                {"{FILEFORMAT}", f->format},
                {"{SHARD_X_OF_Y}", of},
                {"{SHARD_INDEX}", index},
                {"{NUM_SHARDS}", total}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        bool found = false;
        replace(&next, name, keys[i].key, keys[i].value, &found);
        if (!found)
            continue;
        t2_free(name);
        name = t2_strdup(t2_buf_cstr(&next));
    }
    t2_buf_release(&next);
    return name;
}

static enum t2_status add_shard(const struct folder *f, const struct t2_json_value *split,
                                size_t shard, size_t n_shards, struct tfr_inputs *in,
                                struct t2_err *err)
{
    const struct t2_json_value *lengths = t2_json_get(split, "shardLengths");
    char *name = shard_name(f, split, shard, n_shards);
    struct tfr_input_file *file;
    enum t2_status st = T2_OK;

    if (strchr(name, '/') || strcmp(name, "..") == 0)
        st = t2_fail(err, T2_EFORMAT, "'%s': the shard name '%s' leads to another folder",
                     f->info_path, name);
    if (st == T2_OK) {
        in->files = t2_realloc(in->files, in->n + 1, sizeof *in->files);
        file = &in->files[in->n++];
        *file = (struct tfr_input_file){.path = t2_path_join(f->dir, name),
                                        .split = t2_strdup(
                                            t2_json_as_string(t2_json_get(split, "name"), "")),
                                        .manifest = t2_strdup(f->info_path)};
        if (!number(t2_json_item(lengths, shard), &file->n_records))
            st = t2_fail(err, T2_EFORMAT, "'%s': shardLengths of split '%s' are no numbers",
                         f->info_path, file->split);
        else
            st = t2_file_size(file->path, &file->bytes, err);
        in->bytes += file->bytes;
    }
    t2_free(name);
    return st;
}

static enum t2_status add_split(const struct folder *f, const struct t2_json_value *split,
                                struct tfr_inputs *in, struct t2_err *err)
{
    const struct t2_json_value *lengths = t2_json_get(split, "shardLengths");
    const char *name = t2_json_as_string(t2_json_get(split, "name"), "");
    size_t n = t2_json_size(lengths), before = in->n;
    uint64_t records = 0;

    if (n == 0 || n > MAX_SHARDS)
        return t2_fail(err, T2_EFORMAT, "'%s': split '%s' has no shardLengths", f->info_path, name);
    for (size_t i = 0; i < n; i++)
        T2_TRY(add_shard(f, split, i, n, in, err));
    for (size_t i = before; i < in->n; i++)
        records += in->files[i].n_records;
    t2_info("'%s': split '%s': %" PRIu64 " record%s in %zu shard%s", f->dir, name, records,
            records == 1 ? "" : "s", n, n == 1 ? "" : "s");
    return T2_OK;
}

static enum t2_status check_format(const struct folder *f, struct t2_err *err)
{
    if (!*f->name || t2_json_size(f->splits) == 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': no description of a data set (name and splits are missing)",
                       f->info_path);
    if (strcmp(f->format, "tfrecord") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': the records are in %s files; only tfrecord is read: "
                       "tfds.builder(..., file_format='tfrecord') writes them",
                       f->info_path, f->format);
    return T2_OK;
}

static enum t2_status add_folder(const struct rec_convert *c, const struct folder *f,
                                 struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_buf names = {NULL, 0, 0};
    size_t before = in->n;

    T2_TRY(check_format(f, err));
    for (size_t i = 0; i < t2_json_size(f->splits); i++) {
        const struct t2_json_value *split = t2_json_item(f->splits, i);
        const char *name = t2_json_as_string(t2_json_get(split, "name"), "");
        enum t2_status st = T2_OK;
        t2_buf_printf(&names, "%s%s", i ? ", " : "", name);
        if (!*c->split || strcmp(c->split, name) == 0)
            st = add_split(f, split, in, err);
        if (st != T2_OK) {
            t2_buf_release(&names);
            return st;
        }
    }
    if (in->n == before)
        (void) t2_fail(err, T2_ENOTFOUND, "'%s' has no split '%s'; there are %s", f->dir, c->split,
                       t2_buf_cstr(&names));
    t2_buf_release(&names);
    return in->n == before ? err->status : T2_OK;
}

static enum t2_status find_in(const struct rec_convert *c, const char *dir, struct tfr_inputs *in,
                              struct t2_err *err)
{
    struct folder f = {.dir = dir, .info_path = t2_path_join(dir, "dataset_info.json")};
    uint64_t bytes;
    enum t2_status st = t2_file_size(f.info_path, &bytes, err);

    if (st == T2_OK && bytes > MAX_INFO_BYTES)
        st = t2_fail(err, T2_EFORMAT, "'%s' has more than 64 MiB", f.info_path);
    if (st == T2_OK)
        st = t2_json_load(f.info_path, &f.doc, err);
    if (st == T2_OK) {
        const struct t2_json_value *root = t2_json_root(f.doc);
        f.name = t2_json_as_string(t2_json_get(root, "name"), "");
        f.format = or_default(t2_json_as_string(t2_json_get(root, "fileFormat"), ""), "tfrecord");
        f.splits = t2_json_get(root, "splits");
        st = add_folder(c, &f, in, err);
    }
    t2_json_free(f.doc);
    t2_free(f.info_path);
    return st;
}

static enum t2_status find(const struct rec_convert *c, struct tfr_inputs *in, struct t2_err *err)
{
    *in = (struct tfr_inputs){NULL, 0, 0};
    for (size_t i = 0; i < c->inputs->n; i++)
        T2_TRY(find_in(c, c->inputs->items[i], in, err));
    return T2_OK;
}

const struct rec_format rec_format_tfds = {"tfds", NULL, find, NULL};
