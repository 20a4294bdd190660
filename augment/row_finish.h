/*
 * augment/row_finish.h - the end of a training pipeline, row by row: what is done with each value
 * alone, then the row's place in a batch.
 *
 * A row goes from resizing to the batch while it is in the nearest cache.
 */
#ifndef AUG_ROW_FINISH_H
#define AUG_ROW_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include "augment/colour_kernel.h"
#include "augment/image.h"

enum { AUG_FINISH_STEPS = 4 };

/* Zero-initialise; fill in what is behind the steps. */
struct aug_finish {
    struct {
        float sub[AUG_PERIOD], mul[AUG_PERIOD];
        bool divide;           /* (x - sub) / mul, else (x - sub) * mul */
    } steps[AUG_FINISH_STEPS]; /* in this order */
    int n_steps;
    bool mirror;
    enum aug_layout layout;
    int32_t height, width, channels;
    float *to;               /* height * width * channels, without gaps */
    float values[4][1 << 8]; /* what each byte of a channel becomes; aug_finish_table makes them */
};

/* One more step; constants of each channel. */
void aug_finish_add(struct aug_finish *f, const float *sub, const float *mul, bool divide);
/* The row is changed.  Rows may come in any order, each once. */
void aug_finish_row(const struct aug_finish *f, int32_t y, float *row);
/* For aug_finish_bytes, when all steps are there: bytes are multiplied by `scale` before them. */
void aug_finish_table(struct aug_finish *f, float scale);
/* A row of bytes. */
void aug_finish_bytes(const struct aug_finish *f, int32_t y, const uint8_t *row);
/* All rows of an image that has f's size; floats are changed. */
void aug_finish_floats(const struct aug_finish *f, const struct aug_floats *image);
#endif
