/*
 * tests/unit/tfrecord/test_index_open.c - fresh, absent, stale and damaged indexes.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/tfrecord/index_files.h"

static char data[5000];

static void begin(const char *name, bool binary, bool dali)
{
    uint64_t n;

    snprintf(data, sizeof data, "%s", t_tmp_path(name));
    xf_write(data, 20, TFR_PLAIN);
    if (binary || dali)
        assert_int_equal(xf_build(data, NULL, binary, dali, 1, &n), T2_OK);
}

static void expect(enum tfr_index_state state, const char *says)
{
    struct tfr_index *ix;
    enum tfr_index_state got;
    char why[300];

    assert_int_equal(tfr_index_open(data, &ix, &got, why, sizeof why, &err), T2_OK);
    assert_int_equal(got, state);
    t_assert_contains(why, says);
    if (state == TFR_INDEX_FRESH) {
        assert_int_equal(ix->n_records, 20);
        tfr_index_free(ix);
    } else {
        assert_null(ix);
    }
}

/* The time of the last change moves by some seconds. */
static void age(const char *suffix, int seconds)
{
    char path[5010];
    struct timespec times[2];
    struct stat info;

    snprintf(path, sizeof path, "%s%s", data, suffix);
    assert_int_equal(stat(path, &info), 0);
    times[0] = times[1] = info.st_mtim;
    times[1].tv_sec += seconds;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void append(const char *suffix, const char *bytes)
{
    char path[5010];
    size_t n;

    snprintf(path, sizeof path, "%s%s", data, suffix);
    char *old = t_read_file(path, &n);
    char *new = t2_alloc(n + strlen(bytes), 1);
    memcpy(new, old, n);
    memcpy(new + n, bytes, strlen(bytes));
    t_write_file(path, new, n + strlen(bytes));
    free(old);
    t2_free(new);
}

static void test_names(void **state)
{
    char *a = tfr_index_path("d/x"), *b = tfr_idx_path("d/x");

    (void) state;
    assert_string_equal(a, "d/x.tfri");
    assert_string_equal(b, "d/x.idx");
    t2_free(a);
    t2_free(b);
}

static void test_fresh(void **state)
{
    (void) state;
    begin("neither", false, false);
    expect(TFR_INDEX_ABSENT, "there is no index");
    begin("binary", true, false);
    expect(TFR_INDEX_FRESH, "");
    begin("idx", false, true);
    expect(TFR_INDEX_FRESH, "");
    begin("both", true, true);
    expect(TFR_INDEX_FRESH, "");
}

static void test_stale(void **state)
{
    struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    struct tfr_index *ix;
    enum tfr_index_state got;

    (void) state;
    begin("touched", true, true);
    age("", 5);
    expect(TFR_INDEX_STALE, "before its last change (or it is a copy)");
    age("", -5);
    expect(TFR_INDEX_FRESH, "");
    append("", "more");
    expect(TFR_INDEX_STALE, "which has");
    begin("idx-older", false, true);
    age(".idx", -1);
    expect(TFR_INDEX_STALE, "older than the file");
    begin("idx-longer", false, true);
    append("", "more");
    age(".idx", 5);
    expect(TFR_INDEX_STALE, "the file at byte");
    /* the same size and time, other bytes */
    begin("changed", true, false);
    struct stat info;
    assert_int_equal(stat(data, &info), 0);
    size_t n;
    char *bytes = t_read_file(data, &n);
    bytes[n - 1] ^= 1;
    t_write_file(data, bytes, n);
    free(bytes);
    now[1] = info.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, data, now, 0), 0);
    expect(TFR_INDEX_STALE, "before its last change");
    /* a stale binary index beside a sound .idx */
    begin("mixed", true, true);
    age("", 1);
    age(".idx", 2);
    expect(TFR_INDEX_FRESH, "");
    /* of a compressed file, .idx is of no use */
    begin("compressed", false, true);
    xf_write(data, 20, TFR_GZIP);
    age(".idx", 5);
    expect(TFR_INDEX_STALE, "compressed file");
    assert_int_equal(tfr_index_open(data, &ix, &got, NULL, 0, &err), T2_OK);
}

static void test_damaged(void **state)
{
    char path[5010];

    (void) state;
    begin("damaged", true, false);
    append(".tfri", "xxxxxxxx");
    expect(TFR_INDEX_DAMAGED, "cut short");
    begin("idx-damaged", false, true);
    append(".idx", "x");
    expect(TFR_INDEX_DAMAGED, "line 21");
    begin("empty-index", true, false);
    snprintf(path, sizeof path, "%s.tfri", data);
    t_write_file(path, "", 0);
    expect(TFR_INDEX_DAMAGED, "not a sound index");
}

static void test_no_file(void **state)
{
    struct tfr_index *ix;
    enum tfr_index_state got;
    char why[300];

    (void) state;
    assert_int_equal(tfr_index_open("/no/such/file", &ix, &got, why, sizeof why, &err),
                     T2_ENOTFOUND);
    assert_int_equal(tfr_index_open("/dev/null", &ix, &got, why, sizeof why, &err), T2_OK);
    assert_int_equal(got, TFR_INDEX_ABSENT);
    t_assert_contains(why, "not a regular file");
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_fresh), cmocka_unit_test(test_stale),
       cmocka_unit_test(test_damaged), cmocka_unit_test(test_no_file))
