/*
 * train/ckpt/checkpoint_restore.c - variables and slots from the files of a checkpoint, or their
 * mean over several.
 *
 * Order: state, checksum of the file, header, names and shapes of all tensors, finite numbers, and
 * only then the copies into the model, so a checkpoint that is refused has changed nothing.  Files
 * are mapped, read once more in pieces of PIECE_BYTES and forgotten behind the reader, so that they
 * do not stay in memory beside the model; or they are the model's values (lent_values.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c_join.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/checkpoint.h"
#include "train/ckpt/checkpoint_check.h"
#include "train/ckpt/checkpoint_state.h"
#include "train/ckpt/encoded_weights.h"
#include "train/ckpt/lent_values.h"
#include "train/ckpt/safetensors.h"
#include "train/ckpt/tensorflow_run.h"
#include "train/device/device.h"
#include "train/graph/layouts.h"

enum { MEAN_FLOATS = 4096, PIECE_BYTES = 1 << 20 };

static enum t2_status open_bundle(const char *output_dir, int64_t step, char **path,
                                  struct ckpt_file **f, struct t2_err *err)
{
    char *prefix = ckpt_tf_prefix(output_dir, step);
    enum t2_status st;

    *path = t2_asprintf("%s.index", prefix ? prefix : output_dir);
    if (prefix)
        st = ckpt_open_bundle(prefix, f, err);
    else
        st = t2_fail(err, T2_ENOTFOUND, "the checkpoint of step %" PRId64 " in '%s' is gone", step,
                     output_dir);
    t2_free(prefix);
    return st == T2_EFORMAT ? ckpt_add_way_out(output_dir, step, err) : st;
}

/* Who trains on a file, or averages it, wants its SHA-256.  Who only uses it is content with the
 * CRC-32C, which is as sure where nobody means harm and takes a sixth of the time: a program that
 * translates one sentence does little else. */
static enum t2_status check_sha256(const char *path, const struct ckpt_part *part, int64_t step,
                                   struct t2_err *err)
{
    char sha256[65];
    uint64_t n_bytes = 0;

    T2_TRY(t2_sha256_file(path, sha256, &n_bytes, err));
    if (n_bytes != part->n_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s' is damaged: %" PRIu64 " bytes instead of %" PRIu64,
                       path, n_bytes, part->n_bytes);
    if (strcmp(sha256, part->sha256) != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is damaged: its SHA-256 is not that of state-%" PRId64 ".json", path,
                       step);
    return T2_OK;
}

static enum t2_status check_crc(const char *path, const struct ckpt_part *part, int64_t step,
                                struct t2_pool *pool, struct t2_err *err)
{
    struct t2_mapped map;
    enum t2_status st = T2_OK;

    T2_TRY(t2_map_file(path, &map, err));
    if (map.len_bytes != part->n_bytes)
        st = t2_fail(err, T2_EFORMAT, "'%s' is damaged: %zu bytes instead of %" PRIu64, path,
                     map.len_bytes, part->n_bytes);
    else if (t2_crc32c_large(pool, map.data, map.len_bytes) != part->crc32c)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' is damaged: its CRC-32C is not that of state-%" PRId64 ".json", path,
                     step);
    t2_unmap_file(&map);
    return st;
}

/* Opens one file of a checkpoint whose checksum is right; TensorFlow's has all in one bundle, with
 * checksums.  *path is set in any case, owned by the caller.  user: whose values the file's become,
 * not to be trained on; NULL: another use. */
static enum t2_status open_part(const char *output_dir, const char *kind,
                                const struct ckpt_record *record, const struct gr_params *user,
                                char **path, struct ckpt_file **f, struct t2_err *err)
{
    const struct ckpt_part *part = strcmp(kind, "model") == 0 ? &record->model : &record->optimizer;
    int64_t step = record->state.step;
    enum t2_status st;

    if (record->state.of_tensorflow)
        return open_bundle(output_dir, step, path, f, err);
    *path = ckpt_path(output_dir, kind, step);
    if (user && part->has_crc)
        st = check_crc(*path, part, step, dev_host_pool(user->dev), err);
    else
        st = check_sha256(*path, part, step, err);
    if (st == T2_OK)
        st = ckpt_open(*path, f, err);
    if (st == T2_EFORMAT || st == T2_ENOTFOUND) {
        err->status = T2_EFORMAT; /* the state says that it is there */
        st = ckpt_add_way_out(output_dir, step, err);
    }
    return st;
}

