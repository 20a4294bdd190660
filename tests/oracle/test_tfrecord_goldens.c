/*
 * Record files of TensorFlow, whole and damaged, against what TensorFlow's readers said of them:
 * goldens/formats/tfrecord/ and the tables tfrecord-damage.*.json.
 *
 * We are stricter where TensorFlow is silent: an end inside a record header, and a compressed
 * stream without its end, are errors here.  We are never laxer, and every record given is a right
 * one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/t.h"
#include "tfrecord/reader.h"

enum { MAX_TABLES = 8, MAX_RECORDS = 1000 };

static struct t2_json_doc *tables[MAX_TABLES];
static size_t n_tables;
static const char *dir;

/* The file under test, and its records when it is whole. */
static uint8_t *bytes;
static size_t n_bytes;
static char *whole[MAX_RECORDS];
static size_t whole_bytes[MAX_RECORDS];
static size_t n_whole;

static int set_up(void **state)
{
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_data_path("goldens/formats");
    (void) state;

    if (!path || !t_data_path("goldens/formats/tfrecord"))
        return 0;
    dir = strdup(path);
    if (t2_list_dir(dir, &names, &err) != T2_OK)
        return -1;
    for (size_t i = 0; i < names.n && n_tables < MAX_TABLES; i++) {
        if (!t2_starts_with(names.items[i], "tfrecord-damage."))
            continue;
        char *p = t2_path_join(dir, names.items[i]);
        if (t2_json_load(p, &tables[n_tables++], &err) != T2_OK)
            return -1;
        t2_free(p);
    }
    t2_strs_release(&names);
    return 0;
}

/* Reads a file; every record must be one of the whole file's, in order, from its start again when
 * the file was doubled.  Gives their number; err is filled unless the end was clean. */
static size_t read_file(const char *path, enum t2_status *st, struct t2_err *err)
{
    struct tfr_reader *r = NULL;
    struct t2_slice rec;
    size_t n = 0;

    *err = (struct t2_err) T2_ERR_INIT;
    if ((*st = tfr_reader_new(path, &r, err)) != T2_OK)
        return 0;
    for (; (*st = tfr_reader_next(r, &rec, err)) == T2_OK; n++) {
        assert_true(n_whole > 0);
        assert_int_equal(rec.len_bytes, whole_bytes[n % n_whole]);
        if (rec.len_bytes > 0)
            assert_memory_equal(rec.data, whole[n % n_whole], rec.len_bytes);
    }
    tfr_reader_free(r);
    return n;
}

/* Loads the file and its records. */
static void load_whole(const char *path)
{
    struct tfr_reader *r = NULL;
    struct t2_slice rec;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    bytes = (uint8_t *) t_read_file(path, &n_bytes);
    n_whole = 0;
    assert_int_equal(tfr_reader_new(path, &r, &err), T2_OK);
    while ((st = tfr_reader_next(r, &rec, &err)) == T2_OK) {
        assert_true(n_whole < MAX_RECORDS);
        whole[n_whole] = malloc(rec.len_bytes + 1);
        memcpy(whole[n_whole], rec.data, rec.len_bytes);
        whole_bytes[n_whole++] = rec.len_bytes;
    }
    assert_int_equal(st, T2_EOF);
    tfr_reader_free(r);
}

static void free_whole(void)
{
    while (n_whole > 0)
        free(whole[--n_whole]);
    free(bytes);
}

static bool is_plain(const char *name)
{
    return !t2_ends_with(name, ".gz") && !t2_ends_with(name, ".zlib");
}

/* "truncated record at P" and "corrupted record at P": the offset of the record; a checksum of data
 * is told by TensorFlow with the offset of the data. */
static void assert_same_place(const char *outcome, const struct t2_err *err)
{
    const char *at = strstr(outcome, " record at ");
    char want[64];

    if (!at || strstr(err->message, "is not a TFRecord file"))
        return;
    unsigned long p = strtoul(at + strlen(" record at "), NULL, 10);
    bool data = strstr(err->message, "data CRC mismatch") != NULL;
    snprintf(want, sizeof want, " at offset %lu: %s", data ? p - 12 : p,
             data ? "data CRC" : (strstr(outcome, "truncated") ? "file cut short" : "length CRC"));
    t_assert_contains(err->message, want);
}

/* outcome: "end" or an error text.  Plain files: the same records, the same place. */
static void compare(const char *path, bool plain, size_t want, const char *outcome)
{
    struct t2_err err;
    enum t2_status st;
    size_t n = read_file(path, &st, &err);
    bool ends = strcmp(outcome, "end") == 0;

    if (!ends)
        assert_int_equal(st, T2_EFORMAT);
    if (st == T2_EOF)
        assert_int_equal(n, want);
    if (!plain)
        return;
    assert_int_equal(n, want);
    if (!ends)
        assert_same_place(outcome, &err);
    else if (st != T2_EOF)
        t_assert_contains(err.message, " of the 12 bytes of a record header are there");
}

