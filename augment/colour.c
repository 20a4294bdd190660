/*
 * augment/colour.c - brightness, contrast, saturation, hue, grey, standardization.
 *
 * All on (height, width, 3) floats in place, white being 1 or 255 as the pipeline has it.
 * Formulas and orders of operations are those of TensorFlow's CPU kernels (adjust_hue_op.cc,
 * adjust_saturation_op.cc, adjust_contrast_op.cc, image_ops_impl.py).
 */
#include "augment/colour.h"

#include <math.h>
#include <string.h>

#include "augment/colour_kernel.h"
#include "base/cpu.h"

static const float UNIT = 1 / 255.0f;

const struct aug_colour_kernel *aug_colour_kernel(void)
{
#define CASE(name, cpu)                                                                            \
    case cpu:                                                                                      \
        return &aug_colour_kernel_##name;
    switch (t2_cpu_variant()) {
        T2_CPU_EACH(CASE)
    default:
        return &aug_colour_kernel_generic;
    }
}

static size_t row_floats(const struct aug_floats *f)
{
    T2_DASSERT(f->layout == AUG_NHWC);
    return (size_t) f->width * (size_t) f->channels;
}

/* ---- each value, or each channel ---- */

void aug_brightness(struct aug_floats *f, float delta)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();

    for (int32_t y = 0; y < f->height; y++)
        k->shift(aug_float_row(f, 0, y), row_floats(f), delta);
}

/*
 * (x - mean) * factor + mean per channel.  scratch is a copy of the image, as (n pixels, c), that
 * is folded in halves: n - half stays, the last `half` are added to the first.
 */
enum t2_status aug_contrast(struct aug_floats *f, float factor, struct aug_floats *scratch,
                            struct t2_err *err)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();
    size_t c = (size_t) f->channels, n = (size_t) f->width * (size_t) f->height;
    float mean[4], means[AUG_PERIOD], scale = 1.0f / (float) n;

    T2_ASSERT(c <= sizeof mean / sizeof *mean);
    T2_TRY(aug_floats_copy(f, AUG_NHWC, scratch, err));
    /* the list of pixels is halved until one is left: this order of sums is TensorFlow's */
    while (n > 1) {
        size_t half = n / 2;
        k->fold(scratch->data, scratch->data + (n - half) * c, half * c);
        n -= half;
    }
    for (size_t i = 0; i < c; i++)
        mean[i] = scratch->data[i] * scale;
    aug_repeat(mean, c, means);
    for (int32_t y = 0; y < f->height; y++)
        k->spread(aug_float_row(f, 0, y), row_floats(f), means, factor);
    return T2_OK;
}

void aug_normalize(struct aug_floats *f, const float *sub, const float *mul, bool divide)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();
    size_t c = (size_t) f->channels, n = row_floats(f);
    float subs[AUG_PERIOD], muls[AUG_PERIOD];

    T2_ASSERT(c <= 4);
    aug_repeat(sub, c, subs);
    aug_repeat(mul, c, muls);
    for (int32_t y = 0; y < f->height; y++)
        (divide ? k->divide : k->normalize)(aug_float_row(f, 0, y), n, subs, muls);
}

/* tf.image.per_image_standardization: (x - mean) / max(std, 1 / sqrt(count)), over all channels. */
void aug_standardize(struct aug_floats *f)
{
    size_t n = row_floats(f);
    double count = (double) n * f->height, sum = 0, squares = 0;
    float mean, std, least = 1.0f / sqrtf((float) count);

    for (int32_t y = 0; y < f->height; y++)
        for (size_t i = 0; i < n; i++)
            sum += (double) aug_float_row(f, 0, y)[i];
    mean = (float) (sum / count);
    for (int32_t y = 0; y < f->height; y++)
        for (size_t i = 0; i < n; i++) {
            double d = (double) (aug_float_row(f, 0, y)[i] - mean);
            squares += d * d;
        }
    std = (float) sqrt(squares / count);
    std = std > least ? std : least;
    aug_normalize(f, (const float[]){mean, mean, mean, mean}, (const float[]){std, std, std, std},
                  true);
}

void aug_clip(struct aug_floats *f, float low, float high)
{
    for (int32_t y = 0; y < f->height; y++) {
        float *x = aug_float_row(f, 0, y);
        for (size_t i = 0; i < row_floats(f); i++)
            x[i] = x[i] < low ? low : x[i] > high ? high : x[i];
    }
}

/* ---- pixels as hue, saturation, value ---- */

/*
 * RGB to (sector of 60 degrees and place in it, maximum, minimum), the hue moved on, and back,
 * without going through saturation and value: as in adjust_hue_op.cc.  delta is in turns.
 */
