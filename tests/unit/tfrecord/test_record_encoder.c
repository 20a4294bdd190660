/*
 * tests/unit/tfrecord/test_record_encoder.c - the same bytes for any threads and pieces; what comes
 * back.
 */
#include "tfrecord/record_encoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

enum { BIG_BYTES = 5 << 20 };

static struct t2_err err;
static uint8_t *big;

/* Small records, one that is longer than anything held, small ones again. */
static void add_all(struct tfr_encoder *e)
{
    for (size_t i = 0; i < 3000; i++)
        tfr_encoder_add(e, rf_payload(i % 500).data, rf_payload(i % 500).len_bytes);
    tfr_encoder_add(e, big, BIG_BYTES);
    for (size_t i = 0; i < 10; i++)
        tfr_encoder_add(e, rf_payload(i).data, rf_payload(i).len_bytes);
}

static void expect_all(struct t2_buf *b)
{
    for (size_t i = 0; i < 3000; i++)
        rf_record(b, rf_payload(i % 500).data, rf_payload(i % 500).len_bytes);
    rf_record(b, big, BIG_BYTES);
    rf_some(b, 10);
}

static void write_with(enum tfr_compression c, int n_threads, const char *path)
{
    struct tfr_encoder *e = tfr_encoder_new(c, 1, n_threads);
    struct t2_out *o = NULL;

    for (int again = 0; again < 2; again++) { /* the second file is as the first */
        assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
        tfr_encoder_begin(e, o);
        add_all(e);
        tfr_encoder_end(e);
        assert_int_equal(t2_out_commit(o, &err), T2_OK);
    }
    tfr_encoder_free(e);
}

static void assert_reads_as(const char *path, const struct t2_buf *expected)
{
    struct t2_in *in = NULL;
    uint8_t *back = t2_alloc(expected->len_bytes + 1, 1);
    size_t n = 1, at = 0;

    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    while (n > 0) {
        assert_int_equal(t2_in_read(in, back + at, expected->len_bytes + 1 - at, &n, &err), T2_OK);
        at += n;
    }
    assert_int_equal(at, expected->len_bytes);
    assert_memory_equal(back, expected->data, at);
    t2_in_free(in);
    t2_free(back);
}

static void test_what_comes_back(void **state)
{
    struct t2_buf expected = {0};
    char path[5000], second[5000];
    size_t n, m;

    (void) state;
    big = t2_alloc(BIG_BYTES, 1);
    for (size_t i = 0; i < BIG_BYTES; i += 8)
        big[i] = (uint8_t) t_hash64(i);
    expect_all(&expected);
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
        snprintf(path, sizeof path, "%s", t_tmp_path("one"));
        snprintf(second, sizeof second, "%s", t_tmp_path("three"));
        write_with((enum tfr_compression) c, 1, path);
        write_with((enum tfr_compression) c, 3, second);
        assert_reads_as(path, &expected);
        char *a = t_read_file(path, &n), *b = t_read_file(second, &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        free(a);
        free(b);
    }
    t2_buf_release(&expected);
    t2_free(big);
}

static void test_nothing(void **state)
{
    static const size_t sizes[] = {0, 20, 8, 28};
    size_t n;

    (void) state;
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
        const char *path = t_tmp_path("nothing");
        struct tfr_encoder *e = tfr_encoder_new((enum tfr_compression) c, 0, 0);
        struct t2_out *o = NULL;
        assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
        tfr_encoder_begin(e, o);
        tfr_encoder_end(e);
        assert_int_equal(t2_out_commit(o, &err), T2_OK);
        free(t_read_file(path, &n));
        assert_int_equal(n, sizes[c]);
        tfr_encoder_free(e);
    }
}

T_MAIN(cmocka_unit_test(test_what_comes_back), cmocka_unit_test(test_nothing))
