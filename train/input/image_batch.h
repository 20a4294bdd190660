/*
 * train/input/image_batch.h - the images of a batch, read, decoded and augmented on several
 * threads.
 *
 * Each image has its own stream of random numbers, named by (seed, epoch, number in the index), so
 * a batch is the same bits for any number of threads.
 */
#ifndef IN_IMAGE_BATCH_H
#define IN_IMAGE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/input/index.h"

/* One caller at a time. */
struct in_images;

/* index and recipe (with images) are borrowed.  n_threads 0: all CPUs allowed.  Threads start with
 * the first in_images_read and have the priority of who calls it. */
struct in_images *in_images_new(const struct in_index *index, const struct in_recipe *recipe,
                                bool training, uint64_t seed, int n_threads);
void in_images_free(struct in_images *p);

/* Where n images go, one behind the other; both NULL: nowhere, labels alone are read. */
struct in_image_rows {
    float *floats;     /* (n, H, W, C) */
    uint8_t *bytes;    /* (n, H, W, C), of a recipe that has bytes (in_image_has_bytes) */
    uint8_t *mirrored; /* (n), with bytes: 1 for those that are meant mirrored */
    int32_t *ids;      /* (n, ids_length) zeros, for the texts of images that have one, or NULL */
    int32_t ids_length;
};

/*
 * Makes n images and their labels (n), NULL of images that have texts; epochs[i] is that of
 * places[i].  Of several failures the first by place is reported, with shard, record and offset.
 */
T2_MUST_CHECK enum t2_status in_images_read(struct in_images *p,
                                            const struct in_place *const *places,
                                            const uint64_t *epochs, int32_t n,
                                            struct in_image_rows to, int32_t *labels,
                                            struct t2_err *err);

#endif
