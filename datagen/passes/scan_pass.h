/*
 * datagen/passes/scan_pass.h - the first reading: are the inputs good, what are they, which words
 * occur?
 *
 * Nothing is written before every split has been scanned, so that a broken input leaves no half
 * data set behind.
 */
#ifndef DG_SCAN_PASS_H
#define DG_SCAN_PASS_H

#include "base/pool.h"
#include "datagen/passes/line_cache.h"
#include "datagen/source/sample_batch.h"
#include "datagen/vocabs/problem_vocab.h"

struct dg_scan_limits {
    uint64_t count_bytes; /* of tables of words, then they go to disk; 0: no limit */
    uint64_t keep_bytes;  /* of text that is kept for the second reading; 0: none */
    const char *beside;   /* of scratch files: any name in their folder */
    uint64_t build_bytes; /* words that need more to build a vocabulary from are refused; 0: any */
};

/* Zero-initialise, but limits; dg_scan_release. */
struct dg_scan {
    struct dg_scan_limits limits;
    uint64_t n_samples[DG_N_SPLITS]; /* kept ones */
    struct dg_input_files files[DG_N_SPLITS];
    struct dg_drops drops[DG_N_SPLITS];
    struct tok_counts *counts[DG_N_SIDES]; /* of TRAIN; shared: only [DG_TARGETS] */
    struct dg_line_cache kept[DG_N_SPLITS];
    uint64_t
        n_replaced[DG_N_SPLITS]; /* texts that had bytes which are not UTF-8 (DG_INVALID_REPLACE) */
};
void dg_scan_release(struct dg_scan *s);

/* Reads one split to its end; words are counted when count_words and split is DG_TRAIN.  T2_EFORMAT
 * when there is no sample at all. */
T2_MUST_CHECK enum t2_status dg_scan_split(const struct dg_problem *p,
                                           const struct dg_options *options, enum dg_split split,
                                           bool count_words, struct t2_pool *pool,
                                           struct dg_scan *scan, struct t2_err *err);

/* Counts the words of p->vocab.open_text into *counts, which is owned by the caller; limits as in a
 * scan. */
T2_MUST_CHECK enum t2_status dg_scan_vocab_text(const struct dg_problem *p,
                                                const struct dg_options *options,
                                                enum dg_side_index side,
                                                const struct dg_scan_limits *limits,
                                                struct t2_pool *pool, struct tok_counts **counts,
                                                struct t2_err *err);

#endif
