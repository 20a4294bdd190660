/*
 * datagen/problems/problem_wiki_revision.h - wiki_revision*: what the command line says of them.
 */
#ifndef DG_PROBLEM_WIKI_REVISION_H
#define DG_PROBLEM_WIKI_REVISION_H

#include "datagen/problem.h"

/* T2T's flags --wiki_revision_<name>, and two of all problems. */
struct dg_revision_spec {
    const char *data_prefix; /* of the dumps' paths; "": what is in tmp_dir */
    const char *vocab_file;  /* ready; "": built */
    int64_t num_train_shards, num_dev_shards;
    int64_t max_examples_per_shard; /* 0: all */
    int64_t max_page_size_exp;
    double max_equal_to_diff_ratio;
    double revision_skip_factor;
    double percent_identical_examples;
    bool introduce_errors;
    uint64_t max_unpacked; /* of a dump; 0: any */
};
#define DG_REVISION_SPEC_INIT                                                                      \
    {                                                                                              \
        .data_prefix = "", .vocab_file = "", .num_train_shards = 50, .num_dev_shards = 1,          \
        .max_page_size_exp = 26, .revision_skip_factor = 1.5, .percent_identical_examples = 0.04,  \
        .introduce_errors = true                                                                   \
    }

/* Rows for a table of flags whose ROW is (role, name, type, value, meta, help); w is a struct
 * dg_revision_spec. */
/* clang-format off */
#define DG_REVISION_ROWS(ROW, role, w)                                                             \
    ROW(role, "wiki_revision_data_prefix", STRING, &(w).data_prefix, "PREFIX",                     \
        "The dumps of page histories are the files PREFIX*: .7z, .bz2, .gz, .xml; without the "    \
        "flag '*pages-meta-history*' in --tmp_dir.")                                               \
    ROW(role, "wiki_revision_num_train_shards", INT, &(w).num_train_shards, "N",                   \
        "Dump i makes shard i modulo all shards, first those of train.")                           \
    ROW(role, "wiki_revision_num_dev_shards", INT, &(w).num_dev_shards, "N", "Shards of dev.")     \
    ROW(role, "wiki_revision_vocab_file", STRING, &(w).vocab_file, "FILE",                         \
        "Subwords to use; without the flag they are built of the last 10923 pages.")               \
    ROW(role, "wiki_revision_max_examples_per_shard", INT, &(w).max_examples_per_shard, "N",       \
        "Stop a shard behind the page that gives so many; 0 means all.")                           \
    ROW(role, "wiki_revision_max_page_size_exp", INT, &(w).max_page_size_exp, "N",                 \
        "Leave out pages of 2^N bytes or more, all revisions together.")                           \
    ROW(role, "wiki_revision_max_equal_to_diff_ratio", DOUBLE, &(w).max_equal_to_diff_ratio, "X",  \
        "Leave out pairs with more than X different ids for each equal one; 0 means none.")        \
    ROW(role, "wiki_revision_revision_skip_factor", DOUBLE, &(w).revision_skip_factor, "X",        \
        "Compare revisions whose numbers grow by this factor; 1 or less means all.")               \
    ROW(role, "wiki_revision_percent_identical_examples", DOUBLE, &(w).percent_identical_examples, \
        "X", "Share (not percent) of pairs that are the same on both sides.")                      \
    ROW(role, "wiki_revision_introduce_errors", BOOL, &(w).introduce_errors, NULL,                 \
        "Bring errors into the old side.")
/* clang-format on */

bool dg_is_revision_problem(const struct dg_problem *p);

/*
 * A wiki_revision* problem as the flags want it; spec are copied, their strings borrowed. T2_EUSAGE
 * names the flag that is out of range.  *told is owned by the caller (dg_revision_problem_free).
 */
T2_MUST_CHECK enum t2_status dg_revision_problem_new(const struct dg_problem *p,
                                                     const struct dg_revision_spec *spec,
                                                     struct dg_problem **sizes, struct t2_err *err);
void dg_revision_problem_free(struct dg_problem *sizes); /* NULL is allowed */

#endif