static void hue_pixel(float *p, float delta)
{
    float r = p[0], g = p[1], b = p[2], ratio = 0, h = 0;
    float most = fmaxf(r, fmaxf(g, b)), least = fminf(r, fminf(g, b));
    float middle = fmaxf(fminf(r, g), fminf(fmaxf(r, g), b));
    /* which channel is the most and which the least, by sector of the circle */
    static const uint8_t at[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0},
                                     {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
    int sector = r < g ? (b < r ? 1 : b > g ? 3 : 2) : (b < g ? 0 : b > r ? 4 : 5);

    if (most != least) {
        ratio = (middle - least) / (most - least);
        h = (sector & 1) == 0 ? (float) sector + ratio : (float) sector + 1 - ratio;
    }
    h += delta * 6;
    while (h < 0)
        h += 6;
    while (h >= 6)
        h -= 6;
    sector = (int) h;
    ratio = h - (float) sector;
    if (sector & 1)
        ratio = 1 - ratio;
    p[at[sector][0]] = most;
    p[at[sector][1]] = least + ratio * (most - least);
    p[at[sector][2]] = least;
}

void aug_hue(struct aug_floats *f, float delta)
{
    T2_ASSERT(f->channels == 3 && fabsf(delta) <= 1);
    for (int32_t y = 0; y < f->height; y++)
        for (int32_t x = 0; x < f->width; x++)
            hue_pixel(aug_float_row(f, 0, y) + 3 * (size_t) x, delta);
}

/* Hue in turns, 0 ... 1, of a pixel with maximum `most` and maximum - minimum `range`. */
static float hue_of(const float *p, float most, float range)
{
    float norm = 1 / (6 * range), h;

    if (!(range > 0))
        return 0;
    if (p[0] == most)
        h = norm * (p[1] - p[2]);
    else if (p[1] == most)
        h = norm * (p[2] - p[0]) + 2.0f / 6;
    else
        h = norm * (p[0] - p[1]) + 4.0f / 6;
    return h < 0 ? h + 1 : h;
}

/* To HSV, s * factor clamped to 0 ... 1, and back by chroma c, its part x and the offset m. */
static void saturation_pixel(float *p, float factor)
{
    float most = fmaxf(p[0], fmaxf(p[1], p[2])), least = fminf(p[0], fminf(p[1], p[2]));
    float range = most - least, s = most > 0 ? range / most : 0, h6 = 6 * hue_of(p, most, range);
    float c, m, x, f = h6;
    /* where chroma, its part and 0 go, by sector: index into {c, x, 0} */
    static const uint8_t of[6][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1},
                                     {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};

    s = fminf(1, fmaxf(0, s * factor));
    c = s * most;
    m = most - c;
    while (f <= 0)
        f += 2;
    while (f >= 2)
        f -= 2;
    x = c * (1 - fabsf(f - 1));
    for (int i = 0, sector = (int) h6; i < 3; i++) /* h6 == 6: TensorFlow has no sector for it */
        p[i] = (sector >= 0 && sector < 6 ? (const float[]){c, x, 0}[of[sector][i]] : 0) + m;
}

void aug_saturation(struct aug_floats *f, float factor)
{
    T2_ASSERT(f->channels == 3);
    for (int32_t y = 0; y < f->height; y++)
        for (int32_t x = 0; x < f->width; x++)
            saturation_pixel(aug_float_row(f, 0, y) + 3 * (size_t) x, factor);
}

/* tf.image.rgb_to_grayscale of bytes: to 0 ... 1, weighted, and back with 255.5 and truncation. */
uint8_t aug_grey_byte(const uint8_t *rgb)
{
    float grey = ((float) rgb[0] * UNIT * 0.2989f + (float) rgb[1] * UNIT * 0.5870f) +
                 (float) rgb[2] * UNIT * 0.1140f;

    return (uint8_t) (grey * 255.5f);
}

/* ---- mirrors and types ---- */

/* Reverses n pixels of `size` bytes; inlined with a constant size where it matters, so that memcpy
 * becomes loads and stores. */
static inline __attribute__((always_inline)) void mirror(void *row, size_t n, size_t size)
{
    char *a = row, *b = a + (n - 1) * size, one[4 * sizeof(float)];

    for (; a < b; a += size, b -= size) {
        memcpy(one, a, size);
        memcpy(a, b, size);
        memcpy(b, one, size);
    }
}

void aug_flip_floats(struct aug_floats *f)
{
    size_t n = (size_t) f->width;

    T2_ASSERT(f->channels <= 4 && f->layout == AUG_NHWC);
    for (int32_t y = 0; y < f->height; y++)
        if (f->channels == 3)
            mirror(aug_float_row(f, 0, y), n, 3 * sizeof(float));
        else
            mirror(aug_float_row(f, 0, y), n, (size_t) f->channels * sizeof(float));
}

void aug_flip_bytes(struct aug_image *im)
{
    size_t n = (size_t) im->width;

    T2_ASSERT(im->channels <= 4);
    for (int32_t y = 0; y < im->height; y++)
        if (im->channels == 3)
            mirror(aug_row(im, y), n, 3);
        else
            mirror(aug_row(im, y), n, (size_t) im->channels);
}

enum t2_status aug_to_bytes(const struct aug_floats *from, float scale, struct aug_image *to,
                            struct t2_err *err)
{
    const struct aug_colour_kernel *k = aug_colour_kernel();

    T2_TRY(aug_image_resize(to, from->height, from->width, from->channels, err));
    for (int32_t y = 0; y < from->height; y++)
        k->to_bytes(aug_float_row(from, 0, y), row_floats(from), scale, aug_row(to, y));
    return T2_OK;
}
