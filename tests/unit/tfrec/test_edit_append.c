/*
 * test_edit_append.c - new shards behind the old ones, which keep their bytes; what does not fit.
 */
#include "tfrec/edit_append.h"

#include <unistd.h>

#include "base/json.h"
#include "tests/support/record_writer.h"
#include "tests/unit/tfrec/edit_set.h"
#include "tfrecord/record_index.h"

static enum t2_status append(const char *set, const char *input, const char *split,
                             uint64_t shard_bytes, int n_threads, struct rec_append_counts *counts,
                             struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct tfr_inputs in;
    struct rec_append_options o = {&in, split, shard_bytes};
    struct rec_edit *e;
    enum t2_status st;

    es_find(input, &in);
    e = es_open(set, "tfrec append", &in);
    st = rec_edit_append(e, &o, pool, counts, err);
    if (st == T2_OK && counts->n_records > 0)
        st = rec_edit_commit(e, err);
    rec_edit_free(e);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
    return st;
}

static void test_append(void **state)
{
    const char *set = es_make("one");
    struct stat before = es_stat(set, "x-train-00001-of-00003");
    struct stat dev = es_stat(set, "x-dev-00000-of-00001");
    struct rec_append_counts counts;

    (void) state;
    es_write(t_tmp_path("more"), 20, 23);
    ES_OK(append(set, t_tmp_path("more"), NULL, 0, 1, &counts, &es_err));
    assert_int_equal(counts.n_records, 3);
    assert_int_equal(counts.n_new, 1);
    assert_int_equal(counts.n_renamed, 3);
    assert_string_equal(es_content(set), "0 1 2 | 3 4 5 | 6 7 8 9 | 20 21 22 / 0 1 2 3 ");
    es_assert_same_file(es_stat(set, "x-train-00001-of-00004"), before);
    es_assert_same_file(es_stat(set, "x-dev-00000-of-00001"), dev);
    assert_null(strstr(es_names(set), "of-00003"));
}

/* The same names and bytes for any number of threads; T2T's pattern finds all. */
static void test_threads_and_many_shards(void **state)
{
    struct rec_append_counts counts;
    char hashes[2][65];

    (void) state;
    es_write(t_tmp_path("lots"), 0, 500);
    for (int i = 0; i < 2; i++) {
        const char *set = es_make(i ? "threads2" : "threads1");
        struct tfr_manifest *m = NULL;
        struct tfr_inputs in;
        char *dir = t2_path_dir(set), *pattern = t2_path_join(dir, "x-train@*");
        ES_OK(append(set, t_tmp_path("lots"), "train", 2000, 1 + i, &counts, &es_err));
        assert_true(counts.n_new > 8);
        ES_OK(tfr_manifest_load(set, &m, &es_err));
        memcpy(hashes[i], m->sha256, 65);
        assert_int_equal(m->splits[0].n_records, 510);
        for (size_t k = 3; k < m->splits[0].n_shards; k++)
            assert_true(m->splits[0].shards[k].bytes <= 2000);
        tfr_manifest_free(m);
        es_find(pattern, &in);
        assert_int_equal(in.n, 3 + counts.n_new);
        tfr_inputs_release(&in);
        (void) es_content(set);
        t2_free(pattern);
        t2_free(dir);
    }
    /* the same but for nothing: command, names and bytes are equal */
    assert_string_equal(hashes[0], hashes[1]);
}

static void test_features_are_joined(void **state)
{
    const char *set = es_make("joined");
    struct rec_append_counts counts;
    struct tfr_manifest *m = NULL;

    (void) state;
    es_write(t_tmp_path("wide"), 100, 102);
    ES_OK(append(set, t_tmp_path("wide"), "dev", 0, 1, &counts, &es_err));
    ES_OK(tfr_manifest_load(set, &m, &es_err));
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->max_value, 101);
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->min_value, 0);
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->n_values, 3 * 16);
    tfr_manifest_free(m);
}

static void write_one(const char *path, const struct tfr_feature *features, size_t n)
{
    struct t2_buf payload = {0};
    struct t_writer *w = NULL;

    tfr_example_build(&payload, features, n);
    ES_OK(t_writer_new(path, &w, &es_err));
    t_writer_add(w, payload.data, payload.len_bytes);
    ES_OK(t_writer_commit(w, &es_err));
    t2_buf_release(&payload);
}

