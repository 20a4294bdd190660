/*
 * datagen/images/image_manifest.h - pictures.manifest.json and pictures.dropped.jsonl of a set of
 * images.
 */
#ifndef DG_IMAGE_MANIFEST_H
#define DG_IMAGE_MANIFEST_H

#include "datagen/images/image_journal.h"
#include "datagen/images/image_plan.h"

/* One manifest in dir, or with in_folders one in each folder of a split; the report of drops in
 * dir, only when there are any. */
T2_MUST_CHECK enum t2_status dg_image_manifests_write(const char *dir, bool in_folders,
                                                      const struct dg_images *l,
                                                      const struct dg_image_plan *plan,
                                                      const struct dg_image_shard *shards,
                                                      struct t2_err *err);
/* Are they there, of this plan, newer than all images, and the shards in their sizes beside
 * them? */
T2_MUST_CHECK enum t2_status dg_image_manifests_are_of(const char *dir, bool in_folders,
                                                       const struct dg_image_plan *plan,
                                                       bool *are_of, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_image_manifests_remove(const char *dir, bool in_folders,
                                                       struct t2_err *err);

#endif