/* The variables' file, whose weights are floats however they were kept. */
static enum t2_status open_model(const char *output_dir, const struct ckpt_record *record,
                                 const struct gr_params *params, bool for_use, char **path,
                                 struct ckpt_file **f, struct t2_err *err)
{
    T2_TRY(open_part(output_dir, "model", record, for_use ? params : NULL, path, f, err));
    if (record->state.of_tensorflow && params->encoded)
        ckpt_decode_weights(*f);
    return T2_OK;
}

/* Elements first .. first + n - 1 of a tensor, in pieces, so that the file is not in memory a
 * second time; `to` is laid like a variable, or as it is (graph/layouts.h). */
static void upload_part(const struct gr_params *params, const struct gr_variable *like, float *to,
                        const struct ckpt_file *f, const struct ckpt_tensor *t, int64_t first,
                        int64_t n)
{
    const int64_t most = PIECE_BYTES / sizeof *to;

    for (int64_t at = 0; at < n; at += most) {
        const char *from = (const char *) t->data + (size_t) (first + at) * sizeof *to;
        int64_t k = n - at < most ? n - at : most;

        gr_upload(params, like, to, at, (const void *) from, k);
        ckpt_forget(f, from, (size_t) k * sizeof *to);
    }
}

static void upload(const struct gr_params *params, const struct gr_variable *like, float *to,
                   const struct ckpt_file *f, const struct ckpt_tensor *t)
{
    upload_part(params, like, to, f, t, 0, (int64_t) (t->n_bytes / sizeof *to));
}

/* A run that began with another's variables has taken fewer updates than its step says, which
 * Adam's powers show; the other optimizers do not count. */
static int64_t updates_of(const struct ckpt_file *f, int64_t step, const struct opt_optimizer *opt)
{
    const struct ckpt_tensor *t = ckpt_find(f, "training/beta2_power");
    float power = 0.0F;

    if (t && t->type == CKPT_F32 && t->n_bytes == sizeof power)
        memcpy(&power, t->data, sizeof power);
    return opt_updates_of_power(opt, power, step);
}

static enum t2_status restore_optimizer(const char *output_dir, const struct ckpt_record *record,
                                        const struct gr_params *params, struct opt_optimizer *opt,
                                        struct t2_err *err)
{
    struct ckpt_file *f = NULL;
    char *path = NULL;
    enum t2_status st;

    bool is_bundle = record->state.of_tensorflow;

    if (!is_bundle && !record->has_optimizer)
        return t2_fail(err, T2_EFORMAT,
                       "the checkpoint of step %" PRId64
                       " in '%s' holds no optimizer state (averaged?): it cannot be trained on",
                       record->state.step, output_dir);
    if (!is_bundle && strcmp(record->optimizer_name, opt_name(opt)) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "the checkpoint of step %" PRId64
                       " in '%s' was trained with optimizer '%s', not '%s'",
                       record->state.step, output_dir, record->optimizer_name, opt_name(opt));
    T2_GOTO(st, out, open_part(output_dir, "optimizer", record, NULL, &path, &f, err));
    st = ckpt_check_optimizer(path, f, opt, is_bundle, err);
    if (st == T2_EFORMAT)
        st = ckpt_add_way_out(output_dir, record->state.step, err);
    if (st != T2_OK)
        goto out;
    for (size_t i = 0; i < opt_slot_count(opt); i++) {
        struct opt_slot s = opt_slot_at(opt, i);

        upload_part(params, s.like, s.values, f, ckpt_find(f, s.name), s.first, s.n_here);
    }
    opt_set_updates(opt, is_bundle ? updates_of(f, record->state.step, opt) : record->updates);
out:
    ckpt_close(f);
    t2_free(path);
    return st;
}

static void upload_all(struct gr_params *params, const struct ckpt_file *f)
{
    gr_params_own(params);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        upload(params, v, params->values + v->offset, f, ckpt_find(f, v->name));
    }
    params->dev->sync(params->dev);
}

/* for_use: nobody trains on the values; lasting: nor are they written again. */
static enum t2_status restore(const char *output_dir, int64_t step, bool for_use, bool lasting,
                              struct gr_params *params, struct opt_optimizer *opt,
                              struct t2_err *err)
{
    struct ckpt_record record;
    struct ckpt_file *f = NULL;
    char *path = NULL;
    bool lent;
    enum t2_status st;

