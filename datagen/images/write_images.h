/*
 * datagen/images/write_images.h - a list of images becomes shards, a manifest and a report of
 * drops.
 *
 * <output_dir>/train-00000-of-0000N, validation-..., test-..., pictures.manifest.json (of
 * imagenet_to_gcs: one in each folder), and pictures.dropped.jsonl when something was left out.
 * Bytes are a function of the list, the files and the options below, never of threads, tasks or
 * interruptions.
 */
#ifndef DG_WRITE_IMAGES_H
#define DG_WRITE_IMAGES_H

#include "datagen/images/image_list.h"
#include "datagen/images/image_record.h"
#include "datagen/images/refused_image.h"

struct dg_write_images {
    const char *output_dir;
    int n_shards[DG_N_IMAGE_SPLITS]; /* 0: one for 128 MiB of files */
    /* As imagenet_to_gcs.py: <split>/<split>-..., runs of ceil(n / shards) images, so that the last
     * shards may be empty; else all shards have equal shares. */
    bool imagenet_to_gcs;
    /* The order of TRAIN is that of Python's random.shuffle after random.seed(random_seed). */
    bool shuffle;
    uint64_t random_seed;
    struct dg_image_policy policy;
    struct dg_refusals refusals; /* copies go to <label>/<name> below the quarantine folder */
    int task, n_tasks;           /* this run makes the shards number k with k % n_tasks == task */
    bool overwrite;
    int num_threads;
};

struct dg_images_made {
    uint64_t n_records[DG_N_IMAGE_SPLITS], n_dropped, n_reencoded, bytes;
    bool was_complete, is_complete; /* not complete: other tasks are still to come */
};

/* T2_EIO when output_dir holds another set and `overwrite` is not set: nothing is ever deleted but
 * files of these names. */
T2_MUST_CHECK enum t2_status dg_write_images(const struct dg_images *l,
                                             const struct dg_write_images *w,
                                             struct dg_images_made *made, struct t2_err *err);

#endif
