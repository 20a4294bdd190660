/*
 * test_bin_order.c - the same order of records whether they fit into memory or not.
 */
#include "datagen/shards/bin_order.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrecord/writer.h"

enum { N_RECORDS = 3000 };

static enum t2_status append(void *context, struct t2_slice frame, struct t2_err *err)
{
    (void) err;
    t2_buf_append(context, frame.data, frame.len_bytes);
    return T2_OK;
}

/* Records of 0 to 300 bytes, one of 50 kB. */
static struct dg_bins *fill(uint64_t bins_bytes, struct t2_buf *all)
{
    struct t2_strs scratch = {0};
    struct dg_bins *bins = NULL;
    struct t2_err err = T2_ERR_INIT;
    static uint8_t payload[50000];

    t2_strs_push(&scratch, t_tmp_path("scratch"));
    assert_int_equal(dg_bins_new(&scratch, bins_bytes, &bins, &err), T2_OK);
    for (uint64_t i = 0; i < N_RECORDS; i++) {
        size_t len = i == 77 ? sizeof payload : (size_t) (t_hash64(i) % 300);
        struct t2_buf frame = {0};
        memset(payload, (int) i, len);
        tfr_frame(&frame, payload, len);
        t2_buf_append(all, frame.data, frame.len_bytes);
        assert_int_equal(dg_bins_add(bins, 0, frame.data, frame.len_bytes, &err), T2_OK);
        t2_buf_release(&frame);
    }
    t2_strs_release(&scratch);
    return bins;
}

static void run(uint64_t bins_bytes, uint64_t memory_bytes, bool shuffle, struct t2_buf *out)
{
    struct t2_buf all = {0};
    struct dg_bins *bins = fill(bins_bytes, &all);
    struct dg_order o = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt mt;

    t2_mt_seed_python(&mt, 1);
    assert_int_equal(dg_order_open(&o, bins, 0, memory_bytes, &err), T2_OK);
    assert_int_equal(o.n, N_RECORDS);
    if (shuffle)
        dg_order_shuffle(&o, &mt);
    assert_int_equal(dg_order_run(&o, append, out, &err), T2_OK);
    assert_int_equal(out->len_bytes, all.len_bytes);
    assert_int_equal(t2_slice_eq(t2_buf_slice(out), t2_buf_slice(&all)), !shuffle);
    dg_order_release(&o);
    dg_bins_free(bins);
    t2_buf_release(&all);
}

static void test_windows(void **state)
{
    static const struct {
        uint64_t bins_bytes, memory_bytes;
    } cases[] = {{1 << 22, 0}, {0, 1 << 22}, {0, 100000}, {0, 3000}, {0, 1}, {5000, 70000}};

    (void) state;
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        struct t2_buf want = {0};
        run(cases[0].bins_bytes, cases[0].memory_bytes, shuffle, &want);
        for (size_t i = 1; i < sizeof cases / sizeof *cases; i++) {
            struct t2_buf have = {0};
            run(cases[i].bins_bytes, cases[i].memory_bytes, shuffle, &have);
            assert_true(t2_slice_eq(t2_buf_slice(&want), t2_buf_slice(&have)));
            t2_buf_release(&have);
        }
        t2_buf_release(&want);
    }
}

static void test_empty(void **state)
{
    struct t2_strs scratch = {0};
    struct dg_bins *bins = NULL;
    struct dg_order o = {0};
    struct t2_buf out = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t2_strs_push(&scratch, t_tmp_path("scratch"));
    assert_int_equal(dg_bins_new(&scratch, 1, &bins, &err), T2_OK);
    assert_int_equal(dg_order_open(&o, bins, 0, 1, &err), T2_OK);
    assert_int_equal(o.n, 0);
    assert_int_equal(dg_order_run(&o, append, &out, &err), T2_OK);
    assert_int_equal(out.len_bytes, 0);
    dg_order_release(&o);
    dg_bins_free(bins);
    t2_strs_release(&scratch);
}

/* A scratch file that somebody cut short is an error with its name. */
static void test_cut_short(void **state)
{
    struct t2_buf all = {0}, out = {0};
    struct dg_bins *bins = fill(0, &all);
    struct dg_order o = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_order_open(&o, bins, 0, 100000, &err), T2_OK);
    assert_int_equal(truncate(t_tmp_path("scratch"), 1000), 0);
    assert_int_equal(dg_order_run(&o, append, &out, &err), T2_EIO);
    t_assert_contains(err.message, "scratch': cannot read the scratch file");
    dg_order_release(&o);
    dg_bins_free(bins);
    t2_buf_release(&all);
    t2_buf_release(&out);
}

/* Lengths on a disk may not be those that were written, in any byte, read whole or in windows. */
static void test_changed_lengths(void **state)
{
    (void) state;
    for (uint64_t memory = 0; memory <= 1 << 20; memory += 1 << 20) {
        for (int byte = 0; byte < 8; byte++) {
            struct t2_buf all = {0};
            struct dg_bins *bins = fill(0, &all);
            struct dg_order o = {0};
            struct t2_err err = T2_ERR_INIT;
            FILE *f = fopen(t_tmp_path("scratch"), "r+");

            assert_non_null(f);
            assert_int_equal(fseek(f, byte, SEEK_SET), 0);
            assert_int_equal(fputc(0xee, f), 0xee);
            assert_int_equal(fclose(f), 0);
            /* A low byte may give another chain of frames that ends well: dg_shuffle_shards counts
             * them. */
            if (dg_order_open(&o, bins, 0, memory, &err) != T2_OK)
                t_assert_contains(err.message, "was changed at offset");
            else
                assert_int_not_equal(o.n, N_RECORDS);
            dg_order_release(&o);
            dg_bins_free(bins);
            t2_buf_release(&all);
        }
    }
}

/* One other bit in any part of a frame, read whole or in windows: no damaged record goes on. */
static void test_changed_bytes(void **state)
{
    (void) state;
    for (uint64_t memory = 100000; memory <= 1 << 20; memory += (1 << 20) - 100000) {
        for (long at = 8; at < 1000; at += 31) {
            struct t2_buf all = {0}, out = {0};
            struct dg_bins *bins = fill(0, &all);
            struct dg_order o = {0};
            struct t2_err err = T2_ERR_INIT;
            FILE *f = fopen(t_tmp_path("scratch"), "r+");
            enum t2_status st;

            assert_non_null(f);
            assert_int_equal(fseek(f, at, SEEK_SET), 0);
            assert_int_not_equal(fputc(all.data[at] ^ 4, f), EOF);
            assert_int_equal(fclose(f), 0);
            st = dg_order_open(&o, bins, 0, memory, &err);
            if (st == T2_OK)
                st = dg_order_run(&o, append, &out, &err);
            assert_int_equal(st, T2_EIO);
            t_assert_contains(err.message, "was changed at offset");
            dg_order_release(&o);
            dg_bins_free(bins);
            t2_buf_release(&all);
            t2_buf_release(&out);
        }
    }
}

T_MAIN(cmocka_unit_test(test_changed_bytes), cmocka_unit_test(test_changed_lengths),
       cmocka_unit_test(test_windows), cmocka_unit_test(test_empty),
       cmocka_unit_test(test_cut_short))
