/*
 * test_make_manifest.c - manifests for files that another program made.
 */
#include "tfrec/make_manifest.h"

#include <unistd.h>

#include "base/log.h"
#include "tests/support/record_writer.h"
#include "tests/unit/tfrec/edit_set.h"

static enum t2_status make(const char *input, const char *name, int n_threads,
                           struct rec_manifest_made *made, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct tfr_inputs in;
    enum t2_status st;

    es_find(input, &in);
    st = rec_make_manifest(&in, name, pool, made, err);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
    return st;
}

static void test_splits_and_names(void **state)
{
    const char *set = es_make("splits");
    struct tfr_manifest *m = NULL;

    (void) state;
    assert_string_equal(t2_path_base(set), "x.manifest.json");
    assert_string_equal(es_content(set), es_untouched); /* train before dev */
    ES_OK(tfr_manifest_load(set, &m, &es_err));
    assert_string_equal(m->problem, "x");
    assert_string_equal(m->splits[0].name, "train");
    assert_int_equal(m->n_features, 2);
    assert_string_equal(m->features[0].name, "inputs");
    assert_int_equal(m->features[0].max_value, 9);
    tfr_manifest_free(m);
}

static void check_name(const char *dir, const char *a, const char *b, const char *wanted)
{
    char path[300];
    struct rec_manifest_made made;

    assert_int_equal(mkdir(t_tmp_path(dir), 0700), 0);
    snprintf(path, sizeof path, "%s/%s", dir, a);
    es_write(t_tmp_path(path), 0, 1);
    snprintf(path, sizeof path, "%s/%s", dir, b);
    es_write(t_tmp_path(path), 1, 2);
    ES_OK(make(t_tmp_path(dir), NULL, 1, &made, &es_err));
    assert_string_equal(t2_path_base(made.path), wanted);
    assert_int_equal(made.n_records, 2);
    rec_manifest_made_release(&made);
}

static void test_name_of_files(void **state)
{
    (void) state;
    check_name("n1", "x-train-00000-of-00002", "x-train-00001-of-00002", "x.manifest.json");
    check_name("n2", "mnist-test.tfrecord-00000-of-00001", "mnist-train.tfrecord-00000-of-00001",
               "mnist.manifest.json");
    check_name("n3", "a.tfrecord", "b.tfrecord", "n3.manifest.json");
    check_name("n4", "cats_0.tfrecord", "cats_1.tfrecord", "cats.manifest.json");
    check_name("n5", "train.tfrecord", "test.tfrecord", "n5.manifest.json");
    check_name("n6", "part-00000-of-00002", "part-00001-of-00002", "part.manifest.json");
}

static void test_threads(void **state)
{
    char sha[2][65];

    (void) state;
    for (int i = 0; i < 2; i++) {
        const char *dir = i ? "th2" : "th1";
        struct rec_manifest_made made;
        struct tfr_manifest *m = NULL;
        char path[100];
        assert_int_equal(mkdir(t_tmp_path(dir), 0700), 0);
        for (int k = 0; k < 5; k++) {
            snprintf(path, sizeof path, "%s/f%d", dir, k);
            es_write(t_tmp_path(path), k * 100, k * 200);
        }
        ES_OK(make(t_tmp_path(dir), "same", 1 + 2 * i, &made, &es_err));
        ES_OK(tfr_manifest_load(made.path, &m, &es_err));
        memcpy(sha[i], m->sha256, 65);
        tfr_manifest_free(m);
        rec_manifest_made_release(&made);
    }
    assert_string_equal(sha[0], sha[1]);
}

static void write_raw(const char *path, const char *payload)
{
    struct t_writer *w = NULL;

    ES_OK(t_writer_new(path, &w, &es_err));
    t_writer_add(w, payload, strlen(payload));
    ES_OK(t_writer_commit(w, &es_err));
}

static void test_no_examples(void **state)
{
    struct rec_manifest_made made;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    assert_int_equal(mkdir(t_tmp_path("raw"), 0700), 0);
    write_raw(t_tmp_path("raw/a"), "no protobuf");
    ES_OK(make(t_tmp_path("raw"), NULL, 1, &made, &es_err));
    assert_int_equal(made.n_features, 0);
    assert_int_equal(made.n_records, 1);
    rec_manifest_made_release(&made);
    t2_log_set_level(T2_LOG_INFO);
    assert_int_equal(mkdir(t_tmp_path("mixed"), 0700), 0);
    es_write(t_tmp_path("mixed/a"), 0, 1);
    write_raw(t_tmp_path("mixed/b"), "no protobuf");
    assert_int_equal(make(t_tmp_path("mixed"), NULL, 1, &made, &err), T2_EFORMAT);
    t_assert_contains(err.message, "mixed/b': record 0");
    assert_null(strstr(es_names(t_tmp_path("mixed/a")), "manifest"));
}

static void refused(const char *input, const char *name, const char *message)
{
    struct rec_manifest_made made;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(make(input, name, 1, &made, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
    assert_null(made.path);
}

static void test_refusals(void **state)
{
    const char *set = es_make("refusals");
    struct tfr_inputs in;
    struct t2_strs args = {0};
    struct rec_manifest_made made;
    struct t2_pool *pool = t2_pool_new(1);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    refused(set, NULL, "x.manifest.json' is there already");
    refused(set, "a/b", "'a/b' is no name for a data set");
    refused(set, ".x", "'.x' is no name");
    refused("-", NULL, "'-' is no regular file");
    es_write(t_tmp_path("elsewhere"), 0, 1);
    t2_strs_push(&args, t_tmp_path("refusals/x-dev-00000-of-00001"));
    t2_strs_push(&args, t_tmp_path("elsewhere"));
    ES_OK(tfr_inputs_find(&args, &in, &es_err));
    assert_int_equal(rec_make_manifest(&in, "y", pool, &made, &err), T2_EUSAGE);
    t_assert_contains(err.message, "is not in the folder");
    in.files[1].path[0] = '\0';
    tfr_inputs_release(&in);
    t2_free(args.items[1]);
    args.items[1] = t2_strdup(args.items[0]);
    ES_OK(tfr_inputs_find(&args, &in, &es_err));
    assert_int_equal(rec_make_manifest(&in, "y", pool, &made, &err), T2_EUSAGE);
    t_assert_contains(err.message, "'x-dev-00000-of-00001' is given twice");
    tfr_inputs_release(&in);
    t2_strs_release(&args);
    t2_pool_free(pool);
}

static void test_damage(void **state)
{
    struct rec_manifest_made made;
    struct t2_err err = T2_ERR_INIT;
    char *data;
    size_t n;

    (void) state;
    assert_int_equal(mkdir(t_tmp_path("damage"), 0700), 0);
    es_write(t_tmp_path("damage/a"), 0, 5);
    data = t_read_file(t_tmp_path("damage/a"), &n);
    data[n - 10] = (char) (data[n - 10] ^ 1);
    t_write_file(t_tmp_path("damage/a"), data, n);
    free(data);
    assert_int_equal(make(t_tmp_path("damage"), NULL, 2, &made, &err), T2_EFORMAT);
    t_assert_contains(err.message, "record 4");
    assert_string_equal(es_names(t_tmp_path("damage/a")), "a\n");
}

T_MAIN(cmocka_unit_test(test_splits_and_names), cmocka_unit_test(test_name_of_files),
       cmocka_unit_test(test_threads), cmocka_unit_test(test_no_examples),
       cmocka_unit_test(test_refusals), cmocka_unit_test(test_damage))
