/* Tests of train/ckpt/bundle_slices.c: partitioned variables, whole and damaged. */
#include "train/ckpt/bundle_slices.h"

#include <string.h>

#include "tests/support/t.h"
#include "tests/unit/train/bundle_index.h"

/* Rows 1 and 2, then row 0, of a matrix of three rows of two. */
static const float numbers[] = {3, 4, 5, 6, 1, 2};
static const struct t2_slice data = {(const uint8_t *) numbers, sizeof numbers};

/* The matrix "m", whose entry names rows 0 and, of n, from `start` on. */
static struct ckpt_table *begin(int64_t rows, uint8_t start, uint8_t n)
{
    const char slices[] = {0x3a, 0x06, 0x0a, 0x02, 0x10,         0x01, 0x0a,     0x00, 0x3a,
                           0x08, 0x0a, 0x04, 0x08, (char) start, 0x10, (char) n, 0x0a, 0x00};
    const int64_t dims[] = {rows, 2}, one_row[] = {1, 2}, two_rows[] = {2, 2};
    struct ckpt_table *t = ckpt_table_new();
    struct t2_buf key = {0};

    ckpt_table_add(t, t2_slice_of(""),
                   (struct t2_slice){(const uint8_t *) BUNDLE_HEADER, sizeof BUNDLE_HEADER - 1});
    bundle_rows_key(&key, "m", 0, 1);
    bundle_add(t, t2_buf_slice(&key), 2, one_row, data, 16, 8, "", 0);
    bundle_rows_key(&key, "m", start, n);
    bundle_add(t, t2_buf_slice(&key), 2, two_rows, data, 0, n * UINT64_C(8), "", 0);
    bundle_add(t, t2_slice_of("m"), 2, dims, data, 0, 0, slices, sizeof slices);
    t2_buf_release(&key);
    return t;
}

static void refused(struct ckpt_table *t, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    assert_int_equal(bundle_open(t, data, &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, message);
}

static void test_joined(void **state)
{
    static const float whole[] = {1, 2, 3, 4, 5, 6};
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    (void) state;
    if (bundle_open(begin(3, 1, 2), data, &f, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(ckpt_count(f), 1);
    assert_int_equal(ckpt_find(f, "m")->dims[0], 3);
    assert_memory_equal(ckpt_find(f, "m")->data, whole, sizeof whole);
    ckpt_close(f);
}

static void test_damage(void **state)
{
    struct ckpt_table *t;
    static const char lost[] = {0x3a, 0x06, 0x0a, 0x02, 0x10, 0x01, 0x0a, 0x00};
    const int64_t dims[] = {1, 2};

    (void) state;
    refused(begin(2, 1, 2), "does not lie in it");
    refused(begin(3, 1, 1), "do not cover it");
    refused(begin(4, 1, 2), "larger than the data files");
    t = ckpt_table_new();
    ckpt_table_add(t, t2_slice_of(""), (struct t2_slice){(const uint8_t *) BUNDLE_HEADER, 6});
    bundle_add(t, t2_slice_of("m"), 2, dims, data, 0, 0, lost, sizeof lost);
    refused(t, "one of its slices is missing");
}

T_MAIN(cmocka_unit_test(test_joined), cmocka_unit_test(test_damage))