/* rows: [first offset, last offset, records, outcome]; damage(k) makes the file. */
static void compare_rows(const struct t2_json_value *rows, bool plain, bool flip)
{
    const char *path = t_tmp_path("damaged");

    for (size_t i = 0; i < t2_json_size(rows); i++) {
        const struct t2_json_value *row = t2_json_item(rows, i);
        int64_t first = t2_json_as_i64(t2_json_item(row, 0), -1);
        int64_t last = t2_json_as_i64(t2_json_item(row, 1), -1);
        int64_t want = t2_json_as_i64(t2_json_item(row, 2), -1);
        const char *outcome = t2_json_as_string(t2_json_item(row, 3), "?");
        for (int64_t k = first; k <= last; k++) {
            if (flip)
                bytes[k] ^= 1;
            t_write_file(path, bytes, flip ? n_bytes : (size_t) k);
            if (flip)
                bytes[k] ^= 1;
            compare(path, plain, (size_t) want, outcome);
        }
    }
}

static void for_each_file(void (*f)(const char *name, const struct t2_json_value *entry))
{
    if (n_tables == 0)
        t_skip("no goldens/formats/tfrecord in T2_DATA");
    for (size_t t = 0; t < n_tables; t++) {
        const struct t2_json_value *files = t2_json_get(t2_json_root(tables[t]), "files");
        assert_true(t2_json_size(files) > 0);
        for (size_t i = 0; i < t2_json_size(files); i++) {
            const struct t2_json_value *entry = NULL;
            const char *name = t2_json_member(files, i, &entry);
            char *path = t2_asprintf("%s/tfrecord/%s", dir, name);
            load_whole(path);
            f(name, entry);
            free_whole();
            t2_free(path);
        }
    }
}

static void check_whole(const char *name, const struct t2_json_value *entry)
{
    char *path = t2_asprintf("%s/tfrecord/%s", dir, name);
    const struct t2_json_value *said = t2_json_get(entry, "whole");
    struct t2_err err = T2_ERR_INIT;
    uint64_t counted = 0;

    assert_int_equal(n_bytes, t2_json_as_i64(t2_json_get(entry, "bytes"), -1));
    assert_int_equal(n_whole, t2_json_as_i64(t2_json_item(said, 0), -1));
    assert_string_equal(t2_json_as_string(t2_json_item(said, 1), "?"), "end");
    assert_int_equal(tfr_count(path, &counted, &err), T2_OK);
    assert_int_equal(counted, n_whole);
    t2_free(path);
}

static void check_cuts(const char *name, const struct t2_json_value *entry)
{
    compare_rows(t2_json_get(entry, "cut_at"), is_plain(name), false);
}

static void check_flips(const char *name, const struct t2_json_value *entry)
{
    compare_rows(t2_json_get(entry, "bit_flipped_at"), is_plain(name), true);
}

/* Things appended: all records first; compressed files: what at least one of the versions did. */
static void check_appended(const char *name, const struct t2_json_value *entry)
{
    static const struct {
        const char *label;
        const char *bytes;
        size_t n;
    } tails[] = {{"one zero byte", "\0", 1},
                 {"12 zero bytes", "\0\0\0\0\0\0\0\0\0\0\0\0", 12},
                 {"16 zero bytes", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16},
                 {"text", "garbage", 7},
                 {"itself", NULL, 0}};
    const char *path = t_tmp_path("appended");

    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        const struct t2_json_value *said =
            t2_json_get(t2_json_get(entry, "appended"), tails[i].label);
        struct t2_buf b = {0};
        struct t2_err err;
        enum t2_status st;
        if (!said)
            continue;
        t2_buf_append(&b, bytes, n_bytes);
        t2_buf_append(&b, tails[i].bytes ? (const void *) tails[i].bytes : bytes,
                      tails[i].bytes ? tails[i].n : n_bytes);
        t_write_file(path, b.data, b.len_bytes);
        t2_buf_release(&b);
        if (is_plain(name)) {
            compare(path, n_whole > 0, (size_t) t2_json_as_i64(t2_json_item(said, 0), -1),
                    t2_json_as_string(t2_json_item(said, 1), "?"));
            continue;
        }
        size_t n = read_file(path, &st, &err);
        assert_true(st == T2_EOF || st == T2_EFORMAT);
        if (n != n_whole && n != 2 * n_whole)
            fail_msg("%s with %s: %zu records", name, tails[i].label, n);
    }
}

static void test_whole_files(void **state)
{
    (void) state;
    for_each_file(check_whole);
}

static void test_cut_files(void **state)
{
    (void) state;
    for_each_file(check_cuts);
}

static void test_flipped_bits(void **state)
{
    (void) state;
    for_each_file(check_flips);
}

static void test_appended(void **state)
{
    (void) state;
    for_each_file(check_appended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole_files),
                                       cmocka_unit_test(test_cut_files),
                                       cmocka_unit_test(test_flipped_bits),
                                       cmocka_unit_test(test_appended)};

    return cmocka_run_group_tests(tests, set_up, NULL);
}
