/*
 * small_set.h - small corpora and generated data sets for the tests of this folder.
 */
#ifndef T2_TESTS_DATAGEN_SMALL_SET_H
#define T2_TESTS_DATAGEN_SMALL_SET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "datagen/problem_registry.h"
#include "datagen/runs/generate.h"
#include "tests/support/t.h"

/* Spec t2t-datagen.md §12.5: "a small test i" and "ein kleiner Test i". */
static inline void ds_write_lines(const char *name, const char *text, int n)
{
    struct t2_buf lines = {0};

    for (int i = 0; i < n; i++)
        t2_buf_printf(&lines, "%s %d\n", text, i);
    t_write_file(t_tmp_path(name), lines.data, lines.len_bytes);
    t2_buf_release(&lines);
}

static inline void ds_write_tmpdir(int n)
{
    ds_write_lines("inputs.train.txt", "a small test", n);
    ds_write_lines("targets.train.txt", "ein kleiner Test", n);
    ds_write_lines("inputs.eval.txt", "a small test", 7);
    ds_write_lines("targets.eval.txt", "ein kleiner Test", 7);
}

/* Settings that write to the folder `name` of this test. */
static inline struct dg_generate ds_settings(const char *name, struct t2_pool *pool)
{
    struct dg_generate g = {0};

    g.options.data_dir = t_tmp_path(name);
    g.options.tmp_dir = t_tmp_path(".");
    g.options.random_seed = 429459;
    g.shuffle_bytes = 1 << 20;
    g.command = "t2t-datagen";
    g.pool = pool;
    g.options.pool = pool;
    return g;
}

/* "<sha256>  <file>\n" of every file in the folder whose name begins with prefix. */
static inline void ds_sums(const char *dir, const char *prefix, struct t2_buf *sums)
{
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]), hex[65];
        uint64_t bytes;
        if (t2_starts_with(names.items[i], prefix)) {
            assert_int_equal(t2_sha256_file(path, hex, &bytes, &err), T2_OK);
            t2_buf_printf(sums, "%s  %s\n", hex, names.items[i]);
        }
        t2_free(path);
    }
    t2_strs_release(&names);
}

#endif
