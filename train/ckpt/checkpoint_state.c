/*
 * train/ckpt/checkpoint_state.c - state-<step>.json, and which checkpoints there are.
 *
 * One JSON object, keys in this order:
 *   format       "t2t.c checkpoint 1"
 *   version, step
 *   seed, samples          as text, as JSON readers may take numbers above 2^53 for floating-point
 *                          ones; samples is the position in the order of samples
 *   wall_seconds           training time so far
 *   model, hparams_set, problem
 *   inputs_vocab_sha256, targets_vocab_sha256, manifest_sha256    "" when there is none
 *   precision              absent in files of older versions
 *   data_shards            absent for 1
 *   global_batch_size      true, or absent
 *   damage_crc             of the damaged records that are passed over, or absent
 *   loss_scale             {scale, finite, overflows}   with precision float16
 *   optimizer, optimizer_updates
 *   files: {model: {bytes, sha256, crc32c}, optimizer: …}         optimizer only if there is one;
 *                                                                crc32c: 8 hexadecimal digits
 *   hparams                all of them, by name
 */
#include "train/ckpt/checkpoint_state.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "base/version.h"
#include "train/ckpt/tensorflow_run.h"
#include "train/models/layer_file.h"

static const char state_format[] = "t2t.c checkpoint 1";

/* ---- names ---- */

static const char *extension_of(const char *kind)
{
    return strcmp(kind, "state") == 0 ? "json" : "safetensors";
}

char *ckpt_path(const char *output_dir, const char *kind, int64_t step)
{
    char *name = t2_asprintf("%s-%" PRId64 ".%s", kind, step, extension_of(kind));
    char *path = t2_path_join(output_dir, name);

    t2_free(name);
    return path;
}

int64_t ckpt_step_of_name(const char *name, const char *kind)
{
    const char *digits = name + strlen(kind) + 1, *dot;
    char *number, *whole;
    int64_t step = -1;

    if (!t2_starts_with(name, kind) || name[strlen(kind)] != '-' || !(dot = strchr(digits, '.')))
        return -1;
    number = t2_strndup(digits, (size_t) (dot - digits));
    if (!t2_parse_i64(number, &step) || step < 0)
        step = -1;
    /* leading zeros and signs are not ours */
    whole = t2_asprintf("%s-%" PRId64 ".%s", kind, step, extension_of(kind));
    if (strcmp(name, whole) != 0)
        step = -1;
    t2_free(number);
    t2_free(whole);
    return step;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

/* Steps of the files in a folder, each once. */
static enum t2_status list_steps(const char *output_dir, bool own_only, int64_t **steps, size_t *n,
                                 struct t2_err *err)
{
    struct t2_strs names = {0};
    size_t n_all = 0;

    *steps = NULL;
    *n = 0;
    if (t2_exists(output_dir))
        T2_TRY(t2_list_dir(output_dir, &names, err));
    *steps = t2_alloc(names.n, sizeof **steps);
    for (size_t i = 0; i < names.n; i++) {
        int64_t step = ckpt_step_of_name(names.items[i], "state");

        if (step < 0 && !own_only)
            step = ckpt_tf_step_of_name(names.items[i]);
        if (step >= 0)
            (*steps)[n_all++] = step;
    }
    qsort(*steps, n_all, sizeof **steps, ascending);
    for (size_t i = 0; i < n_all; i++)
        if (i == 0 || (*steps)[i] != (*steps)[i - 1])
            (*steps)[(*n)++] = (*steps)[i];
    t2_strs_release(&names);
    return T2_OK;
}

enum t2_status ckpt_list(const char *output_dir, int64_t **steps, size_t *n, struct t2_err *err)
{
    return list_steps(output_dir, false, steps, n, err);
}

enum t2_status ckpt_list_own(const char *output_dir, int64_t **steps, size_t *n, struct t2_err *err)
{
    return list_steps(output_dir, true, steps, n, err);
}

enum t2_status ckpt_resolve_step(const char *output_dir, int64_t *step, struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n = 0;
    bool found = false;
    enum t2_status st = T2_OK;

    T2_TRY(ckpt_list(output_dir, &steps, &n, err));
    for (size_t i = 0; i < n; i++)
        found = found || steps[i] == *step;
    if (n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "there is no checkpoint in '%s'", output_dir);
    else if (*step < 0)
        *step = steps[n - 1];
    else if (!found)
        st = t2_fail(err, T2_ENOTFOUND,
                     "there is no checkpoint of step %" PRId64 " in '%s'; %zu from step %" PRId64
                     " to %" PRId64,
                     *step, output_dir, n, steps[0], steps[n - 1]);
    t2_free(steps);
    return st;
}

/* A damaged newest checkpoint need not end a run: the one before is whole, and comes back when the
 * damaged state file is removed. */
enum t2_status ckpt_add_way_out(const char *output_dir, int64_t step, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT, old = *err;
    char *path = ckpt_path(output_dir, "state", step);
    char *prefix = t2_exists(path) ? NULL : ckpt_tf_prefix(output_dir, step);
    int64_t *steps = NULL, before = -1;
    size_t n = 0;

    if (ckpt_list(output_dir, &steps, &n, &ignored) == T2_OK) {
        for (size_t i = 0; i < n && steps[i] < step; i++)
            before = steps[i];
    }
    if (prefix) { /* TensorFlow's, which its user may want to keep */
        t2_free(path);
        path = t2_asprintf("%s.index", prefix);
    }
    if (before >= 0)
        t2_fail(err, old.status, "%s; remove '%s' to continue from step %" PRId64, old.message,
                path, before);
    else
        t2_fail(err, old.status, "%s; remove '%s' to start from the beginning", old.message, path);
    t2_free(steps);
    t2_free(prefix);
    t2_free(path);
    return err->status;
}

/* ---- writing ---- */

/* As text: JSON readers may take numbers above 2^53 for floating-point ones. */
static void write_u64(struct t2_json *json, const char *key, uint64_t v)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, v);
    t2_json_kv_string(json, key, text);
}

