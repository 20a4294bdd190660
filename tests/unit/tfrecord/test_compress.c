/*
 * tests/unit/tfrecord/test_compress.c - names of compressions, and which one a file has.
 */
#include "tfrecord/compress.h"

#include <string.h>

#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"
#include "tfrecord/bgzip.h"

static struct t2_err err;

static void test_names(void **state)
{
    enum tfr_compression c;

    (void) state;
    for (int i = TFR_PLAIN; i <= TFR_BGZIP; i++) {
        assert_true(tfr_compression_parse(tfr_compression_name((enum tfr_compression) i), &c));
        assert_int_equal(c, i);
    }
    assert_true(tfr_compression_parse("", &c));
    assert_int_equal(c, TFR_PLAIN);
    assert_true(tfr_compression_parse("GZIP", &c));
    assert_int_equal(c, TFR_GZIP);
    assert_false(tfr_compression_parse("gz", &c));
    assert_string_equal(tfr_compression_name(TFR_PLAIN), "none");
}

static enum tfr_compression of(const struct t2_buf *b)
{
    const char *path = t_tmp_path("file");
    enum tfr_compression c;

    t_write_file(path, b->data ? (const void *) b->data : "", b->len_bytes);
    assert_int_equal(tfr_compression_of(path, &c, &err), T2_OK);
    return c;
}

static void test_of_files(void **state)
{
    struct t2_buf plain = {0}, b = {0};
    struct tfr_bgzip_writer *w = tfr_bgzip_writer_new(6);
    enum tfr_compression c;

    (void) state;
    assert_int_equal(of(&b), TFR_PLAIN);
    rf_some(&plain, 3);
    assert_int_equal(of(&plain), TFR_PLAIN);
    rf_gzip(&b, t2_buf_slice(&plain));
    assert_int_equal(of(&b), TFR_GZIP);
    t2_buf_clear(&b);
    rf_zlib(&b, t2_buf_slice(&plain));
    assert_int_equal(of(&b), TFR_ZLIB);
    t2_buf_clear(&b);
    tfr_bgzip_append(w, plain.data, plain.len_bytes, &b);
    assert_int_equal(of(&b), TFR_BGZIP);
    /* a record of 0x1f8b + ... bytes begins like gzip, but its header is sound */
    t2_buf_clear(&b);
    rf_header(&b, 0x088b1f);
    assert_int_equal(of(&b), TFR_PLAIN);
    assert_int_equal(tfr_compression_of("/no/such/file", &c, &err), T2_ENOTFOUND);
    assert_int_equal(tfr_compression_of("/", &c, &err), T2_EIO);
    tfr_bgzip_writer_free(w);
    t2_buf_release(&plain);
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_of_files))
