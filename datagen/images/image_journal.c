/*
 * datagen/images/image_journal.c - finished shards of images.
 *
 * Lines of JSON, appended after each shard; the first one names the plan, and without a line end
 * the last one is ignored (the run was stopped):
 *
 *   {"plan_sha256": HEX}
 *   {"number": N, "file": NAME, "records": N, "bytes": N, "sha256": HEX, "height": [MIN, MAX],
 *    "width": [MIN, MAX], "label": [MIN, MAX], "boxes": [MIN, MAX], "n_boxes": N, "reencoded": N,
 *    "ignored": N, "dropped": [PATH, REASON, PATH, REASON, ...]}
 *
 * A line counts when its number and file name are of the plan; a later line of the same number
 * replaces an earlier one.
 */
#include "datagen/images/image_journal.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/json.h"
#include "base/json_writer.h"

void dg_image_shard_release(struct dg_image_shard *s)
{
    t2_free(s->file.file);
    t2_strs_release(&s->dropped);
    memset(s, 0, sizeof *s);
}

char *dg_image_journal_path(const char *dir, int task, int n_tasks)
{
    char *name = t2_asprintf(".pictures.task-%d-of-%d.jsonl", task, n_tasks);
    char *path = t2_path_join(dir, name);

    t2_free(name);
    return path;
}

/* ---- a line ---- */

static const char *const range_names[] = {"height", "width", "label", "boxes"};
enum { N_RANGES = 4 };

static void put_line(size_t number, const struct dg_image_shard *s, struct t2_buf *out)
{
    const struct dg_image_range *ranges[N_RANGES] = {&s->height, &s->width, &s->label, &s->boxes};
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_u64(&j, "number", number);
    t2_json_kv_string(&j, "file", s->file.file);
    t2_json_kv_u64(&j, "records", s->file.n_records);
    t2_json_kv_u64(&j, "bytes", s->file.bytes);
    t2_json_kv_string(&j, "sha256", s->file.sha256);
    for (int i = 0; i < N_RANGES; i++) {
        t2_json_key(&j, range_names[i]);
        t2_json_array(&j);
        t2_json_i64(&j, ranges[i]->min);
        t2_json_i64(&j, ranges[i]->max);
        t2_json_end_array(&j);
    }
    t2_json_kv_u64(&j, "n_boxes", s->n_boxes);
    t2_json_kv_u64(&j, "reencoded", s->n_reencoded);
    t2_json_kv_u64(&j, "ignored", s->n_ignored);
    t2_json_key(&j, "dropped");
    t2_json_array(&j);
    for (size_t i = 0; i < s->dropped.n; i++)
        t2_json_string(&j, s->dropped.items[i]);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

static uint64_t count_of(const struct t2_json_value *v, const char *key)
{
    int64_t n = t2_json_as_i64(t2_json_get(v, key), -1);

    return n < 0 ? 0 : (uint64_t) n;
}

static void take_line(const struct t2_json_value *v, const struct t2_strs *names,
                      struct dg_image_shard *shards)
{
    int64_t number = t2_json_as_i64(t2_json_get(v, "number"), -1);
    const char *file = t2_json_as_string(t2_json_get(v, "file"), "");
    const char *sha256 = t2_json_as_string(t2_json_get(v, "sha256"), "");
    const struct t2_json_value *dropped = t2_json_get(v, "dropped");
    struct dg_image_shard *s;

    if (number < 0 || (uint64_t) number >= names->n || strlen(sha256) != 64 ||
        strcmp(file, names->items[number]) != 0)
        return;
    s = &shards[number];
    dg_image_shard_release(s);
    s->is_done = true;
    s->file.file = t2_strdup(file);
    s->file.n_records = count_of(v, "records");
    s->file.bytes = count_of(v, "bytes");
    memcpy(s->file.sha256, sha256, sizeof s->file.sha256);
    for (int i = 0; i < N_RANGES; i++) {
        struct dg_image_range *ranges[N_RANGES] = {&s->height, &s->width, &s->label, &s->boxes};
        const struct t2_json_value *pair = t2_json_get(v, range_names[i]);
        ranges[i]->min = t2_json_as_i64(t2_json_item(pair, 0), 0);
        ranges[i]->max = t2_json_as_i64(t2_json_item(pair, 1), 0);
    }
    s->n_boxes = count_of(v, "n_boxes");
    s->n_reencoded = count_of(v, "reencoded");
    s->n_ignored = count_of(v, "ignored");
    for (size_t i = 0; i + 1 < t2_json_size(dropped); i += 2) {
        t2_strs_push(&s->dropped, t2_json_as_string(t2_json_item(dropped, i), ""));
        t2_strs_push(&s->dropped, t2_json_as_string(t2_json_item(dropped, i + 1), ""));
    }
}

/* ---- the file ---- */

enum t2_status dg_image_journal_read(const char *path, const char *plan_sha256,
                                     const struct t2_strs *names, struct dg_image_shard *shards,
                                     bool *is_ours, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_err why = T2_ERR_INIT;
    bool is_first = true, ours = false;
    enum t2_status st;
    size_t start = 0;

    *is_ours = false;
    st = t2_read_file(path, 0, &text, &why);
    if (st == T2_ENOTFOUND)
        return T2_OK;
    if (st != T2_OK)
        return t2_fail(err, st, "%s", why.message);
    while (start < text.len_bytes) {
        const char *line = (const char *) text.data + start;
        const char *end = memchr(line, '\n', text.len_bytes - start);
        struct t2_err ignored = T2_ERR_INIT;
        struct t2_json_doc *doc = NULL;
        if (!end) /* the run was stopped while it wrote */
            break;
        if (t2_json_parse(line, (size_t) (end - line), path, &doc, &ignored) == T2_OK) {
            const struct t2_json_value *v = t2_json_root(doc);
            if (is_first)
                ours =
                    strcmp(t2_json_as_string(t2_json_get(v, "plan_sha256"), ""), plan_sha256) == 0;
            else if (ours)
                take_line(v, names, shards);
            t2_json_free(doc);
        }
        is_first = false;
        start += (size_t) (end - line) + 1;
    }
    *is_ours = ours;
    t2_buf_release(&text);
    return T2_OK;
}

enum t2_status dg_image_journal_add(const char *path, bool begin, const char *plan_sha256,
                                    size_t number, const struct dg_image_shard *shard,
                                    struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    int fd, closed;
    int errnum =
        t2_io_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (begin ? O_TRUNC : O_APPEND), 0666, &fd);

    if (errnum)
        return t2_fail_errno(err, errnum, "cannot write '%s'", path);
    if (begin)
        t2_buf_printf(&text, "{\"plan_sha256\":\"%s\"}\n", plan_sha256);
    if (shard)
        put_line(number, shard, &text);
    errnum = t2_io_write(fd, text.data, text.len_bytes, NULL);
    closed = t2_io_close(fd);
    t2_buf_release(&text);
    if (errnum || closed)
        return t2_fail_errno(err, errnum ? errnum : closed, "cannot write '%s'", path);
    return T2_OK;
}
