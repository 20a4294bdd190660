/*
 * datagen/vocabs/problem_vocab.h - the vocabularies of a problem: names, building, taking,
 * encoding.
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

/* The spec for a side; the targets' when one vocabulary is shared, or there are no inputs: the
 * vocabulary of a language model that others use for their inputs. */
const struct dg_vocab_spec *dg_vocab_spec_of(const struct dg_problem *p, enum dg_side_index side);

/*
 * File name without folder, as T2T names it (spec t2t-datagen.md §5.2):
 * vocab.<stem>.<approx_size>.subwords or vocab.<stem>.tokens; a model of another program is
 * vocab.<stem>.<size>.<suffix>; with two vocabularies of text ".source" or ".target" is appended.
 * NULL for bytes and for what is not text.  Owned by the caller.
 */
char *dg_vocab_file_name(const struct dg_problem *p, enum dg_side_index side);

/* A loaded vocabulary; shared by threads. */
struct dg_vocab {
    enum dg_vocab_kind kind;
    struct tok_encoder *encoder; /* NULL: not of text */
    int64_t size;                /* number of ids */
    const char *oov_token;       /* of the spec */
};
void dg_vocab_release(struct dg_vocab *v);
/* Which kind a vocabulary file is, for a spec; suffix is for tok_file_suffix. */
enum dg_vocab_kind dg_vocab_kind_of(const struct tok_encoder *e);
/* Opens a vocabulary for data (tok_shift); path NULL for bytes.  T2_EFORMAT: it is of another
 * kind. */
T2_MUST_CHECK enum t2_status dg_vocab_open(const char *path, enum dg_vocab_kind kind,
                                           struct tok_encoder **e, struct t2_err *err);
/* tok_tokens_replace, the treatment of words that are not in a list of words, with a message that
 * names the file.  Does nothing to other kinds. */
T2_MUST_CHECK enum t2_status dg_vocab_replace(const char *path, struct tok_encoder *e,
                                              const char *oov_token, struct t2_err *err);
/* path NULL for bytes. */
T2_MUST_CHECK enum t2_status dg_vocab_load(const char *path, const struct dg_vocab_spec *spec,
                                           struct dg_vocab *v, struct t2_err *err);
/* Appends the ids of a cleaned text, without EOS. */
T2_MUST_CHECK enum t2_status dg_vocab_encode(const struct dg_vocab *v, struct tok_cache *cache,
                                             struct t2_slice text, struct tok_ids *ids,
                                             struct t2_err *err);

/*
 * Takes the vocabulary file `from` as `to`: the same bytes, but a word list that does not begin
 * with <pad> and <EOS> gets them, as the original's TokenTextEncoder adds them to a list.
 * T2_EFORMAT when `to` is there and holds something else.
 */
T2_MUST_CHECK enum t2_status dg_vocab_take(const char *from, const char *to, struct t2_err *err);

/* Builds the subwords of `counts` as wished and saves them (spec §4.6-4.8).  Warns with numbers
 * when the data cannot give that many.  T2_ENOMEM when it takes more than max_memory bytes (0:
 * any); counts may be emptied. */
T2_MUST_CHECK enum t2_status dg_vocab_build(struct tok_counts *counts,
                                            const struct dg_vocab_spec *spec, struct t2_pool *pool,
                                            uint64_t max_memory, const char *path,
                                            struct t2_err *err);
/* Memory that the build takes, about (tok_build_memory). */
uint64_t dg_vocab_build_memory(struct tok_counts *counts, const struct dg_vocab_spec *spec,
                               struct t2_pool *pool, uint64_t max_memory);

/* The problem whose data a vocabulary is built from: p, or what spec->of_problem names, to the end
 * of the chain.  NULL when there is no such problem. */
const struct dg_problem *dg_vocab_owner(const struct dg_problem *p, enum dg_side_index side);

#endif
