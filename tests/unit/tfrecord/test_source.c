/*
 * Bytes of record files: mapped, streamed, compressed; files that shrink under the map.
 */
#include "tfrecord/source.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

static struct t2_err err;

static void open_ok(const char *path, struct tfr_source *s)
{
    err = (struct t2_err) T2_ERR_INIT;
    if (tfr_source_open(path, s, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* Everything that is left, by steps of this size. */
static void read_all(struct tfr_source *s, size_t step, struct t2_buf *out)
{
    for (;;) {
        if (tfr_source_fill(s, step, &err) != T2_OK)
            fail_msg("%s", err.message);
        uint64_t n = tfr_source_available(s) < step ? tfr_source_available(s) : step;
        if (n == 0)
            return;
        t2_buf_append(out, s->base + s->pos, (size_t) n);
        s->pos += n;
    }
}

static void assert_reads(const char *path, struct t2_slice expected, bool mapped)
{
    static const size_t steps[] = {1, 12, 777, 300000, 5000000};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct tfr_source s;
        struct t2_buf got = {0};
        if (steps[i] == 1 && expected.len_bytes > 100000)
            continue;
        open_ok(path, &s);
        assert_int_equal(s.fd >= 0, mapped);
        read_all(&s, steps[i], &got);
        assert_int_equal(tfr_source_offset(&s), expected.len_bytes);
        assert_true(t2_slice_eq(t2_buf_slice(&got), expected));
        t2_buf_release(&got);
        tfr_source_close(&s);
    }
}

static void test_plain_and_compressed(void **state)
{
    struct t2_buf plain = {0}, packed = {0};
    const char *path = t_tmp_path("x");
    (void) state;

    for (int big = 0; big < 2; big++) {
        rf_some(&plain, 5);
        while (big && plain.len_bytes < 3500000)
            rf_some(&plain, 600);
        t_write_file(path, plain.data, plain.len_bytes);
        assert_reads(path, t2_buf_slice(&plain), true);
        rf_gzip(&packed, t2_buf_slice(&plain));
        t_write_file(path, packed.data, packed.len_bytes);
        assert_reads(path, t2_buf_slice(&plain), false);
        t2_buf_clear(&packed);
        rf_zlib(&packed, t2_buf_slice(&plain));
        t_write_file(path, packed.data, packed.len_bytes);
        assert_reads(path, t2_buf_slice(&plain), false);
        t2_buf_clear(&packed);
    }
    t_write_file(path, "", 0);
    assert_reads(path, (struct t2_slice){NULL, 0}, true);
    t2_buf_release(&plain);
    t2_buf_release(&packed);
}

/* A plain file may start like a compressed one. */
static void test_plain_in_disguise(void **state)
{
    static const size_t lengths[] = {0x178, 0x5e78, 0x9c78, 0xda78, 0x88b1f};
    const char *path = t_tmp_path("disguise");
    (void) state;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct t2_buf b = {0};
        char *payload = calloc(lengths[i], 1);
        rf_record(&b, payload, lengths[i]);
        t_write_file(path, b.data, b.len_bytes);
        assert_reads(path, t2_buf_slice(&b), true);
        if (lengths[i] < 0x80000) {
            b.data[9] ^= 1; /* CRC damaged: still plain, so that the message is about the record */
            t_write_file(path, b.data, b.len_bytes);
            assert_reads(path, t2_buf_slice(&b), true);
        }
        free(payload);
        t2_buf_release(&b);
    }
}

static void skip_all(const char *path, uint64_t size)
{
    struct tfr_source s;
    uint64_t missing = 1;

    open_ok(path, &s);
    assert_int_equal(tfr_source_skip(&s, 10, &missing, &err), T2_OK);
    assert_int_equal(missing, 0);
    assert_int_equal(tfr_source_skip(&s, size - 15, &missing, &err), T2_OK);
    assert_int_equal(missing, 0);
    assert_int_equal(tfr_source_offset(&s), size - 5);
    assert_int_equal(tfr_source_fill(&s, 100, &err), T2_OK);
    assert_int_equal(tfr_source_available(&s), 5);
    assert_int_equal(tfr_source_skip(&s, 12, &missing, &err), T2_OK);
    assert_int_equal(missing, 7);
    assert_int_equal(tfr_source_skip(&s, UINT64_MAX, &missing, &err), T2_OK);
    assert_true(missing == UINT64_MAX);
    tfr_source_close(&s);
}

static void test_skip(void **state)
{
    struct t2_buf plain = {0}, packed = {0};
    const char *path = t_tmp_path("skip");
    (void) state;

    while (plain.len_bytes < 1200000)
        rf_some(&plain, 600);
    t_write_file(path, plain.data, plain.len_bytes);
    skip_all(path, plain.len_bytes);
    rf_gzip(&packed, t2_buf_slice(&plain));
    t_write_file(path, packed.data, packed.len_bytes);
    skip_all(path, plain.len_bytes);
    t2_buf_release(&plain);
    t2_buf_release(&packed);
}

struct feeder {
    const char *path;
    const struct t2_buf *bytes;
};

static void *feed(void *arg)
{
    const struct feeder *f = arg;
    int fd = open(f->path, O_WRONLY);

    for (size_t at = 0; fd >= 0 && at < f->bytes->len_bytes;) {
        ssize_t n = write(fd, f->bytes->data + at, f->bytes->len_bytes - at);
        if (n <= 0)
            break;
        at += (size_t) n;
    }
    if (fd >= 0)
        (void) close(fd);
    return NULL;
}

static void test_pipe(void **state)
{
    struct t2_buf plain = {0}, got = {0};
    struct feeder f = {t_tmp_path("fifo"), &plain};
    struct tfr_source s;
    pthread_t thread;
    (void) state;

    rf_some(&plain, 500);
    assert_int_equal(mkfifo(f.path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
    open_ok(f.path, &s);
    read_all(&s, 1000, &got);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(t2_slice_eq(t2_buf_slice(&got), t2_buf_slice(&plain)));
    tfr_source_close(&s);
    t2_buf_release(&plain);
    t2_buf_release(&got);
}

static void assert_refused(const char *path, enum t2_status st, const char *part)
{
    struct tfr_source s;

    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(tfr_source_open(path, &s, &err), st);
    t_assert_contains(err.message, part);
    t_assert_contains(err.message, path);
}

static void test_refusals(void **state)
{
    const char *path = t_tmp_path("forbidden");
    (void) state;

    assert_refused(t_tmp_path("absent"), T2_ENOTFOUND, "cannot open '");
    assert_refused("/", T2_EIO, "is a directory, not a TFRecord file");
    t_write_file(path, "x", 1);
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0) /* root may read everything */
        assert_refused(path, T2_EIO, "cannot open '");
}

/* The file is cut after it was mapped: an error, not SIGBUS. */
static void test_file_that_shrinks(void **state)
{
    struct t2_buf plain = {0};
    const char *path = t_tmp_path("shrinks");
    struct tfr_source s;
    (void) state;

    while (plain.len_bytes < 4000000)
        rf_some(&plain, 600);
    t_write_file(path, plain.data, plain.len_bytes);
    open_ok(path, &s);
    assert_int_equal(tfr_source_fill(&s, 1000, &err), T2_OK);
    s.pos += 1000;
    assert_int_equal(truncate(path, 8192), 0);
    s.pos = s.ready;
    assert_int_equal(tfr_source_fill(&s, 1000, &err), T2_EFORMAT);
    t_assert_contains(err.message, "has become shorter while it was read: ");
    t_assert_contains(err.message, "bytes, now 8192");
    tfr_source_close(&s);
    t2_buf_release(&plain);
}

static void test_too_large_for_a_stream(void **state)
{
    struct t2_buf plain = {0}, packed = {0};
    const char *path = t_tmp_path("large");
    struct tfr_source s;
    (void) state;

    rf_some(&plain, 3);
    rf_gzip(&packed, t2_buf_slice(&plain));
    t_write_file(path, packed.data, packed.len_bytes);
    open_ok(path, &s);
    assert_int_equal(tfr_source_fill(&s, (UINT64_C(1) << 32) + 1, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "4294967297 bytes at offset 0 are too many for one piece of a "
                                   "stream (limit 4294967296)");
    /* up to there only what comes is held */
    assert_int_equal(tfr_source_fill(&s, UINT64_C(1) << 32, &err), T2_OK);
    assert_int_equal(tfr_source_available(&s), plain.len_bytes);
    assert_true(s.capacity_bytes < 1 << 20);
    tfr_source_close(&s);
    t2_buf_release(&plain);
    t2_buf_release(&packed);
}

T_MAIN(cmocka_unit_test(test_plain_and_compressed), cmocka_unit_test(test_plain_in_disguise),
       cmocka_unit_test(test_skip), cmocka_unit_test(test_pipe), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_file_that_shrinks), cmocka_unit_test(test_too_large_for_a_stream))
