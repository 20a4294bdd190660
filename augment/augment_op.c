/*
 * augment/augment_op.c - the operations of AutoAugment and RandAugment on (height, width, 3) bytes.
 *
 * Results are those of TensorFlow's autoaugment.py (tpu/models/official/efficientnet and Model
 * Garden), oddities included: contrast_mean divides by 256 and not by the number of pixels.
 * Three groups: a table of 256 values per channel, a blend with a degenerate image, and nearest
 * look-up through a projective transformation.
 */
#include "augment/augment_op.h"

#include <math.h>
#include <string.h>

#include "augment/colour.h"

enum { LEVELS = 256, CHANNELS = 3, GREY = 128 };

const char *aug_augment_name(enum aug_augment_op op)
{
    static const char *const names[AUG_N_AUGMENT_OPS] = {"AutoContrast", "Equalize",   "Invert",
                                                         "Rotate",       "Posterize",  "Solarize",
                                                         "Color",        "Contrast",   "Brightness",
                                                         "Sharpness",    "ShearX",     "ShearY",
                                                         "TranslateX",   "TranslateY", "Cutout",
                                                         "SolarizeAdd"};

    return names[op];
}

static size_t row_bytes(const struct aug_image *im)
{
    return (size_t) im->width * CHANNELS;
}

/* ---- a table for each channel ---- */

typedef uint8_t tables[CHANNELS][LEVELS];

static void look_up(struct aug_image *im, tables t)
{
    for (int32_t y = 0; y < im->height; y++) {
        uint8_t *p = aug_row(im, y);
        for (int32_t x = 0; x < im->width; x++, p += CHANNELS)
            for (int c = 0; c < CHANNELS; c++)
                p[c] = t[c][p[c]];
    }
}

static void count_levels(const struct aug_image *im, int32_t counts[CHANNELS][LEVELS])
{
    memset(counts, 0, sizeof(int32_t[CHANNELS][LEVELS]));
    for (int32_t y = 0; y < im->height; y++) {
        const uint8_t *p = aug_row(im, y);
        for (int32_t x = 0; x < im->width; x++, p += CHANNELS)
            for (int c = 0; c < CHANNELS; c++)
                counts[c][p[c]]++;
    }
}

/* counts (256) of one channel; maps its least level to 0 and its greatest to 255. */
static void auto_contrast_table(const int32_t *counts, uint8_t *t)
{
    int low = 0, high = LEVELS - 1;
    float scale, offset;

    while (counts[low] == 0)
        low++;
    while (counts[high] == 0)
        high--;
    scale = 255.0f / ((float) high - (float) low);
    offset = -(float) low * scale;
    for (int i = 0; i < LEVELS; i++) {
        float v = (float) i * scale + offset;
        t[i] = high > low ? (uint8_t) fminf(fmaxf(v, 0), 255) : (uint8_t) i;
    }
}

/*
 * PIL's and TensorFlow's integer formula: the running sum, without the last level's count, in
 * steps of a 255th.
 */
static void equalize_table(const int32_t *counts, uint8_t *t)
{
    int32_t sum = 0, last = 0, step, so_far = 0;

    for (int i = 0; i < LEVELS; i++) {
        sum += counts[i];
        last = counts[i] != 0 ? counts[i] : last;
    }
    step = (sum - last) / 255;
    for (int i = 0; i < LEVELS; i++) {
        int32_t v = i == 0 || step == 0 ? 0 : (so_far + step / 2) / step;
        t[i] = step == 0 ? (uint8_t) i : (uint8_t) (v < LEVELS ? v : LEVELS - 1);
        so_far += counts[i];
    }
}

static uint8_t level_value(const struct aug_augment *a, int i)
{
    int v = (int) a->value, keep;

    switch (a->op) {
    case AUG_INVERT:
        return (uint8_t) (255 - i);
    case AUG_POSTERIZE:
        keep = 8 - v < 7 ? 8 - v : 7; /* TensorFlow shifts a byte by 7 at most */
        return (uint8_t) (i >> keep << keep);
    case AUG_SOLARIZE:
        return (uint8_t) (i < v ? i : 255 - i);
    default: /* solarize_add */
        return (uint8_t) (i >= 128 ? i : i + v > 255 ? 255 : i + v < 0 ? 0 : i + v);
    }
}