    T2_ASSERT(params->frozen);
    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(ckpt_record_read(output_dir, step, &record, NULL, err));
    T2_GOTO(st, out, open_model(output_dir, &record, params, for_use, &path, &f, err));
    lent = lasting && ckpt_can_lend(f, params);
    st = ckpt_check_model(path, f, params, record.state.of_tensorflow, err);
    if (st == T2_EFORMAT)
        st = ckpt_add_way_out(output_dir, step, err);
    if (st != T2_OK)
        goto out;
    if (opt)
        T2_GOTO(st, out, restore_optimizer(output_dir, &record, params, opt, err));
    if (lent)
        ckpt_lend(f, params);
    else
        upload_all(params, f);
out:
    ckpt_close(f);
    t2_free(path);
    return st;
}

enum t2_status ckpt_restore(const char *output_dir, int64_t step, struct gr_params *params,
                            struct opt_optimizer *opt, struct t2_err *err)
{
    return restore(output_dir, step, false, false, params, opt, err);
}

enum t2_status ckpt_open_slots(const char *output_dir, int64_t step, struct ckpt_file **f,
                               int64_t *updates, struct t2_err *err)
{
    struct ckpt_record record;
    char *path = NULL;
    enum t2_status st;

    *f = NULL;
    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(ckpt_record_read(output_dir, step, &record, NULL, err));
    *updates = record.state.of_tensorflow ? step : record.updates;
    if (!record.has_optimizer && !record.state.of_tensorflow)
        return T2_OK;
    st = open_part(output_dir, "optimizer", &record, NULL, &path, f, err);
    t2_free(path);
    return st;
}

/* ---- moving averages ---- */

static enum t2_status restore_moving_averages(const char *output_dir, int64_t step,
                                              struct gr_params *params, struct t2_err *err)
{
    struct ckpt_record record;
    struct ckpt_file *f = NULL;
    char *path = NULL;
    enum t2_status st;

    T2_TRY(ckpt_record_read(output_dir, step, &record, NULL, err));
    if (!record.has_optimizer &&
        !record.state.of_tensorflow) /* a mean of checkpoints: their variables */
        return T2_OK;
    T2_GOTO(st, out, open_part(output_dir, "optimizer", &record, params, &path, &f, err));
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        char *name = t2_asprintf("%s" OPT_AVERAGE_SUFFIX, v->name);
        const struct ckpt_tensor *t = ckpt_find(f, name);
        struct ckpt_wanted w = {name, v->rank, v->dims};

        if (t || v->trainable) {
            st = ckpt_check_tensor(path, t, &w, err);
            if (st == T2_OK)
                st = ckpt_check_values(path, f, name, v->n, 0, err);
            if (st == T2_OK)
                upload(params, v, params->values + v->offset, f, t);
        }
        t2_free(name);
        if (st != T2_OK)
            break;
    }
    if (st == T2_EFORMAT)
        st = ckpt_add_way_out(output_dir, step, err);
    params->dev->sync(params->dev);
out:
    ckpt_close(f);
    t2_free(path);
    return st;
}

enum t2_status ckpt_restore_for_use(const char *output_dir, int64_t step,
                                    const struct mdl_hparams *hp, struct gr_params *params,
                                    struct t2_err *err)
{
    bool averaged = mdl_hp_float(hp, "moving_average_decay") > 0.0;

    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(restore(output_dir, step, true, !averaged, params, NULL, err));
    if (averaged)
        return restore_moving_averages(output_dir, step, params, err);
    return T2_OK;
}

/* ---- averages ---- */

/* to (n) = mean of the tensors' floats from `first` on, n <= MEAN_FLOATS; added up in double, in
 * the order of the checkpoints. */
static void mean_of(const struct ckpt_tensor *const *tensors, size_t n_tensors, size_t first,
                    size_t n, float *to)
{
    double sums[MEAN_FLOATS] = {0};
    float values[MEAN_FLOATS];

    for (size_t k = 0; k < n_tensors; k++) {
        memcpy(values, (const char *) tensors[k]->data + first * sizeof(float), n * sizeof(float));
        for (size_t i = 0; i < n; i++)
            sums[i] += (double) values[i];
    }
    for (size_t i = 0; i < n; i++)
        to[i] = (float) (sums[i] / (double) n_tensors);
}

