/*
 * test_encode_pass.c - records, round robin, statistics.
 */
#include "datagen/encode_pass.h"

#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"
#include "tfrecord/example.h"

enum { N_BINS = 3 };

static enum t2_status encode(int n_threads, uint64_t expected, struct t2_buf bins_out[N_BINS],
                             struct dg_encode *e, struct t2_err *err)
{
    struct t2_out *const no_text[DG_N_SIDES] = {NULL, NULL};
    struct dg_options options = {"", t_tmp_path("."), 1, 0};
    struct dg_vocab_wish bytes = {.kind = DG_VOCAB_BYTES};
    struct t2_strs scratch = {0};
    struct dg_vocab vocab;
    enum t2_status st;
    int i;

    for (i = 0; i < N_BINS; ++i)
        t2_strs_take(&scratch, t2_asprintf("%s.%d", t_tmp_path("scratch"), i));
    assert_int_equal(dg_vocab_load(NULL, &bytes, &vocab, err), T2_OK);
    assert_int_equal(dg_bins_new(&scratch, 1 << 20, &e->bins, err), T2_OK);
    e->problem = &dg_problem_text2text_tmpdir;
    e->options = &options;
    e->vocabs[DG_INPUTS] = e->vocabs[DG_TARGETS] = &vocab;
    e->pool = t2_pool_new(n_threads);
    st = dg_encode_split(e, DG_TRAIN, 0, N_BINS, expected, no_text, err);
    for (i = 0; i < N_BINS; ++i) {
        struct dg_bin taken;
        assert_int_equal(dg_bins_take(e->bins, (size_t) i, &taken, err), T2_OK);
        t2_buf_append(&bins_out[i], taken.bytes.data, taken.bytes.len_bytes);
        dg_bin_release(&taken);
    }
    dg_bins_free(e->bins);
    t2_pool_free(e->pool);
    dg_vocab_release(&vocab);
    t2_strs_release(&scratch);
    return st;
}

static void release(struct t2_buf bins[N_BINS])
{
    int i;

    for (i = 0; i < N_BINS; ++i)
        t2_buf_release(&bins[i]);
}

/* Sample k is in bin k mod 3, at place k div 3. */
static void test_round_robin(void **state)
{
    struct t2_buf bins[N_BINS] = {{0}};
    struct dg_encode e = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tfr_example ex = {0};
    struct t2_slice record;
    const struct tfr_view *view;
    int64_t ids[32];

    (void) state;
    ds_write_tmpdir(8);
    assert_int_equal(encode(1, 8, bins, &e, &err), T2_OK);
    assert_int_equal(e.n_records[DG_TRAIN], 8);
    assert_int_equal(bins[0].len_bytes, bins[1].len_bytes);
    assert_int_equal(bins[2].len_bytes, bins[1].len_bytes / 3 * 2);
    /* the second record of bin 2 is sample 5 */
    record.len_bytes = bins[2].len_bytes / 2 - 16;
    record.data = bins[2].data + bins[2].len_bytes / 2 + 12;
    assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
    view = tfr_example_find(&ex, "inputs");
    assert_int_equal(view->n, strlen("a small test 5") + 1);
    tfr_view_ints(view, ids);
    assert_int_equal(ids[13], '5' + 2);
    assert_int_equal(ids[14], TOK_EOS);
    tfr_example_release(&ex);
    assert_int_equal(e.stats[DG_INPUTS].min_length, 15);
    assert_int_equal(e.stats[DG_INPUTS].max_length, 15);
    assert_int_equal(e.stats[DG_INPUTS].n_values, 8 * 15);
    assert_int_equal(e.stats[DG_INPUTS].min_value, TOK_EOS);
    assert_int_equal(e.stats[DG_TARGETS].max_value, 't' + 2);
    release(bins);
}

static void test_threads(void **state)
{
    struct t2_buf one[N_BINS] = {{0}}, four[N_BINS] = {{0}};
    struct dg_encode a = {0}, b = {0};
    struct t2_err err = T2_ERR_INIT;
    int i;

    (void) state;
    ds_write_tmpdir(7000);
    assert_int_equal(encode(1, 7000, one, &a, &err), T2_OK);
    assert_int_equal(encode(4, 7000, four, &b, &err), T2_OK);
    for (i = 0; i < N_BINS; ++i)
        assert_true(t2_slice_eq(t2_buf_slice(&one[i]), t2_buf_slice(&four[i])));
    assert_memory_equal(a.stats, b.stats, sizeof a.stats);
    release(one);
    release(four);
}

static void test_file_that_changes(void **state)
{
    struct t2_buf bins[N_BINS] = {{0}};
    struct dg_encode e = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(10);
    assert_int_equal(encode(2, 11, bins, &e, &err), T2_EIO);
    t_assert_contains(err.message, "had 11 samples, now it has 10: an input changed");
    release(bins);
}

static void test_join(void **state)
{
    struct dg_feature_stats none = {0}, a = {2, 1, 9, 10, 3, 70}, b = {1, 4, 4, 4, -5, 20};

    (void) state;
    dg_feature_stats_join(&a, &none);
    assert_int_equal(a.n_records, 2);
    dg_feature_stats_join(&a, &b);
    assert_int_equal(a.n_records, 3);
    assert_int_equal(a.min_length, 1);
    assert_int_equal(a.max_length, 9);
    assert_int_equal(a.n_values, 14);
    assert_int_equal(a.min_value, -5);
    assert_int_equal(a.max_value, 70);
    dg_feature_stats_join(&none, &b);
    assert_memory_equal(&none, &b, sizeof b);
}

T_MAIN(cmocka_unit_test(test_round_robin), cmocka_unit_test(test_threads),
       cmocka_unit_test(test_file_that_changes), cmocka_unit_test(test_join))