static void refused(const char *set, const char *message)
{
    struct rec_append_counts counts;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(append(set, t_tmp_path("odd"), "train", 0, 2, &counts, &err), T2_EFORMAT);
    t_assert_contains(err.message, "odd': record 0 at offset 0: ");
    t_assert_contains(err.message, message);
    assert_string_equal(es_content(set), es_untouched);
    assert_null(strstr(es_names(set), "edit"));
}

static void test_what_does_not_fit(void **state)
{
    const char *set = es_make("fit");
    const int64_t ints[] = {1, 2};
    const float floats[] = {1};
    const struct tfr_feature inputs = {.name = "inputs", .kind = TFR_INT64, .n = 2, .ints = ints};
    const struct tfr_feature label = {.name = "label", .kind = TFR_FLOAT, .n = 1, .floats = floats};
    const struct tfr_feature other = {.name = "labels", .kind = TFR_INT64, .n = 1, .ints = ints};
    const struct tfr_feature none = {.name = "label", .kind = TFR_NONE};
    const char *path = t_tmp_path("odd");

    (void) state;
    write_one(path, (struct tfr_feature[]){inputs, label}, 2);
    refused(set, "feature 'label' is float, in the data set it is int64");
    write_one(path, (struct tfr_feature[]){inputs, other}, 2);
    refused(set, "feature 'labels' is not one of the data set's");
    write_one(path, (struct tfr_feature[]){inputs}, 1);
    refused(set, "feature 'label' is missing; every record of the data set has it");
    write_one(path, (struct tfr_feature[]){inputs, none}, 2);
    refused(set, "feature 'label' is missing");
}

static void test_in_the_way(void **state)
{
    const char *set = es_make("way");
    struct rec_append_counts counts;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    es_write(t_tmp_path("few"), 0, 1);
    es_write(t_tmp_path("way/x-train-00003-of-00004"), 0, 1);
    assert_int_equal(append(set, t_tmp_path("few"), "train", 0, 1, &counts, &err), T2_EIO);
    t_assert_contains(err.message, "x-train-00003-of-00004' is in the way");
    assert_string_equal(es_content(set), es_untouched);
}

static void test_splits(void **state)
{
    const char *set = es_make("no_split");
    struct rec_append_counts counts;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    es_write(t_tmp_path("few"), 0, 1);
    assert_int_equal(append(set, t_tmp_path("few"), "test", 0, 1, &counts, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "has no split 'test'; --split can be one of 'train', 'dev'");
    es_write(t_tmp_path("few"), 0, 0);
    ES_OK(append(set, t_tmp_path("few"), "dev", 0, 1, &counts, &es_err)); /* nothing */
    assert_int_equal(counts.n_records, 0);
    assert_string_equal(es_content(set), es_untouched);
}

/* Shards whose names have no total keep theirs. */
static void test_other_names(void **state)
{
    struct tfr_inputs in;
    struct rec_manifest_made made;
    struct rec_append_counts counts;
    struct t2_pool *pool = t2_pool_new(1);

    (void) state;
    assert_int_equal(mkdir(t_tmp_path("names"), 0700), 0);
    es_write(t_tmp_path("names/a.tfrecord"), 0, 2);
    es_write(t_tmp_path("names/b.tfrecord"), 2, 4);
    es_find(t_tmp_path("names"), &in);
    ES_OK(rec_make_manifest(&in, "n", pool, &made, &es_err));
    es_write(t_tmp_path("few"), 7, 8);
    for (int i = 0; i < 2; i++) {
        es_write(t_tmp_path("few"), 7 + i, 8 + i);
        ES_OK(append(made.path, t_tmp_path("few"), NULL, 0, 1, &counts, &es_err));
        assert_int_equal(counts.n_renamed, 0);
    }
    assert_string_equal(es_content(made.path), "0 1 | 2 3 | 7 | 8 ");
    assert_string_equal(es_names(made.path), "a.tfrecord\nb.tfrecord\nn-all-added-00000.tfrecord\n"
                                             "n-all-added-00001.tfrecord\nn.manifest.json\n");
    rec_manifest_made_release(&made);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_append), cmocka_unit_test(test_threads_and_many_shards),
       cmocka_unit_test(test_features_are_joined), cmocka_unit_test(test_what_does_not_fit),
       cmocka_unit_test(test_in_the_way), cmocka_unit_test(test_splits),
       cmocka_unit_test(test_other_names))
