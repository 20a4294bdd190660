/*
 * datagen/official/official_sources.h - what data_download of the official Transformer downloads.
 *
 * Spec official-transformer.md §2.2, §2.3 (_TRAIN_DATA_SOURCES, _EVAL_DATA_SOURCES,
 * _TEST_DATA_SOURCES of data_download.py).
 */
#ifndef DG_OFFICIAL_SOURCES_H
#define DG_OFFICIAL_SOURCES_H

#include <stddef.h>

#include "datagen/fetch/fetch_files.h"
#include "datagen/problem.h"

/* An archive and the two members of it that are wanted, known by the last part of their names. */
struct dg_official_source {
    const struct dg_source_file *archive; /* its first URL is the original's */
    const char *inputs, *targets;
};

/* The sources of a split, in the order that decides the bytes. */
const struct dg_official_source *dg_official_sources(enum dg_split split, size_t *n);
/* All archives, NULL-ended. */
extern const struct dg_source_file *const dg_official_archives[];

/* The data set: prefix of the shards, file name of the vocabulary, target of its search. */
#define DG_OFFICIAL_NAME "wmt32k"
#define DG_OFFICIAL_VOCAB "vocab.ende.32768"
enum { DG_OFFICIAL_VOCAB_SIZE = 32768, DG_OFFICIAL_TRAIN_SHARDS = 100, DG_OFFICIAL_DEV_SHARDS = 1 };

#endif
