/*
 * Reading record files: what was written comes back; damage anywhere is an error, never a wrong
 * record; each message.
 */
#include "tfrecord/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

static struct t2_err err;

static struct tfr_reader *open_ok(const char *path)
{
    struct tfr_reader *r = NULL;

    err = (struct t2_err) T2_ERR_INIT;
    if (tfr_reader_new(path, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    return r;
}

/* Reads to the end or the first error; every record must be the one that rf_some made. */
static size_t read_some(const char *path, enum t2_status *st)
{
    struct tfr_reader *r = open_ok(path);
    struct t2_slice rec;
    size_t n = 0;

    while ((*st = tfr_reader_next(r, &rec, &err)) == T2_OK)
        assert_true(t2_slice_eq(rec, rf_payload(n++)));
    assert_int_equal(tfr_reader_count(r), n);
    assert_int_equal(tfr_reader_next(r, &rec, &err), *st); /* and stays there */
    tfr_reader_free(r);
    return n;
}

static void put(const char *path, const struct t2_buf *b)
{
    t_write_file(path, b->data, b->len_bytes);
}

static void assert_some(const char *path, size_t n)
{
    enum t2_status st;
    uint64_t counted;

    assert_int_equal(read_some(path, &st), n);
    assert_int_equal(st, T2_EOF);
    assert_int_equal(tfr_count(path, &counted, &err), T2_OK);
    assert_int_equal(counted, n);
}

static void test_round_trip(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 5, 600};
    struct t2_buf plain = {0}, packed = {0};
    const char *path = t_tmp_path("round");
    (void) state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct t_writer *w = NULL;
        assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
        for (size_t k = 0; k < sizes[i]; k++)
            t_writer_add(w, rf_payload(k).data, rf_payload(k).len_bytes);
        assert_int_equal(t_writer_commit(w, &err), T2_OK);
        assert_some(path, sizes[i]);
        t2_buf_clear(&plain);
        rf_some(&plain, sizes[i]);
        for (int zlib = 0; zlib < 2; zlib++) {
            t2_buf_clear(&packed);
            (zlib ? rf_zlib : rf_gzip)(&packed, t2_buf_slice(&plain));
            put(path, &packed);
            assert_some(path, sizes[i]);
        }
    }
    t2_buf_release(&plain);
    t2_buf_release(&packed);
    tfr_reader_free(NULL);
}

/* Records of a plain file stay valid until the reader is freed. */
static void test_offsets_and_lifetime(void **state)
{
    struct t2_buf plain = {0};
    const char *path = t_tmp_path("offsets");
    struct t2_slice recs[50];
    struct tfr_reader *r;
    uint64_t offset = 0;
    (void) state;

    rf_some(&plain, 50);
    put(path, &plain);
    r = open_ok(path);
    for (size_t i = 0; i < 50; i++) {
        assert_int_equal(tfr_reader_offset(r), offset);
        assert_int_equal(tfr_reader_next(r, &recs[i], &err), T2_OK);
        offset += recs[i].len_bytes + 16;
    }
    assert_int_equal(tfr_reader_offset(r), plain.len_bytes);
    for (size_t i = 0; i < 50; i++)
        assert_true(t2_slice_eq(recs[i], rf_payload(i)));
    tfr_reader_free(r);
    t2_buf_release(&plain);
}

static void test_large_streamed_record(void **state)
{
    struct t2_buf plain = {0}, packed = {0};
    const char *path = t_tmp_path("large");
    size_t n = 3000000;
    uint8_t *data = malloc(n);
    struct tfr_reader *r;
    struct t2_slice rec;
    (void) state;

    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t) t_hash64(i);
    rf_some(&plain, 3);
    rf_record(&plain, data, n);
    rf_record(&plain, "end", 3);
    rf_gzip(&packed, t2_buf_slice(&plain));
    put(path, &packed);
    r = open_ok(path);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(tfr_reader_next(r, &rec, &err), T2_OK);
    assert_int_equal(tfr_reader_next(r, &rec, &err), T2_OK);
    assert_true(t2_slice_eq(rec, (struct t2_slice){data, n}));
    assert_int_equal(tfr_reader_next(r, &rec, &err), T2_OK);
    assert_true(t2_slice_eq(rec, t2_slice_of("end")));
    assert_int_equal(tfr_reader_next(r, &rec, &err), T2_EOF);
    assert_int_equal(tfr_reader_offset(r), plain.len_bytes);
    tfr_reader_free(r);
    free(data);
    t2_buf_release(&plain);
    t2_buf_release(&packed);
}

/* Offset of the start of record i of rf_some. */
static size_t start_of(size_t i)
{
    size_t at = 0;

    for (size_t k = 0; k < i; k++)
        at += rf_payload(k).len_bytes + 16;
    return at;
}

static void assert_damaged_at(size_t record, const char *part)
{
    char where[80];

    snprintf(where, sizeof where, ": record %zu at offset %zu: ", record, start_of(record));
    t_assert_contains(err.message, where);
    t_assert_contains(err.message, part);
}

