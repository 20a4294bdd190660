/*
 * Uncompressed bytes behind damaged compression: kinds, gaps, notes, streams.
 */
#include "tfrecord/unpack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

static struct t2_err err;

/* Everything of the segment at hand. */
static void read_segment(struct tfr_unpack *u, struct t2_buf *out)
{
    while (!u->ended || u->ready > 0) {
        assert_int_equal(tfr_unpack_more(u, 1000, &err), T2_OK);
        size_t n = u->ready < 777 ? u->ready : 777;
        t2_buf_append(out, u->base, n);
        tfr_unpack_drop(u, n);
    }
}

static void assert_whole(const char *path, struct t2_slice expected, bool mapped, bool compressed)
{
    struct tfr_unpack u;
    struct t2_buf got = {NULL, 0, 0};
    struct tfr_gap gap;

    assert_int_equal(tfr_unpack_open(path, &u, &err), T2_OK);
    assert_int_equal(tfr_unpack_is_mapped(&u), mapped);
    assert_int_equal(tfr_unpack_is_compressed(&u), compressed);
    read_segment(&u, &got);
    assert_false(u.at_gap);
    assert_false(tfr_unpack_note(&u, UINT64_MAX, &gap));
    assert_int_equal(u.origin, expected.len_bytes);
    assert_true(t2_slice_eq(t2_buf_slice(&got), expected));
    assert_int_equal(tfr_unpack_check(&u, &err), T2_OK);
    t2_buf_release(&got);
    tfr_unpack_close(&u);
}

struct feeder {
    const char *path;
    struct t2_slice bytes;
};

static void *feed(void *arg)
{
    const struct feeder *f = arg;

    t_write_file(f->path, f->bytes.data, f->bytes.len_bytes);
    return NULL;
}

static void test_kinds(void **state)
{
    struct t2_buf plain = {0}, gz = {0}, zlib = {0};
    const char *path = t_tmp_path("x"), *pipe_path = t_tmp_path("pipe");
    (void) state;

    while (plain.len_bytes < 2500000)
        rf_some(&plain, 500);
    rf_gzip(&gz, t2_buf_slice(&plain));
    rf_zlib(&zlib, t2_buf_slice(&plain));
    t_write_file(path, plain.data, plain.len_bytes);
    assert_whole(path, t2_buf_slice(&plain), true, false);
    t_write_file(path, gz.data, gz.len_bytes);
    assert_whole(path, t2_buf_slice(&plain), false, true);
    t_write_file(path, zlib.data, zlib.len_bytes);
    assert_whole(path, t2_buf_slice(&plain), false, true);
    t_write_file(path, "", 0);
    assert_whole(path, (struct t2_slice){NULL, 0}, true, false);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    for (int packed = 0; packed < 2; packed++) {
        struct feeder f = {pipe_path, t2_buf_slice(packed ? &gz : &plain)};
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, feed, &f), 0);
        assert_whole(pipe_path, t2_buf_slice(&plain), false, packed);
        (void) pthread_join(t, NULL);
    }
    t2_buf_release(&plain);
    t2_buf_release(&gz);
    t2_buf_release(&zlib);
}

/* Two members; the first is damaged in its second block. */
static void test_gap(void **state)
{
    struct t2_buf plain = {0}, b = {0}, got = {0};
    struct tfr_unpack u;
    struct tfr_gap gap;
    (void) state;

    rf_some(&plain, 30);
    rf_gzip(&b, t2_buf_slice(&plain));
    size_t first = b.len_bytes;
    rf_gzip(&b, t2_buf_slice(&plain));
    b.data[10 + 5 + 100 + 1] ^= 1; /* length of a stored block */
    tfr_unpack_memory(t2_buf_slice(&b), &u);
    read_segment(&u, &got);
    assert_true(u.at_gap);
    assert_int_equal(got.len_bytes, 100);
    assert_memory_equal(got.data, plain.data, 100);
    assert_int_equal(tfr_unpack_cross(&u, &gap, &err), T2_OK);
    assert_int_equal(gap.at, 100);
    assert_false(gap.is_between);
    t_assert_contains(gap.words, "stored block");
    assert_int_equal(gap.raw_offset + gap.raw_lost, first);
    t2_buf_clear(&got);
    read_segment(&u, &got);
    assert_true(t2_slice_eq(t2_buf_slice(&got), t2_buf_slice(&plain)));
    assert_false(u.at_gap);
    tfr_unpack_close(&u);
    t2_buf_release(&plain);
    t2_buf_release(&b);
    t2_buf_release(&got);
}

static void test_notes(void **state)
{
    struct t2_buf plain = {0}, b = {0}, got = {0};
    struct tfr_unpack u;
    struct tfr_gap note;
    (void) state;

    rf_some(&plain, 5);
    rf_gzip(&b, t2_buf_slice(&plain));
    b.data[b.len_bytes - 8] ^= 1; /* its checksum */
    rf_gzip(&b, t2_buf_slice(&plain));
    tfr_unpack_memory(t2_buf_slice(&b), &u);
    read_segment(&u, &got);
    assert_false(u.at_gap);
    assert_int_equal(got.len_bytes, 2 * plain.len_bytes);
    assert_false(tfr_unpack_note(&u, plain.len_bytes - 1, &note));
    assert_true(tfr_unpack_note(&u, plain.len_bytes, &note));
    assert_string_equal(note.words, "incorrect data check");
    assert_false(tfr_unpack_note(&u, UINT64_MAX, &note));
    tfr_unpack_close(&u);
    t2_buf_release(&plain);
    t2_buf_release(&b);
    t2_buf_release(&got);
}

static void test_refusals(void **state)
{
    struct tfr_unpack u;
    (void) state;

    assert_int_equal(tfr_unpack_open("/nonexistent", &u, &err), T2_ENOTFOUND);
    assert_int_equal(tfr_unpack_open("/", &u, &err), T2_EIO);
    tfr_unpack_close(&u); /* nothing to do */
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_gap), cmocka_unit_test(test_notes),
       cmocka_unit_test(test_refusals))
