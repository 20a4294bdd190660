/*
 * Writing record files: bytes, counts, digests, what stands under the name when.
 */
#include "tfrecord/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

static struct t2_err err;

static struct tfr_writer *open_ok(const char *path)
{
    struct tfr_writer *w = NULL;

    assert_int_equal(tfr_writer_new(path, &w, &err), T2_OK);
    return w;
}

static void assert_file(const char *path, const struct t2_buf *expected)
{
    size_t n;
    char *got = t_read_file(path, &n);

    assert_int_equal(n, expected->len_bytes);
    if (n > 0)
        assert_memory_equal(got, expected->data, n);
    free(got);
}

/* Spec formats E1. */
static void test_known_record(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    tfr_frame(&b, "hello", 5);
    assert_int_equal(b.len_bytes, 21);
    assert_memory_equal(b.data, "\5\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello\xbb\x1f\x1c\x19", 22);
    tfr_frame(&b, NULL, 0); /* appends; an empty payload needs no pointer */
    assert_int_equal(b.len_bytes, 37);
    assert_memory_equal(b.data + 33, "\xd8\xea\x82\xa2", 5);

    size_t begin = tfr_frame_begin(&b); /* the same, made in place */
    assert_int_equal(begin, 37);
    t2_buf_puts(&b, "hello");
    tfr_frame_end(&b, begin);
    assert_int_equal(b.len_bytes, 58);
    assert_memory_equal(b.data + 37, b.data, 21);
    begin = tfr_frame_begin(&b);
    tfr_frame_end(&b, begin);
    assert_memory_equal(b.data + 58, b.data + 21, 16);
    assert_int_equal(b.data[b.len_bytes], 0);
    t2_buf_release(&b);
}

static void test_file(void **state)
{
    struct t2_buf expected = {0};
    const char *path = t_tmp_path("file");
    char sha[65], want[65];
    (void) state;

    for (size_t n = 0; n <= 40; n += n < 3 ? 1 : 37) {
        struct tfr_writer *w = open_ok(path);
        t2_buf_clear(&expected);
        rf_some(&expected, n);
        for (size_t i = 0; i < n; i++)
            tfr_writer_add(w, rf_payload(i).data, rf_payload(i).len_bytes);
        assert_int_equal(tfr_writer_count(w), n);
        assert_int_equal(tfr_writer_bytes(w), expected.len_bytes);
        assert_int_equal(tfr_writer_commit(w, sha, &err), T2_OK);
        assert_file(path, &expected);
        t2_sha256_of(expected.data, expected.len_bytes, want);
        assert_string_equal(sha, want);
    }
    t2_buf_release(&expected);
}

static void test_unhashed(void **state)
{
    struct t2_buf expected = {0};
    const char *path = t_tmp_path("unhashed");
    struct tfr_writer *w = NULL;
    (void) state;

    assert_int_equal(tfr_writer_new_unhashed(path, &w, &err), T2_OK);
    rf_some(&expected, 4);
    for (size_t i = 0; i < 4; i++)
        tfr_writer_add(w, rf_payload(i).data, rf_payload(i).len_bytes);
    assert_int_equal(tfr_writer_commit(w, NULL, &err), T2_OK);
    assert_file(path, &expected);
    t2_buf_release(&expected);
}

static void test_nothing_before_commit(void **state)
{
    const char *path = t_tmp_path("later");
    struct tfr_writer *w = open_ok(path);
    (void) state;

    tfr_writer_add(w, "x", 1);
    assert_int_not_equal(access(path, F_OK), 0);
    tfr_writer_abort(w);
    assert_int_not_equal(access(path, F_OK), 0);
    tfr_writer_abort(NULL);
}

static void test_failures(void **state)
{
    struct tfr_writer *w = NULL;
    (void) state;

    err = (struct t2_err) T2_ERR_INIT;
    assert_int_not_equal(tfr_writer_new("/dev/null/x", &w, &err), T2_OK);
    t_assert_contains(err.message, "/dev/null/x");
    assert_null(w);
}

/* The disk is full: adding goes on, commit says it. */
static void test_full_disk(void **state)
{
    struct tfr_writer *w = open_ok("/dev/full");
    char *block = calloc(1, 1 << 20);
    (void) state;

    err = (struct t2_err) T2_ERR_INIT;
    for (int i = 0; i < 3; i++)
        tfr_writer_add(w, block, 1 << 20);
    assert_int_equal(tfr_writer_count(w), 3);
    assert_int_equal(tfr_writer_commit(w, NULL, &err), T2_EIO);
    t_assert_contains(err.message, "/dev/full");
    t_assert_contains(err.message, "No space left on device");
    free(block);
}

T_MAIN(cmocka_unit_test(test_known_record), cmocka_unit_test(test_file),
       cmocka_unit_test(test_unhashed), cmocka_unit_test(test_nothing_before_commit),
       cmocka_unit_test(test_failures), cmocka_unit_test(test_full_disk))
