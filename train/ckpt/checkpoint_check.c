/*
 * train/ckpt/checkpoint_check.c - whether a file of tensors is what a model or optimizer needs.
 */
#include "train/ckpt/checkpoint_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "train/device/device.h"

enum { PIECE_BYTES = 1 << 20 };

static const char *shape_text(char *out, size_t out_bytes, int rank, const int64_t *dims)
{
    size_t n = (size_t) snprintf(out, out_bytes, "[");

    for (int i = 0; i < rank && n < out_bytes; i++)
        n += (size_t) snprintf(out + n, out_bytes - n, "%s%" PRId64, i ? ", " : "", dims[i]);
    if (n < out_bytes)
        snprintf(out + n, out_bytes - n, "]");
    return out;
}

enum t2_status ckpt_check_tensor(const char *path, const struct ckpt_tensor *t,
                                 const struct ckpt_wanted *w, struct t2_err *err)
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

enum t2_status ckpt_check_values(const char *path, const struct ckpt_file *f, const char *name,
                                 int64_t n, int64_t n_unsigned, struct t2_err *err)
{
    const struct ckpt_tensor *t = ckpt_find(f, name);

    T2_TRY(check_finite(path, f, t, err));
    return check_unsigned(path, f, t, is_variance(name) ? n : n_unsigned, err);
}

/* Of a bundle: what training keeps beside the variables (its step, slots, sums for reports), so
 * anything that is not in the model's scope, or is below one of its variables. */
static bool is_of_training(const struct gr_params *params, const char *name)
{
    const char *scope = params->n_variables > 0 ? params->variables[0].name : "";
    size_t n_scope = strcspn(scope, "/");

    if (strncmp(name, scope, n_scope) != 0 || name[n_scope] != '/')
        return true;
    for (int i = 0; i < params->n_variables; i++) {
        size_t n = strlen(params->variables[i].name);

        if (strncmp(name, params->variables[i].name, n) == 0 && name[n] == '/')
            return true;
    }
    return false;
}

static enum t2_status check_no_other(const char *path, const struct ckpt_file *f,
                                     const struct gr_params *params, struct t2_err *err)
{
    for (size_t i = 0; i < ckpt_count(f); i++) {
        const char *name = ckpt_at(f, i)->name;

        if (!is_variable(params, name) && !is_of_training(params, name))
            return t2_fail(err, T2_EFORMAT, "'%s' holds '%s', which the model has not", path, name);
    }
    return T2_OK;
}

/* Whether a variable's values are refused; by the host's threads, a variable each. */
struct values_check {
    const struct ckpt_file *f;
    const struct gr_params *params;
    const char *path;
    bool *refused; /* of each variable */
};

static enum t2_status check_variable(const struct values_check *c, int64_t i, struct t2_err *err)
{
    const struct gr_variable *v = &c->params->variables[i];

    return ckpt_check_values(c->path, c->f, v->name, v->n, 0, err);
}

static void check_piece(void *arg, int64_t i, int worker)
{
    struct values_check *c = arg;
    struct t2_err ignored = T2_ERR_INIT;

    (void) worker;
    c->refused[i] = check_variable(c, i, &ignored) != T2_OK;
}

/* The first that is refused is named, whatever the order in which they were looked at. */
static enum t2_status check_all_values(const char *path, const struct ckpt_file *f,
                                       const struct gr_params *params, struct t2_err *err)
{
    struct values_check c = {f, params, path,
                             t2_alloc((size_t) params->n_variables, sizeof *c.refused)};
    enum t2_status st = T2_OK;

    t2_pool_run(dev_host_pool(params->dev), params->n_variables, check_piece, &c);
    for (int i = 0; i < params->n_variables && st == T2_OK; i++)
        if (c.refused[i])
            st = check_variable(&c, i, err);
    t2_free(c.refused);
    return st;
}

enum t2_status ckpt_check_model(const char *path, const struct ckpt_file *f,
                                const struct gr_params *params, bool is_bundle, struct t2_err *err)
{
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        struct ckpt_wanted w = {v->name, v->rank, v->dims};

        T2_TRY(ckpt_check_tensor(path, ckpt_find(f, v->name), &w, err));
    }
    T2_TRY(check_all_values(path, f, params, err));
    if (is_bundle)
        return check_no_other(path, f, params, err);
    return check_no_more(path, f, (size_t) params->n_variables, is_variable, params, err);
}

enum t2_status ckpt_check_optimizer(const char *path, const struct ckpt_file *f,
                                    const struct opt_optimizer *opt, bool is_bundle,
                                    struct t2_err *err)
{
    for (size_t i = 0; i < opt_slot_count(opt); i++) {
        struct opt_slot s = opt_slot_at(opt, i);
        struct ckpt_wanted w = {s.name, s.rank, s.dims};

        T2_TRY(ckpt_check_tensor(path, ckpt_find(f, s.name), &w, err));
        T2_TRY(ckpt_check_values(path, f, s.name, s.n, s.n_unsigned, err));
    }
    return is_bundle ? T2_OK : check_no_more(path, f, opt_slot_count(opt), is_slot, opt, err);
}
