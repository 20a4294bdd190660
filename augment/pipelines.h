/*
 * augment/pipelines.h - from a file to a training tensor: pipelines by name, as lists of steps.
 *
 * Everything random is chosen first (aug_choose), from one stream of numbers per image and with
 * nothing but the header known; given the choices, a pipeline is a function of the file.  The steps
 * run in pipeline_run.c.  What each pipeline copies is said in its help text; specification of the
 * image pipelines 2.2, 4.1, 5.8, 7 and of t2t-datagen 6.6.
 */
#ifndef AUG_PIPELINES_H
#define AUG_PIPELINES_H

#include "augment/auto_augment.h"
#include "augment/codec.h"
#include "augment/crop_sample.h"
#include "augment/resize.h"

enum aug_step_kind {
    AUG_END,
    /* which part of the file; a view begins with one of these */
    AUG_WHOLE,
    AUG_WHOLE_GREY,    /* in one channel */
    AUG_RANDOM_WINDOW, /* rule; fused: decode_and_crop_jpeg */
    AUG_CENTRE_WINDOW, /* square: size / (size + round(size / 0.875 - size)) of the short side;
                          fused */
    AUG_CENTRE_FLOOR,  /* square: a of the short side, offsets rounded down; fused (Model Garden) */
    AUG_CENTRE_PART,   /* tf.image.central_crop: a of each side */
    AUG_FIXED_WINDOW,  /* n x n from row a, column b; less where the image ends */
    /* pixels: from bytes to floats */
    AUG_FLOATS,   /* 0 ... 255 */
    AUG_UNIT,     /* 0 ... 1: times 1 / 255 */
    AUG_UNIT_DIV, /* divided by 255 */
    /* sizes; n is a size, see aug_step */
    AUG_RESIZE,       /* how; to n x n */
    AUG_RESIZE_SHORT, /* how; the short side to n, the other by the rule in `rounding` */
    AUG_CENTRE_CROP,  /* n x n, offsets by the rule in `rounding` */
    AUG_PAD,          /* zeros around, to n x n */
    AUG_RANDOM_CROP,  /* tf.random_crop to n x n */
    /* values */
    AUG_FLIP,          /* left and right, of one half of the images */
    AUG_BRIGHTEN,      /* delta in [-a, a) */
    AUG_CONTRAST_BY,   /* factor in [a, b) */
    AUG_SATURATE,      /* factor in [a, b) */
    AUG_HUE_BY,        /* delta in [-a, a) of a turn */
    AUG_SHIFT_COLOURS, /* Inception's fast distortion, each of three in [-a, a); clipped to 0 ...
                          1 */
    AUG_AUGMENT,       /* augment */
    AUG_CUT_OUT,       /* square of 2 n around a point anywhere, to value a */
    AUG_NORMALIZE,     /* (x - sub) * mul */
    AUG_NORMALIZE_DIV, /* (x - sub) / mul */
    AUG_STANDARDIZE,   /* per image */
    AUG_TRUNCATE       /* to integers, still as floats */
};

/* How halves and parts of pixels are rounded. */
enum aug_rounding {
    AUG_ROUND_T2T,      /* long: float(long / short) * n cut; offset (d - n + 1) / 2 */
    AUG_ROUND_OFFICIAL, /* both: d * float(n / short) cut; offset (d - n) / 2 */
    AUG_ROUND_TORCH     /* long: n * long / short cut; offset round((d - n) / 2), halves to even */
};

struct aug_step {
    enum aug_step_kind kind;
    int32_t n; /* > 0: this size; <= 0: -n more than the size that the caller asks for */
    float a, b;
    bool fused; /* window: pixels at its border as the fused op has them (specification 5.1.7) */
    enum aug_rounding rounding;
    struct aug_resize how;
    const struct aug_crop_rule *rule;
    const struct aug_augment_rule *augment;
    const float *sub, *mul;
};