static void average_variable(const struct gr_params *params, struct ckpt_file *const *files,
                             size_t n_files, const struct gr_variable *v, float *to)
{
    const struct ckpt_tensor **tensors = t2_alloc(n_files, sizeof(const struct ckpt_tensor *));
    float mean[MEAN_FLOATS];

    for (size_t k = 0; k < n_files; k++)
        tensors[k] = ckpt_find(files[k], v->name);
    for (int64_t at = 0; at < v->n; at += MEAN_FLOATS) {
        int64_t n = v->n - at < MEAN_FLOATS ? v->n - at : MEAN_FLOATS;

        mean_of(tensors, n_files, (size_t) at, (size_t) n, mean);
        gr_upload(params, v, to, at, mean, n);
    }
    for (size_t k = 0; k < n_files; k++)
        ckpt_forget(files[k], tensors[k]->data, tensors[k]->n_bytes);
    t2_free(tensors);
}

static enum t2_status open_for_average(const char *output_dir, int64_t step,
                                       const struct gr_params *params, struct ckpt_file **f,
                                       struct t2_err *err)
{
    struct ckpt_record record;
    char *path = NULL;
    enum t2_status st;

    T2_TRY(ckpt_record_read(output_dir, step, &record, NULL, err));
    st = open_model(output_dir, &record, params, false, &path, f, err);
    if (st == T2_OK) {
        st = ckpt_check_model(path, *f, params, record.state.of_tensorflow, err);
        if (st == T2_EFORMAT)
            st = ckpt_add_way_out(output_dir, step, err);
    }
    t2_free(path);
    return st;
}

/* All files are open at once and read piece by piece, so the mean needs no second copy of the
 * model. */
enum t2_status ckpt_restore_average(const char *output_dir, int64_t step, int n,
                                    struct gr_params *params, struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n_steps = 0, end = 0, first;
    struct ckpt_file **files = NULL;
    enum t2_status st;

    T2_ASSERT(params->frozen && n >= 1);
    gr_params_own(params);
    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(ckpt_list(output_dir, &steps, &n_steps, err));
    while (end < n_steps && steps[end] <= step)
        end++;
    first = end > (size_t) n ? end - (size_t) n : 0;
    files = t2_alloc(end - first, sizeof *files);
    st = T2_OK;
    for (size_t i = first; i < end; i++)
        T2_GOTO(st, out, open_for_average(output_dir, steps[i], params, &files[i - first], err));
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        average_variable(params, files, end - first, v, params->values + v->offset);
    }
out:
    for (size_t i = first; i < end; i++)
        ckpt_close(files[i - first]);
    t2_free(files);
    t2_free(steps);
    return st;
}

/* ---- another run's ---- */

/* The folder and step that a path to a checkpoint of ours means; *dir is owned by the caller. */
static enum t2_status find_own(const char *path, char **dir, int64_t *step, struct t2_err *err)
{
    static const char *const kinds[] = {"state", "model", "optimizer"};
    const char *base = t2_path_base(path);

    *step = -1;
    if (t2_is_dir(path)) {
        *dir = t2_strdup(path);
        return T2_OK;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && *step < 0; i++)
        *step = ckpt_step_of_name(base, kinds[i]);
    if (*step < 0)
        return t2_fail(err, T2_ENOTFOUND,
                       "'%s' is no checkpoint: neither a folder of a run, nor a file such as "
                       "'run/state-1000.json', nor has it an .index of TensorFlow's",
                       path);
    *dir = t2_path_dir(path);
    return T2_OK;
}

enum t2_status ckpt_open_named(const char *from, char **path, struct ckpt_file **f,
                               struct t2_err *err)
{
    char *expanded = t2_path_expand(from), *dir = NULL;
    struct ckpt_record record;
    enum t2_status st;
    int64_t step;

    *path = NULL;
    *f = NULL;
    if (t2_ends_with(expanded, ".index")) /* as good as the prefix */
        expanded[strlen(expanded) - strlen(".index")] = '\0';
    if (ckpt_is_bundle(expanded)) {
        *path = t2_strdup(expanded);
        st = ckpt_open_bundle(expanded, f, err);
        goto out;
    }
    if (t2_ends_with(expanded, ".safetensors")) {
        *path = t2_strdup(expanded);
        st = ckpt_open(expanded, f, err);
        goto out;
    }
    T2_GOTO(st, out, find_own(expanded, &dir, &step, err));
    T2_GOTO(st, out, ckpt_resolve_step(dir, &step, err));
    T2_GOTO(st, out, ckpt_record_read(dir, step, &record, NULL, err));
    st = open_part(dir, "model", &record, NULL, path, f, err);
out:
    t2_free(dir);
    t2_free(expanded);
    return st;
}
