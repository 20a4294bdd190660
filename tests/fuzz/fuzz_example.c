/*
 * tests/fuzz/fuzz_example.c - any bytes as tf.train.Example: parsed, copied out, built again,
 * parsed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/example.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the values of v into fresh memory of exactly their size. */
static struct tfr_feature copy_out(const struct tfr_view *v)
{
    struct tfr_feature f = {.kind = v->kind, .n = v->n};
    char *name = malloc(v->name.len_bytes + 1);

    memcpy(name, v->name.data, v->name.len_bytes);
    name[v->name.len_bytes] = '\0';
    f.name = name;
    if (v->kind == TFR_INT64) {
        int64_t *values = malloc(v->n * sizeof *values + 1);
        int32_t *ids = malloc(v->n * sizeof *ids + 1);
        tfr_view_ints(v, values);
        bool fit = tfr_view_ids(v, ids);
        for (size_t i = 0; i < v->n; i++) {
            T2_ASSERT((int32_t) (uint32_t) (uint64_t) values[i] == ids[i]);
            T2_ASSERT(!fit || values[i] == ids[i]);
        }
        free(ids);
        f.ints = values;
    } else if (v->kind == TFR_FLOAT) {
        float *values = malloc(v->n * sizeof *values + 1);
        tfr_view_floats(v, values);
        f.floats = values;
    } else if (v->kind == TFR_BYTES) {
        struct t2_slice *values = malloc(v->n * sizeof *values + 1);
        tfr_view_bytes(v, values);
        f.bytes = values;
    }
    return f;
}

static void assert_same(const struct tfr_feature *f, const struct tfr_example *ex)
{
    const struct tfr_view *v = tfr_example_find(ex, f->name);

    T2_ASSERT(v && v->kind == f->kind && v->n == f->n && !v->joined);
    struct tfr_feature g = copy_out(v);
    if (f->kind == TFR_INT64 && f->n > 0)
        T2_ASSERT(memcmp(f->ints, g.ints, f->n * sizeof *f->ints) == 0);
    if (f->kind == TFR_FLOAT && f->n > 0)
        T2_ASSERT(memcmp(f->floats, g.floats, f->n * sizeof *f->floats) == 0);
    for (size_t i = 0; f->kind == TFR_BYTES && i < f->n; i++)
        T2_ASSERT(t2_slice_eq(f->bytes[i], g.bytes[i]));
    free((void *) (uintptr_t) g.name);
    free((void *) (uintptr_t) g.ints);
    free((void *) (uintptr_t) g.floats);
    free((void *) (uintptr_t) g.bytes);
}

/* Names are C strings for the builder: one with a NUL inside cannot be built. */
static bool has_nul(const struct tfr_example *ex)
{
    for (size_t i = 0; i < ex->n; i++) {
        if (memchr(ex->views[i].name.data, 0, ex->views[i].name.len_bytes))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tfr_example ex, again;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf b = {0};

    if (tfr_example_parse(&ex, (struct t2_slice){data, size}, &err) != T2_OK) {
        T2_ASSERT(err.status == T2_EFORMAT && err.message[0] != '\0');
        return 0;
    }
    struct tfr_feature *f = calloc(ex.n + 1, sizeof *f);
    for (size_t i = 0; i < ex.n; i++)
        f[i] = copy_out(&ex.views[i]);
    if (!has_nul(&ex)) {
        tfr_example_build(&b, f, ex.n);
        T2_ASSERT(tfr_example_parse(&again, t2_buf_slice(&b), &err) == T2_OK && again.n == ex.n);
        for (size_t i = 0; i < ex.n; i++)
            assert_same(&f[i], &again);
    }
    for (size_t i = 0; i < ex.n; i++) {
        free((void *) (uintptr_t) f[i].name);
        free((void *) (uintptr_t) f[i].ints);
        free((void *) (uintptr_t) f[i].floats);
        free((void *) (uintptr_t) f[i].bytes);
    }
    free(f);
    t2_buf_release(&b);
    return 0;
}