static void write_loss_scale(struct t2_json *json, const struct opt_loss_scale *l)
{
    t2_json_key(json, "loss_scale");
    t2_json_object(json);
    t2_json_kv_double(json, "scale", l->scale);
    t2_json_kv_i64(json, "finite", l->n_finite);
    t2_json_kv_i64(json, "overflows", l->n_overflows);
    t2_json_end_object(json);
}

static void write_part(struct t2_json *json, const char *kind, const struct ckpt_part *part)
{
    char crc[9];

    t2_json_key(json, kind);
    t2_json_object(json);
    t2_json_kv_u64(json, "bytes", part->n_bytes);
    t2_json_kv_string(json, "sha256", part->sha256);
    if (part->has_crc) {
        snprintf(crc, sizeof crc, "%08" PRIx32, part->crc32c);
        t2_json_kv_string(json, "crc32c", crc);
    }
    t2_json_end_object(json);
}

enum t2_status ckpt_record_write(const char *output_dir, const struct ckpt_record *record,
                                 const struct mdl_hparams *hp, struct t2_err *err)
{
    const struct ckpt_state *s = &record->state;
    char *path = ckpt_path(output_dir, "state", s->step);
    struct t2_buf text = {0};
    struct t2_json json;
    enum t2_status st;

    t2_json_init(&json, &text, 1);
    t2_json_object(&json);
    t2_json_kv_string(&json, "format", state_format);
    t2_json_kv_string(&json, "version", t2_version());
    t2_json_kv_i64(&json, "step", s->step);
    write_u64(&json, "seed", s->seed);
    write_u64(&json, "samples", s->samples);
    t2_json_kv_double(&json, "wall_seconds", s->wall_seconds);
    t2_json_kv_string(&json, "model", s->model);
    t2_json_kv_string(&json, "hparams_set", s->hparams_set);
    t2_json_kv_string(&json, "problem", s->problem);
    t2_json_kv_string(&json, "inputs_vocab_sha256", s->inputs_vocab_sha256);
    t2_json_kv_string(&json, "targets_vocab_sha256", s->targets_vocab_sha256);
    t2_json_kv_string(&json, "manifest_sha256", s->manifest_sha256);
    t2_json_kv_string(&json, "precision", s->precision);
    if (s->data_shards > 1)
        t2_json_kv_i64(&json, "data_shards", s->data_shards);
    if (s->global_batch_size)
        t2_json_kv_bool(&json, "global_batch_size", true);
    if (s->damage_crc != 0)
        t2_json_kv_i64(&json, "damage_crc", s->damage_crc);
    if (s->loss_scale.scale > 0.0)
        write_loss_scale(&json, &s->loss_scale);
    t2_json_kv_string(&json, "optimizer", record->optimizer_name);
    t2_json_kv_i64(&json, "optimizer_updates", record->updates);
    t2_json_key(&json, "files");
    t2_json_object(&json);
    write_part(&json, "model", &record->model);
    if (record->has_optimizer)
        write_part(&json, "optimizer", &record->optimizer);
    t2_json_end_object(&json);
    t2_json_key(&json, "hparams");
    mdl_hparams_write_json(hp, &json);
    t2_json_end_object(&json);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* ---- reading ---- */

/* The document that is read, and its path for messages. */
struct reader {
    const char *path;
    const struct t2_json_value *root;
};

static enum t2_status bad_key(const struct reader *r, const char *key, const char *what,
                              struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': '%s' is missing or not %s", r->path, key, what);
}

static enum t2_status read_text(const struct reader *r, const struct t2_json_value *object,
                                const char *key, char *to, size_t to_bytes, struct t2_err *err)
{
    const char *s = t2_json_as_string(t2_json_get(object, key), NULL);

    if (!s || strlen(s) >= to_bytes)
        return bad_key(r, key, "a text of the right length", err);
    memcpy(to, s, strlen(s) + 1);
    return T2_OK;
}

static enum t2_status read_u64(const struct reader *r, const char *key, uint64_t *v,
                               struct t2_err *err)
{
    const char *s = t2_json_as_string(t2_json_get(r->root, key), NULL);

    if (!s || !t2_parse_u64(s, v))
        return bad_key(r, key, "a number as text", err);
    return T2_OK;
}

static enum t2_status read_count(const struct reader *r, const struct t2_json_value *object,
                                 const char *key, int64_t *v, struct t2_err *err)
{
    *v = t2_json_as_i64(t2_json_get(object, key), -1);
    return *v >= 0 ? T2_OK : bad_key(r, key, "a count", err);
}

/* Absent without loss scale. */
static enum t2_status read_loss_scale(const struct reader *r, struct opt_loss_scale *l,
                                      struct t2_err *err)
{
    const struct t2_json_value *v = t2_json_get(r->root, "loss_scale");

    if (!v)
        return T2_OK;
    l->scale = t2_json_as_double(t2_json_get(v, "scale"), 0.0);
    if (!(l->scale >= 1.0 && l->scale <= (double) FLT_MAX))
        return bad_key(r, "loss_scale", "a scale of at least 1", err);
    T2_TRY(read_count(r, v, "finite", &l->n_finite, err));
    return read_count(r, v, "overflows", &l->n_overflows, err);
}

static enum t2_status read_part(const struct reader *r, const char *kind, struct ckpt_part *part,
                                struct t2_err *err)
{
    const struct t2_json_value *v = t2_json_get(t2_json_get(r->root, "files"), kind);
    char crc[9], all[9];
    int64_t n_bytes = 0;

    T2_TRY(read_count(r, v, "bytes", &n_bytes, err));
    part->n_bytes = (uint64_t) n_bytes;
    T2_TRY(read_text(r, v, "sha256", part->sha256, sizeof part->sha256, err));
    if (strlen(part->sha256) != 64)
        return bad_key(r, "sha256", "64 hexadecimal digits", err);
    part->has_crc = t2_json_get(v, "crc32c") != NULL;
    if (!part->has_crc)
        return T2_OK;
    T2_TRY(read_text(r, v, "crc32c", crc, sizeof crc, err));
    part->crc32c = (uint32_t) strtoul(crc, NULL, 16);
    snprintf(all, sizeof all, "%08" PRIx32, part->crc32c);
    return strcmp(crc, all) == 0 ? T2_OK : bad_key(r, "crc32c", "8 hexadecimal digits", err);
}

static enum t2_status read_record(const struct reader *r, int64_t step, struct ckpt_record *record,
                                  struct t2_err *err)
{
    struct ckpt_state *s = &record->state;
    const char *format = t2_json_as_string(t2_json_get(r->root, "format"), "");
    int64_t damage_crc = 0;

    if (strcmp(format, state_format) != 0)
        return t2_fail(err, T2_EFORMAT, "'%s': its format is '%s', not '%s'", r->path, format,
                       state_format);
    T2_TRY(read_count(r, r->root, "step", &s->step, err));
    if (s->step != step)
        return t2_fail(err, T2_EFORMAT, "'%s': it is about step %" PRId64, r->path, s->step);
    T2_TRY(read_u64(r, "seed", &s->seed, err));
    T2_TRY(read_u64(r, "samples", &s->samples, err));
    s->wall_seconds = t2_json_as_double(t2_json_get(r->root, "wall_seconds"), 0.0);
#define READ_TEXT(key, to) T2_TRY(read_text(r, r->root, key, to, sizeof(to), err))
    READ_TEXT("model", s->model);
    READ_TEXT("hparams_set", s->hparams_set);
    READ_TEXT("problem", s->problem);
    READ_TEXT("inputs_vocab_sha256", s->inputs_vocab_sha256);
    READ_TEXT("targets_vocab_sha256", s->targets_vocab_sha256);
    READ_TEXT("manifest_sha256", s->manifest_sha256);
    READ_TEXT("optimizer", record->optimizer_name);
    if (t2_json_get(r->root, "precision"))
        READ_TEXT("precision", s->precision);
#undef READ_TEXT
    if (t2_json_get(r->root, "data_shards"))
        T2_TRY(read_count(r, r->root, "data_shards", &s->data_shards, err));
    if (s->data_shards > CKPT_MOST_SHARDS)
        return bad_key(r, "data_shards", "a number of shards", err);
    s->global_batch_size = t2_json_as_bool(t2_json_get(r->root, "global_batch_size"), false);
    if (t2_json_get(r->root, "damage_crc"))
        T2_TRY(read_count(r, r->root, "damage_crc", &damage_crc, err));
    if (damage_crc > UINT32_MAX)
        return bad_key(r, "damage_crc", "32 bits", err);
    s->damage_crc = (uint32_t) damage_crc;
    T2_TRY(read_loss_scale(r, &s->loss_scale, err));
    T2_TRY(read_count(r, r->root, "optimizer_updates", &record->updates, err));
    T2_TRY(read_part(r, "model", &record->model, err));
    record->has_optimizer = t2_json_get(t2_json_get(r->root, "files"), "optimizer") != NULL;
    if (record->has_optimizer)
        T2_TRY(read_part(r, "optimizer", &record->optimizer, err));
    return T2_OK;
}

static enum t2_status read_hparams(const struct reader *r, const char *set, struct mdl_hparams **hp,
                                   struct t2_err *err)
{
    const struct t2_json_value *object = t2_json_get(r->root, "hparams");
    struct mdl_hparams *made = NULL;
    enum t2_status st = mdl_hparams_new(set, &made, err);

    if (st == T2_OK)
        st = mdl_layer_file_read_json(made, object, err);
    if (st == T2_OK)
        *hp = made;
    else
        t2_wrap(err, "'%s'", r->path);
    if (st != T2_OK)
        mdl_hparams_free(made);
    return st;
}

enum t2_status ckpt_record_read(const char *output_dir, int64_t step, struct ckpt_record *record,
                                struct mdl_hparams **hp, struct t2_err *err)
{
    char *path = ckpt_path(output_dir, "state", step);
    char *prefix = t2_exists(path) ? NULL : ckpt_tf_prefix(output_dir, step);
    struct t2_json_doc *doc = NULL;
    struct reader r = {.path = path};
    enum t2_status st;

    if (prefix) {
        t2_free(prefix);
        t2_free(path);
        return ckpt_tf_record_read(output_dir, step, record, hp, err);
    }
    memset(record, 0, sizeof *record);
    if (hp)
        *hp = NULL;
    T2_GOTO(st, out, t2_json_load(path, &doc, err));
    r.root = t2_json_root(doc);
    T2_GOTO(st, out, read_record(&r, step, record, err));
    if (hp)
        T2_GOTO(st, out, read_hparams(&r, record->state.hparams_set, hp, err));
out:
    if (st == T2_EFORMAT)
        ckpt_add_way_out(output_dir, step, err);
    t2_json_free(doc);
    t2_free(path);
    return st;
}

enum t2_status ckpt_load_state(const char *output_dir, int64_t step, struct ckpt_state *state,
                               struct mdl_hparams **hp, struct t2_err *err)
{
    struct ckpt_record record;

    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(ckpt_record_read(output_dir, step, &record, hp, err));
    *state = record.state;
    return T2_OK;
}
