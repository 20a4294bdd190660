/*
 * datagen/problem_vocab.h - the vocabularies of a problem: names, building, taking, encoding.
 */
#ifndef DG_PROBLEM_VOCAB_H
#define DG_PROBLEM_VOCAB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "datagen/problem.h"
#include "tokenizer/encoder.h"
#include "tokenizer/vocab_builder.h"

/* Sides of a problem, as array index. */
enum dg_side_index { DG_INPUTS, DG_TARGETS };
enum { DG_N_SIDES = 2 };

/* The wish for a side; the targets' when one vocabulary is shared. */
const struct dg_vocab_wish *dg_vocab_wish_of(const struct dg_problem *p, enum dg_side_index side);

/*
 * File name without folder, as T2T names it (spec t2t-datagen.md §5.2):
 * vocab.<stem>.<approx_size>.subwords or vocab.<stem>.tokens; with two vocabularies ".source" or
 * ".target" is appended.  NULL for bytes.  Owned by the caller.
 */
char *dg_vocab_file_name(const struct dg_problem *p, enum dg_side_index side);

/* A loaded vocabulary; shared by threads. */
struct dg_vocab {
    enum dg_vocab_kind kind;
    struct tok_encoder *encoder;
    struct t2_map *words; /* tokens: word -> id */
    bool has_oov;
    int32_t oov_id;
};
void dg_vocab_release(struct dg_vocab *v);
/* path NULL for bytes. */
T2_MUST_CHECK enum t2_status dg_vocab_load(const char *path, const struct dg_vocab_wish *wish,
                                           struct dg_vocab *v, struct t2_err *err);
/* Appends the ids of a cleaned text, without EOS. */
T2_MUST_CHECK enum t2_status dg_vocab_encode(const struct dg_vocab *v, struct tok_cache *cache,
                                             struct t2_slice text, struct tok_ids *ids,
                                             struct t2_err *err);

/* Builds the subwords of `counts` towards approx_size and saves them (spec §4.6-4.8).  Warns with
 * numbers when the data cannot give that many. */
T2_MUST_CHECK enum t2_status dg_vocab_build(const struct tok_counts *counts, int64_t approx_size,
                                            struct t2_pool *pool, const char *path,
                                            struct t2_err *err);

#endif
