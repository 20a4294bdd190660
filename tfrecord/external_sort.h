/*
 * tfrecord/external_sort.h - sorting more than memory holds: sorted runs on disk, then merged.
 *
 * An item is a key, compared by its bytes (memcmp, shorter first), and data that comes along. Items
 * with equal keys keep the order in which they were added, so the result does not depend on the
 * memory.
 */
#ifndef TFR_EXTERNAL_SORT_H
#define TFR_EXTERNAL_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { TFR_SORT_MIN_MEMORY = 1 << 18 };

struct tfr_sorter;

/* Uses at most max_memory bytes (at least TFR_SORT_MIN_MEMORY), more only for an item that does not
 * fit; T2_ENOMEM when they cannot be had.  Runs are put into temporary files in tmp_dir when
 * needed. */
T2_MUST_CHECK enum t2_status tfr_sorter_new(const char *tmp_dir, uint64_t max_memory,
                                            struct tfr_sorter **s, struct t2_err *err);
T2_MUST_CHECK enum t2_status tfr_sorter_add(struct tfr_sorter *s, struct t2_slice key,
                                            struct t2_slice data, struct t2_err *err);
/* All are added.  After it tfr_sorter_next gives the items in order, and T2_EOF after the last;
 * what it gives is borrowed until the next call. */
T2_MUST_CHECK enum t2_status tfr_sorter_finish(struct tfr_sorter *s, struct t2_err *err);
T2_MUST_CHECK enum t2_status tfr_sorter_next(struct tfr_sorter *s, struct t2_slice *key,
                                             struct t2_slice *data, struct t2_err *err);
/* Runs that were written to disk; 0: all was done in memory. */
size_t tfr_sorter_runs(const struct tfr_sorter *s);
void tfr_sorter_free(struct tfr_sorter *s); /* NULL is allowed */

#endif
