/*
 * train/ckpt/checkpoint_restore.c - variables and slots from the files of a checkpoint, or their
 * mean over several.
 *
 * Order: state, hash of the file, header, names and shapes of all tensors, finite numbers, and only
 * then the copies into the model, so a checkpoint that is refused has changed nothing.  Files are
 * mapped, read once more in pieces of PIECE_BYTES and forgotten behind the reader, so that they do
 * not stay in memory beside the model.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "train/ckpt/checkpoint.h"
#include "train/ckpt/checkpoint_state.h"
#include "train/ckpt/safetensors.h"
#include "train/device/device.h"

enum { MEAN_FLOATS = 4096, PIECE_BYTES = 1 << 20 };

/* Name and shape of a variable or slot, which the tensor of the file must have. */
struct wanted {
    const char *name;
    int rank;
    const int64_t *dims;
};

static const char *shape_text(char *out, size_t out_bytes, int rank, const int64_t *dims)
{
    size_t n = (size_t) snprintf(out, out_bytes, "[");

    for (int i = 0; i < rank && n < out_bytes; i++)
        n += (size_t) snprintf(out + n, out_bytes - n, "%s%" PRId64, i ? ", " : "", dims[i]);
    if (n < out_bytes)
        snprintf(out + n, out_bytes - n, "]");
    return out;
}

static enum t2_status check_tensor(const char *path, const struct ckpt_tensor *t,
                                   const struct wanted *w, struct t2_err *err)
{
    char here[128], there[128];

    if (!t)
        return t2_fail(err, T2_EFORMAT, "'%s' holds no '%s', which the model has", path, w->name);
    if (t->type != CKPT_F32)
        return t2_fail(err, T2_EFORMAT, "'%s': '%s' is of type %s, not F32", path, w->name,
                       ckpt_type_name(t->type));
    if (t->rank != w->rank || memcmp(t->dims, w->dims, (size_t) w->rank * sizeof *w->dims) != 0)
        return t2_fail(err, T2_EFORMAT, "'%s': '%s' has shape %s; the model has %s", path, w->name,
                       shape_text(there, sizeof there, t->rank, t->dims),
                       shape_text(here, sizeof here, w->rank, w->dims));
    return T2_OK;
}

/* All that are wanted are there; more in the file is an error that names one of them. */
static enum t2_status check_no_more(const char *path, const struct ckpt_file *f, size_t n_wanted,
                                    bool (*is_wanted)(const void *context, const char *name),
                                    const void *context, struct t2_err *err)
{
    if (ckpt_count(f) == n_wanted)
        return T2_OK;
    for (size_t i = 0; i < ckpt_count(f); i++) {
        const char *name = ckpt_at(f, i)->name;

        if (!is_wanted(context, name))
            return t2_fail(err, T2_EFORMAT, "'%s' holds '%s', which the model has not", path, name);
    }
    return t2_fail(err, T2_EFORMAT, "'%s' holds %zu tensors, the model has %zu", path,
                   ckpt_count(f), n_wanted);
}

static bool is_variable(const void *context, const char *name)
{
    return gr_params_find(context, name) != NULL;
}

static bool is_slot(const void *context, const char *name)
{
    for (size_t i = 0; i < opt_slot_count(context); i++) {
        if (strcmp(opt_slot_at(context, i).name, name) == 0)
            return true;
    }
    return false;
}

/* Infinities and NaN have all exponent bits set.  The loop tests bits and branches on nothing, so
 * it is vectorised and keeps up with the disk. */
static bool all_finite(const char *floats, size_t n_bytes)
{
    uint32_t bits[256], found = 0;

    for (size_t at = 0; at < n_bytes; at += sizeof bits) {
        size_t n = n_bytes - at < sizeof bits ? n_bytes - at : sizeof bits;

        memcpy(bits, floats + at, n);
        for (size_t i = 0; i < n / sizeof *bits; i++)
            found |= (uint32_t) ((bits[i] & 0x7f800000U) == 0x7f800000U);
    }
    return found == 0;
}

/* Names the first number that is not; there is one from byte `at` on. */
static enum t2_status fail_finite(const char *path, const struct ckpt_tensor *t, size_t at,
                                  struct t2_err *err)
{
    float value;

    for (;; at += sizeof value) {
        memcpy(&value, (const char *) t->data + at, sizeof value);
        if (!isfinite(value))
            break;
    }
    return t2_fail(err, T2_EFORMAT,
                   "'%s': element %zu of '%s' is %s, and a checkpoint has finite numbers only",
                   path, at / sizeof value, t->name, isnan(value) ? "not a number" : "infinite");
}

/* The whole tensor is read, but nothing is branched on within a piece. */
static enum t2_status check_finite(const char *path, const struct ckpt_file *f,
                                   const struct ckpt_tensor *t, struct t2_err *err)
{
    for (size_t at = 0; at < t->n_bytes; at += PIECE_BYTES) {
        const char *from = (const char *) t->data + at;
        size_t n = t->n_bytes - at < PIECE_BYTES ? t->n_bytes - at : PIECE_BYTES;

        if (!all_finite(from, n))
            return fail_finite(path, t, at, err);
        ckpt_forget(f, from, n);
    }
    return T2_OK;
}

