/*
 * datagen/images/image_plan.h - which image goes into which shard, decided before a byte is
 * written.
 */
#ifndef DG_IMAGE_PLAN_H
#define DG_IMAGE_PLAN_H

#include "datagen/images/write_images.h"

struct dg_image_plan {
    struct t2_strs names;               /* of all shards, relative to the folder of the set */
    size_t n_shards[DG_N_IMAGE_SPLITS]; /* train's come first */
    size_t *starts;  /* shard s holds order[starts[s]] ... order[starts[s + 1] - 1] */
    uint32_t *order; /* indices into the list */
    char sha256[65]; /* of everything that decides the bytes, but the contents of the files */
    int64_t newest;  /* time of the last change of any file, in ns */
};
void dg_image_plan_release(struct dg_image_plan *p);

/* Looks at the size of every file; one that is not there is T2_ENOTFOUND when w->refusals fail, and
 * found missing again when its shard is made otherwise. */
T2_MUST_CHECK enum t2_status dg_image_plan_make(const struct dg_images *l,
                                                const struct dg_write_images *w,
                                                struct dg_image_plan *p, struct t2_err *err);

#endif
