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

static void do_steps(const struct aug_finish *f, float *row, size_t n)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();

    for (int i = 0; i < f->n_steps; i++)
        (f->steps[i].divide ? k->divide : k->normalize)(row, n, f->steps[i].sub, f->steps[i].mul);
}

void aug_finish_row(const struct aug_finish *f, int32_t y, float *row)
{
    size_t n = (size_t) f->width * (size_t) f->channels;

    do_steps(f, row, n);
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

void aug_finish_table(struct aug_finish *f, float scale)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();
    size_t c = (size_t) f->channels;
    uint8_t bytes[4 << 8];
    float row[4 << 8]; /* (256, c) */

    for (size_t i = 0; i < c << 8; i++)
        bytes[i] = (uint8_t) (i / c);
    k->from_bytes(bytes, c << 8, scale, row);
    do_steps(f, row, c << 8);
    for (size_t i = 0; i < c << 8; i++)
        f->values[i % c][i / c] = row[i];
}

/* x (width, 3) into planes, mirrored or not. */
static void planes_of_bytes(const struct aug_finish *f, int32_t y, const uint8_t *x)
{
    size_t w = (size_t) f->width, plane = w * (size_t) f->height;
    float *restrict red = f->to + (size_t) y * w, *restrict green = red + plane;
    float *restrict blue = green + plane;

    for (size_t i = 0; i < w; i++, x += 3) {
        size_t at = f->mirror ? w - 1 - i : i;

        red[at] = f->values[0][x[0]];
        green[at] = f->values[1][x[1]];
        blue[at] = f->values[2][x[2]];
    }
}

void aug_finish_bytes(const struct aug_finish *f, int32_t y, const uint8_t *row)
{
    size_t w = (size_t) f->width, c = (size_t) f->channels;
    size_t plane = f->layout == AUG_NCHW ? w * (size_t) f->height : 1;
    size_t pixel = f->layout == AUG_NCHW ? 1 : c;
    float *to = f->to + (size_t) y * w * pixel;

    if (f->layout == AUG_NCHW && c == 3) {
        planes_of_bytes(f, y, row);
        return;
    }
    for (size_t x = 0; x < w; x++) {
        size_t at = (f->mirror ? w - 1 - x : x) * pixel;

        for (size_t j = 0; j < c; j++)
            to[j * plane + at] = f->values[j][*row++];
    }
}

void aug_finish_floats(const struct aug_finish *f, const struct aug_floats *image)
{
    for (int32_t y = 0; y < f->height; y++)
        aug_finish_row(f, y, aug_float_row(image, 0, y));
}
