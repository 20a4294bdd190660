/*
 * tests/unit/tfrecord/test_index_parse.c - sound and unsound binary indexes in memory.
 */
#include <unistd.h>

#include "tests/support/index_bytes.h"
#include "tests/unit/tfrecord/index_files.h"
#include "tfrecord/framing.h"
#include "tfrecord/index_format.h"

static uint8_t *good;
static size_t n_good;

static void make(const char *with, size_t n, enum tfr_compression c)
{
    const char *path = t_tmp_path("data");
    uint64_t n_records;

    free(good);
    xf_write(path, n, c);
    assert_int_equal(xf_build(path, with, true, false, 1, &n_records), T2_OK);
    good = (uint8_t *) xf_read(path, ".tfri", &n_good);
}

static void test_sound(void **state)
{
    struct tfr_index *ix;
    uint8_t *odd;

    (void) state;
    make("label,weight", 9, TFR_BGZIP);
    odd = t2_alloc(n_good + 1, 1);
    memcpy(odd + 1, good, n_good);
    assert_int_equal(t_index_parse(odd + 1, n_good, "x", &ix, &err), T2_OK);
    assert_int_equal(ix->n_records, 9);
    assert_int_equal(ix->n_columns, 2);
    assert_int_equal(ix->private_->n_blocks, 1);
    assert_int_equal(ix->private_->compression, TFR_BGZIP);
    tfr_index_free(ix);
    tfr_index_free(NULL);
    t2_free(odd);
}

/* Nothing but the whole file is accepted. */
static void test_cut_and_flipped(void **state)
{
    struct tfr_index *ix;

    (void) state;
    make("label,text", 5, TFR_PLAIN);
    for (size_t n = 0; n < n_good; n++) {
        assert_int_equal(t_index_parse(good, n, "x", &ix, &err), T2_EFORMAT);
        assert_null(ix);
    }
    for (size_t bit = 0; bit < 8 * n_good; bit++) {
        good[bit / 8] ^= (uint8_t) (1 << bit % 8);
        assert_int_not_equal(t_index_parse(good, n_good, "x", &ix, &err), T2_OK);
        good[bit / 8] ^= (uint8_t) (1 << bit % 8);
    }
    assert_int_equal(t_index_parse(good, n_good, "x", &ix, &err), T2_OK);
    tfr_index_free(ix);
}

static void seal(void)
{
    uint8_t *foot = good + n_good - TFR_INDEX_FOOT_BYTES;

    tfr_put_le32(foot + TFR_FOOT_CRC, t2_crc32c(0, good, n_good - 8));
}

/* One number changed, the checksum right: the check behind it must find that. */
static void refuse_changed(size_t at, uint32_t v, const char *says)
{
    struct tfr_index *ix;
    uint8_t was[4];

    memcpy(was, good + at, 4);
    tfr_put_le32(good + at, v);
    seal();
    assert_int_not_equal(t_index_parse(good, n_good, "x", &ix, &err), T2_OK);
    t_assert_contains(err.message, says);
    memcpy(good + at, was, 4);
    seal();
}

static void test_wrong_numbers(void **state)
{
    size_t foot;
    struct tfr_index *ix;

    (void) state;
    make("label", 5, TFR_PLAIN);
    foot = n_good - TFR_INDEX_FOOT_BYTES;
    refuse_changed(8, 2, "version 2");
    refuse_changed(12, 4, "unknown compression");
    refuse_changed(12, TFR_BGZIP + 1, "unknown compression");
    refuse_changed(16, 1, "do not ascend");
    refuse_changed(24, 15, "do not ascend");
    refuse_changed(16 + 8 * 3 + 4, 1, "do not ascend");
    refuse_changed(foot + TFR_FOOT_RECORDS, 4, "parts are not where");
    refuse_changed(foot + TFR_FOOT_RECORDS, 100000, "more records are promised");
    refuse_changed(foot + TFR_FOOT_RECORDS + 4, UINT32_MAX, "more records are promised");
    refuse_changed(foot + TFR_FOOT_BLOCKS, 1, "blocks are wrong");
    refuse_changed(foot + TFR_FOOT_NAMES_AT, 56, "parts are not where");
    refuse_changed(foot + TFR_FOOT_NAMES_AT, 0x7fffffff, "parts are not where");
    refuse_changed(foot + TFR_FOOT_COLUMNS, 2, "names of columns are wrong");
    refuse_changed(foot + TFR_FOOT_COLUMNS, 0, "bytes are left over");
    refuse_changed(foot + TFR_FOOT_COLUMNS + 4, 1, "more columns are promised");
    refuse_changed(foot + TFR_FOOT_DATA_BYTES, 7, "records do not end where");
    refuse_changed(foot - 16, 9, "names of columns are wrong");
    refuse_changed(foot - 16, TFR_FLOAT, "bytes are left over");
    refuse_changed(foot - 12, 100000, "names of columns are wrong");
    refuse_changed(foot - 8, 0, "names of columns are wrong");
    assert_int_equal(t_index_parse(good, n_good, "x", &ix, &err), T2_OK);
    tfr_index_free(ix);
    make(NULL, 4000, TFR_BGZIP);
    foot = n_good - TFR_INDEX_FOOT_BYTES;
    size_t blocks = 16 + 8 * 4001;
    refuse_changed(12, TFR_PLAIN, "blocks are wrong");
    refuse_changed(blocks + 8, 5, "do not hold the records");
    refuse_changed(blocks + 16, 0, "blocks do not ascend");
    refuse_changed(blocks + 16 + 8, 0, "blocks do not ascend");
    refuse_changed(blocks + 16 + 8, 65537, "blocks do not ascend");
    refuse_changed(foot - 8, 0x7fffffff, "blocks do not ascend");
    refuse_changed(foot - 16, 0x7fffffff, "do not hold the records");
    free(good);
    good = NULL;
}

T_MAIN(cmocka_unit_test(test_sound), cmocka_unit_test(test_cut_and_flipped),
       cmocka_unit_test(test_wrong_numbers))
