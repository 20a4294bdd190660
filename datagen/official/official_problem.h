/*
 * datagen/official/official_problem.h - what the official Transformer's data_download makes, as
 * problems.
 *
 * Spec official-transformer.md §2, §3.6, §3.7.  tmp_dir is --raw_dir.
 */
#ifndef DG_OFFICIAL_PROBLEM_H
#define DG_OFFICIAL_PROBLEM_H

#include "datagen/problem.h"

/* wmt32k: English to German, from the public sources.  Registered. */
extern const struct dg_problem dg_problem_wmt32k;

struct dg_official_spec {
    bool search; /* look for min_count; else 6 */
    /* Text of one's own in the same layout; name NULL: wmt32k. */
    const char *name;
    const char *files[DG_N_SPLITS]; /* as --train, --dev: pairs of files; "": none */
    int64_t vocab_size;             /* 0: 32768 */
    uint64_t budget; /* characters of each file that feed the vocabulary; 0: 1000000 */
};

/* *p is owned by the caller (dg_official_free); strings of the spec are borrowed.  T2_EUSAGE for
 * names and files that make no sense. */
T2_MUST_CHECK enum t2_status dg_official_new(const struct dg_official_spec *spec,
                                             struct dg_problem **p, struct t2_err *err);
/* Makes raw_dir and data_dir, with the original's log lines. */
T2_MUST_CHECK enum t2_status dg_official_folders(const struct dg_options *options,
                                                 struct t2_err *err);
void dg_official_free(struct dg_problem *p); /* NULL is allowed */

#endif
