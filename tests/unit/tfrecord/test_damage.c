/*
 * Reading on after damage: every bit of a small file flipped, every cut, things put in and taken
 * out, compressed files, and files made to be slow.
 */
#include "tfrecord/damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

enum { N = 6, MAX_FOUND = 64 };

static struct t2_err err;

/* What a file gave: which of rf_payload's records, and the damage. */
struct given {
    int records[MAX_FOUND]; /* -1: none of them */
    size_t n_records;
    struct tfr_damage damages[MAX_FOUND];
    uint64_t numbers[MAX_FOUND];
    size_t n_damages;
    uint64_t lost_bytes;
};

static int which(struct t2_slice rec)
{
    for (int i = 0; i < N; i++) {
        if (t2_slice_eq(rec, rf_payload((size_t) i)))
            return i;
    }
    return -1;
}

static void collect(struct tfr_damage_reader *r, struct given *g)
{
    struct tfr_found f;
    enum t2_status st;

    memset(g, 0, sizeof *g);
    while ((st = tfr_damage_next(r, &f, &err)) == T2_OK) {
        assert_true(f.is_record || f.is_damaged);
        if (f.is_record) {
            assert_true(g->n_records < MAX_FOUND);
            g->records[g->n_records++] = which(f.data);
        }
        if (f.is_damaged) {
            assert_true(g->n_damages < MAX_FOUND);
            assert_true(f.damage.words[0] != '\0');
            g->numbers[g->n_damages] = f.number;
            g->damages[g->n_damages++] = f.damage;
            g->lost_bytes += f.damage.lost_bytes;
        }
    }
    assert_int_equal(st, T2_EOF);
    assert_int_equal(tfr_damage_next(r, &f, &err), T2_EOF);
    tfr_damage_close(r);
}

static void collect_memory(struct t2_slice bytes, struct given *g)
{
    uint8_t *exact = malloc(bytes.len_bytes + 1); /* so that a sanitizer sees one byte too far */

    if (bytes.len_bytes > 0)
        memcpy(exact, bytes.data, bytes.len_bytes);
    uint8_t *end = realloc(exact, bytes.len_bytes > 0 ? bytes.len_bytes : 1);
    collect(tfr_damage_open_memory((struct t2_slice){end, bytes.len_bytes}), g);
    free(end);
}

