/*
 * tfrec/convert/formats.c - the list of formats, and which one a name or a file means.
 */
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/text.h"
#include "tfrec/convert/formats.h"
#include "tfrecord/shards.h"

static const struct rec_format *const formats[] = {&rec_format_tfrecord, &rec_format_tfds,
                                                   &rec_format_jsonl,    &rec_format_csv,
                                                   &rec_format_tsv,      &rec_format_webdataset,
                                                   &rec_format_bagz,     &rec_format_npz,
                                                   &rec_format_images,   &rec_format_squad};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct {
    const char *end, *format;
} endings[] = {
    {".jsonl", "jsonl"},
    {".ndjson", "jsonl"},
    {".json", "jsonl"},
    {".csv", "csv"},
    {".tsv", "tsv"},
    {".tar", "webdataset"},
    {".tgz", "webdataset"},
    {".bag", "bagz"},
    {".bagz", "bagz"},
    {".npz", "npz"},
    {".npy", "npz"},
    {".tfrecord", "tfrecord"},
    {".tfrecords", "tfrecord"},
};

enum t2_status rec_format_find(const char *flag, const char *name, const struct rec_format **f,
                               struct t2_err *err)
{
    const char *names[N_FORMATS], *nearest;
    struct t2_buf all = {NULL, 0, 0};

    for (size_t i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i]->name;
        if (strcasecmp(names[i], name) == 0) {
            *f = formats[i];
            t2_buf_release(&all);
            return T2_OK;
        }
        t2_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    nearest = t2_nearest(name, names, N_FORMATS);
    if (nearest)
        (void) t2_fail(err, T2_EUSAGE, "--%s=%s: no such format; did you mean '%s'?", flag, name,
                       nearest);
    else
        (void) t2_fail(err, T2_EUSAGE, "--%s=%s: no such format; there are %s", flag, name,
                       t2_buf_cstr(&all));
    t2_buf_release(&all);
    return err->status;
}

/* By the end of the name, without .gz; NULL: it says nothing. */
static const char *by_name(const char *path)
{
    size_t n = strlen(path);

    if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0)
        n -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t k = strlen(endings[i].end);
        if (n > k && strncasecmp(path + n - k, endings[i].end, k) == 0)
            return endings[i].format;
    }
    return NULL;
}

static bool has_child(const char *dir, const char *name)
{
    char *path = t2_path_join(dir, name);
    bool there = t2_exists(path);

    t2_free(path);
    return there;
}

/* A folder of folders, without a manifest. */
static bool is_image_folder(const char *dir)
{
    struct t2_strs names = {NULL, 0, 0};
    struct t2_err ignored = T2_ERR_INIT;
    bool folders = false, manifest = false;

    if (t2_list_dir(dir, &names, &ignored) != T2_OK)
        return false;
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        folders = folders || t2_is_dir(path);
        manifest = manifest || t2_ends_with(path, ".manifest.json");
        t2_free(path);
    }
    t2_strs_release(&names);
    return folders && !manifest;
}

static const char *by_content(const char *path)
{
    uint8_t head[4] = {0};
    struct stat info;
    size_t n = 0;
    int fd;

    if (t2_is_dir(path)) {
        if (has_child(path, "dataset_info.json"))
            return "tfds";
        return is_image_folder(path) ? "images" : "tfrecord";
    }
    if (by_name(path))
        return by_name(path);
    if (t2_io_open(path, O_RDONLY | O_NONBLOCK, 0, &fd) != 0)
        return "tfrecord"; /* a glob or sharded name, or an error that is said then */
    /* What a pipe gives here would be missing later. */
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        (void) t2_io_pread(fd, head, sizeof head, 0, &n);
    (void) close(fd);
    if (n == sizeof head && memcmp(head, "PK\3\4", 4) == 0)
        return "npz";
    if (n == sizeof head && memcmp(head, "\x93NUM", 4) == 0)
        return "npz";
    if (n > 0 && head[0] == '{')
        return "jsonl";
    return "tfrecord";
}

enum t2_status rec_formats_guess(struct rec_convert *c, struct t2_err *err)
{
    if (!*c->to) {
        c->to = by_name(c->output);
        if (!c->to && (*c->compress || tfr_shard_stem_length(c->output) < strlen(c->output)))
            c->to = "tfrecord";
        if (!c->to)
            return t2_fail(err, T2_EUSAGE,
                           "the name '%s' does not say which format to write; give --to=FORMAT",
                           c->output);
    }
    if (*c->from)
        return T2_OK;
    if (strcmp(c->inputs->items[0], "-") == 0)
        c->from = strcmp(c->to, "tfrecord") == 0 && !*c->compress ? "jsonl" : "tfrecord";
    else
        c->from = by_content(c->inputs->items[0]);
    return T2_OK;
}
