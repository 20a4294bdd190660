/*
 * augment/row_finish.c - the end of a training pipeline, row by row.
 *
 * Constants per channel are repeated to AUG_PERIOD values (a multiple of 1, 2, 3 and 4 channels
 * and of a vector), so that inner loops need no division i % c: with it they cost more than the
 * arithmetic.
 */
#include "augment/row_finish.h"

#include <string.h>

#include "augment/colour.h"
#include "augment/colour_kernel.h"

/* (width, c) of row y into planes (c, height, width). */
static void split(const struct aug_finish *f, int32_t y, const float *row)
{
    size_t w = (size_t) f->width, c = (size_t) f->channels, plane = w * (size_t) f->height;
    float *to = f->to + (size_t) y * w;

    if (c == 3) {
        aug_colour_kernel()->planes(row, w, f->mirror, (float *[]){to, to + plane, to + 2 * plane});
        return;
    }
    for (size_t j = 0; j < c; j++)
        for (size_t x = 0; x < w; x++)
            to[j * plane + (f->mirror ? w - 1 - x : x)] = row[x * c + j];
}

void aug_finish_add(struct aug_finish *f, const float *sub, const float *mul, bool divide)
{
    size_t c = (size_t) f->channels;

    T2_ASSERT(f->n_steps < AUG_FINISH_STEPS && c >= 1 && c <= 4);
    aug_repeat(sub, c, f->steps[f->n_steps].sub);
    aug_repeat(mul, c, f->steps[f->n_steps].mul);
    f->steps[f->n_steps++].divide = divide;
}

void aug_finish_row(const struct aug_finish *f, int32_t y, float *row)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();
    size_t c = (size_t) f->channels, n = (size_t) f->width * c;

    for (int i = 0; i < f->n_steps; i++)
        (f->steps[i].divide ? k->divide : k->normalize)(row, n, f->steps[i].sub, f->steps[i].mul);
    if (f->layout == AUG_NCHW) {
        split(f, y, row);
        return;
    }
    memcpy(f->to + (size_t) y * n, row, n * sizeof *row);
    if (f->mirror) {
        struct aug_floats line =
            aug_floats_of(f->to + (size_t) y * n, AUG_NHWC, 1, f->width, f->channels);
        aug_flip_floats(&line);
    }
}

void aug_finish_floats(const struct aug_finish *f, const struct aug_floats *image)
{
    for (int32_t y = 0; y < f->height; y++)
        aug_finish_row(f, y, aug_float_row(image, 0, y));
}
