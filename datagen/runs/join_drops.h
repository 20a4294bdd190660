/*
 * datagen/runs/join_drops.h - what each task left out by itself, in one report.
 *
 * Tasks that read all samples tell the same of them all; those of a problem that makes each shard
 * by itself (shard_maker.h) tell of their own shards only, and say so: "dropped": {"of_task":
 * true}.
 */
#ifndef DG_JOIN_DROPS_H
#define DG_JOIN_DROPS_H

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/manifest.h"

/* Puts what all n parts left out, and the texts that they mended, into the text of the joined
 * manifest. */
T2_MUST_CHECK enum t2_status dg_join_drops(struct tfr_manifest *const *parts, size_t n,
                                           struct t2_buf *text, struct t2_err *err);

#endif
