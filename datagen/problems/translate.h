/*
 * datagen/problems/translate.h - translation problems: what their tables hold (T2T's
 * TranslateProblem, spec t2t-datagen.md §5.6, §8.1).
 *
 * Sources are found in tmp_dir, unpacked or packed, or downloaded; of an archive only the named
 * members are unpacked, into tmp_dir under their names.  They become <tmp_dir>/<stem>train.lang1,
 * .lang2 and <stem>dev.lang1, .lang2, which are kept and used again; the samples are their lines.
 */
#ifndef DG_PROBLEMS_TRANSLATE_H
#define DG_PROBLEMS_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "datagen/fetch/fetch_files.h"
#include "datagen/problem.h"
#include "datagen/source/compile.h"

/* Parallel text in one file of a public source. */
struct dg_parallel_source {
    const struct dg_source_file *file; /* an archive; TMX: the text itself */
    enum dg_parallel_kind kind;
    const char *lang1, *lang2; /* members; TSV: lang1 is a pattern of members; TMX: NULL */
    int column1, column2;      /* TSV: from 0 */
    bool is_optional;          /* used only when it is in tmp_dir: it has to be asked for by hand */
};

/* The context of a problem; lists end with a source without file. */
struct dg_translate {
    const struct dg_parallel_source *train, *dev;
    bool is_ready;        /* the files of a pair are the text: nothing is compiled */
    const char *compiled; /* stem of the compiled files; NULL: "<problem>-compiled-" */
    bool clean_text, clean_tmx;
    uint64_t vocab_budget; /* 0: DG_VOCAB_BUDGET */
    /* Pairs of files in tmp_dir that the user has translated by a model: each is followed by all of
     * the compiled text.  NULL-ended; NULL: none. */
    const char *const (*synthetic)[2];
    uint64_t n_sampled;  /* so many of the training pairs, drawn at random; 0: all */
    uint64_t n_expected; /* how many pairs the drawing expects */
};

/* Functions of struct dg_problem. */
T2_MUST_CHECK enum t2_status dg_translate_prepare(const struct dg_problem *p,
                                                  const struct dg_options *options,
                                                  struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_translate_open(const struct dg_problem *p,
                                               const struct dg_options *options,
                                               enum dg_split split, struct dg_stream **stream,
                                               struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_translate_open_vocab_text(const struct dg_problem *p,
                                                          const struct dg_options *options,
                                                          enum dg_side_index side,
                                                          struct dg_stream **stream,
                                                          struct t2_err *err);
/* The draws of n_sampled. */
T2_MUST_CHECK enum t2_status dg_translate_before_shuffle(const struct dg_problem *p,
                                                         const struct dg_options *options,
                                                         struct t2_mt *mt, struct t2_err *err);

/* ---- for tables
 * ------------------------------------------------------------------------------- */

/* Entries of a list of sources. */
#define DG_PAIR(file_, lang1_, lang2_)                                                             \
    {                                                                                              \
        .file = &(file_), .kind = DG_PARALLEL_PAIR, .lang1 = (lang1_), .lang2 = (lang2_)           \
    }
#define DG_SGM(file_, lang1_, lang2_)                                                              \
    {                                                                                              \
        .file = &(file_), .kind = DG_PARALLEL_SGM, .lang1 = (lang1_), .lang2 = (lang2_)            \
    }
/* The same stem with the endings of two languages. */
#define DG_STEM(file_, stem, ending1, ending2) DG_PAIR(file_, stem "." ending1, stem "." ending2)

/* Vocabularies, the last arguments of DG_TRANSLATE_PROBLEM. */
#define DG_SUBWORDS(n) .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = (n)}
#define DG_SUBWORDS_OF(problem, n)                                                                 \
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = (n), .of_problem = (problem)}
/* Of four languages, built from another problem's data. */
#define DG_SUBWORDS_OF_FOUR                                                                        \
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS,                                                   \
                      .approx_size = 64000,                                                        \
                      .of_problem = "languagemodel_de_en_fr_ro_wiki64k",                           \
                      .file = "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords"}
#define DG_CHARACTERS .targets_vocab = {.kind = DG_VOCAB_BYTES}

/* Defines a problem with one vocabulary: a struct dg_translate, its files, the number of train
 * shards (T2T's is 100), and more members. */
#define DG_TRANSLATE_PROBLEM(name_, summary_, spec_, files_, n_train_, ...)                        \
    static const struct dg_problem name_ = {.name = #name_,                                        \
                                            .summary = (summary_),                                 \
                                            .has_inputs = true,                                    \
                                            .shared_vocab = true,                                  \
                                            .n_shards = {n_train_, 1, 0},                          \
                                            .sources = (files_),                                   \
                                            .prepare = dg_translate_prepare,                       \
                                            .open = dg_translate_open,                             \
                                            .open_vocab_text = dg_translate_open_vocab_text,       \
                                            .context = &(spec_),                                   \
                                            __VA_ARGS__}

#endif
