/*
 * Record files found in the wild and written by the originals: everything is read, framed again
 * and, where records are Examples, built again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

/* Values of all features of an example, as tfr_example_build wants them. */
static size_t to_features(const struct tfr_example *ex, struct tfr_feature *f)
{
    for (size_t i = 0; i < ex->n; i++) {
        const struct tfr_view *v = &ex->views[i];
        void *values = t2_alloc(v->n + 1, 16);
        f[i] =
            (struct tfr_feature){.name = t2_strndup((const char *) v->name.data, v->name.len_bytes),
                                 .kind = v->kind,
                                 .n = v->n};
        if (v->kind == TFR_INT64) {
            tfr_view_ints(v, values);
            f[i].ints = values;
        } else if (v->kind == TFR_FLOAT) {
            tfr_view_floats(v, values);
            f[i].floats = values;
        } else if (v->kind == TFR_BYTES) {
            tfr_view_bytes(v, values);
            f[i].bytes = values;
        } else {
            t2_free(values);
        }
    }
    return ex->n;
}

static void free_features(struct tfr_feature *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t2_free((void *) (uintptr_t) f[i].name);
        t2_free((void *) (uintptr_t) f[i].ints);
        t2_free((void *) (uintptr_t) f[i].floats);
        t2_free((void *) (uintptr_t) f[i].bytes);
    }
}

/* Builds the record again with sorted names.  Sorted records come out as they went in, others with
 * as many bytes. */
static void rebuild(const struct tfr_example *ex, struct t2_slice rec, bool *same,
                    struct t2_buf *out)
{
    struct tfr_feature *f = t2_alloc(ex->n + 1, sizeof *f);
    size_t n = to_features(ex, f);

    t2_buf_clear(out);
    tfr_example_build(out, f, n);
    *same = t2_slice_eq(t2_buf_slice(out), rec);
    free_features(f, n);
    t2_free(f);
}

struct totals {
    size_t n_files, n_records, n_examples, n_same;
};

/* Reads a file; `frames` becomes its framing made anew. */
static void read_whole(const char *path, struct t2_buf *frames, struct totals *sum)
{
    struct tfr_reader *r = NULL;
    struct tfr_example ex = {0};
    struct t2_buf again = {0};
    struct t2_slice rec;
    struct t2_err err = T2_ERR_INIT, parse_err = T2_ERR_INIT;
    enum t2_status st;
    uint64_t counted = 0, n = 0;
    bool same;

    if (tfr_reader_new(path, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (; (st = tfr_reader_next(r, &rec, &err)) == T2_OK; n++) {
        tfr_frame(frames, rec.data, rec.len_bytes);
        if (tfr_example_parse(&ex, rec, &parse_err) != T2_OK)
            continue;
        rebuild(&ex, rec, &same, &again);
        sum->n_examples++;
        sum->n_same += same;
    }
    if (st != T2_EOF)
        fail_msg("%s", err.message);
    tfr_reader_free(r);
    assert_int_equal(tfr_count(path, &counted, &err), T2_OK);
    assert_int_equal(counted, n);
    sum->n_files++;
    sum->n_records += n;
    tfr_example_release(&ex);
    t2_buf_release(&again);
}

static void test_samples(void **state)
{
    const char *dir = t_data_path("tfrecord-samples");
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;
    struct totals sum = {0};
    (void) state;

    if (!dir)
        t_skip("no tfrecord-samples in T2_DATA");
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        struct t2_buf frames = {0}, file = {0};
        if (t2_ends_with(path, ".md")) { /* what is not a record file says so */
            uint64_t n;
            assert_int_equal(tfr_count(path, &n, &err), T2_EFORMAT);
            t_assert_contains(err.message, "is not a TFRecord file");
            t_assert_contains(err.message, "it looks like text");
        } else if (!t2_is_dir(path)) {
            read_whole(path, &frames, &sum);
            assert_int_equal(t2_read_file(path, 0, &file, &err), T2_OK);
            if (!t2_ends_with(path, ".gz"))
                assert_true(t2_slice_eq(t2_buf_slice(&frames), t2_buf_slice(&file)));
        }
        t2_buf_release(&frames);
        t2_buf_release(&file);
        t2_free(path);
    }
    print_message("%zu files, %zu records, %zu Examples, %zu with sorted names\n", sum.n_files,
                  sum.n_records, sum.n_examples, sum.n_same);
    assert_true(sum.n_records > 0);
    t2_strs_release(&names);
}

/* ---- shards of the originals, names of features sorted ---- */

/* The hash that SHA256SUMS.sorted gives for a shard; NULL when it is not listed. */
static const char *listed(const char *sums, const char *shard)
{
    size_t n = strlen(shard);

    for (const char *line = sums; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n');
        if (!end)
            return NULL;
        size_t len = (size_t) (end - line);
        if (len > 66 + n - 1 && memcmp(end - n, shard, n) == 0 &&
            (end[-(long) n - 1] == ' ' || end[-(long) n - 1] == '/'))
            return line;
    }
    return NULL;
}

static void check_run(const char *run, struct totals *sum, size_t *n_listed)
{
    char *shards = t2_path_join(run, "shards");
    char *sums_path = t2_path_join(run, "SHA256SUMS.sorted");
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf sums = {0};

    if (t2_is_dir(shards) && t2_exists(sums_path)) {
        assert_int_equal(t2_read_file(sums_path, 0, &sums, &err), T2_OK);
        assert_int_equal(t2_list_dir(shards, &names, &err), T2_OK);
    }
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(shards, names.items[i]);
        char *stem = t2_strdup(names.items[i]);
        struct t2_buf frames = {0};
        char sha[65];
        if (t2_ends_with(stem, ".gz"))
            stem[strlen(stem) - 3] = '\0';
        read_whole(path, &frames, sum);
        t2_sha256_of(frames.data, frames.len_bytes, sha);
        const char *line = listed(t2_buf_cstr(&sums), stem);
        if (line) {
            ++*n_listed;
            assert_memory_equal(line, sha, 64);
        }
        t2_buf_release(&frames);
        t2_free(stem);
        t2_free(path);
    }
    t2_strs_release(&names);
    t2_buf_release(&sums);
    t2_free(sums_path);
    t2_free(shards);
}

static void test_reference_runs(void **state)
{
    const char *dir = t_data_path("reference-runs");
    struct t2_strs runs = {0};
    struct t2_err err = T2_ERR_INIT;
    struct totals sum = {0};
    size_t n_listed = 0;
    (void) state;

    if (!dir)
        t_skip("no reference-runs in T2_DATA");
    assert_int_equal(t2_list_dir(dir, &runs, &err), T2_OK);
    for (size_t i = 0; i < runs.n; i++) {
        char *run = t2_path_join(dir, runs.items[i]);
        check_run(run, &sum, &n_listed);
        t2_free(run);
    }
    print_message("%zu shards (%zu with a known hash), %zu records\n", sum.n_files, n_listed,
                  sum.n_records);
    assert_true(n_listed > 0);
    assert_int_equal(sum.n_examples, sum.n_records);
    assert_int_equal(sum.n_same, sum.n_records); /* our builder writes the same bytes */
    t2_strs_release(&runs);
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_reference_runs))
