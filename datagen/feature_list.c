/*
 * datagen/feature_list.c - the features of one record while it is made.
 */
#include "datagen/feature_list.h"

#include <string.h>

#include "base/alloc.h"

void dg_record_clear(struct dg_record *r)
{
    r->n = 0;
    r->drop = NULL;
    r->ready = (struct t2_slice){NULL, 0};
    t2_buf_clear(&r->made);
}

void dg_record_release(struct dg_record *r)
{
    for (size_t i = 0; i < DG_MAX_FEATURES; i++) {
        t2_free(r->features[i].ints);
        t2_free(r->features[i].floats);
    }
    t2_buf_release(&r->made);
    memset(r, 0, sizeof *r);
}

struct dg_feature *dg_record_add(struct dg_record *r, const char *name, enum tfr_kind kind)
{
    struct dg_feature *f;

    T2_ASSERT(r->n < DG_MAX_FEATURES && !dg_record_find(r, name));
    f = &r->features[r->n++];
    f->name = name;
    f->kind = kind;
    f->n = 0;
    return f;
}

struct dg_feature *dg_record_find(struct dg_record *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->features[i].name, name) == 0)
            return &r->features[i];
    }
    return NULL;
}

void dg_record_remove(struct dg_record *r, const char *name)
{
    struct dg_feature *f = dg_record_find(r, name);
    struct dg_feature removed;

    if (!f)
        return;
    removed = *f; /* its memory serves the next one that is added */
    r->n--;
    memmove(f, f + 1, (size_t) (r->features + r->n - f) * sizeof *f);
    r->features[r->n] = removed;
}

void dg_record_rename(struct dg_record *r, const char *name, const char *new_name)
{
    struct dg_feature *f = dg_record_find(r, name);

    T2_ASSERT(f && !dg_record_find(r, new_name));
    f->name = new_name;
}

void dg_record_bytes(struct dg_record *r, const char *name, struct t2_slice bytes)
{
    struct dg_feature *f = dg_record_add(r, name, TFR_BYTES);

    f->bytes = bytes;
    f->n = 1;
}

void dg_record_int(struct dg_record *r, const char *name, int64_t value)
{
    dg_feature_push(dg_record_add(r, name, TFR_INT64), value);
}

/* Room for so many more, in both lists: kinds change from record to record. */
static void reserve(struct dg_feature *f, size_t extra)
{
    if (f->n + extra <= f->capacity)
        return;
    f->capacity = 2 * (f->n + extra);
    f->ints = t2_realloc(f->ints, f->capacity, sizeof *f->ints);
    f->floats = t2_realloc(f->floats, f->capacity, sizeof *f->floats);
}

void dg_feature_push(struct dg_feature *f, int64_t value)
{
    T2_DASSERT(f->kind == TFR_INT64);
    reserve(f, 1);
    f->ints[f->n++] = value;
}

void dg_feature_push_float(struct dg_feature *f, float value)
{
    T2_DASSERT(f->kind == TFR_FLOAT);
    reserve(f, 1);
    f->floats[f->n++] = value;
}

void dg_feature_append_ids(struct dg_feature *f, const int32_t *ids, size_t n)
{
    T2_DASSERT(f->kind == TFR_INT64);
    reserve(f, n);
    for (size_t i = 0; i < n; i++)
        f->ints[f->n + i] = ids[i];
    f->n += n;
}

int64_t *dg_feature_extend(struct dg_feature *f, size_t n)
{
    T2_DASSERT(f->kind == TFR_INT64);
    reserve(f, n);
    f->n += n;
    return f->ints + f->n - n;
}

void dg_record_write(const struct dg_record *r, struct t2_buf *out)
{
    struct tfr_feature features[DG_MAX_FEATURES];

    if (r->ready.data) {
        t2_buf_append(out, r->ready.data, r->ready.len_bytes);
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct dg_feature *f = &r->features[i];
        features[i] = (struct tfr_feature){.name = f->name,
                                           .kind = f->kind,
                                           .n = f->kind == TFR_BYTES ? 1 : f->n,
                                           .ints = f->ints,
                                           .floats = f->floats,
                                           .bytes = &f->bytes};
    }
    tfr_example_build(out, features, r->n);
}