static void collect_file(struct t2_slice bytes, struct given *g)
{
    const char *path = t_tmp_path("x");
    struct tfr_damage_reader *r = NULL;

    t_write_file(path, bytes.data, bytes.len_bytes);
    if (tfr_damage_open(path, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    collect(r, g);
}

static void assert_same(const struct given *a, const struct given *b)
{
    assert_int_equal(a->n_records, b->n_records);
    assert_memory_equal(a->records, b->records, sizeof a->records);
    assert_int_equal(a->n_damages, b->n_damages);
    for (size_t i = 0; i < a->n_damages; i++) {
        assert_string_equal(a->damages[i].words, b->damages[i].words);
        assert_int_equal(a->damages[i].offset, b->damages[i].offset);
    }
}

/* All records but `without` (-1: all), in order; that one may be there too when it is whole. */
static void assert_others(const struct given *g, int without)
{
    size_t at = 0;

    for (int i = 0; i < N; i++) {
        if (at < g->n_records && g->records[at] == i)
            at++;
        else
            assert_int_equal(i, without);
    }
    assert_int_equal(at, g->n_records);
}

static void assert_field(const struct tfr_damage *d, enum tfr_field field)
{
    if (d->field != field)
        fail_msg("field '%s', not '%s': %s", tfr_field_name(d->field), tfr_field_name(field),
                 d->words);
}

/* ---- plain ---- */

static enum tfr_field field_at(size_t in_record, size_t len_bytes)
{
    if (in_record < 8)
        return TFR_FIELD_LENGTH;
    if (in_record < 12)
        return TFR_FIELD_LENGTH_CRC;
    return in_record < 12 + len_bytes ? TFR_FIELD_DATA : TFR_FIELD_DATA_CRC;
}

/* Which record the byte belongs to, and where that begins. */
static int record_at(size_t byte, size_t *begin)
{
    int i = 0;

    *begin = 0;
    while (byte >= *begin + 16 + rf_payload((size_t) i).len_bytes)
        *begin += 16 + rf_payload((size_t) i++).len_bytes;
    return i;
}

static void check_flip(struct t2_buf *b, size_t byte, int bit)
{
    struct given g, h;
    size_t begin;
    int i = record_at(byte, &begin);
    enum tfr_field field = field_at(byte - begin, rf_payload((size_t) i).len_bytes);

    b->data[byte] ^= (uint8_t) (1 << bit);
    collect_memory(t2_buf_slice(b), &g);
    if (bit == 3) {
        collect_file(t2_buf_slice(b), &h);
        assert_same(&g, &h);
    }
    b->data[byte] ^= (uint8_t) (1 << bit);
    assert_int_equal(g.n_damages, 1);
    assert_field(&g.damages[0], field);
    assert_int_equal(g.damages[0].offset, begin);
    assert_int_equal(g.numbers[0], i);
    assert_others(&g, i);
    if (field == TFR_FIELD_LENGTH || field == TFR_FIELD_LENGTH_CRC)
        assert_int_equal(g.n_records, N); /* its data are right by their own CRC */
}

static void test_every_bit(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    rf_some(&b, N);
    for (size_t k = 0; k < b.len_bytes; k++) {
        for (int bit = 0; bit < 8; bit++)
            check_flip(&b, k, bit);
    }
    t2_buf_release(&b);
}

static void test_every_cut(void **state)
{
    struct t2_buf b = {0};
    struct given g, h;
    size_t begin;
    (void) state;

    rf_some(&b, N);
    for (size_t k = 0; k < b.len_bytes; k++) {
        int i = record_at(k, &begin);
        collect_memory((struct t2_slice){b.data, k}, &g);
        collect_file((struct t2_slice){b.data, k}, &h);
        assert_same(&g, &h);
        assert_int_equal(g.n_records, i);
        assert_int_equal(g.n_damages, k > begin);
        if (k == begin)
            continue;
        assert_int_equal(g.damages[0].offset, begin);
        assert_int_equal(g.lost_bytes, k - begin);
        assert_field(&g.damages[0], begin == 0 && k < 12
                                        ? TFR_FIELD_FILE
                                        : field_at(k - begin, rf_payload((size_t) i).len_bytes));
    }
    t2_buf_release(&b);
}

/* n bytes put in or (n < 0) taken out at every place. */
static void check_shifted(const struct t2_buf *b, size_t at, int n)
{
    struct t2_buf c = {0};
    struct given g;
    size_t begin;
    int i = record_at(at, &begin);

    t2_buf_append(&c, b->data, at);
    for (int k = 0; k < n; k++)
        t2_buf_push(&c, (uint8_t) (0xa0 + k));
    size_t from = n < 0 ? at + (size_t) -n : at;
    t2_buf_append(&c, b->data + from, b->len_bytes - from);
    collect_memory(t2_buf_slice(&c), &g);
    assert_true(g.n_damages >= 1);
    size_t found = 0;
    for (int k = 0; k < N; k++) {
        if (found < g.n_records && g.records[found] == k)
            found++;
        else if (k != i && !(n < 0 && k == i + 1))
            fail_msg("%d bytes at %zu: record %d is lost", n, at, k);
    }
    assert_int_equal(found, g.n_records);
    t2_buf_release(&c);
}

static void test_put_in_and_taken_out(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    rf_some(&b, N);
    for (size_t k = 0; k + 40 < b.len_bytes; k++) {
        check_shifted(&b, k, 1);
        check_shifted(&b, k, 13);
        check_shifted(&b, k, 40);
        check_shifted(&b, k, -1);
        check_shifted(&b, k, -11);
    }
    t2_buf_release(&b);
}

static void test_what_is_no_record_file(void **state)
{
    static const char *const texts[][2] = {
        {"hello, this is a text file of some length\n", "text"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:1", "git lfs pull"},
        {"\xff\xd8\xff\xe0 some more bytes that follow", "JPEG"},
        {"ab", "the smallest record has 16"},
    };
    struct given g;
    (void) state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        collect_file((struct t2_slice){(const uint8_t *) texts[i][0], strlen(texts[i][0])}, &g);
        assert_int_equal(g.n_records, 0);
        assert_int_equal(g.n_damages, 1);
        assert_field(&g.damages[0], TFR_FIELD_FILE);
        t_assert_contains(g.damages[0].words, "not a TFRecord file");
        t_assert_contains(g.damages[0].words, texts[i][1]);
    }
    collect_file((struct t2_slice){(const uint8_t *) "", 0}, &g);
    assert_int_equal(g.n_damages, 0);
}

static void test_records_inside_something_else(void **state)
{
    struct t2_buf b = {0};
    struct given g;
    (void) state;

    for (int i = 0; i < 300; i++)
        t2_buf_push(&b, (uint8_t) (i * 7));
    rf_some(&b, N);
    collect_memory(t2_buf_slice(&b), &g);
    assert_others(&g, -1);
    assert_int_equal(g.n_damages, 1);
    assert_int_equal(g.lost_bytes, 300);
    t2_buf_release(&b);
}

static void test_huge_lengths(void **state)
{
    static const uint64_t lengths[] = {1u << 20,          UINT64_C(1) << 32, UINT64_C(1) << 40,
                                       UINT64_C(1) << 62, UINT64_MAX - 15,   UINT64_MAX - 16,
                                       UINT64_MAX,        INT64_MAX};
    (void) state;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct t2_buf b = {0}, z = {0};
        struct given g;
        rf_header(&b, lengths[i]);
        t2_buf_append(&b, "12345678", 8);
        rf_some(&b, N);
        collect_memory(t2_buf_slice(&b), &g);
        assert_others(&g, -1);
        assert_int_equal(g.n_damages, 1);
        assert_int_equal(g.lost_bytes, 20);
        rf_gzip(&z, t2_buf_slice(&b));
        collect_file(t2_buf_slice(&z), &g);
        assert_others(&g, -1);
        assert_int_equal(g.lost_bytes, 20);
        t2_buf_release(&b);
        t2_buf_release(&z);
    }
}

/* ---- compressed ---- */

/* One gzip member for each record, so that each stands alone. */
static void members(struct t2_buf *out)
{
    for (size_t i = 0; i < N; i++) {
        struct t2_buf one = {0};
        rf_record(&one, rf_payload(i).data, rf_payload(i).len_bytes);
        rf_gzip(out, t2_buf_slice(&one));
        t2_buf_release(&one);
    }
}

static void assert_some_in_order(const struct given *g)
{
    int last = -1;

    for (size_t i = 0; i < g->n_records; i++) {
        assert_true(g->records[i] > last);
        last = g->records[i];
    }
}

static void test_members(void **state)
{
    struct t2_buf b = {0};
    struct given g;
    (void) state;

    members(&b);
    collect_file(t2_buf_slice(&b), &g);
    assert_others(&g, -1);
    assert_int_equal(g.n_damages, 0);
    for (size_t k = 0; k < b.len_bytes; k++) {
        for (int bit = 0; bit < 8; bit += 3) {
            b.data[k] ^= (uint8_t) (1 << bit);
            collect_memory(t2_buf_slice(&b), &g);
            b.data[k] ^= (uint8_t) (1 << bit);
            assert_some_in_order(&g);
            if (g.n_records + 1 < N)
                fail_msg("bit %d of byte %zu: %zu records", bit, k, g.n_records);
            if (g.n_damages == 0)
                assert_others(&g, -1); /* time and name of the header are nobody's */
        }
        collect_memory((struct t2_slice){b.data, k}, &g);
        assert_some_in_order(&g);
    }
    t2_buf_release(&b);
}

static void test_one_stream(void **state)
{
    struct t2_buf plain = {0}, gz = {0}, zlib = {0};
    struct given g;
    (void) state;

    rf_some(&plain, N);
    rf_gzip(&gz, t2_buf_slice(&plain));
    rf_zlib(&zlib, t2_buf_slice(&plain));
    for (size_t k = 0; k < gz.len_bytes;
         k++) { /* stored blocks: what was cut off is lost, not more */
        collect_memory((struct t2_slice){gz.data, k}, &g);
        assert_some_in_order(&g);
        if (k > 0)
            assert_true(g.n_damages > 0);
        if (k >= gz.len_bytes - 8)
            assert_others(&g, -1);
    }
    for (size_t k = 0; k < 2; k++) { /* a damaged header */
        for (int bit = 0; bit < 8; bit++) {
            gz.data[k] ^= (uint8_t) (1 << bit);
            zlib.data[k] ^= (uint8_t) (1 << bit);
            collect_memory(t2_buf_slice(&gz), &g);
            assert_others(&g, -1);
            assert_int_equal(g.n_damages, 1);
            collect_memory(t2_buf_slice(&zlib), &g);
            assert_others(&g, -1);
            assert_int_equal(g.n_damages, 1);
            gz.data[k] ^= (uint8_t) (1 << bit);
            zlib.data[k] ^= (uint8_t) (1 << bit);
        }
    }
    gz.data[gz.len_bytes - 6] ^= 1; /* the checksum: nothing is lost */
    collect_memory(t2_buf_slice(&gz), &g);
    assert_others(&g, -1);
    assert_int_equal(g.n_damages, 1);
    assert_field(&g.damages[0], TFR_FIELD_COMPRESSION);
    assert_int_equal(g.damages[0].lost_records, 0);
    t_assert_contains(g.damages[0].words, "incorrect data check");
    t2_buf_append(&zlib, "tail", 4);
    collect_memory(t2_buf_slice(&zlib), &g);
    assert_others(&g, -1);
    assert_int_equal(g.n_damages, 1);
    assert_int_equal(g.damages[0].raw_lost_bytes, 4);
    assert_int_equal(g.damages[0].lost_records, 0);
    t2_buf_release(&plain);
    t2_buf_release(&gz);
    t2_buf_release(&zlib);
}

/* ---- made to be slow ---- */

static double seconds_of(struct t2_slice bytes)
{
    struct tfr_damage_reader *r = tfr_damage_open_memory(bytes);
    struct tfr_found f;
    struct timespec a, b;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    while (tfr_damage_next(r, &f, &err) == T2_OK)
        continue;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    tfr_damage_close(r);
    return (double) (b.tv_sec - a.tv_sec) + 1e-9 * (double) (b.tv_nsec - a.tv_nsec);
}

/* Nothing but sound headers that promise the rest of the file: without a bound, 10^12 bytes of
 * CRC. */
static void test_hostile_headers(void **state)
{
    struct t2_buf b = {0};
    size_t total = 3u << 20;
    (void) state;

    while (b.len_bytes < total - 32)
        rf_header(&b, total - b.len_bytes - 17);
    double s = seconds_of(t2_buf_slice(&b));
    if (s > 20)
        fail_msg("%g seconds", s);
    t2_buf_release(&b);
}

/* Stored blocks full of gzip headers whose streams run on: without a bound, each is followed to its
 * end. */
static void test_hostile_members(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    while (b.len_bytes < 1u << 20) {
        t2_buf_append(&b, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
        t2_buf_append(&b, "\0\x09\0\xf6\xff",
                      5); /* a stored block of 9 bytes, then the next header */
        t2_buf_append(&b, "123456789", 9);
    }
    double s = seconds_of(t2_buf_slice(&b));
    if (s > 30)
        fail_msg("%g seconds", s);
    t2_buf_release(&b);
}

static void test_start_at(void **state)
{
    struct t2_buf b = {0}, gz = {0};
    const char *path = t_tmp_path("start");
    struct tfr_damage_reader *r = NULL;
    struct tfr_found f;
    (void) state;

    rf_some(&b, N);
    rf_gzip(&gz, t2_buf_slice(&b));
    for (int packed = 0; packed < 2; packed++) {
        t_write_file(path, packed ? gz.data : b.data, packed ? gz.len_bytes : b.len_bytes);
        assert_int_equal(tfr_damage_open(path, &r, &err), T2_OK);
        assert_int_equal(tfr_damage_start_at(r, 2, 16 + 21, &err), T2_OK);
        assert_int_equal(tfr_damage_next(r, &f, &err), T2_OK);
        assert_int_equal(f.number, 2);
        assert_int_equal(f.offset, 37);
        assert_int_equal(which(f.data), 2);
        tfr_damage_close(r);
    }
    t2_buf_release(&b);
    t2_buf_release(&gz);
}

static void test_refusals(void **state)
{
    struct tfr_damage_reader *r = NULL;
    (void) state;

    assert_int_equal(tfr_damage_open("/nonexistent/x", &r, &err), T2_ENOTFOUND);
    assert_int_equal(tfr_damage_open("/", &r, &err), T2_EIO);
    t_assert_contains(err.message, "is a directory");
    assert_null(r);
}

T_MAIN(cmocka_unit_test(test_every_bit), cmocka_unit_test(test_every_cut),
       cmocka_unit_test(test_put_in_and_taken_out), cmocka_unit_test(test_what_is_no_record_file),
       cmocka_unit_test(test_records_inside_something_else), cmocka_unit_test(test_huge_lengths),
       cmocka_unit_test(test_members), cmocka_unit_test(test_one_stream),
       cmocka_unit_test(test_hostile_headers), cmocka_unit_test(test_hostile_members),
       cmocka_unit_test(test_start_at), cmocka_unit_test(test_refusals))
