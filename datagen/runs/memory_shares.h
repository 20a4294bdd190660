/*
 * datagen/runs/memory_shares.h - what each part of a run may take of --max_memory.
 *
 * Parts that are never there together share: words and their vocabulary come before caches and
 * records.
 */
#ifndef DG_MEMORY_SHARES_H
#define DG_MEMORY_SHARES_H

#include "datagen/passes/scan_pass.h"
#include "datagen/runs/generate_options.h"

/* Less cannot be kept by any corpus. */
enum { DG_LEAST_MEMORY = 48 << 20, DG_LEAST_THREAD_MEMORY = 8 << 20 };

struct dg_memory_plan {
    struct dg_scan_limits scan;
    uint64_t cache_bytes;   /* of words that were cut before; 0: as many as are useful */
    uint64_t bins_bytes;    /* records that wait for their shard's turn */
    uint64_t shuffle_bytes; /* of records on disk that are shuffled at one time */
};

/* The same for a run whose problem keeps no lines (dg_encodes_lines); g->max_memory 0: no limits,
 * but kept text takes a part of what the machine has free only. */
struct dg_memory_plan dg_memory_plan_of(const struct dg_generate *g, bool keep_lines);

/* T2_EUSAGE when g->max_memory is too small for any work with so many threads, or more than there
 * is. */
T2_MUST_CHECK enum t2_status dg_memory_check(const struct dg_generate *g, struct t2_err *err);

#endif