/* Bits above those of -0: of numbers below 0, since all are finite. */
static bool any_negative(const char *floats, size_t n_bytes)
{
    uint32_t bits[256], found = 0;

    for (size_t at = 0; at < n_bytes; at += sizeof bits) {
        size_t n = n_bytes - at < sizeof bits ? n_bytes - at : sizeof bits;

        memcpy(bits, floats + at, n);
        for (size_t i = 0; i < n / sizeof *bits; i++)
            found |= (uint32_t) (bits[i] > 0x80000000U);
    }
    return found != 0;
}

/* The first n_unsigned numbers are squares, variances or sizes: a negative one would give roots
 * that are no numbers, at the first step or the first evaluation. */
static enum t2_status check_unsigned(const char *path, const struct ckpt_file *f,
                                     const struct ckpt_tensor *t, int64_t n_unsigned,
                                     struct t2_err *err)
{
    size_t end = (size_t) n_unsigned * sizeof(float);
    float value = 0.0F;

    for (size_t at = 0; at < end; at += PIECE_BYTES) {
        const char *from = (const char *) t->data + at;
        size_t n = end - at < PIECE_BYTES ? end - at : PIECE_BYTES;

        if (!any_negative(from, n)) {
            ckpt_forget(f, from, n);
            continue;
        }
        for (;; at += sizeof value) {
            memcpy(&value, (const char *) t->data + at, sizeof value);
            if (value < 0.0F)
                break;
        }
        return t2_fail(err, T2_EFORMAT, "'%s': element %zu of '%s' is %g, where nothing is below 0",
                       path, at / sizeof value, t->name, (double) value);
    }
    return T2_OK;
}

/* Of batch normalisation's variance, its moving average and its slow weights; by name, because the
 * graph's states do not say what they hold. */
static bool is_variance(const char *name)
{
    static const char part[] = "/moving_variance";
    const char *at = strstr(name, part);

    return at && (at[sizeof part - 1] == '\0' || at[sizeof part - 1] == '/');
}

static enum t2_status check_values(const char *path, const struct ckpt_file *f, const char *name,
                                   int64_t n, int64_t n_unsigned, struct t2_err *err)
{
    const struct ckpt_tensor *t = ckpt_find(f, name);

    T2_TRY(check_finite(path, f, t, err));
    return check_unsigned(path, f, t, is_variance(name) ? n : n_unsigned, err);
}

static enum t2_status check_model(const char *path, const struct ckpt_file *f,
                                  const struct gr_params *params, struct t2_err *err)
{
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        struct wanted w = {v->name, v->rank, v->dims};

        T2_TRY(check_tensor(path, ckpt_find(f, v->name), &w, err));
        T2_TRY(check_values(path, f, v->name, v->n, 0, err));
    }
    return check_no_more(path, f, (size_t) params->n_variables, is_variable, params, err);
}

static enum t2_status check_optimizer(const char *path, const struct ckpt_file *f,
                                      const struct opt_optimizer *opt, struct t2_err *err)
{
    for (size_t i = 0; i < opt_slot_count(opt); i++) {
        struct opt_slot s = opt_slot_at(opt, i);
        struct wanted w = {s.name, s.rank, s.dims};

        T2_TRY(check_tensor(path, ckpt_find(f, s.name), &w, err));
        T2_TRY(check_values(path, f, s.name, s.n, s.n_unsigned, err));
    }
    return check_no_more(path, f, opt_slot_count(opt), is_slot, opt, err);
}

/* Opens one file of a checkpoint whose hash is right.  *path is set in any case, owned by the
 * caller. */
static enum t2_status open_part(const char *output_dir, const char *kind, int64_t step,
                                const struct ckpt_part *part, char **path, struct ckpt_file **f,
                                struct t2_err *err)
{
    char sha256[65];
    uint64_t n_bytes = 0;
    enum t2_status st;

    *path = ckpt_path(output_dir, kind, step);
    st = t2_sha256_file(*path, sha256, &n_bytes, err);
    if (st == T2_OK && n_bytes != part->n_bytes)
        st = t2_fail(err, T2_EFORMAT, "'%s' is damaged: %" PRIu64 " bytes instead of %" PRIu64,
                     *path, n_bytes, part->n_bytes);
    else if (st == T2_OK && strcmp(sha256, part->sha256) != 0)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' is damaged: its SHA-256 is not that of state-%" PRId64 ".json", *path,
                     step);
    if (st == T2_OK)
        st = ckpt_open(*path, f, err);
    if (st == T2_EFORMAT || st == T2_ENOTFOUND) {
        err->status = T2_EFORMAT; /* the state says that it is there */
        st = ckpt_add_way_out(output_dir, step, err);
    }
    return st;
}