struct aug_pipeline {
    const char *name, *help;
    int32_t size;                   /* the original's; the caller may ask for another */
    bool training;                  /* has random steps */
    bool accurate_dct;              /* Pillow's decoder rather than TensorFlow's */
    const struct aug_step *view;    /* up to AUG_END */
    const struct aug_step *instead; /* NULL, or the view when a random window is the whole image */
    bool instead_rgb_only; /* ... of files with three components (tensorflow/tpu compares shapes) */
    const struct aug_step *rest;
};

/* Of the result: 1 or 3. */
static inline int32_t aug_pipeline_channels(const struct aug_pipeline *p)
{
    return p->view->kind == AUG_WHOLE_GREY ? 1 : 3;
}

/* NULL when there is none of that name. */
const struct aug_pipeline *aug_pipeline_find(const char *name);
/* i = 0, 1, ... until NULL. */
const struct aug_pipeline *aug_pipeline_at(size_t i);

/* All that is random in one image, and its window. */
struct aug_choices {
    int32_t file_width, file_height;
    struct aug_window window; /* of the file that is looked at */
    bool instead;             /* pipeline->instead is the view */
    bool flip;
    int32_t crop_y, crop_x; /* AUG_RANDOM_CROP */
    float brightness, contrast, saturation, hue;
    float shift[3]; /* AUG_SHIFT_COLOURS: br, cb, cr */
    int32_t cut_y, cut_x;
    int n_augments;
    struct aug_augment augments[AUG_MAX_AUGMENTS];
};

/* The stream of an image; epoch, index < 2^48. */
void aug_image_stream(struct t2_rng *r, uint64_t seed, uint64_t epoch, uint64_t index);
/* size 0: the pipeline's.  Numbers are drawn in the order of the steps.  r may be NULL when not
 * p->training. */
void aug_choose(const struct aug_pipeline *p, int32_t size, const struct aug_info *info,
                struct t2_rng *r, struct aug_choices *c);

/* Buffers of one thread; used again and again, growing only. */
struct aug_worker;
struct aug_worker *aug_worker_new(void);
void aug_worker_free(struct aug_worker *w);

/*
 * Runs the pipeline.  The result is *floats, NHWC, borrowed until the next call on w.  With bytes
 * instead (floats NULL): the image before it is normalised, clipped to 0 ... 255 and cut to
 * integers; what --preview shows.  Errors are aug_decode's.
 */
T2_MUST_CHECK enum t2_status aug_pipeline_run(struct aug_worker *w, const struct aug_pipeline *p,
                                              int32_t size, const uint8_t *file, size_t len_bytes,
                                              const struct aug_choices *c,
                                              const struct aug_floats **floats,
                                              const struct aug_image **bytes, struct t2_err *err);

/* The same with the floats written to `to`, which has room for size * size * channels (T2_EFORMAT
 * when the pipeline gives another size), in this layout: mirrored on the way. */
T2_MUST_CHECK enum t2_status aug_pipeline_store(struct aug_worker *w, const struct aug_pipeline *p,
                                                int32_t size, const uint8_t *file, size_t len_bytes,
                                                const struct aug_choices *c, enum aug_layout layout,
                                                float *to, struct t2_err *err);

/*
 * Images as bytes that somebody else normalises, a device for one: where has_bytes, all that a
 * pipeline does behind its last step on pixels is a function of a value and its channel, and before
 * it values are 0 ... 255.  aug_pipeline_store gives, for byte b of channel c,
 * values[c * 256 + b], bit for bit.
 */
bool aug_pipeline_has_bytes(const struct aug_pipeline *p);
/* values: (channels, 256). */
void aug_pipeline_byte_values(const struct aug_pipeline *p, float *values);
/* As aug_pipeline_store; to: (size, size, channels).  The pipeline has bytes.  *mirrored: 1 when
 * what `to` has is still to be mirrored, left to right, else 0. */
T2_MUST_CHECK enum t2_status aug_pipeline_store_bytes(struct aug_worker *w,
                                                      const struct aug_pipeline *p, int32_t size,
                                                      const uint8_t *file, size_t len_bytes,
                                                      const struct aug_choices *c, uint8_t *to,
                                                      uint8_t *mirrored, struct t2_err *err);

#endif
