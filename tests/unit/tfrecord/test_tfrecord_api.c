/*
 * The interface of libtfrecord: reading in order and by number, writing, every status with its
 * words.
 */
#include "tfrecord/tfrecord_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

/* n records "<first>", "<first + 1>", ...; returns the path. */
static const char *make(const char *name, const char *compression, int first, int n)
{
    const char *path = t_tmp_path(name);
    struct tfrecord_writer *w;
    uint64_t count = 0;
    char text[16];

    assert_int_equal(tfrecord_writer_open(path, compression, &w), TFRECORD_OK);
    for (int i = first; i < first + n; i++) {
        int len = snprintf(text, sizeof text, "%d", i);
        assert_int_equal(tfrecord_writer_add(w, text, (size_t) len), TFRECORD_OK);
    }
    assert_int_equal(tfrecord_writer_commit(w, &count), TFRECORD_OK);
    assert_int_equal(count, n);
    return path;
}

static void check(const void *data, size_t n, int want)
{
    char text[16];
    int len = snprintf(text, sizeof text, "%d", want);

    assert_int_equal(n, len);
    assert_memory_equal(data, text, n);
}

static void test_order_and_number(void **state)
{
    static const char *const kinds[] = {NULL, "none", "gzip", "ZLIB", "bgzip"};
    const void *data;
    size_t n;
    (void) state;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *inputs[] = {make("a", kinds[k], 0, 20), make("b", kinds[k], 20, 0),
                                make("c", kinds[k], 20, 13)};
        struct tfrecord_reader *r;
        uint64_t count = 0;
        assert_int_equal(tfrecord_reader_open(inputs, 3, &r), TFRECORD_OK);
        assert_int_equal(tfrecord_reader_n_files(r), 3);
        assert_string_equal(tfrecord_reader_file(r, 2), inputs[2]);
        assert_null(tfrecord_reader_file(r, 3));
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 33; i++) {
                assert_int_equal(tfrecord_reader_next(r, &data, &n), TFRECORD_OK);
                check(data, n, i);
                assert_int_equal(tfrecord_reader_get(r, (uint64_t) (32 - i), &data, &n),
                                 TFRECORD_OK);
                check(data, n, 32 - i);
            }
            assert_int_equal(tfrecord_reader_next(r, &data, &n), TFRECORD_END);
            assert_int_equal(tfrecord_reader_next(r, &data, &n), TFRECORD_END);
            tfrecord_reader_rewind(r);
        }
        assert_int_equal(tfrecord_reader_count(r, &count), TFRECORD_OK);
        assert_int_equal(count, 33);
        assert_int_equal(tfrecord_reader_get(r, 33, &data, &n), TFRECORD_ENOTFOUND);
        assert_string_equal(tfrecord_error(), "there is no record 33: there are 33");
        tfrecord_reader_close(r);
    }
}

static void test_damage(void **state)
{
    const char *path = make("damaged", NULL, 0, 9);
    const char *folder = t_tmp_path("absent/x");
    struct tfrecord_reader *r;
    const void *data;
    size_t n, size;
    char *bytes = t_read_file(path, &size);
    (void) state;

    bytes[3 * 17 + 12] ^= 1;
    t_write_file(path, bytes, size);
    assert_int_equal(tfrecord_reader_open(&path, 1, &r), TFRECORD_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tfrecord_reader_next(r, &data, &n), TFRECORD_OK);
    assert_int_equal(tfrecord_reader_next(r, &data, &n), TFRECORD_EFORMAT);
    t_assert_contains(tfrecord_error(), "record 3 at offset 51: data CRC mismatch");
    assert_int_equal(tfrecord_reader_get(r, 3, &data, &n), TFRECORD_EFORMAT);
    assert_int_equal(tfrecord_reader_get(r, 4, &data, &n), TFRECORD_OK);
    check(data, n, 4);
    tfrecord_reader_close(r);
    free(bytes);

    assert_int_equal(tfrecord_reader_open(&folder, 1, &r), TFRECORD_ENOTFOUND);
    assert_null(r);
    t_assert_contains(tfrecord_error(), "absent");
}

static void test_writing(void **state)
{
    const char *path = t_tmp_path("new"), *folder = "/dev/null/x";
    char sharded[200];
    struct tfrecord_reader *r;
    struct tfrecord_writer *w;
    const char *input = sharded;
    const void *data;
    size_t n;
    (void) state;

    assert_int_equal(tfrecord_writer_open(path, NULL, &w), TFRECORD_OK);
    assert_int_equal(tfrecord_writer_add(w, "x", 1), TFRECORD_OK);
    tfrecord_writer_abort(w);
    assert_int_equal(tfrecord_reader_open(&path, 1, &r), TFRECORD_ENOTFOUND);
    assert_true(tfrecord_writer_open(folder, NULL, &w) > TFRECORD_END);
    assert_int_equal(tfrecord_writer_open(path, "rar", &w), TFRECORD_EUSAGE);

    snprintf(sharded, sizeof sharded, "%s@3", path);
    assert_int_equal(tfrecord_writer_open(sharded, NULL, &w), TFRECORD_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(tfrecord_writer_add(w, "01234567" + i, 1), TFRECORD_OK);
    assert_int_equal(tfrecord_writer_commit(w, NULL), TFRECORD_OK);
    assert_int_equal(tfrecord_reader_open(&input, 1, &r), TFRECORD_OK);
    assert_int_equal(tfrecord_reader_n_files(r), 3);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(tfrecord_reader_get(r, (uint64_t) i, &data, &n), TFRECORD_OK);
        check(data, n, i);
    }
    tfrecord_reader_close(r);
}

static void test_misuse(void **state)
{
    const char *none = NULL;
    struct tfrecord_reader *r;
    struct tfrecord_writer *w;
    const void *data;
    uint64_t count;
    size_t n;
    (void) state;

    assert_int_equal(tfrecord_reader_open(&none, 1, &r), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_reader_open(&none, 0, &r), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_reader_next(NULL, &data, &n), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_reader_get(NULL, 0, &data, &n), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_reader_count(NULL, &count), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_writer_open(NULL, NULL, &w), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_writer_add(NULL, "", 0), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_writer_commit(NULL, NULL), TFRECORD_EUSAGE);
    tfrecord_reader_close(NULL);
    tfrecord_reader_rewind(NULL);
    tfrecord_writer_abort(NULL);
    assert_int_equal(tfrecord_reader_n_files(NULL), 0);
}

static void test_about(void **state)
{
    (void) state;
    assert_int_equal(tfrecord_api_version(), TFRECORD_API_VERSION);
    assert_true(tfrecord_version()[0] != '\0');
    assert_int_equal(tfrecord_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(tfrecord_crc32c(tfrecord_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
    assert_int_equal(tfrecord_masked_crc32c("123456789", 9), 0xc78ab0e5);
}

T_MAIN(cmocka_unit_test(test_order_and_number), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_writing), cmocka_unit_test(test_misuse), cmocka_unit_test(test_about))
