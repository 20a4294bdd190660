/*
 * tests/unit/tfrec/edit_set.h - a small data set with a manifest, for the tests of editing.
 *
 * Record i of a split has inputs [i, 5, 1] and label [i % 3]; train has 10 records in 3 shards, dev
 * 4 in 1.
 */
#ifndef T2_TESTS_UNIT_TFREC_EDIT_SET_H
#define T2_TESTS_UNIT_TFREC_EDIT_SET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/pool.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrec/edit.h"
#include "tfrec/make_manifest.h"
#include "tfrecord/reader.h"

enum { ES_TRAIN = 10, ES_DEV = 4 };

static struct t2_err es_err;

#define ES_OK(expression)                                                                          \
    do {                                                                                           \
        es_err = (struct t2_err) T2_ERR_INIT;                                                      \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s: %s", #expression, es_err.message);                                       \
    } while (0)

static inline void es_example(struct t2_buf *out, int64_t i, int64_t label)
{
    const int64_t inputs[] = {i, 5, 1};
    const struct tfr_feature features[] = {
        {.name = "inputs", .kind = TFR_INT64, .n = 3, .ints = inputs},
        {.name = "label", .kind = TFR_INT64, .n = 1, .ints = &label}};

    t2_buf_clear(out);
    tfr_example_build(out, features, 2);
}

/* Records first ... last - 1. */
static inline void es_write(const char *path, int64_t first, int64_t last)
{
    struct t_writer *w = NULL;
    struct t2_buf payload = {0};

    ES_OK(t_writer_new(path, &w, &es_err));
    for (int64_t i = first; i < last; i++) {
        es_example(&payload, i, i % 3);
        t_writer_add(w, payload.data, payload.len_bytes);
    }
    ES_OK(t_writer_commit(w, &es_err));
    t2_buf_release(&payload);
}

/* A fresh folder with the set "x"; its manifest's path, valid for long. */
static inline const char *es_make(const char *dir_name)
{
    static char path[8][4200];
    static int next;
    char dir[4000], *at = path[next++ % 8];
    struct t2_strs args = {0};
    struct tfr_inputs in;
    struct rec_manifest_made made;
    struct t2_pool *pool = t2_pool_new(1);

    snprintf(dir, sizeof dir, "%s", t_tmp_path(dir_name));
    assert_int_equal(mkdir(dir, 0700), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(at, sizeof path[0], "%s/x-train-%05d-of-00003", dir, i);
        es_write(at, i * ES_TRAIN / 3, (i + 1) * ES_TRAIN / 3);
    }
    snprintf(at, sizeof path[0], "%s/x-dev-00000-of-00001", dir);
    es_write(at, 0, ES_DEV);
    t2_strs_push(&args, dir);
    ES_OK(tfr_inputs_find(&args, &in, &es_err));
    ES_OK(rec_make_manifest(&in, NULL, pool, &made, &es_err));
    snprintf(at, sizeof path[0], "%s", made.path);
    rec_manifest_made_release(&made);
    tfr_inputs_release(&in);
    t2_strs_release(&args);
    t2_pool_free(pool);
    return at;
}

static inline void es_find(const char *arg, struct tfr_inputs *in)
{
    struct t2_strs args = {0};

    t2_strs_push(&args, arg);
    ES_OK(tfr_inputs_find(&args, in, &es_err));
    t2_strs_release(&args);
}

static inline struct rec_edit *es_open(const char *set, const char *command,
                                       const struct tfr_inputs *others)
{
    const struct rec_edit_options o = {.set = set, .command = command, .others = others};
    struct rec_edit *e = NULL;

    ES_OK(rec_edit_open(&o, &e, &es_err));
    return e;
}

/* "0 1 2 | 3 4" : first value of inputs of each record, '|' between shards, '/' between splits;
 * fails when files and manifest do not belong together. */
static inline const char *es_content(const char *manifest)
{
    static struct t2_buf text;
    struct tfr_manifest *m = NULL;
    struct tfr_example ex = {0};

    t2_buf_clear(&text);
    ES_OK(tfr_manifest_load(manifest, &m, &es_err));
    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards; i++) {
            const struct tfr_manifest_shard *shard = &m->splits[s].shards[i];
            char *dir = t2_path_dir(manifest), *path = t2_path_join(dir, shard->file);
            struct tfr_reader *r = NULL;
            struct t2_slice rec;
            char sha256[65];
            uint64_t bytes;
            t2_buf_puts(&text, i > 0 ? "| " : s > 0 ? "/ " : "");
            ES_OK(tfr_reader_new(path, &r, &es_err));
            while (tfr_reader_next(r, &rec, &es_err) == T2_OK) {
                int64_t v[3], label;
                ES_OK(tfr_example_parse(&ex, rec, &es_err));
                tfr_view_ints(tfr_example_find(&ex, "inputs"), v);
                tfr_view_ints(tfr_example_find(&ex, "label"), &label);
                t2_buf_printf(&text, "%d%s ", (int) v[0], label == v[0] % 3 ? "" : "*");
            }
            assert_int_equal(tfr_reader_count(r), shard->n_records);
            tfr_reader_free(r);
            ES_OK(t2_sha256_file(path, sha256, &bytes, &es_err));
            assert_string_equal(sha256, shard->sha256);
            assert_int_equal(bytes, shard->bytes);
            t2_free(path);
            t2_free(dir);
        }
    }
    tfr_example_release(&ex);
    tfr_manifest_free(m);
    return t2_buf_cstr(&text);
}

static const char es_untouched[] = "0 1 2 | 3 4 5 | 6 7 8 9 / 0 1 2 3 ";

/* Everything in the set's folder, a name a line. */
static inline const char *es_names(const char *manifest)
{
    static struct t2_buf text;
    struct t2_strs names = {0};
    char *dir = t2_path_dir(manifest);

    t2_buf_clear(&text);
    ES_OK(t2_list_dir(dir, &names, &es_err));
    for (size_t i = 0; i < names.n; i++)
        t2_buf_printf(&text, "%s\n", names.items[i]);
    t2_strs_release(&names);
    t2_free(dir);
    return t2_buf_cstr(&text);
}

static inline struct stat es_stat(const char *manifest, const char *file)
{
    char *dir = t2_path_dir(manifest), *path = t2_path_join(dir, file);
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    t2_free(path);
    t2_free(dir);
    return info;
}

static inline void es_assert_same_file(struct stat a, struct stat b)
{
    assert_int_equal(a.st_ino, b.st_ino);
    assert_int_equal(a.st_mtim.tv_sec, b.st_mtim.tv_sec);
    assert_int_equal(a.st_mtim.tv_nsec, b.st_mtim.tv_nsec);
}

#endif
