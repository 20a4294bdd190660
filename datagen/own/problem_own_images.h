/*
 * datagen/own/problem_own_images.h - a problem out of a user's own images: folders of classes, or
 * lists.
 *
 * Records as Tensor2Tensor's image problems have them (specification t2t-datagen 6.1):
 * image/encoded with the file's own bytes, image/format, image/class/label from 0, image/height,
 * image/width.
 */
#ifndef DG_PROBLEM_OWN_IMAGES_H
#define DG_PROBLEM_OWN_IMAGES_H

#include "base/err.h"
#include "datagen/images/image_flags.h"
#include "datagen/problem.h"

/* Flags of the command line; "", 0 where not given.  Borrowed for the life of the problem. */
struct dg_own_images {
    const char *name;
    const char *image_dir;            /* folders of classes, or what paths of lists are below */
    const char *lists[DG_N_SPLITS];   /* CSV files, rows path,label */
    const char *classes;              /* the labels in the order of their numbers, "cat,dog" */
    double dev_percent, test_percent; /* of TRAIN, chosen by content */
    struct dg_image_flags images;
};

/*
 * Reads the lists or folders, no image.  T2_EUSAGE when the flags contradict each other.  *p is
 * owned by the caller; prepare() reads all images once.
 */
T2_MUST_CHECK enum t2_status dg_own_images_new(const struct dg_own_images *own,
                                               struct dg_problem **p, struct t2_err *err);
void dg_own_images_free(struct dg_problem *p);

#endif
