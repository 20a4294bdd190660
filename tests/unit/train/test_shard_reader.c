/*
 * Tests of train/input/shard_reader.c: both ways to read the same shard; what is passed over is
 * noted once, with its place; more than the limit ends the shard.
 */
#include "train/input/shard_reader.h"

#include <stdlib.h>

#include "tests/unit/train/id_shards.h"

static struct t2_err err;

/* Reads to the end, refusing the record of this number; the numbers of those kept into `kept`. */
static enum t2_status read_all(const char *path, uint64_t max_corrupt, uint64_t refused,
                               struct in_corrupt *c, uint64_t kept[], size_t *n)
{
    struct in_shard_reader *r = NULL;
    struct in_shard_record record;
    enum t2_status st;

    *n = 0;
    st = in_shard_reader_new(path, max_corrupt, c, &r, &err);
    while (st == T2_OK && (st = in_shard_reader_next(r, &record, &err)) == T2_OK) {
        if (record.number == refused) {
            t2_fail(&err, T2_EFORMAT, "no sample");
            st = in_shard_reader_refuse(r, &record, &err);
        } else {
            kept[(*n)++] = record.number;
        }
    }
    in_shard_reader_free(r);
    return st;
}

static void test_both_ways(void **state)
{
    const char *dir = t_tmp_path("both");
    char *path = tfr_shard_path(dir, "ids", "train", 0, 1), *bytes;
    struct in_corrupt c = {0};
    uint64_t kept[20];
    size_t n, n_bytes;

    (void) state;
    ids_write(dir, "train", 20, 1, 20);
    for (uint64_t max = 0; max < 2; max++) {
        assert_int_equal(read_all(path, max, UINT64_MAX, &c, kept, &n), T2_EOF);
        assert_int_equal(n, 20);
        assert_int_equal(kept[19], 19);
        assert_int_equal(c.n_records + c.places.n + c.crc, 0);
    }
    assert_int_equal(read_all(path, 0, 5, &c, kept, &n), T2_EFORMAT);
    t_assert_contains(err.message, "ids-train-00000-of-00001': record 5 at offset ");
    t_assert_contains(err.message, ": no sample");
    assert_int_equal(n, 5);

    bytes = t_read_file(path, &n_bytes);
    bytes[14] ^= 4;
    t_write_file(path, bytes, n_bytes);
    assert_int_equal(read_all(path, 0, 5, &c, kept, &n), T2_EFORMAT);
    assert_int_equal(n, 0);
    assert_int_equal(c.places.n, 0);
    assert_int_equal(read_all(path, 2, 5, &c, kept, &n), T2_EOF);
    assert_int_equal(n, 18);
    assert_int_equal(kept[0], 1);
    assert_int_equal(kept[4], 6);
    assert_int_equal(c.n_records, 2);
    t_assert_contains(c.places.items[0], "record 0 at offset 0: ");
    t_assert_contains(c.places.items[1], ": no sample");
    assert_int_not_equal(c.crc, 0);
    in_corrupt_release(&c);
    /* one more than the limit is noted, and the shard ends */
    assert_int_equal(read_all(path, 1, 5, &c, kept, &n), T2_EOF);
    assert_int_equal(n, 4);
    assert_int_equal(c.n_records, 2);
    in_corrupt_release(&c);
    /* nobody wants the notes: the reading is the same */
    assert_int_equal(read_all(path, 2, 5, NULL, kept, &n), T2_EOF);
    assert_int_equal(n, 18);
    free(bytes);
    t2_free(path);
}

/* A lost stretch counts as many records as it had, by its size. */
static void test_a_lost_stretch(void **state)
{
    const char *dir = t_tmp_path("stretch");
    char *path = tfr_shard_path(dir, "ids", "train", 0, 1), *bytes;
    struct in_corrupt c = {0};
    uint64_t kept[200];
    size_t n, n_bytes;

    (void) state;
    ids_write(dir, "train", 200, 1, 20);
    bytes = t_read_file(path, &n_bytes);
    memset(bytes + n_bytes / 2, 0, n_bytes / 4);
    t_write_file(path, bytes, n_bytes);
    assert_int_equal(read_all(path, 200, UINT64_MAX, &c, kept, &n), T2_EOF);
    assert_true(c.n_records > 30 && c.n_records < 80);
    assert_true(n > 130 && n < 170);
    assert_true(c.places.n <= 3);
    t_assert_contains(c.places.items[c.places.n - 1], " records)");
    in_corrupt_release(&c);
    free(bytes);
    t2_free(path);
}

static void test_compressed(void **state)
{
    static const unsigned char empty_gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3,
                                               3,    0,    0, 0, 0, 0, 0, 0, 0, 0};
    const char *path = t_tmp_path("x.gz");
    struct in_shard_reader *r;

    (void) state;
    t_write_file(path, empty_gzip, sizeof empty_gzip);
    assert_int_equal(in_shard_reader_new(path, 1, NULL, &r, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "compressed");
    assert_int_equal(in_shard_reader_new(t_tmp_path("none"), 1, NULL, &r, &err), T2_ENOTFOUND);
    assert_null(r);
}

T_MAIN(cmocka_unit_test(test_both_ways), cmocka_unit_test(test_a_lost_stretch),
       cmocka_unit_test(test_compressed))
