/*
 * tfrecord/external_merge.h - sorted runs of items in a temporary file, merged; behind
 * external_sort.h.
 */
#ifndef TFR_EXTERNAL_MERGE_H
#define TFR_EXTERNAL_MERGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"

struct tfr_external_file;

/* An item in memory and on disk: length of the key, of the data, key, data. */
enum { TFR_ITEM_HEAD = 12 };

static inline void tfr_item_put(uint8_t *p, struct t2_slice key, struct t2_slice data)
{
    uint32_t key_bytes = (uint32_t) key.len_bytes;
    uint64_t data_bytes = data.len_bytes;

    memcpy(p, &key_bytes, sizeof key_bytes);
    memcpy(p + sizeof key_bytes, &data_bytes, sizeof data_bytes);
    if (key_bytes > 0)
        memcpy(p + TFR_ITEM_HEAD, key.data, key_bytes);
    if (data_bytes > 0)
        memcpy(p + TFR_ITEM_HEAD + key_bytes, data.data, data_bytes);
}

static inline void tfr_item_split(const uint8_t *p, struct t2_slice *key, struct t2_slice *data)
{
    uint32_t key_bytes;
    uint64_t data_bytes;

    memcpy(&key_bytes, p, sizeof key_bytes);
    memcpy(&data_bytes, p + sizeof key_bytes, sizeof data_bytes);
    *key = (struct t2_slice){p + TFR_ITEM_HEAD, key_bytes};
    *data = (struct t2_slice){p + TFR_ITEM_HEAD + key_bytes, (size_t) data_bytes};
}

static inline size_t tfr_item_bytes(const uint8_t *p)
{
    struct t2_slice key, data;

    tfr_item_split(p, &key, &data);
    return TFR_ITEM_HEAD + key.len_bytes + data.len_bytes;
}

struct tfr_run {
    uint64_t begin, end;  /* in the file */
    size_t largest_bytes; /* of its items: so much memory it takes while it is merged */
};

/*
 * Merges the runs; of equal keys those of earlier runs come first.  With more runs than buffers (or
 * largest items) fit into max_memory, neighbours are merged into longer runs in another file first;
 * *file, *runs and *n_runs are then replaced.  Two runs are merged whatever they take.  They stay
 * the caller's, and must outlive the merge.
 */
struct tfr_merge;
T2_MUST_CHECK enum t2_status tfr_merge_new(const char *dir, struct tfr_external_file **file,
                                           struct tfr_run **runs, size_t *n_runs, size_t max_memory,
                                           struct tfr_merge **m, struct t2_err *err);
/* As tfr_sorter_next. */
T2_MUST_CHECK enum t2_status tfr_merge_next(struct tfr_merge *m, struct t2_slice *key,
                                            struct t2_slice *data, struct t2_err *err);
void tfr_merge_free(struct tfr_merge *m); /* NULL is allowed */

#endif
