/*
 * datagen/problems/coco_captions.h - the images of COCO and their captions, which stand in two
 * arrays of one document, joined on disk.
 */
#ifndef DG_COCO_CAPTIONS_H
#define DG_COCO_CAPTIONS_H

#include "datagen/source/source_files.h"

struct t2_mt;

extern const struct dg_source dg_coco_captions_source;

/* Borrowed for the call. */
struct dg_coco_caption {
    bool is_image; /* the image itself, which comes before its captions; without text */
    const char *name;
    int64_t height, width;
    struct t2_slice text;
};
typedef enum t2_status (*dg_coco_take)(void *context, const struct dg_coco_caption *caption,
                                       struct t2_err *err);

/* How many images of the split the original uses: of those that are listed the first 80000, 40000
 * of DEV. */
T2_MUST_CHECK enum t2_status dg_coco_count(enum dg_split split, const struct dg_options *options,
                                           uint64_t *n, struct t2_err *err);
/*
 * Gives `take` each image and its captions, in the order that random.shuffle draws from *mt; the
 * captions in that of the document.  An image that is listed twice keeps its first place and its
 * last size, as in a dict.  files, if not NULL: the document is added.  T2_EFORMAT names the image
 * or the annotation.
 */
T2_MUST_CHECK enum t2_status dg_coco_each(enum dg_split split, const struct dg_options *options,
                                          struct dg_input_files *files, struct t2_mt *mt,
                                          dg_coco_take take, void *context, struct t2_err *err);

#endif
