/*
 * tfrecord/shards.h - names of sharded files: <stem>-<split>-00000-of-00100.
 *
 * Spec t2t-datagen.md §2.1.  The official Transformer's data_download counts from 1, 00001-of-00100
 * to 00100-of-00100 (official-transformer.md §2.4): such sets are found, too.
 */
#ifndef TFR_SHARDS_H
#define TFR_SHARDS_H

#include "base/err.h"
#include "base/str.h"

/* "<dir>/<stem>-<split>-%05d-of-%05d"; owned by the caller.  split may be NULL:
 * "<stem>-%05d-of-%05d". */
char *tfr_shard_path(const char *dir, const char *stem, const char *split, int shard, int n_shards);

/*
 * The complete shards <dir>/<stem>-<split>-NNNNN-of-MMMMM, sorted.  ".incomplete" and
 * "-unshuffled-" files are not taken.  T2_ENOTFOUND when there is none (names what was looked for
 * and what is there); T2_EFORMAT when totals are mixed or a shard is missing (says which).
 */
T2_MUST_CHECK enum t2_status tfr_find_shards(const char *dir, const char *stem, const char *split,
                                             struct t2_strs *paths, struct t2_err *err);

/* The name of a file <dir>/<stem>-NNNNN-of-MMMMM with MMMMM other than n_shards, which files of
 * n_shards would be mixed with; NULL when there is none (or no such folder).  Owned by the caller.
 */
T2_MUST_CHECK enum t2_status tfr_find_other_shards(const char *dir, const char *stem, int n_shards,
                                                   char **name, struct t2_err *err);

/* Length of a file name without its "-NNNNN-of-MMMMM"; all of it when it has none. */
size_t tfr_shard_stem_length(const char *name);

#endif
