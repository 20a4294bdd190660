/*
 * train/ckpt/warm_start.c - see the header.
 */
#include "train/ckpt/warm_start.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/checkpoint.h"
#include "train/ckpt/encoded_weights.h"
#include "train/ckpt/safetensors.h"
#include "train/graph/layouts.h"

enum { PIECE_FLOATS = 1 << 18 };

static void put_shape(int rank, const int64_t *dims, struct t2_buf *text)
{
    t2_buf_push(text, '[');
    for (int i = 0; i < rank; i++)
        t2_buf_printf(text, "%s%" PRId64, i > 0 ? ", " : "", dims[i]);
    t2_buf_push(text, ']');
}

static bool same_shape(const struct gr_variable *v, const struct ckpt_tensor *t)
{
    return t->rank == v->rank && memcmp(t->dims, v->dims, (size_t) v->rank * sizeof *v->dims) == 0;
}

/* In pieces, through memory that is aligned. */
static enum t2_status take(const char *path, struct gr_params *params, const struct gr_variable *v,
                           const struct ckpt_tensor *t, float *piece, struct t2_err *err)
{
    for (int64_t at = 0; at < v->n; at += PIECE_FLOATS) {
        size_t n = v->n - at < PIECE_FLOATS ? (size_t) (v->n - at) : PIECE_FLOATS;

        memcpy(piece, (const char *) t->data + (size_t) at * sizeof *piece, n * sizeof *piece);
        for (size_t i = 0; i < n; i++)
            if (!isfinite(piece[i]))
                return t2_fail(err, T2_EFORMAT, "'%s': element %" PRId64 " of '%s' is not finite",
                               path, at + (int64_t) i, v->name);
        gr_upload(params, v, params->values + v->offset, at, piece, (int64_t) n);
    }
    return T2_OK;
}

static enum t2_status take_all(const char *path, const struct ckpt_file *f,
                               struct gr_params *params, struct ckpt_warm_start *w,
                               struct t2_err *err)
{
    float *piece = t2_alloc(PIECE_FLOATS, sizeof *piece);
    enum t2_status st = T2_OK;

    for (int i = 0; i < params->n_variables && st == T2_OK; i++) {
        const struct gr_variable *v = &params->variables[i];
        const struct ckpt_tensor *t = ckpt_find(f, v->name);

        if (!v->trainable)
            continue;
        if (!t) {
            w->n_absent++;
            t2_buf_printf(&w->text, "'%s' is not there\n", v->name);
        } else if (t->type != CKPT_F32 || !same_shape(v, t)) {
            w->n_other_shape++;
            t2_buf_printf(&w->text, "'%s' is %s ", v->name, ckpt_type_name(t->type));
            put_shape(t->rank, t->dims, &w->text);
            t2_buf_puts(&w->text, " there, F32 ");
            put_shape(v->rank, v->dims, &w->text);
            t2_buf_puts(&w->text, " here\n");
        } else {
            w->n_taken++;
            st = take(path, params, v, t, piece, err);
        }
    }
    t2_free(piece);
    return st;
}

enum t2_status ckpt_warm_start(const char *from, struct gr_params *params,
                               struct ckpt_warm_start *w, struct t2_err *err)
{
    struct ckpt_file *f = NULL;
    char *path = NULL;
    enum t2_status st;

    *w = (struct ckpt_warm_start){0};
    st = ckpt_open_named(from, &path, &f, err);
    if (st == T2_OK && params->encoded && ckpt_is_bundle(path))
        ckpt_decode_weights(f);
    if (st == T2_OK)
        st = take_all(path, f, params, w, err);
    if (st == T2_OK && w->n_taken == 0)
        st = t2_fail(err, T2_EFORMAT, "'%s' has no variable of this model with its shape", path);
    params->dev->sync(params->dev);
    ckpt_close(f);
    t2_free(path);
    return st;
}
