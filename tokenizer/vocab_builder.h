/*
 * tokenizer/vocab_builder.h - build a subword vocabulary from word counts, as T2T or as the
 * official Transformer does.
 *
 * Spec t2t-datagen.md §4.6, §4.7 (SubwordTextEncoder.build_to_target_size), official-transformer.md
 * §3.7
 * (_generate_subtokens).  The result does not
 * depend on threads or on the order of the counts.
 */
#ifndef TOK_VOCAB_BUILDER_H
#define TOK_VOCAB_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "tokenizer/encoder.h"

/* Word counts; several may be filled in parallel and merged (sums: order does not matter). */
struct tok_counts;
struct tok_counts *tok_counts_new(void);
void tok_counts_free(struct tok_counts *c);
void tok_counts_add_text(struct tok_counts *c, const uint8_t *text, size_t len_bytes);
/* Each line of the text on its own, faster than one call for each (tok_encode_lines says what a
 * line is). */
void tok_counts_add_lines(struct tok_counts *c, const uint8_t *text, size_t len_bytes);
void tok_counts_add(struct tok_counts *c, const uint8_t *word, size_t len_bytes, uint64_t n);
void tok_counts_merge(struct tok_counts *into, const struct tok_counts *from);
size_t tok_counts_distinct(const struct tok_counts *c);
uint64_t tok_counts_characters(const struct tok_counts *c); /* of all distinct words */
size_t tok_counts_memory(const struct tok_counts *c);

enum tok_dialect {
    TOK_DIALECT_T2T, /* SubwordTextEncoder: reserved tokens are escaped ("<pad>_"); a size within 1
                        % of the target is accepted */
    TOK_DIALECT_OFFICIAL /* Subtokenizer of the official Transformer: reserved tokens as they are; a
                            size less than `threshold` from the target is accepted; no longest
                            subtoken */
};

enum { TOK_OFFICIAL_THRESHOLD = 327, TOK_OFFICIAL_MIN_COUNT = 6 };

struct tok_build_options {
    enum tok_dialect dialect;
    int64_t target_size; /* of the search; 0: no search, build once with min_count */
    int64_t
        min_count; /* with target_size 0, or official with a target that is only said: then > 0 */
    int64_t threshold;           /* official: 0 = 327 */
    int iterations;              /* 0 = 4 */
    int max_subtoken_length;     /* 0 = none; 200 in text problems (counts up to 199: §4.6) */
    const char *const *reserved; /* NULL = <pad>, <EOS> */
    size_t n_reserved;
    /* Share of all characters (by occurrence) that the alphabet must cover: the rarest are left
     * out, and words with them are escaped.  0 or 1 = all, as the originals. */
    double character_coverage;
    struct t2_pool *pool; /* may be NULL */
    uint64_t
        max_memory; /* of counts, tree and probes: T2_ENOMEM when a probe needs more; 0 = any */
    /* The counts again, to be emptied as soon as they were read when memory is short; NULL: they
     * stay. */
    struct tok_counts *spent;
    /* The original's log lines ("Trying min_count 500", "vocab_size = 6912"); may be NULL. */
    void (*log)(void *arg, const char *line);
    void *log_arg;
};

/* T2_EUSAGE when the options contradict each other or are out of range; tok_build asks it first. */
T2_MUST_CHECK enum t2_status tok_build_check(const struct tok_build_options *options,
                                             struct t2_err *err);

/*
 * Bytes that the program will have while tok_build works on these counts, the counts included: an
 * estimate from a sample, usually within 15 %.  Takes a pass over the counts and some 20 MB itself.
 * When that is more than options->max_memory: what the slower way takes, which builds the same from
 * a tree without its rare nodes (tok_tree_init_pruned).
 */
uint64_t tok_build_memory(const struct tok_counts *counts, const struct tok_build_options *options);
/* A lower bound of that which costs nothing. */
uint64_t tok_build_least(const struct tok_counts *counts);

/* T2_EFORMAT when there is no word at all; T2_EINTERRUPTED after a signal (base/signals.h), between
 * two probes of the search. */
T2_MUST_CHECK enum t2_status tok_build(const struct tok_counts *counts,
                                       const struct tok_build_options *options,
                                       struct tok_encoder **e, struct t2_err *err);

#endif
