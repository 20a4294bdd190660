/*
 * augment/resize_parts.c - see the header.
 */
#include "augment/resize_parts.h"

#include <string.h>

#include "augment/colour_kernel.h"
#include "base/alloc.h"
#include "base/cpu.h"

const struct aug_resize_kernel *aug_resize_kernel(void)
{
#define CASE(name, cpu)                                                                            \
    case cpu:                                                                                      \
        return &aug_resize_kernel_##name;
    switch (t2_cpu_variant()) {
        T2_CPU_EACH(CASE)
    default:
        return &aug_resize_kernel_generic;
    }
}

struct aug_resizer *aug_resizer_new(void)
{
    struct aug_resizer *z = t2_alloc(1, sizeof *z);

    z->kernel = aug_resize_kernel();
    return z;
}

static void taps_release(struct aug_taps *t)
{
    t2_free(t->index);
    t2_free(t->weight.d);
    t2_free(t->fixed);
    *t = (struct aug_taps){.index = NULL};
}

void aug_resizer_free(struct aug_resizer *z)
{
    if (!z)
        return;
    taps_release(&z->x);
    taps_release(&z->y);
    t2_free_aligned(z->rows);
    t2_free(z->row_in);
    t2_free_aligned(z->line);
    t2_free_aligned(z->padded);
    aug_image_release(&z->bytes);
    aug_floats_release(&z->sunk);
    t2_free(z);
}

static enum t2_status short_of_memory(struct t2_err *err)
{
    return t2_fail(err, T2_ENOMEM, "no memory for resizing an image");
}

enum t2_status aug_taps_make(struct aug_taps *t, int32_t n_out, int32_t n, struct t2_err *err)
{
    size_t want;

    if (!t2_mul_size((size_t) n_out, (size_t) n, &want))
        return short_of_memory(err);
    if (want > t->capacity) {
        taps_release(t);
        t->index = t2_try_alloc(want, sizeof *t->index);
        t->weight.d = t2_try_alloc(want, sizeof *t->weight.d);
        t->fixed = t2_try_alloc(want + AUG_READ_BEHIND, sizeof *t->fixed);
        if (!t->index || !t->weight.d || !t->fixed)
            return short_of_memory(err);
        t->capacity = want;
    }
    t->n_out = n_out;
    t->n = n;
    return T2_OK;
}

static bool grow(void **p, size_t *have, size_t want)
{
    if (want <= *have)
        return true;
    t2_free_aligned(*p);
    *p = t2_alloc_aligned(want);
    *have = *p ? want : 0;
    return *p != NULL;
}

enum t2_status aug_ring_make(struct aug_resizer *z, int32_t n_slots, size_t row_bytes,
                             size_t line_bytes, size_t n_in, struct t2_err *err)
{
    size_t want;

    if (!t2_mul_size((size_t) n_slots, (row_bytes + 127) / 64 * 64, &want) ||
        !grow(&z->rows, &z->rows_bytes, want) || !grow(&z->line, &z->line_bytes, line_bytes + 64) ||
        !grow(&z->padded, &z->padded_bytes, (n_in + AUG_READ_BEHIND) * sizeof(float)))
        return short_of_memory(err);
    z->row_slots = (size_t) n_slots;
    if (z->row_slots > z->row_capacity) {
        z->row_in = t2_realloc(z->row_in, z->row_slots, sizeof *z->row_in);
        z->row_capacity = z->row_slots;
    }
    for (size_t i = 0; i < z->row_slots; i++)
        z->row_in[i] = -1;
    return T2_OK;
}

/* Behind a row is the next one. */
static bool has_more(int32_t y, int32_t height, size_t n)
{
    return y + 1 < height && n >= AUG_READ_BEHIND;
}

const uint8_t *aug_padded_bytes(struct aug_resizer *z, const struct aug_image *in, int32_t y)
{
    size_t n = (size_t) in->width * (size_t) in->channels;

    if (has_more(y, in->height, n))
        return aug_row(in, y);
    T2_DASSERT(n + AUG_READ_BEHIND <= z->padded_bytes);
    return memcpy(z->padded, aug_row(in, y), n);
}

const float *aug_padded_floats(struct aug_resizer *z, const struct aug_floats *in, int32_t y)
{
    size_t n = (size_t) in->width * (size_t) in->channels;

    if (has_more(y, in->height, n))
        return aug_float_row(in, 0, y);
    T2_DASSERT((n + AUG_READ_BEHIND) * sizeof(float) <= z->padded_bytes);
    return memcpy(z->padded, aug_float_row(in, 0, y), n * sizeof(float));
}

void aug_byte_row_done(const struct aug_resizer *z, const struct aug_image *out, int32_t y)
{
    if (!z->sink)
        return;
    if (z->sink->take_bytes) {
        z->sink->take_bytes(z->sink->arg, y, aug_row(out, y));
        return;
    }
    aug_colour_kernel()->from_bytes(aug_row(out, y), (size_t) out->width * (size_t) out->channels,
                                    1, z->sunk.data);
    z->sink->take(z->sink->arg, y, z->sunk.data);
}

void aug_pick_bytes(const struct aug_resizer *z, const struct aug_image *in, struct aug_image *out)
{
    size_t c = (size_t) in->channels;

    for (int32_t y = 0; y < out->height; y++) {
        const uint8_t *s = aug_row(in, z->y.index[y]);
        uint8_t *d = aug_row(out, y);
        for (int32_t x = 0; x < out->width; x++, d += c)
            memcpy(d, s + (size_t) z->x.index[x] * c, c);
        aug_byte_row_done(z, out, y);
    }
}

void aug_pick_floats(const struct aug_resizer *z, const struct aug_source *in,
                     struct aug_floats *out)
{
    size_t c = (size_t) in->channels;

    for (int32_t y = 0; y < out->height; y++) {
        float *d = aug_float_row(out, 0, y);
        for (int32_t x = 0; x < out->width; x++, d += c) {
            size_t at = (size_t) z->x.index[x] * c;
            if (in->floats)
                memcpy(d, aug_source_floats(in, z->y.index[y]) + at, c * sizeof *d);
            for (size_t j = 0; in->bytes && j < c; j++)
                d[j] = (float) aug_source_bytes(in, z->y.index[y])[at + j];
        }
        aug_row_done(z, out, y);
    }
}
