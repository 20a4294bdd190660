/*
 * datagen/problem_files/problem_draft.h - the keys of one problem, read but not put together yet.
 */
#ifndef DG_PROBLEM_FILES_PROBLEM_DRAFT_H
#define DG_PROBLEM_FILES_PROBLEM_DRAFT_H

#include "datagen/own/problem_own_text.h"
#include "datagen/problem_files/file_sources.h"
#include "datagen/problem_files/file_values.h"

/* What a problem is made of; each key goes with some of them. */
enum dg_draft_kind {
    DG_DRAFT_OWN_TEXT,    /* kind: text2text, text2self, text2class */
    DG_DRAFT_TRANSLATION, /* kind: translation (problems/translate.h) */
    DG_DRAFT_ROWS,        /* kind: rows (problems/class_rows.h) */
    DG_DRAFT_MIXTURE,     /* members */
    DG_DRAFT_REFUSED      /* refusal */
};

enum { DG_MAX_KEYS = 80 };

/* Zero-initialise; what was not given is 0 or NULL.  Strings and values are borrowed. */
struct dg_draft {
    struct dg_own_text own; /* without files and classes */
    const char *family, *summary, *licence, *refusal, *dataset_filename;
    const char *vocab_of, *vocab_file, *side_vocab_file[DG_N_SIDES];
    int64_t n_shards[DG_N_SPLITS];
    bool already_shuffled;
    const struct t2_json_value *splits[DG_N_SPLITS]; /* texts, sources or members, by kind */
    const struct t2_json_value *sources, *members, *classes;
    /* translation */
    const char *compiled;
    int64_t vocab_budget, sampled_pairs, expected_pairs;
    bool clean_text, clean_tmx;
    const struct t2_json_value *synthetic;
    /* rows */
    const struct t2_json_value *from, *dev_list, *columns, *before;
    int64_t header_lines;
    bool skip_short_rows, both_orders, numbered_labels;
    const char *no_label;

    bool given[DG_MAX_KEYS]; /* by the place in the table of keys */
};

/* Reads one key; a value that was given before is replaced.  T2_EFORMAT. */
T2_MUST_CHECK enum t2_status dg_draft_key(struct dg_draft *d, const struct dg_file_value *v,
                                          struct t2_err *err);
/* Which kind it is.  T2_EFORMAT: a kind that is not known, or a key that does not go with it. */
T2_MUST_CHECK enum t2_status dg_draft_check(const struct dg_draft *d, const char *path,
                                            enum dg_draft_kind *kind, struct t2_err *err);

#endif
