/*
 * datagen/images/cifar_batch.h - a file of CIFAR-10 or CIFAR-100: the pickles of the Python
 * distribution, or the rows of the binary one.
 */
#ifndef DG_CIFAR_BATCH_H
#define DG_CIFAR_BATCH_H

#include "datagen/images/image_arrays.h"

enum { DG_CIFAR_SIDE = 32, DG_CIFAR_BYTES = 3 * DG_CIFAR_SIDE * DG_CIFAR_SIDE };

/* key "labels", "fine_labels", "coarse_labels"; labels are below n_classes. */
T2_MUST_CHECK enum t2_status dg_cifar_pickle(struct t2_slice file, const char *origin,
                                             const char *key, int64_t n_classes,
                                             struct dg_image_arrays *a, struct t2_err *err);
/* Rows of n_labels bytes and the pixels; label number `which` of them. */
T2_MUST_CHECK enum t2_status dg_cifar_rows(struct t2_slice file, const char *origin,
                                           size_t n_labels, size_t which, int64_t n_classes,
                                           struct dg_image_arrays *a, struct t2_err *err);

#endif
