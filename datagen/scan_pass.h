/*
 * datagen/scan_pass.h - the first reading: are the inputs good, what are they, which words occur?
 *
 * Nothing is written before every split has been scanned, so that a broken input leaves no half
 * data set behind.
 */
#ifndef DG_SCAN_PASS_H
#define DG_SCAN_PASS_H

#include "base/pool.h"
#include "datagen/problem_vocab.h"
#include "datagen/sample_batch.h"

/* Zero-initialise; dg_scan_release. */
struct dg_scan {
    uint64_t n_samples[DG_N_SPLITS]; /* kept ones */
    struct dg_input_files files[DG_N_SPLITS];
    struct dg_drops drops[DG_N_SPLITS];
    struct tok_counts *counts[DG_N_SIDES]; /* of TRAIN; shared: only [DG_TARGETS] */
};
void dg_scan_release(struct dg_scan *s);

/* Reads one split to its end; words are counted when count_words and split is DG_TRAIN.  T2_EFORMAT
 * when there is no sample at all. */
T2_MUST_CHECK enum t2_status dg_scan_split(const struct dg_problem *p,
                                           const struct dg_options *options, enum dg_split split,
                                           bool count_words, struct t2_pool *pool,
                                           struct dg_scan *scan, struct t2_err *err);

/* Counts the words of p->open_vocab_text into *counts, which is owned by the caller. */
T2_MUST_CHECK enum t2_status dg_scan_vocab_text(const struct dg_problem *p,
                                                const struct dg_options *options,
                                                enum dg_side_index side, struct t2_pool *pool,
                                                struct tok_counts **counts, struct t2_err *err);

#endif
