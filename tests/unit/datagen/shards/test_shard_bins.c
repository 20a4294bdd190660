/*
 * test_shard_bins.c - bins in memory and in scratch files hold the same bytes.
 */
#include "datagen/shards/shard_bins.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/t.h"

enum { N_BINS = 5, N_ADDS = 1000 };

static struct t2_strs paths_of(const char *stem)
{
    struct t2_strs paths = {0};

    for (int i = 0; i < N_BINS; i++)
        t2_strs_take(&paths, t2_asprintf("%s-%d.incomplete", t_tmp_path(stem), i));
    return paths;
}

static void check_content(uint64_t limit, bool scratch_expected)
{
    struct t2_strs paths = paths_of(scratch_expected ? "spilled" : "held");
    struct t2_buf expected[N_BINS] = {{0}};
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;
    bool scratch = false;

    t_write_file(paths.items[0], "left over", 9); /* of a run that was killed */
    assert_int_equal(dg_bins_new(&paths, limit, &bins, &err), T2_OK);
    assert_int_equal(dg_bins_count(bins), N_BINS);
    for (int i = 0; i < N_ADDS; i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "record %d;", i);
        int bin = i % (N_BINS - 1); /* the last one stays empty */
        assert_int_equal(dg_bins_add(bins, (size_t) bin, text, (size_t) len, &err), T2_OK);
        t2_buf_append(&expected[bin], text, (size_t) len);
    }
    for (int i = 0; i < N_BINS; i++) {
        struct dg_bin taken;
        scratch = scratch || t2_exists(paths.items[i]);
        assert_int_equal(dg_bins_take(bins, (size_t) i, &taken, &err), T2_OK);
        assert_int_equal(dg_bin_load(&taken, &err), T2_OK);
        assert_true(t2_slice_eq(t2_buf_slice(&taken.memory), t2_buf_slice(&expected[i])));
        dg_bin_release(&taken);
        assert_false(t2_exists(paths.items[i]));
        t2_buf_release(&expected[i]);
    }
    assert_int_equal(scratch, scratch_expected);
    dg_bins_free(bins);
    t2_strs_release(&paths);
}

static void test_in_memory(void **state)
{
    (void) state;
    check_content(1 << 20, false);
}

static void test_spilled(void **state)
{
    (void) state;
    check_content(0, true);
    check_content(100, true);
    check_content(5000, true);
}

static void test_scratch_goes_with_the_bins(void **state)
{
    struct t2_strs paths = paths_of("gone");
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_bins_new(&paths, 0, &bins, &err), T2_OK);
    assert_int_equal(dg_bins_add(bins, 2, "abc", 3, &err), T2_OK);
    assert_true(t2_exists(paths.items[2]));
    dg_bins_free(bins);
    assert_false(t2_exists(paths.items[2]));
    dg_bins_free(NULL);
    t2_strs_release(&paths);
}

static void test_no_place(void **state)
{
    struct t2_strs paths = {0};
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t2_strs_push(&paths, t_tmp_path("no/such/folder/x"));
    assert_int_equal(dg_bins_new(&paths, 0, &bins, &err), T2_OK);
    assert_int_equal(dg_bins_add(bins, 0, "abc", 3, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "cannot open the scratch file");
    dg_bins_free(bins);
    t2_strs_release(&paths);
}

/* A scratch file that somebody removes, empties, cuts or lengthens: never fewer records and no word
 * of it. */
static void test_changed_scratch(void **state)
{
    enum { GONE, EMPTIED, CUT, GROWN, A_FOLDER, N_WAYS };

    (void) state;
    for (int way = 0; way < N_WAYS; way++) {
        struct t2_strs paths = paths_of("changed");
        struct dg_bins *bins = NULL;
        struct t2_err err = T2_ERR_INIT;
        struct dg_bin taken = {{0}, 0, NULL, 0};

        assert_int_equal(dg_bins_new(&paths, 0, &bins, &err), T2_OK);
        assert_int_equal(dg_bins_add(bins, 1, "abcdef", 6, &err), T2_OK);
        if (way == GONE || way == A_FOLDER)
            assert_int_equal(remove(paths.items[1]), 0);
        else
            assert_int_equal(truncate(paths.items[1], way == EMPTIED ? 0 : way == CUT ? 3 : 9), 0);
        if (way == A_FOLDER)
            assert_int_equal(mkdir(paths.items[1], 0700), 0);
        assert_int_not_equal(dg_bins_take(bins, 1, &taken, &err), T2_OK);
        t_assert_contains(err.message, "scratch file of this run");
        if (way == A_FOLDER)
            assert_int_equal(rmdir(paths.items[1]), 0);
        dg_bins_free(bins);
        t2_strs_release(&paths);
    }
}

/* A link under a scratch name leads to what must not be written. */
static void test_scratch_through_a_link(void **state)
{
    struct t2_strs paths = paths_of("linked");
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_bins_new(&paths, 0, &bins, &err), T2_OK);
    assert_int_equal(symlink("/dev/null", paths.items[0]), 0);
    assert_int_not_equal(dg_bins_add(bins, 0, "abc", 3, &err), T2_OK);
    dg_bins_free(bins);
    t2_strs_release(&paths);
}

T_MAIN(cmocka_unit_test(test_changed_scratch), cmocka_unit_test(test_scratch_through_a_link),
       cmocka_unit_test(test_in_memory), cmocka_unit_test(test_spilled),
       cmocka_unit_test(test_scratch_goes_with_the_bins), cmocka_unit_test(test_no_place))
