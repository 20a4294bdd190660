/*
 * train/input/index.h - where every sample of a split is and how long it is: 16 bytes each.
 *
 * Made by one parallel pass over the shards that checks everything once: framing and checksums,
 * features, ids within the vocabulary.  After that training only meets what was seen here, or says
 * that a shard has changed.
 */
#ifndef IN_INDEX_H
#define IN_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "train/input/record.h"
#include "train/input/scheme.h"
#include "train/input/shard_reader.h"

enum { IN_OFFSET_BITS = 44 }; /* 16 TiB a shard, a million shards */

struct in_place {
    uint64_t at;                           /* shard << IN_OFFSET_BITS | offset of the record */
    int32_t inputs_length, targets_length; /* of a piece, where records are split */
};

/* What a shard was when it was read; a shard that is no longer that is an error. */
struct in_shard {
    uint64_t bytes, inode;
    int64_t changed_s, changed_ns; /* time of last change */
};

/* What is there of one of several problems. */
struct in_task_counts {
    uint64_t n_shards, n_bytes, n_records, n_kept;
    const struct in_recipe *recipe; /* borrowed */
};

struct in_index {
    struct t2_strs paths;    /* of the shards, problem after problem */
    struct in_shard *shards; /* (paths.n) */
    struct in_place *places; /* (n): kept samples only, in order of shard and record */
    uint32_t *pieces;        /* (n): of a record that is split, which piece; NULL when none is */
    uint64_t n;
    uint64_t n_records, n_too_long, n_too_short;
    uint64_t n_inputs_tokens, n_targets_tokens; /* of the kept samples */
    uint64_t n_longer_tokens;                   /* of the longer side of each */
    uint64_t bytes;                             /* of all shards */
    bool has_targets;                           /* some target is not padding */
    struct in_corrupt corrupt;                  /* passed over, by recipe->max_corrupt */
    int n_tasks;                                /* 0: one problem */
    struct in_task_counts *tasks;               /* (n_tasks) */
};

/* The shards of one problem: <dataset>-<split>, and what their records are.  Borrowed. */
struct in_source {
    const char *dataset, *split;
    const struct in_recipe *recipe;
};

/*
 * Reads the shards of <dir>/<dataset>-<split> on n_threads (0 = all CPUs) and keeps samples with
 * scheme->min_length <= length <= scheme->max_length, where length is that of the longer side.
 * max_records > 0: only the first so many records.
 *
 * T2_EFORMAT names shard, record and offset of the first bad record, of more than
 * recipe->max_corrupt; T2_ENOTFOUND when there are no shards; T2_EINTERRUPTED.  The same for any
 * number of threads.
 */
T2_MUST_CHECK enum t2_status in_index_read(const char *dir, const char *dataset, const char *split,
                                           const struct in_recipe *recipe,
                                           const struct in_scheme *scheme, uint64_t max_records,
                                           int n_threads, struct in_index *index,
                                           struct t2_err *err);
/*
 * The same of several problems, n of them, in this order; recipe->max_corrupt is of the first.
 */
T2_MUST_CHECK enum t2_status in_index_read_tasks(const char *dir, const struct in_source *sources,
                                                 int n, const struct in_scheme *scheme,
                                                 int n_threads, struct in_index *index,
                                                 struct t2_err *err);
void in_index_release(struct in_index *index);

/* What the records of a shard are: `alone`, or the recipe of their problem. */
const struct in_recipe *in_shard_recipe(const struct in_index *index, const struct in_recipe *alone,
                                        size_t shard);

/* The length that T2T buckets by. */
static inline int32_t in_place_length(const struct in_place *p)
{
    return p->inputs_length > p->targets_length ? p->inputs_length : p->targets_length;
}

/* "'shards/x-train-00001-of-00002': record 17 at offset 4711" of a place of the index, whose
 * records have all been kept.  Owned by the caller. */
char *in_place_name(const struct in_index *index, const struct in_place *place);

/* Compares the open file with what it was.  T2_EFORMAT: it has changed. */
T2_MUST_CHECK enum t2_status in_shard_stat(int fd, const char *path, struct in_shard *shard,
                                           struct t2_err *err);
bool in_shard_same(const struct in_shard *a, const struct in_shard *b);

#endif