static void by_table(const struct aug_augment *a, struct aug_image *im)
{
    int32_t counts[CHANNELS][LEVELS];
    tables t;

    if (a->op == AUG_AUTO_CONTRAST || a->op == AUG_EQUALIZE)
        count_levels(im, counts);
    for (int c = 0; c < CHANNELS; c++)
        if (a->op == AUG_AUTO_CONTRAST)
            auto_contrast_table(counts[c], t[c]);
        else if (a->op == AUG_EQUALIZE)
            equalize_table(counts[c], t[c]);
        else
            for (int i = 0; i < LEVELS; i++)
                t[c][i] = level_value(a, i);
    look_up(im, t);
}

/* ---- away from, or towards, a degenerate image ---- */

static uint8_t blend(uint8_t from, uint8_t to, float factor)
{
    float v = (float) from + factor * ((float) to - (float) from);

    return (uint8_t) fminf(fmaxf(v, 0), 255);
}

/* PIL's SMOOTH: the eight around weigh 1, the middle 5, of 13. */
static uint8_t smooth(const struct aug_image *im, int32_t y, int32_t x, int c)
{
    const float one = 1.0f / 13, five = 5.0f / 13;
    float sum = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += (float) aug_row(im, y + dy)[(x + dx) * CHANNELS + c] *
                   (dy == 0 && dx == 0 ? five : one);
    return (uint8_t) fminf(fmaxf(sum, 0), 255);
}

/* The original takes the mean of the 256 counts of the histogram, which is the number of pixels /
 * 256, where the mean of the image was meant. */
static uint8_t contrast_mean(const struct aug_image *im)
{
    return (uint8_t) fminf((float) im->width * (float) im->height / 256.0f, 255);
}

/* In place, from a copy. */
static void enhance(const struct aug_augment *a, const struct aug_image *from, struct aug_image *im)
{
    uint8_t mean = a->op == AUG_CONTRAST ? contrast_mean(im) : 0;

    for (int32_t y = 0; y < im->height; y++) {
        const uint8_t *s = aug_row(from, y);
        uint8_t *d = aug_row(im, y);
        bool edge = y == 0 || y == im->height - 1;
        for (int32_t x = 0; x < im->width; x++, s += CHANNELS, d += CHANNELS) {
            uint8_t grey = a->op == AUG_COLOR ? aug_grey_byte(s) : mean;
            for (int c = 0; c < CHANNELS; c++) {
                if (a->op == AUG_SHARPNESS)
                    grey = edge || x == 0 || x == im->width - 1 ? s[c] : smooth(from, y, x, c);
                d[c] = blend(grey, s[c], a->value);
            }
        }
    }
}

/* ---- geometry: ImageProjectiveTransform, nearest ---- */

/* Reflects [a b c] to [c b a | a b c | c b a]; TensorFlow's MapCoordinate in float. */
static float reflect(float at, int32_t size)
{
    float n = (float) size, twice = 2 * n;

    if (size <= 1)
        return 0;
    if (at < 0) {
        if (at < twice)
            at = twice * (float) (int64_t) (-at / twice) + at;
        at = at < -n ? at + twice : -at - 1;
    } else if (at > n - 1) {
        at -= twice * (float) (int64_t) (at / twice);
        if (at >= n)
            at = twice - at - 1;
    }
    return fminf(fmaxf(at, 0), n - 1);
}

