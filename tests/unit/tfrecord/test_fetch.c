/*
 * Tests of tfrecord/fetch.c: every record at its offset, with any guess; damage; wrong offsets.
 */
#include "tfrecord/fetch.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

static struct t2_err err;

static int open_file(const char *path, const struct t2_buf *b)
{
    int fd;

    t_write_file(path, b->data, b->len_bytes);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    return fd;
}

static void test_every_record_with_any_guess(void **state)
{
    struct t2_buf file = {0}, buf = {0};
    struct t2_slice rec;
    uint64_t offset = 0;
    int fd;

    (void) state;
    rf_some(&file, 8);
    fd = open_file(t_tmp_path("some"), &file);
    for (size_t i = 0; i < 8; i++) {
        for (size_t guess = 0; guess < 1000; guess += 37) {
            if (tfr_fetch(fd, "some", offset, guess, &buf, &rec, &err) != T2_OK)
                fail_msg("%s", err.message);
            assert_true(t2_slice_eq(rec, rf_payload(i)));
        }
        offset += 16 + rf_payload(i).len_bytes;
    }
    assert_int_equal(tfr_fetch(fd, "some", offset, 10, &buf, &rec, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'some': record at offset ");
    t_assert_contains(err.message, "ends inside the record");
    assert_int_equal(tfr_fetch(fd, "some", 3, 10, &buf, &rec, &err), T2_EFORMAT);
    assert_string_equal(err.message, "'some': no record at offset 3: length CRC mismatch");
    close(fd);
    t2_buf_release(&file);
    t2_buf_release(&buf);
}

static void test_every_byte_damaged(void **state)
{
    const struct t2_slice payload = t2_slice_of("some bytes of a record");
    struct t2_buf file = {0}, buf = {0};
    struct t2_slice rec;

    (void) state;
    rf_record(&file, payload.data, payload.len_bytes);
    for (size_t i = 0; i < file.len_bytes; i++) {
        int fd;

        file.data[i] ^= 1;
        fd = open_file(t_tmp_path("damaged"), &file);
        assert_int_equal(tfr_fetch(fd, "damaged", 0, i, &buf, &rec, &err), T2_EFORMAT);
        t_assert_contains(err.message, i < 12 ? "length CRC" : "data CRC");
        close(fd);
        file.data[i] ^= 1;
    }
    for (size_t n = 0; n < file.len_bytes; n++) {
        struct t2_buf cut = file;
        int fd;

        cut.len_bytes = n;
        fd = open_file(t_tmp_path("cut"), &cut);
        assert_int_equal(tfr_fetch(fd, "cut", 0, 5, &buf, &rec, &err), T2_EFORMAT);
        t_assert_contains(err.message, "ends inside");
        close(fd);
    }
    t2_buf_release(&file);
    t2_buf_release(&buf);
}

/* A sound header that promises more than any file has must not be believed. */
static void test_hostile_length(void **state)
{
    struct t2_buf file = {0}, buf = {0};
    struct t2_slice rec;
    int fd;

    (void) state;
    rf_header(&file, UINT64_MAX - 8);
    rf_le(&file, 0, 8);
    fd = open_file(t_tmp_path("hostile"), &file);
    assert_int_equal(tfr_fetch(fd, "hostile", 0, 5, &buf, &rec, &err), T2_EFORMAT);
    close(fd);
    assert_int_equal(tfr_fetch(-1, "closed", 0, 5, &buf, &rec, &err), T2_EIO);
    t_assert_contains(err.message, "'closed': reading at offset 0");
    t2_buf_release(&file);
    t2_buf_release(&buf);
}

T_MAIN(cmocka_unit_test(test_every_record_with_any_guess),
       cmocka_unit_test(test_every_byte_damaged), cmocka_unit_test(test_hostile_length))
