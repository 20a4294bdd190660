/*
 * datagen/problem_registry.h - which problems there are, and which of them a command line means.
 */
#ifndef DG_PROBLEM_REGISTRY_H
#define DG_PROBLEM_REGISTRY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "datagen/problem.h"

/* The problems that are built in as tables, each family in its own file; others are in problem
 * files (problem_files/builtin_files.h). */
extern const struct dg_family dg_family_own_text; /* problem_tmpdir.c */
extern const struct dg_family dg_family_numbers;  /* problem_numbers.c */
extern const struct dg_family dg_family_official; /* official/official_problem.c */
extern const struct dg_family dg_family_algorithmic;
extern const struct dg_family dg_family_algebra;
extern const struct dg_family dg_family_transduction;
extern const struct dg_family dg_family_lm1b;
extern const struct dg_family dg_family_wikitext;
extern const struct dg_family dg_family_wiki_lm;
extern const struct dg_family dg_family_wiki_dump, dg_family_wiki_revision;
extern const struct dg_family dg_family_enwik8;
extern const struct dg_family dg_family_math_text;
extern const struct dg_family dg_family_tagging;
extern const struct dg_family dg_family_code;
extern const struct dg_family dg_family_snli_trees;
extern const struct dg_family dg_family_mnist, dg_family_cifar, dg_family_imagenet,
    dg_family_celeba, dg_family_image_text, dg_family_lsun, dg_family_vqa, dg_family_fsns,
    dg_family_allen_brain, dg_family_flowers;
extern const struct dg_family dg_family_sentiment; /* problems/problem_sentiment.c */
extern const struct dg_family dg_family_squad, dg_family_summarize, dg_family_style,
    dg_family_captions, dg_family_babi, dg_family_dialog, dg_family_lambada, dg_family_agreement;
extern const struct dg_family dg_family_librispeech, dg_family_common_voice;
extern const struct dg_family dg_family_translate_bpe, dg_family_translate_small;

/* Built in family i, in the order of the list; NULL behind the last.  Reads all problem files. */
const struct dg_family *dg_family_at(size_t i);

/* The family that a problem is listed in; NULL when it is in none.  Reads no other problem file. */
const struct dg_family *dg_family_of(const struct dg_problem *p);

/*
 * Names that --problem and --exclude_problems select, sorted (spec t2t-datagen.md §1.2): "name",
 * "a,b", "prefix*".  Where the original ignores an item that it does not know, this is T2_EUSAGE
 * with the nearest name; _rev and _copy are taken off with a note.
 */
T2_MUST_CHECK enum t2_status dg_select(const char *problem, const char *exclude_problems,
                                       struct t2_strs *selected, struct t2_err *err);

/* The grouped list of the original: a heading where the part before the first '_' changes. */
void dg_list_grouped(const struct t2_strs *names, struct t2_buf *text);

/* T2_EUSAGE unless name can name a data set: lower-case letters, digits and '_', beginning with a
 * letter, not ending in _rev or _copy. */
T2_MUST_CHECK enum t2_status dg_check_name(const char *name, struct t2_err *err);

#endif
