/*
 * datagen/images/image_sheet.h - a page of images as a trainer will see them: each as it is stored,
 * with the crop drawn on it, and beside it what the pipeline makes of it.
 */
#ifndef DG_IMAGE_SHEET_H
#define DG_IMAGE_SHEET_H

#include "augment/pipelines.h"
#include "datagen/images/image_list.h"
#include "datagen/images/image_record.h"

enum { DG_MOST_SHEET_IMAGES = 1000 };

struct dg_sheet_spec {
    const char *path;     /* the PNG file; "-" is stdout */
    const char *pipeline; /* a name of augment/pipelines.h; "": resnet_train */
    int64_t n_images;     /* at most, 1 ... DG_MOST_SHEET_IMAGES */
    uint64_t seed;        /* of crops, flips, colours: epoch 0, image 0, 1, ... of the page */
};

/* T2_EUSAGE when the pipeline or the number is not known; before work begins. */
T2_MUST_CHECK enum t2_status dg_sheet_check(const struct dg_sheet_spec *spec, struct t2_err *err);

/*
 * Images of a list, spread evenly over it, as they would become records by `policy`.  Files that
 * are refused have a red text with the reason.  T2_ENOTFOUND when the list is empty.
 */
T2_MUST_CHECK enum t2_status dg_sheet_of_list(const struct dg_images *l,
                                              const struct dg_image_policy *policy,
                                              const struct dg_sheet_spec *spec, struct t2_err *err);
/*
 * The first records of each of these files (with features image/encoded, image/class/label).
 * labels: names of the classes by number, NULL or n_labels 0: image/class/synset, else the numbers.
 * T2_EFORMAT when a record holds no image.
 */
T2_MUST_CHECK enum t2_status dg_sheet_of_records(const struct t2_strs *files,
                                                 const char *const *labels, size_t n_labels,
                                                 const struct dg_sheet_spec *spec,
                                                 struct t2_err *err);

#endif
