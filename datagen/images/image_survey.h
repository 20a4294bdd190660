/*
 * datagen/images/image_survey.h - all files of a list are read once before a record is made: may
 * they become images, and what is in them?
 */
#ifndef DG_IMAGE_SURVEY_H
#define DG_IMAGE_SURVEY_H

#include "base/pool.h"
#include "datagen/images/image_list.h"
#include "datagen/images/image_record.h"
#include "datagen/images/refused_image.h"

struct dg_surveyed {
    uint64_t bytes;
    char sha256[65];  /* of the file */
    const char *drop; /* why it is left out (static text); NULL: it is not */
    /* The file, when there was room for it, so that it need not be read again; the caller's. */
    struct t2_buf kept;
};

/*
 * Fills items[i] for l->items[i].  With DG_ON_ERROR_FAIL the first file that is refused, in the
 * order of the list, is a failure that names it; else it has a `drop`, the first refusals are
 * warnings, and copies go to <label>/<name> below the quarantine folder.  Every other file can be
 * made a record of by dg_image_admit with the same policy; of those that fit into keep_bytes the
 * bytes are kept.
 */
T2_MUST_CHECK enum t2_status dg_survey_images(const struct dg_images *l,
                                              const struct dg_image_policy *policy,
                                              const struct dg_refusals *refusals,
                                              struct t2_pool *pool, uint64_t keep_bytes,
                                              struct dg_surveyed *items, struct t2_err *err);

/* 0 ... 1 by the content, equal for equal files: which split it goes to. */
double dg_surveyed_share(const struct dg_surveyed *s);

#endif
