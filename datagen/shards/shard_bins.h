/*
 * datagen/shards/shard_bins.h - records on their way to their shards: one bin of bytes per shard.
 *
 * Bins grow in memory; when all together pass a limit they are appended to scratch files, so that
 * memory does not depend on the size of the corpus.  Scratch files carry T2T's "-unshuffled-"
 * names with ".incomplete" behind them; readers ignore those.  They are removed at the end.
 */
#ifndef DG_SHARD_BINS_H
#define DG_SHARD_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"

struct dg_bins;

/* One bin per scratch path, "" for bins that stay empty.  Old scratch files of these names are
 * removed. */
T2_MUST_CHECK enum t2_status dg_bins_new(const struct t2_strs *scratch_paths, uint64_t memory_bytes,
                                         struct dg_bins **bins, struct t2_err *err);
void dg_bins_free(struct dg_bins *b); /* removes the scratch files; NULL is allowed */

T2_MUST_CHECK enum t2_status dg_bins_add(struct dg_bins *b, size_t bin, const void *data,
                                         size_t len_bytes, struct t2_err *err);
size_t dg_bins_count(const struct dg_bins *b);

/* The whole content of a bin, given up by the bins: each bin is taken once. */
struct dg_bin {
    struct t2_buf memory; /* all of it when it is not on disk, or after dg_bin_load */
    uint64_t len_bytes;
    char *scratch; /* where it is on disk, removed by dg_bin_release; NULL: it is in memory */
    int fd;        /* of scratch */
};
T2_MUST_CHECK enum t2_status dg_bins_take(struct dg_bins *b, size_t bin, struct dg_bin *taken,
                                          struct t2_err *err);
/* len_bytes bytes of a bin that is on disk. */
T2_MUST_CHECK enum t2_status dg_bin_read(const struct dg_bin *taken, uint64_t offset, void *data,
                                         size_t len_bytes, struct t2_err *err);
/* All of it to memory. */
T2_MUST_CHECK enum t2_status dg_bin_load(struct dg_bin *taken, struct t2_err *err);
void dg_bin_release(struct dg_bin *taken); /* a zeroed one is allowed */

#endif
