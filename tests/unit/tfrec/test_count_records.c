/*
 * tests/unit/tfrec/test_count_records.c - by index, manifest or reading; what is not counted ahead.
 */
#include "tfrec/count_records.h"

#include "base/file.h"
#include "tests/unit/tfrecord/index_files.h"

static struct tfr_input_file file_of(char *path)
{
    struct tfr_input_file f = {.path = path, .n_records = TFR_UNKNOWN_COUNT};

    assert_int_equal(t2_file_size(path, &f.bytes, &err), T2_OK);
    return f;
}

static void check(const struct tfr_input_file *f, bool only_reading, uint64_t n,
                  enum rec_count_by expected)
{
    enum rec_count_by by;
    uint64_t got;

    assert_int_equal(rec_count_file(f, only_reading, &got, &by, &err), T2_OK);
    assert_int_equal(got, n);
    assert_string_equal(rec_count_by_name(by), rec_count_by_name(expected));
}

static void test_by(void **state)
{
    char path[5000];
    uint64_t n;

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("by"));
    xf_write(path, 7, TFR_PLAIN);
    struct tfr_input_file f = file_of(path);
    check(&f, false, 7, REC_COUNT_READING);
    f.n_records = 8;
    f.manifest_bytes = f.bytes + 1; /* the manifest is of another file */
    check(&f, false, 7, REC_COUNT_READING);
    f.manifest_bytes = f.bytes;
    check(&f, false, 8, REC_COUNT_MANIFEST);
    check(&f, true, 7, REC_COUNT_READING);
    assert_int_equal(xf_build(path, NULL, true, false, 1, &n), T2_OK);
    check(&f, false, 7, REC_COUNT_INDEX);
    check(&f, true, 7, REC_COUNT_READING);
}

static void test_failure(void **state)
{
    char missing[] = "/no/such/file";
    struct tfr_input_file f = {.path = missing, .n_records = TFR_UNKNOWN_COUNT};
    enum rec_count_by by;
    uint64_t n;

    (void) state;
    assert_int_equal(rec_count_file(&f, false, &n, &by, &err), T2_ENOTFOUND);
    assert_int_equal(rec_count_file(&f, true, &n, &by, &err), T2_ENOTFOUND);
}

static void test_ahead(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    char plain[5000], gzip[5000], dash[] = "-";
    struct tfr_input_file files[3];
    struct tfr_inputs in = {files, 2, 0};
    uint64_t n;

    (void) state;
    snprintf(plain, sizeof plain, "%s", t_tmp_path("plain"));
    snprintf(gzip, sizeof gzip, "%s", t_tmp_path("gzip"));
    xf_write(plain, 7, TFR_PLAIN);
    xf_write(gzip, 5, TFR_GZIP);
    files[0] = files[1] = file_of(plain);
    assert_int_equal(rec_count_ahead(&in, pool, &n, &err), T2_OK);
    assert_int_equal(n, 14);
    files[1] = file_of(gzip);
    assert_int_equal(rec_count_ahead(&in, pool, &n, &err), T2_OK);
    assert_int_equal(n, TFR_UNKNOWN_COUNT);
    assert_int_equal(xf_build(gzip, NULL, true, false, 1, &n), T2_OK);
    assert_int_equal(rec_count_ahead(&in, pool, &n, &err), T2_OK);
    assert_int_equal(n, 12);
    files[2] = (struct tfr_input_file){.path = dash};
    in.n = 3;
    assert_int_equal(rec_count_ahead(&in, pool, &n, &err), T2_OK);
    assert_int_equal(n, TFR_UNKNOWN_COUNT);
    t_write_file(plain, "no record here at all", 21);
    assert_int_equal(rec_count_ahead(&in, pool, &n, &err), T2_EFORMAT);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_by), cmocka_unit_test(test_failure), cmocka_unit_test(test_ahead))
