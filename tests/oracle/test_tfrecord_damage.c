/*
 * Reading on after damage, on every case of goldens/formats/tfrecord-damage.*.json and on the files
 * of goldens/hostile: every sound record that TensorFlow gave is given, and more; what is no record
 * file is named for what it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/t.h"
#include "tfrecord/damage.h"

enum { MAX_RECORDS = 100 };

static char dir[4096]; /* goldens/formats/tfrecord */
static uint8_t *bytes; /* the file under test */
static size_t n_bytes;
static struct t2_buf whole[MAX_RECORDS]; /* its records */
static size_t n_whole;

struct given {
    size_t n_records, n_damages;
    uint64_t lost_bytes;
    enum tfr_field first_field;
    uint64_t first_offset;
    bool sound; /* every record is one of the whole file's, in order */
};

/* Goes through bytes in memory; a file's bytes give the same (test_damage.c). */
static struct given go_through(struct t2_slice data)
{
    struct tfr_damage_reader *r = tfr_damage_open_memory(data);
    struct given g = {.sound = true};
    struct tfr_found f;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;
    size_t at = 0;

    while ((st = tfr_damage_next(r, &f, &err)) == T2_OK) {
        if (f.is_record) {
            while (at < n_whole && !t2_slice_eq(t2_buf_slice(&whole[at]), f.data))
                at++;
            g.sound = g.sound && at < n_whole;
            g.n_records++;
            at++;
        }
        if (f.is_damaged && g.n_damages++ == 0) {
            g.first_field = f.damage.field;
            g.first_offset = f.offset;
        }
        if (f.is_damaged)
            g.lost_bytes += f.damage.lost_bytes;
    }
    assert_int_equal(st, T2_EOF);
    tfr_damage_close(r);
    return g;
}

static void load(const char *name)
{
    char *path = t2_path_join(dir, name);
    struct tfr_damage_reader *r;
    struct tfr_found f;
    struct t2_err err = T2_ERR_INIT;

    bytes = (uint8_t *) t_read_file(path, &n_bytes);
    r = tfr_damage_open_memory((struct t2_slice){bytes, n_bytes});
    for (n_whole = 0; tfr_damage_next(r, &f, &err) == T2_OK; n_whole++) {
        assert_true(f.is_record && !f.is_damaged && n_whole < MAX_RECORDS);
        t2_buf_clear(&whole[n_whole]);
        t2_buf_append(&whole[n_whole], f.data.data, f.data.len_bytes);
    }
    tfr_damage_close(r);
    t2_free(path);
}

static bool is_plain(const char *name)
{
    return t2_ends_with(name, ".tfrecord");
}

/* rows: [first offset, last offset, records, outcome] */
static void check_rows(const char *name, const struct t2_json_value *rows, bool flip)
{
    for (size_t i = 0; i < t2_json_size(rows); i++) {
        const struct t2_json_value *row = t2_json_item(rows, i);
        int64_t last = t2_json_as_i64(t2_json_item(row, 1), -1);
        int64_t wanted = t2_json_as_i64(t2_json_item(row, 2), -1);
        bool ended = strcmp(t2_json_as_string(t2_json_item(row, 3), "?"), "end") == 0;
        for (int64_t k = t2_json_as_i64(t2_json_item(row, 0), -1); k <= last; k++) {
            bytes[k] ^= flip;
            struct given g = go_through((struct t2_slice){bytes, flip ? n_bytes : (size_t) k});
            bytes[k] ^= flip;
            if (!g.sound || (int64_t) g.n_records < wanted || (!ended && g.n_damages == 0))
                fail_msg("%s at %d: %zu records, TensorFlow gave %d; %zu damages", name, (int) k,
                         g.n_records, (int) wanted, g.n_damages);
            if (is_plain(name) && flip && g.n_records + 1 < n_whole)
                fail_msg("%s at %d: only %zu records", name, (int) k, g.n_records);
            if (is_plain(name) && !flip)
                assert_int_equal(g.n_records, wanted);
        }
    }
}

static void check_appended(const char *name)
{
    static const char *const tails[] = {"\0", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "garbage"};
    static const size_t tail_bytes[] = {1, 16, 7};

    for (size_t i = 0; i < 3; i++) {
        struct t2_buf b = {NULL, 0, 0};
        t2_buf_append(&b, bytes, n_bytes);
        t2_buf_append(&b, tails[i], tail_bytes[i]);
        struct given g = go_through(t2_buf_slice(&b));
        assert_true(g.sound);
        assert_int_equal(g.n_records, n_whole);
        if (is_plain(name) || i == 2)
            assert_int_equal(g.n_damages, 1);
        t2_buf_release(&b);
    }
}

static void test_goldens(void **state)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_data_path("goldens/formats/tfrecord");
    (void) state;

    if (!path)
        t_skip("no goldens/formats/tfrecord in T2_DATA");
    snprintf(dir, sizeof dir, "%s", path);
    for (int version = 1; version <= 2; version++) {
        char *table = t2_asprintf("%s-damage.tf%d.json", dir, version);
        assert_int_equal(t2_json_load(table, &doc, &err), T2_OK);
        const struct t2_json_value *files = t2_json_get(t2_json_root(doc), "files");
        assert_true(t2_json_size(files) > 0);
        for (size_t i = 0; i < t2_json_size(files); i++) {
            const struct t2_json_value *entry = NULL;
            const char *name = t2_json_member(files, i, &entry);
            load(name);
            check_rows(name, t2_json_get(entry, "cut_at"), false);
            check_rows(name, t2_json_get(entry, "bit_flipped_at"), true);
            check_appended(name);
            free(bytes);
        }
        t2_json_free(doc);
        t2_free(table);
    }
    for (size_t i = 0; i < MAX_RECORDS; i++)
        t2_buf_release(&whole[i]);
    n_whole = 0;
}

/* Images, text, archives: one damage, no record; most of them are recognised. */
static void test_hostile(void **state)
{
    static const char *const folders[] = {"pictures", "text", "archives", "csv"};
    (void) state;

    if (!t_data_path("goldens/hostile/text"))
        t_skip("no goldens/hostile in T2_DATA");
    n_whole = 0;
    for (size_t d = 0; d < sizeof folders / sizeof *folders; d++) {
        struct t2_strs names = {NULL, 0, 0};
        struct t2_err err = T2_ERR_INIT;
        char in[256];
        snprintf(in, sizeof in, "goldens/hostile/%s", folders[d]);
        char *folder = t2_strdup(t_data_path(in));
        assert_int_equal(t2_list_dir(folder, &names, &err), T2_OK);
        for (size_t i = 0; i < names.n; i++) {
            char *path = t2_path_join(folder, names.items[i]);
            size_t n = 0;
            char *data = t_read_file(path, &n);
            struct given g = go_through((struct t2_slice){(const uint8_t *) data, n});
            assert_int_equal(g.n_records, 0);
            if (g.n_damages == 0 && n > 0 && strcmp(names.items[i], "empty.gz") != 0)
                fail_msg("%s: no damage", path);
            free(data);
            t2_free(path);
        }
        t2_strs_release(&names);
        t2_free(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_goldens),
                                       cmocka_unit_test(test_hostile)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
