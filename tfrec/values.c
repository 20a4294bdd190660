/*
 * tfrec/values.c - the values of a feature as an array.
 */
#include "tfrec/values.h"

#include "base/alloc.h"

enum { FIRST_BYTES = 4096, NAME_SHOWN = 80 };

static size_t bytes_per_value(enum tfr_kind kind)
{
    switch (kind) {
    case TFR_INT64:
        return sizeof(int64_t);
    case TFR_FLOAT:
        return sizeof(float);
    case TFR_BYTES:
        return sizeof(struct t2_slice);
    default:
        return 0;
    }
}

/* The old contents are not kept. */
static bool make_room(struct rec_values *v, size_t n, size_t each_bytes)
{
    size_t wanted = FIRST_BYTES;
    size_t needed;

    if (!t2_mul_size(n, each_bytes, &needed))
        return false;
    if (needed <= v->memory_bytes)
        return true;
    while (wanted < needed)
        wanted = wanted > SIZE_MAX / 2 ? needed : 2 * wanted;
    t2_free(v->memory);
    v->memory = t2_try_alloc(wanted, 1);
    v->memory_bytes = v->memory ? wanted : 0;
    return v->memory != NULL;
}

enum t2_status rec_values_load(struct rec_values *v, const struct tfr_view *view,
                               struct t2_err *err)
{
    v->kind = view->kind;
    v->n = 0;
    v->ints = NULL;
    v->floats = NULL;
    v->bytes = NULL;
    if (!make_room(v, view->n, bytes_per_value(view->kind))) {
        size_t shown = view->name.len_bytes < NAME_SHOWN ? view->name.len_bytes : NAME_SHOWN;
        return t2_fail(err, T2_ENOMEM, "no memory for the %zu values of feature '%.*s'", view->n,
                       (int) shown, (const char *) view->name.data);
    }
    v->n = view->n;
    if (view->kind == TFR_INT64) {
        v->ints = v->memory;
        if (view->n > 0)
            tfr_view_ints(view, v->memory);
    } else if (view->kind == TFR_FLOAT) {
        v->floats = v->memory;
        if (view->n > 0)
            tfr_view_floats(view, v->memory);
    } else if (view->kind == TFR_BYTES) {
        v->bytes = v->memory;
        if (view->n > 0)
            tfr_view_bytes(view, v->memory);
    }
    return T2_OK;
}

void rec_values_release(struct rec_values *v)
{
    t2_free(v->memory);
    *v = (struct rec_values){.kind = TFR_NONE};
}
