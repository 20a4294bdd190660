/*
 * test_shard_shuffle.c - T2T's order, for any number of threads.
 */
#include "datagen/shards/shard_shuffle.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

/* Spec t2t-datagen.md §11: Python's random.seed(429459), shuffling lists of these lengths in
 * turn. */
static const size_t lengths[] = {3, 2, 1, 4, 0};
static const char *const orders[] = {"120", "01", "0", "1023", ""};
enum { N_SHARDS = 5 };

static void shuffle(int n_threads, uint64_t memory, struct t2_strs *paths,
                    struct tfr_manifest_shard *infos)
{
    struct t2_strs scratch = {0};
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct dg_shuffle how = {.n = N_SHARDS, .says = &dg_layout_t2t.says};

    t2_mt_seed_python(&how.mt, 429459);
    for (size_t i = 0; i < N_SHARDS; i++) {
        t2_strs_take(paths, t2_asprintf("%s-%zu", t_tmp_path("shard"), i));
        t2_strs_take(&scratch, t2_asprintf("%s.scratch", paths->items[i]));
    }
    assert_int_equal(dg_bins_new(&scratch, memory, &bins, &err), T2_OK);
    for (size_t i = 0; i < N_SHARDS; i++) {
        for (size_t k = 0; k < lengths[i]; k++) {
            struct t2_buf frame = {0};
            char digit = (char) ('0' + k);
            tfr_frame(&frame, &digit, 1);
            assert_int_equal(dg_bins_add(bins, i, frame.data, frame.len_bytes, &err), T2_OK);
            t2_buf_release(&frame);
        }
    }
    assert_int_equal(dg_shuffle_shards(bins, paths, &how, pool, infos, &err), T2_OK);
    dg_bins_free(bins);
    t2_pool_free(pool);
    t2_strs_release(&scratch);
}

static void check_shard(const char *path, const char *order, const struct tfr_manifest_shard *info)
{
    struct tfr_reader *r = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice record;
    char sha256[65];
    uint64_t bytes;
    size_t n = 0;

    assert_int_equal(tfr_reader_new(path, &r, &err), T2_OK);
    while (tfr_reader_next(r, &record, &err) == T2_OK) {
        assert_int_equal(record.len_bytes, 1);
        assert_int_equal(record.data[0], order[n++]);
    }
    assert_int_equal(n, strlen(order));
    tfr_reader_free(r);
    assert_int_equal(info->n_records, n);
    assert_int_equal(t2_sha256_file(path, sha256, &bytes, &err), T2_OK);
    assert_string_equal(info->sha256, sha256);
    assert_int_equal(info->bytes, bytes);
}

static void check(int n_threads, uint64_t memory)
{
    struct tfr_manifest_shard infos[N_SHARDS] = {{0}};
    struct t2_strs paths = {0};

    shuffle(n_threads, memory, &paths, infos);
    for (size_t i = 0; i < N_SHARDS; i++)
        check_shard(paths.items[i], orders[i], &infos[i]);
    t2_strs_release(&paths);
}

static void test_order(void **state)
{
    (void) state;
    check(1, 1 << 20);
    check(2, 1 << 20);
    check(4, 0);
}

static void test_write_fails(void **state)
{
    struct t2_strs paths = {0}, scratch = {0};
    struct t2_pool *pool = t2_pool_new(2);
    struct tfr_manifest_shard info = {0};
    struct dg_shuffle how = {.n = 1, .says = &dg_layout_t2t.says};
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t2_mt_seed_python(&how.mt, 1);
    t2_strs_push(&paths, "/dev/null/shard");
    t2_strs_push(&scratch, t_tmp_path("unused"));
    assert_int_equal(dg_bins_new(&scratch, 100, &bins, &err), T2_OK);
    assert_int_not_equal(dg_shuffle_shards(bins, &paths, &how, pool, &info, &err), T2_OK);
    t_assert_contains(err.message, "/dev/null/shard");
    dg_bins_free(bins);
    t2_pool_free(pool);
    t2_strs_release(&paths);
    t2_strs_release(&scratch);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_write_fails))
