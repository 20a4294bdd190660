/*
 * datagen/images/image_journal.h - which shards of images are finished, and what they hold: a line
 * of JSON each, so that a run that was stopped goes on, and tasks on several machines know of each
 * other.
 */
#ifndef DG_IMAGE_JOURNAL_H
#define DG_IMAGE_JOURNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "tfrecord/manifest.h"

struct dg_image_range {
    int64_t min, max;
};

/* A finished shard; zero-initialise, dg_image_shard_release. */
struct dg_image_shard {
    bool is_done;
    struct tfr_manifest_shard file;                    /* name relative to the folder of the set */
    struct dg_image_range height, width, label, boxes; /* empty shards: zeros */
    uint64_t n_boxes, n_reencoded, n_ignored;
    struct t2_strs dropped; /* path, why, path, why, ... */
};
void dg_image_shard_release(struct dg_image_shard *s);

/* "<dir>/.pictures.task-<i>-of-<n>.jsonl"; owned by the caller. */
char *dg_image_journal_path(const char *dir, int task, int n_tasks);

/*
 * Takes over the shards that the journal says were finished by the same plan; a journal of another
 * plan, or none, says nothing (*is_ours false).  A line that was not finished is passed over.
 * names: of all shards, in their order.
 */
T2_MUST_CHECK enum t2_status dg_image_journal_read(const char *path, const char *plan_sha256,
                                                   const struct t2_strs *names,
                                                   struct dg_image_shard *shards, bool *is_ours,
                                                   struct t2_err *err);
/* Appends a line; begins the journal anew when `begin`, then shard may be NULL. */
T2_MUST_CHECK enum t2_status dg_image_journal_add(const char *path, bool begin,
                                                  const char *plan_sha256, size_t number,
                                                  const struct dg_image_shard *shard,
                                                  struct t2_err *err);

#endif
