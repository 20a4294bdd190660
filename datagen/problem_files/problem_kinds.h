/*
 * datagen/problem_files/problem_kinds.h - from the keys of a problem to the problem, but for text
 * of one's own.
 */
#ifndef DG_PROBLEM_FILES_PROBLEM_KINDS_H
#define DG_PROBLEM_FILES_PROBLEM_KINDS_H

#include "datagen/problem.h"
#include "datagen/problem_files/problem_draft.h"

/* What the problems of a file share. */
struct dg_file_context {
    const char *path;
    struct dg_file_memory *memory;
    const struct dg_file_sources *files; /* `files` of the file */
};

/* Fills *p, zeroed, but for its name; kind is what dg_draft_check says.  T2_EFORMAT names the file
 * and the key. */
T2_MUST_CHECK enum t2_status dg_kind_translation(const struct dg_file_context *c,
                                                 const struct dg_draft *d, struct dg_problem *p,
                                                 struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_kind_rows(const struct dg_file_context *c, const struct dg_draft *d,
                                          struct dg_problem *p, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_kind_mixture(const struct dg_file_context *c,
                                             const struct dg_draft *d, struct dg_problem *p,
                                             struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_kind_refused(const struct dg_file_context *c,
                                             const struct dg_draft *d, struct dg_problem *p,
                                             struct t2_err *err);

/* ---- for those files themselves ---- */

/* The vocabulary that vocab_type, vocab_size, vocab_of and vocab_file say. */
T2_MUST_CHECK enum t2_status dg_kind_vocab(const struct dg_file_context *c,
                                           const struct dg_draft *d, struct dg_vocab_spec *spec,
                                           struct t2_err *err);
struct dg_file_value dg_kind_value(const struct dg_file_context *c, const char *key,
                                   const struct t2_json_value *json);
/* What all kinds that make records have; shards of a split by default: 100, 1, 1. */
T2_MUST_CHECK enum t2_status dg_kind_common(const struct dg_file_context *c,
                                            const struct dg_draft *d, struct dg_problem *p,
                                            struct t2_err *err);

/* Files that a problem needs, each once, in the order of their use. */
struct dg_kind_files {
    const struct dg_source_file **items; /* NULL-ended */
    size_t n;
};
void dg_kind_add_file(struct dg_kind_files *files, const struct dg_source_file *f);

#endif