/* Cut at every byte: sound records before the cut, then an error that says which is cut. */
static void test_cut_at_every_byte(void **state)
{
    enum { N = 6 };
    struct t2_buf plain = {0};
    const char *path = t_tmp_path("cut");
    (void) state;

    rf_some(&plain, N);
    for (size_t cut = 0; cut <= plain.len_bytes; cut++) {
        enum t2_status st;
        uint64_t counted;
        size_t whole = 0;
        while (whole < N && start_of(whole + 1) <= cut)
            whole++;
        t_write_file(path, plain.data, cut);
        assert_int_equal(read_some(path, &st), whole);
        assert_int_equal(st, cut == start_of(whole) ? T2_EOF : T2_EFORMAT);
        if (st == T2_EFORMAT)
            assert_damaged_at(whole, "file cut short: ");
        err = (struct t2_err) T2_ERR_INIT;
        assert_int_equal(tfr_count(path, &counted, &err), st == T2_EOF ? T2_OK : st);
        assert_int_equal(counted, whole);
        if (st == T2_EFORMAT)
            assert_damaged_at(whole, "file cut short: ");
    }
    t2_buf_release(&plain);
}

/* One bit flipped anywhere: the record before it is the last one given. */
static void test_flipped_bits(void **state)
{
    enum { N = 3 };
    struct t2_buf plain = {0};
    const char *path = t_tmp_path("flip");
    (void) state;

    rf_some(&plain, N);
    for (size_t bit = 0; bit < 8 * plain.len_bytes; bit++) {
        enum t2_status st;
        size_t record = 0;
        while (start_of(record + 1) <= bit / 8)
            record++;
        bool in_header = bit / 8 < start_of(record) + 12;
        plain.data[bit / 8] ^= (uint8_t) (1 << bit % 8);
        put(path, &plain);
        assert_int_equal(read_some(path, &st), record);
        assert_int_equal(st, T2_EFORMAT);
        if (!in_header)
            assert_damaged_at(record, "data CRC mismatch: stored ");
        else if (record > 0)
            assert_damaged_at(record, "length CRC mismatch: stored ");
        else if (!strstr(err.message, "is not a TFRecord file"))
            assert_damaged_at(0, "length CRC mismatch: stored ");
        plain.data[bit / 8] ^= (uint8_t) (1 << bit % 8);
    }
    t2_buf_release(&plain);
}

/* The same for a compressed file: never a wrong record, never a quiet end. */
static void test_damaged_gzip(void **state)
{
    enum { N = 4 };
    struct t2_buf plain = {0}, packed = {0};
    const char *path = t_tmp_path("gz");
    enum t2_status st;
    (void) state;

    rf_some(&plain, N);
    rf_gzip(&packed, t2_buf_slice(&plain));
    for (size_t cut = 18; cut < packed.len_bytes; cut++) {
        t_write_file(path, packed.data, cut);
        assert_true(read_some(path, &st) <= N);
        assert_int_equal(st, T2_EFORMAT);
        t_assert_contains(err.message, path);
        t_assert_contains(err.message, ": record ");
    }
    for (size_t at = 15; at < packed.len_bytes; at++) {
        packed.data[at] ^= 4;
        put(path, &packed);
        assert_true(read_some(path, &st) <= N);
        assert_int_equal(st, T2_EFORMAT);
        packed.data[at] ^= 4;
    }
    t2_buf_release(&plain);
    t2_buf_release(&packed);
}

static const char *message_for(const void *data, size_t n)
{
    static char shown[1100];
    const char *path = t_tmp_path("bad");
    struct tfr_reader *r;
    struct t2_slice rec;
    enum t2_status st;
    char *at;

    t_write_file(path, data, n);
    r = open_ok(path);
    while ((st = tfr_reader_next(r, &rec, &err)) == T2_OK)
        continue;
    tfr_reader_free(r);
    assert_int_equal(st, T2_EFORMAT);
    at = strstr(err.message, path); /* the folder's name is not known: 'PATH' -> 'FILE' */
    assert_non_null(at);
    snprintf(shown, sizeof shown, "%.*sFILE%s", (int) (at - err.message), err.message,
             at + strlen(path));
    return shown;
}

static void test_messages(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    rf_record(&b, "hello", 5);
    size_t one = b.len_bytes;
    rf_record(&b, "world", 5);
    assert_string_equal(message_for(b.data, one + 11),
                        "'FILE': record 1 at offset 21: file cut short: 11 of the 12 bytes of a "
                        "record header are there");
    assert_string_equal(message_for(b.data, one + 12),
                        "'FILE': record 1 at offset 21: file cut short: 5 bytes of data and 4 of "
                        "their CRC should follow the header, 0 are there");
    b.data[one + 8] ^= 1;
    assert_string_equal(message_for(b.data, b.len_bytes),
                        "'FILE': record 1 at offset 21: length CRC mismatch: stored 3e04b2eb, "
                        "computed 3e04b2ea");
    b.data[one + 8] ^= 1;
    b.data[one + 12] ^= 1;
    t_assert_contains(message_for(b.data, b.len_bytes),
                      "'FILE': record 1 at offset 21: data CRC mismatch: stored ");
    t_assert_contains(message_for(b.data, b.len_bytes), " over 5 bytes");
    t2_buf_release(&b);
}