/* Output (x, y) comes from (t[0] x + t[1] y + t[2], t[3] x + t[4] y + t[5]). */
static void transform(const float t[6], bool fill_grey, const struct aug_image *from,
                      struct aug_image *to)
{
    for (int32_t y = 0; y < to->height; y++) {
        uint8_t *d = aug_row(to, y);
        for (int32_t x = 0; x < to->width; x++, d += CHANNELS) {
            float sx = t[0] * (float) x + t[1] * (float) y + t[2];
            float sy = t[3] * (float) x + t[4] * (float) y + t[5];
            if (!fill_grey) {
                sx = reflect(sx, from->width);
                sy = reflect(sy, from->height);
            }
            sx = roundf(sx);
            sy = roundf(sy);
            if (sx < 0 || sy < 0 || sx >= (float) from->width || sy >= (float) from->height)
                memset(d, GREY, CHANNELS);
            else
                memcpy(d, aug_row(from, (int32_t) sy) + (size_t) sx * CHANNELS, CHANNELS);
        }
    }
}

static void move(const struct aug_augment *a, const struct aug_image *from, struct aug_image *to)
{
    float t[6] = {1, 0, 0, 0, 1, 0};

    if (a->op == AUG_SHEAR_X) {
        t[1] = a->value;
    } else if (a->op == AUG_SHEAR_Y) {
        t[3] = a->value;
    } else if (a->op == AUG_TRANSLATE_X) {
        t[2] = a->value; /* the image moves by -value, the negative of which is looked up */
    } else if (a->op == AUG_TRANSLATE_Y) {
        t[5] = a->value;
    } else {
        float angle = (float) ((double) a->value * (3.141592653589793 / 180));
        float w = (float) to->width - 1, h = (float) to->height - 1, s = sinf(angle),
              c = cosf(angle);
        t[0] = t[4] = c;
        t[1] = -s;
        t[3] = s;
        t[2] = (w - (c * w - s * h)) / 2;
        t[5] = (h - (s * w + c * h)) / 2;
    }
    transform(t, a->fill_grey, from, to);
}

/* ---- cutout ---- */

struct span {
    int32_t from, to;
};

static struct span around(int32_t at, int32_t half, int32_t size)
{
    struct span s = {at - half > 0 ? at - half : 0, at + half < size ? at + half : size};

    return s;
}

void aug_cutout(struct aug_image *im, int32_t y, int32_t x, int32_t half, uint8_t value)
{
    struct span rows = around(y, half, im->height), columns = around(x, half, im->width);
    size_t c = (size_t) im->channels;

    for (int32_t i = rows.from; i < rows.to; i++)
        if (columns.to > columns.from)
            memset(aug_row(im, i) + (size_t) columns.from * c, value,
                   (size_t) (columns.to - columns.from) * c);
}

void aug_cutout_floats(struct aug_floats *f, int32_t y, int32_t x, int32_t half, float value)
{
    struct span rows = around(y, half, f->height), columns = around(x, half, f->width);

    T2_ASSERT(f->layout == AUG_NHWC);
    for (int32_t i = rows.from; i < rows.to; i++)
        for (int32_t k = columns.from * f->channels; k < columns.to * f->channels; k++)
            aug_float_row(f, 0, i)[k] = value;
}

enum t2_status aug_augment_apply(const struct aug_augment *a, struct aug_image *im,
                                 struct aug_image *scratch, struct t2_err *err)
{
    T2_ASSERT(im->channels == CHANNELS && im->stride_bytes == row_bytes(im));
    switch (a->op) {
    case AUG_AUTO_CONTRAST:
    case AUG_EQUALIZE:
    case AUG_INVERT:
    case AUG_POSTERIZE:
    case AUG_SOLARIZE:
    case AUG_SOLARIZE_ADD:
        by_table(a, im);
        return T2_OK;
    case AUG_CUTOUT:
        aug_cutout(im, a->y, a->x, (int32_t) a->value, GREY);
        return T2_OK;
    default:
        T2_TRY(aug_image_copy(im, scratch, err));
        if (a->op >= AUG_COLOR && a->op <= AUG_SHARPNESS)
            enhance(a, scratch, im);
        else
            move(a, scratch, im);
        return T2_OK;
    }
}
