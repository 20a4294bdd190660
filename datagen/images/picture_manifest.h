/*
 * datagen/images/picture_manifest.h - pictures.manifest.json and pictures.dropped.jsonl of a set of pictures.
 */
#ifndef DG_PICTURE_MANIFEST_H
#define DG_PICTURE_MANIFEST_H

#include "datagen/images/picture_journal.h"
#include "datagen/images/picture_plan.h"

/* One manifest in dir, or with in_folders one in each folder of a split; the report of drops in dir, only when
 * there are any. */
T2_MUST_CHECK enum t2_status dg_picture_manifests_write(const char *dir, bool in_folders,
                                                        const struct dg_pictures *l,
                                                        const struct dg_picture_plan *plan,
                                                        const struct dg_picture_shard *shards,
                                                        struct t2_err *err);
/* Are they there, of this plan, newer than all pictures, and the shards in their sizes beside them? */
T2_MUST_CHECK enum t2_status dg_picture_manifests_are_of(const char *dir, bool in_folders,
                                                         const struct dg_picture_plan *plan,
                                                         bool *are_of, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_picture_manifests_remove(const char *dir, bool in_folders,
                                                         struct t2_err *err);

#endif