/* In pieces, so that the file is not in memory a second time. */
static void upload(struct dev *dev, float *to, const struct ckpt_file *f,
                   const struct ckpt_tensor *t)
{
    for (size_t at = 0; at < t->n_bytes; at += PIECE_BYTES) {
        const char *from = (const char *) t->data + at;
        size_t n = t->n_bytes - at < PIECE_BYTES ? t->n_bytes - at : PIECE_BYTES;

        dev->upload_now(dev, (char *) to + at, from, n);
        ckpt_forget(f, from, n);
    }
}

static enum t2_status restore_optimizer(const char *output_dir, const struct ckpt_record *record,
                                        const struct gr_params *params, struct opt_optimizer *opt,
                                        struct t2_err *err)
{
    struct ckpt_file *f = NULL;
    char *path = NULL;
    enum t2_status st;

    if (!record->has_optimizer)
        return t2_fail(err, T2_EFORMAT,
                       "the checkpoint of step %" PRId64
                       " in '%s' holds no optimizer state (averaged?): it cannot be trained on",
                       record->state.step, output_dir);
    if (strcmp(record->optimizer_name, opt_name(opt)) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "the checkpoint of step %" PRId64
                       " in '%s' was trained with optimizer '%s', not '%s'",
                       record->state.step, output_dir, record->optimizer_name, opt_name(opt));
    T2_GOTO(st, out,
            open_part(output_dir, "optimizer", record->state.step, &record->optimizer, &path, &f,
                      err));
    st = check_optimizer(path, f, opt, err);
    if (st == T2_EFORMAT)
        st = ckpt_add_way_out(output_dir, record->state.step, err);
    if (st != T2_OK)
        goto out;
    for (size_t i = 0; i < opt_slot_count(opt); i++) {
        struct opt_slot s = opt_slot_at(opt, i);

        upload(params->dev, s.values, f, ckpt_find(f, s.name));
    }
    opt_set_updates(opt, record->updates);
out:
    ckpt_close(f);
    t2_free(path);
    return st;
}

enum t2_status ckpt_restore(const char *output_dir, int64_t step, struct gr_params *params,
                            struct opt_optimizer *opt, struct t2_err *err)
{
    struct ckpt_record record;
    struct ckpt_file *f = NULL;
    char *path = NULL;
    enum t2_status st;

    T2_ASSERT(params->frozen);
    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(ckpt_record_read(output_dir, step, &record, NULL, err));
    T2_GOTO(st, out, open_part(output_dir, "model", step, &record.model, &path, &f, err));
    st = check_model(path, f, params, err);
    if (st == T2_EFORMAT)
        st = ckpt_add_way_out(output_dir, step, err);
    if (st != T2_OK)
        goto out;
    if (opt)
        T2_GOTO(st, out, restore_optimizer(output_dir, &record, params, opt, err));
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        upload(params->dev, params->values + v->offset, f, ckpt_find(f, v->name));
    }
    params->dev->sync(params->dev);
out:
    ckpt_close(f);
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
    if (!record.has_optimizer) /* a mean of checkpoints: their variables */
        return T2_OK;
    T2_GOTO(st, out, open_part(output_dir, "optimizer", step, &record.optimizer, &path, &f, err));
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        char *name = t2_asprintf("%s" OPT_AVERAGE_SUFFIX, v->name);
        const struct ckpt_tensor *t = ckpt_find(f, name);
        struct wanted w = {name, v->rank, v->dims};

        if (t || v->trainable) {
            st = check_tensor(path, t, &w, err);
            if (st == T2_OK)
                st = check_values(path, f, name, v->n, 0, err);
            if (st == T2_OK)
                upload(params->dev, params->values + v->offset, f, t);
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
    T2_TRY(ckpt_resolve_step(output_dir, &step, err));
    T2_TRY(ckpt_restore(output_dir, step, params, NULL, err));
    if (mdl_hp_float(hp, "moving_average_decay") > 0.0)
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

static void average_variable(struct dev *dev, struct ckpt_file *const *files, size_t n_files,
                             const struct gr_variable *v, float *to)
{
    const struct ckpt_tensor **tensors = t2_alloc(n_files, sizeof(const struct ckpt_tensor *));
    float mean[MEAN_FLOATS];

    for (size_t k = 0; k < n_files; k++)
        tensors[k] = ckpt_find(files[k], v->name);
    for (int64_t at = 0; at < v->n; at += MEAN_FLOATS) {
        int64_t n = v->n - at < MEAN_FLOATS ? v->n - at : MEAN_FLOATS;

        mean_of(tensors, n_files, (size_t) at, (size_t) n, mean);
        dev->upload_now(dev, to + at, mean, (size_t) n * sizeof(float));
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
    st = open_part(output_dir, "model", step, &record.model, &path, f, err);
    if (st == T2_OK) {
        st = check_model(path, *f, params, err);
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

        average_variable(params->dev, files, end - first, v, params->values + v->offset);
    }
out:
    for (size_t i = first; i < end; i++)
        ckpt_close(files[i - first]);
    t2_free(files);
    t2_free(steps);
    return st;
}
