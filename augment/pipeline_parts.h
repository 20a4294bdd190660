/*
 * augment/pipeline_parts.h - an image on its way through a pipeline; for pipeline_run.c and
 * pipeline_store.c only.
 */
#ifndef AUG_PIPELINE_PARTS_H
#define AUG_PIPELINE_PARTS_H

#include "augment/pipelines.h"

struct aug_worker {
    struct aug_image file;           /* what was decoded: the window or more */
    struct aug_image spare[2];       /* other bytes */
    struct aug_image bytes;          /* the image while it is bytes: a view of one of them */
    int at;                          /* which spare; -1 the file */
    struct aug_floats floats, other; /* the image while it is floats, and the next */
    struct aug_floats view;          /* of `floats` */
    struct aug_image shown;          /* as bytes for the caller */
    struct aug_resizer *resizer;
    struct aug_scan *scan; /* tables of JPEGs */
    bool is_floats;
    bool unit;    /* white is 1, not 255 */
    bool to_flip; /* the image is still to be mirrored; steps on single values may go before that */
};

static inline int32_t aug_run_height(const struct aug_worker *w)
{
    return w->is_floats ? w->view.height : w->bytes.height;
}

static inline int32_t aug_run_width(const struct aug_worker *w)
{
    return w->is_floats ? w->view.width : w->bytes.width;
}

static inline bool aug_resize_gives_floats(const struct aug_resize *how)
{
    return how->convention == AUG_TF1 || how->convention == AUG_TF2;
}

/* Of one value alone, wherever it is. */
static inline bool aug_step_is_per_value(enum aug_step_kind k)
{
    return k == AUG_FLIP || k == AUG_FLOATS || k == AUG_UNIT || k == AUG_UNIT_DIV ||
           k == AUG_NORMALIZE || k == AUG_NORMALIZE_DIV;
}

enum { AUG_MAX_STEPS = 16 };

/* A pipeline's steps for this image, but for the first: how many. */
int aug_run_steps(const struct aug_pipeline *p, const struct aug_choices *c,
                  const struct aug_step *steps[AUG_MAX_STEPS]);

/* The image is the part of the file that was chosen. */
T2_MUST_CHECK enum t2_status aug_run_decode(struct aug_worker *w, const struct aug_pipeline *p,
                                            const uint8_t *file, size_t len_bytes,
                                            const struct aug_choices *c, struct t2_err *err);
/* One step more. */
T2_MUST_CHECK enum t2_status aug_run_step(struct aug_worker *w, const struct aug_step *s,
                                          int32_t size, const struct aug_choices *c,
                                          struct t2_err *err);
/* Bytes become floats, times scale. */
T2_MUST_CHECK enum t2_status aug_run_to_floats(struct aug_worker *w, float scale,
                                               struct t2_err *err);
/* An image that is still to be mirrored is: by resizing (how->mirrored), or now. */
T2_MUST_CHECK enum t2_status aug_run_mirrored(struct aug_worker *w, struct aug_resize *how,
                                              struct t2_err *err);

#endif
