/*
 * tests/unit/datagen/problems/parallel_archives.h - a small language pair: archives in a fresh
 * tmp_dir.
 */
#ifndef T2_TESTS_PARALLEL_ARCHIVES_H
#define T2_TESTS_PARALLEL_ARCHIVES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "datagen/problems/translate.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/source/archives.h"

static const struct dg_source_file t_pairs = {.name = "pairs.tgz", .gone = "made by the test"};
static const struct dg_source_file t_tables = {.name = "tables.tar", .gone = "made by the test"};
static const struct dg_source_file t_extra = {.name = "extra.tar", .gone = "made by the test"};

static const struct dg_parallel_source t_train[] = {
    DG_STEM(t_pairs, "d/train", "en", "de"),
    {.file = &t_tables, .kind = DG_PARALLEL_TSV, .lang1 = "t/*.tsv", .column1 = 1, .column2 = 0},
    {.file = &t_extra,
     .kind = DG_PARALLEL_PAIR,
     .lang1 = "x.en",
     .lang2 = "x.de",
     .is_optional = true},
    {.file = NULL}};
static const struct dg_parallel_source t_dev[] = {DG_STEM(t_pairs, "d/dev", "en", "de"),
                                                  {.file = NULL}};

/* A fresh folder with the archives; valid as t_tmp_path is. */
static inline struct dg_options t_archives(const char *dir)
{
    static const struct t_member pairs[] = {{"d/train.en", "one\ntwo \n\n", NULL, NULL},
                                            {"d/train.de", "eins\nzwei\nleer\n", NULL, NULL},
                                            {"d/dev.en", "d1\n", NULL, NULL},
                                            {"d/dev.de", "d2\n", NULL, NULL},
                                            {"d/unused", "x", NULL, NULL}},
                                 tables[] = {{"t/b.tsv", "drei\tthree\n", NULL, NULL},
                                             {"t/a.tsv", "vier\tfour\n", NULL, NULL},
                                             {"t/other", "x", NULL, NULL}};
    struct dg_options options = {.tmp_dir = t_tmp_path(dir), .data_dir = t_tmp_path(dir)};
    char path[4096];
    struct t2_err err = T2_ERR_INIT;

    t2_log_set_level(T2_LOG_ERROR);
    options.random_seed = 429459;
    assert_int_equal(t2_make_dirs(options.tmp_dir, &err), T2_OK);
    snprintf(path, sizeof path, "%s/pairs.tgz", options.tmp_dir);
    t_write_archive(path, "ustar", "gzip", NULL, pairs, 5);
    snprintf(path, sizeof path, "%s/tables.tar", options.tmp_dir);
    t_write_archive(path, "ustar", "none", NULL, tables, 3);
    return options;
}

static inline bool t_has(const struct dg_options *options, const char *name)
{
    char *path = t2_path_join(options->tmp_dir, name);
    bool has = t2_exists(path);

    free(path);
    return has;
}

static inline void t_put(const struct dg_options *options, const char *name, const char *text)
{
    char *path = t2_path_join(options->tmp_dir, name);

    t_write_file(path, text, strlen(text));
    free(path);
}

#endif
