/*
 * augment/crop_sample.c - numbers and crop windows drawn as TensorFlow draws them.
 *
 * Windows follow sample_distorted_bounding_box_op.cc: a ratio of sides is drawn, then a height
 * within the range of areas, then the place; tried again until enough of a box is covered.  Draws
 * are taken from our own streams (base/rng.h), in the original's order.
 */
#include "augment/crop_sample.h"

#include <math.h>
#include <string.h>

/* RandomUniform's float: 23 random bits as the fraction of a number in [1, 2), less 1. */
float aug_draw_unit(struct t2_rng *r)
{
    uint32_t bits = (t2_rng_u32(r) & 0x7fffff) | UINT32_C(0x3f800000);
    float f;

    memcpy(&f, &bits, sizeof f);
    return f - 1;
}

float aug_draw_between(struct t2_rng *r, float low, float high)
{
    return aug_draw_unit(r) * (high - low) + low;
}

/* TensorFlow's UniformDistribution of integers: a plain remainder, slightly biased. */
int32_t aug_draw_index(struct t2_rng *r, int32_t n)
{
    return (int32_t) (t2_rng_u32(r) % (uint32_t) n);
}

/* tensorflow::random::SimplePhilox::Uniform: unbiased. */
static int32_t draw_below(struct t2_rng *r, int32_t n)
{
    uint32_t m = (uint32_t) n, word, bound;

    if ((m & (m - 1)) == 0)
        return (int32_t) (t2_rng_u32(r) & (m - 1));
    bound = UINT32_MAX % m + 1;
    do
        word = t2_rng_u32(r);
    while (word < bound);
    return (int32_t) (word % m);
}

/* Of a height, the width of this ratio. */
static int64_t width_of(int64_t height, float ratio)
{
    return lrintf((float) height * ratio);
}

/* GenerateRandomCrop: false when no crop of the ratio drawn has an area in the range. */
static bool draw_window(struct t2_rng *r, const struct aug_crop_rule *rule, int32_t height,
                        int32_t width, struct aug_window *out)
{
    float ratio = aug_draw_between(r, rule->min_aspect, rule->max_aspect);
    float min_area = rule->min_area * (float) width * (float) height;
    float max_area = rule->max_area * (float) width * (float) height;
    int64_t h = lrintf(sqrtf(min_area / ratio)), top = lrintf(sqrtf(max_area / ratio)), w;

    if (width_of(top, ratio) > width) {
        top = (int64_t) ((float) ((double) width + 0.5 - 1e-7) / ratio);
        if (width_of(top, ratio) > width)
            top--;
    }
    top = top < height ? top : height;
    h = h < top ? h : top;
    if (h < top)
        h += draw_below(r, (int32_t) (top - h + 1));
    w = width_of(h, ratio);
    if ((float) (w * h) < min_area)
        w = width_of(++h, ratio);
    if ((float) (w * h) > max_area)
        w = width_of(--h, ratio);
    if ((float) (w * h) < min_area || (float) (w * h) > max_area || w > width || h > height ||
        w <= 0 || h <= 0)
        return false;
    *out = (struct aug_window){.width = (int32_t) w, .height = (int32_t) h};
    if (h < height)
        out->y = draw_below(r, height - out->height);
    if (w < width)
        out->x = draw_below(r, width - out->width);
    return true;
}

static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
    int64_t from = a0 > b0 ? a0 : b0, to = a1 < b1 ? a1 : b1;

    return to > from ? to - from : 0;
}

/* Boxes become whole pixels by truncation, as in the original. */
static bool covers(const struct aug_window *w, const struct aug_box *b, int32_t height,
                   int32_t width, float min_covered)
{
    int64_t y0 = (int64_t) (b->y0 * (float) height), y1 = (int64_t) (b->y1 * (float) height);
    int64_t x0 = (int64_t) (b->x0 * (float) width), x1 = (int64_t) (b->x1 * (float) width);
    int64_t area = (y1 - y0) * (x1 - x0);
    int64_t common =
        overlap(w->y, w->y + w->height, y0, y1) * overlap(w->x, w->x + w->width, x0, x1);

    return area > 0 && (float) common / (float) area >= min_covered;
}

bool aug_sample_crop(struct t2_rng *r, const struct aug_crop_rule *rule, int32_t height,
                     int32_t width, const struct aug_box *boxes, size_t n_boxes,
                     struct aug_window *w)
{
    static const struct aug_box whole = {0, 0, 1, 1};

    T2_ASSERT(height > 0 && width > 0 && rule->min_aspect > 0 && rule->max_area <= 1);
    if (n_boxes == 0) {
        boxes = &whole;
        n_boxes = 1;
    }
    for (int i = 0; i < rule->attempts; i++) {
        if (!draw_window(r, rule, height, width, w))
            continue;
        for (size_t k = 0; k < n_boxes; k++)
            if (covers(w, &boxes[k], height, width, rule->min_covered))
                return true;
    }
    *w = (struct aug_window){.width = width, .height = height};
    return false;
}
