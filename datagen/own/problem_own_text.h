/*
 * datagen/own/problem_own_text.h - a problem out of a user's own files, without code.
 */
#ifndef DG_PROBLEM_OWN_TEXT_H
#define DG_PROBLEM_OWN_TEXT_H

#include "base/err.h"
#include "datagen/problem.h"
#include "datagen/source/filter_stream.h"
#include "datagen/source/held_out_stream.h"

/* Flags of the command line; "", NULL and 0 where not given.  Borrowed. */
struct dg_own_text {
    const char *name;
    const char *kind;               /* see own_kinds.c */
    const char *files[DG_N_SPLITS]; /* see dg_text_parts_parse */
    const char *tsv, *csv, *jsonl;  /* columns of all files, see dg_columns_parse */
    const char *classes;            /* names of the labels, "neg,pos" */
    const char *mix;                /* "news:3,ted:1": see source/mix_stream.h */
    struct dg_filters filters;      /* of the train split; duplicates is what the next one says */
    const char *drop_duplicates;    /* "none", "pairs", "inputs" or "targets" */
    const char *clean;              /* "inputs" or "targets", the side that is English: see
                                       source/clean_stream.h */
    const char *vocab_type;         /* "subwords", "character", "tokens" or "ids" */
    int64_t vocab_size;
    int64_t source_vocab_size, target_vocab_size; /* both or none: two vocabularies */
    const char *vocab;                            /* an existing vocabulary for both sides */
    const char *source_vocab, *target_vocab;      /* or one per side */
    const char
        *oov_token; /* word lists: the entry for other words; "": <UNK>, UNK or <unk> if there */
    const char *prefix[DG_N_SIDES]; /* "": none */
    int64_t packed_length;
    struct dg_held_out held_out; /* of the train files, for dev and test */
    const char *base_dir; /* files that are neither absolute nor in tmp_dir are there; NULL: paths
                             as they are */
    uint64_t max_memory;  /* of the whole program, while labels are looked for; 0: no limit */
    const void *owner;    /* dg_own_text_owner gives it back */
};

/* T2_EUSAGE when the flags contradict each other.  *p is owned by the caller and outlives nothing
 * of `own` but the strings. */
T2_MUST_CHECK enum t2_status dg_own_text_new(const struct dg_own_text *own, struct dg_problem **p,
                                             struct t2_err *err);
void dg_own_text_free(struct dg_problem *p);
const void *dg_own_text_owner(const struct dg_problem *p);

#endif
