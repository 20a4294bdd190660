/*
 * test_scan_pass.c - counts, files, words, for any number of threads.
 */
#include "datagen/passes/scan_pass.h"

#include <string.h>

#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void scan(struct dg_scan *s, enum dg_split split, uint64_t max_cases, int n_threads,
                 bool count_words, enum t2_status expected, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct dg_options options = {.data_dir = "",
                                 .tmp_dir = t_tmp_path("."),
                                 .random_seed = 1,
                                 .max_cases = max_cases};

    assert_int_equal(dg_scan_split(dg_find("text2text_tmpdir"), &options, split, count_words, pool,
                                   s, err),
                     expected);
    t2_pool_free(pool);
}

static void test_counts(void **state)
{
    (void) state;
    ds_write_tmpdir(5000);
    for (int n_threads = 1; n_threads <= 3; n_threads++) {
        struct dg_scan s = {0};
        struct t2_err err = T2_ERR_INIT;
        scan(&s, DG_TRAIN, 0, n_threads, true, T2_OK, &err);
        assert_int_equal(s.n_samples[DG_TRAIN], 5000);
        /* a, small, test, ein, kleiner, Test and the numbers */
        assert_int_equal(tok_counts_distinct(s.counts[DG_TARGETS]), 5006);
        assert_int_equal(s.files[DG_TRAIN].n, 2);
        assert_int_equal(s.files[DG_TRAIN].items[0].lines, 5000);
        assert_int_equal(s.drops[DG_TRAIN].total, 0);
        dg_scan_release(&s);
    }
}

static void test_only_train_feeds_the_vocabulary(void **state)
{
    struct dg_scan s = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(10);
    scan(&s, DG_DEV, 0, 2, true, T2_OK, &err);
    assert_int_equal(s.n_samples[DG_DEV], 7);
    assert_null(s.counts[DG_TARGETS]);
    dg_scan_release(&s);
}

/* The whole file is read for its hash, but only the first cases count. */
static void test_max_cases(void **state)
{
    struct dg_scan s = {0}, all = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(1000);
    scan(&s, DG_TRAIN, 3, 2, true, T2_OK, &err);
    scan(&all, DG_TRAIN, 0, 2, false, T2_OK, &err);
    assert_int_equal(s.n_samples[DG_TRAIN], 3);
    assert_int_equal(tok_counts_distinct(s.counts[DG_TARGETS]), 9);
    assert_string_equal(s.files[DG_TRAIN].items[1].sha256, all.files[DG_TRAIN].items[1].sha256);
    assert_null(all.counts[DG_TARGETS]);
    dg_scan_release(&s);
    dg_scan_release(&all);
}

static void test_nothing_there(void **state)
{
    struct dg_scan s = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t_write_file(t_tmp_path("inputs.train.txt"), "", 0);
    t_write_file(t_tmp_path("targets.train.txt"), "", 0);
    scan(&s, DG_TRAIN, 0, 1, true, T2_EFORMAT, &err);
    t_assert_contains(err.message, "the train split has no samples: nothing usable in '");
    dg_scan_release(&s);
}

/* As open of text2text_tmpdir, of text that a step before had shortened. */
static enum t2_status open_shortened(const struct dg_problem *p, const struct dg_options *options,
                                     enum dg_split split, struct dg_stream **stream,
                                     struct t2_err *err)
{
    T2_TRY(dg_find("text2text_tmpdir")->open(p, options, split, stream, err));
    (*stream)->left_out = t2_alloc(1, sizeof *(*stream)->left_out);
    dg_drops_add((*stream)->left_out, "an empty side", "raw", 8, "leer");
    return T2_OK;
}

static void test_left_out_before(void **state)
{
    struct dg_problem p = *dg_find("text2text_tmpdir");
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path(".")};
    struct t2_pool *pool = t2_pool_new(1);
    struct t2_err err = T2_ERR_INIT;
    struct dg_scan s = {0};

    (void) state;
    ds_write_tmpdir(10);
    p.open = open_shortened;
    assert_int_equal(dg_scan_split(&p, &options, DG_DEV, false, pool, &s, &err), T2_OK);
    assert_int_equal(s.n_samples[DG_DEV], 7);
    assert_int_equal(s.drops[DG_DEV].total, 1);
    assert_string_equal(s.drops[DG_DEV].items[0].examples[0].text, "leer");
    dg_scan_release(&s);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_left_out_before), cmocka_unit_test(test_counts),
       cmocka_unit_test(test_only_train_feeds_the_vocabulary), cmocka_unit_test(test_max_cases),
       cmocka_unit_test(test_nothing_there))