static void test_other_files(void **state)
{
    static const char lfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    static const char jpeg[] = "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0";
    struct t2_buf b = {0}, packed = {0};
    (void) state;

    assert_string_equal(message_for("Hello, world, here I am\n", 24),
                        "'FILE' is not a TFRecord file: the first 8 bytes give a record length of "
                        "8583909746840200520 bytes, the file has 24; it looks like text");
    assert_string_equal(
        message_for("short", 5),
        "'FILE' is not a TFRecord file: it has 5 bytes, the smallest record has 16; "
        "it looks like text");
    assert_string_equal(message_for("nine char", 9),
                        "'FILE' is not a TFRecord file: the first 8 bytes give a record length of "
                        "7018969010048756078 bytes, the file has 9; it looks like text");
    assert_string_equal(message_for("\1\2\3", 3),
                        "'FILE': record 0 at offset 0: file cut short: 3 of the 12 bytes of a "
                        "record header are there");
    t_assert_contains(message_for(lfs, sizeof lfs - 1),
                      "the file has 64; it looks like a Git LFS "
                      "pointer, not the file itself: run 'git lfs "
                      "pull'");
    t_assert_contains(message_for(jpeg, sizeof jpeg - 1), "; it looks like a JPEG image");
    assert_string_equal(message_for("\1\2\3\4\5\6\7\x08\0\0\0\0\0\0\0\0", 16),
                        "'FILE' is not a TFRecord file: the first 8 bytes give a record length of "
                        "578437695752307201 bytes, the file has 16");
    rf_gzip(&b, t2_slice_of("Hello, world, here I am\n"));
    assert_string_equal(message_for(b.data, b.len_bytes),
                        "'FILE' is not a TFRecord file: the first 8 bytes give a record length of "
                        "8583909746840200520 bytes, and the length CRC does not match; it looks "
                        "like text");
    t2_buf_release(&b);
    t2_buf_release(&packed);
}

/* A length with a right CRC, and no such data: refused before any memory is asked for. */
static void test_huge_lengths(void **state)
{
    static const uint64_t lengths[] = {9,          1u << 20,        1ull << 32, 1ull << 40,
                                       1ull << 62, UINT64_MAX - 15, UINT64_MAX};
    const char *path = t_tmp_path("huge");
    struct t2_buf b = {0}, packed = {0};
    enum t2_status st;
    uint64_t counted;
    char want[100];
    (void) state;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        t2_buf_clear(&b);
        rf_some(&b, 2);
        rf_header(&b, lengths[i]);
        t2_buf_puts(&b, "12345678");
        snprintf(want, sizeof want,
                 "file cut short: %llu bytes of data and 4 of their CRC should "
                 "follow the header, 8 are there",
                 (unsigned long long) lengths[i]);
        put(path, &b);
        assert_int_equal(read_some(path, &st), 2);
        assert_int_equal(st, T2_EFORMAT);
        assert_damaged_at(2, want);
        assert_int_equal(tfr_count(path, &counted, &err), T2_EFORMAT);
        assert_int_equal(counted, 2);
        assert_damaged_at(2, want);
        t2_buf_clear(&packed);
        rf_gzip(&packed, t2_buf_slice(&b));
        put(path, &packed);
        assert_int_equal(read_some(path, &st), 2);
        assert_int_equal(st, lengths[i] < 1ull << 32 ? T2_EFORMAT : T2_EUNSUPPORTED);
        assert_damaged_at(2, st == T2_EFORMAT ? want : "are too many for one piece of a stream");
        assert_int_equal(tfr_count(path, &counted, &err), T2_EFORMAT);
        assert_int_equal(counted, 2);
        assert_damaged_at(2, want);
    }
    t2_buf_release(&b);
    t2_buf_release(&packed);
}

static void test_refusals(void **state)
{
    struct tfr_reader *r = NULL;
    uint64_t n = 1;
    (void) state;

    assert_int_equal(tfr_reader_new(t_tmp_path("absent"), &r, &err), T2_ENOTFOUND);
    assert_null(r);
    assert_int_equal(tfr_count("/", &n, &err), T2_EIO);
    assert_int_equal(n, 0);
    /* counting does not read data: a damaged payload is not its business */
    struct t2_buf b = {0};
    const char *path = t_tmp_path("payload");
    rf_some(&b, 3);
    b.data[b.len_bytes - 1] ^= 1;
    put(path, &b);
    assert_int_equal(tfr_count(path, &n, &err), T2_OK);
    assert_int_equal(n, 3);
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_round_trip), cmocka_unit_test(test_offsets_and_lifetime),
       cmocka_unit_test(test_large_streamed_record), cmocka_unit_test(test_cut_at_every_byte),
       cmocka_unit_test(test_flipped_bits), cmocka_unit_test(test_damaged_gzip),
       cmocka_unit_test(test_messages), cmocka_unit_test(test_other_files),
       cmocka_unit_test(test_huge_lengths), cmocka_unit_test(test_refusals))
