/*
 * datagen/runs/join_parts.h - what the tasks of a data set made becomes one data set.
 *
 * A task notes its shards in a part, which is a manifest with zeros for the shards of others. Parts
 * are joined when together they have every shard; the manifest has the bytes that one process would
 * write.
 */
#ifndef DG_JOIN_PARTS_H
#define DG_JOIN_PARTS_H

#include "datagen/problem.h"
#include "datagen/sets/made_from.h"

/* Finds out whether this part exists, belongs to the same work and has all its files. */
T2_MUST_CHECK enum t2_status dg_part_is_made(const char *path, const struct dg_made_from *made_from,
                                             const char *data_dir, bool *is_made,
                                             struct t2_err *err);

/* Writes the manifest and removes parts and plan; nothing to do when the manifest is there.
 * T2_ENOTFOUND when a shard is not made yet: the message says which. */
T2_MUST_CHECK enum t2_status dg_join_parts(const char *name, const char *data_dir,
                                           struct t2_err *err);
/* The same as soon as all shards are there: waits for other processes. */
T2_MUST_CHECK enum t2_status dg_join_when_made(const char *name, const char *data_dir,
                                               struct t2_err *err);

#endif
