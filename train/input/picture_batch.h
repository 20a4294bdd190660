/*
 * train/input/picture_batch.h - the pictures of a batch, read, decoded and augmented on several threads.
 *
 * Each picture has its own stream of random numbers, named by (seed, epoch, number in the index), so a batch
 * is the same bits for any number of threads.
 */
#ifndef IN_PICTURE_BATCH_H
#define IN_PICTURE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/input/index.h"

/* One caller at a time. */
struct in_pictures;

/* index and recipe (with pictures) are borrowed.  n_threads 0: all CPUs allowed.  Threads start with the first
 * in_pictures_read and have the priority of who calls it. */
struct in_pictures *in_pictures_new(const struct in_index *index, const struct in_recipe *recipe,
                                    bool training, uint64_t seed, int n_threads);
void in_pictures_free(struct in_pictures *p);

/*
 * Makes n pictures one behind the other in images (n, size, size, channels) and their labels; epochs[i] is
 * that of places[i].  Of several failures the first by place is reported, with shard, record and offset.
 */
T2_MUST_CHECK enum t2_status in_pictures_read(struct in_pictures *p,
                                              const struct in_place *const *places,
                                              const uint64_t *epochs, int32_t n, float *images,
                                              int32_t *labels, struct t2_err *err);

#endif
