/*
 * datagen/runs/join_shared.h - what splits share, of a set whose shards many tasks have made.
 */
#ifndef DG_JOIN_SHARED_H
#define DG_JOIN_SHARED_H

#include "tfrecord/manifest.h"

/* If the text of a joined manifest has the member "shared_samples", which parts leave empty, reads
 * and counts the records of all shards of m; without any shared ones the member is removed. */
T2_MUST_CHECK enum t2_status dg_join_shared(const struct tfr_manifest *m, const char *data_dir,
                                            struct t2_buf *text, struct t2_err *err);

#endif
