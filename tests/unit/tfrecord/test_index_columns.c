/*
 * tests/unit/tfrecord/test_index_columns.c - kinds that change inside a batch and between batches.
 */
#include "tfrecord/index_columns.h"

#include "tests/unit/tfrecord/index_files.h"

/* n records, the list "x" of them: i = int64, f = float, b = bytes, e = empty int64 list, - =
 * none. */
static enum t2_status feed(const char *first, const char *second, struct tfr_columns **columns)
{
    static const char *const name = "x";
    struct t2_strs names = {0};
    struct tfr_input_file file = {.path = NULL};
    struct tfr_columns_part part = {0};
    struct tfr_record records[8];
    struct t2_buf payloads[8] = {{0}};
    uint64_t at = 0;
    enum t2_status st = T2_OK;
    char path[] = "file";

    file.path = path;
    t2_strs_push(&names, name);
    *columns = tfr_columns_new(&names);
    for (int k = 0; k < 2 && st == T2_OK; k++) {
        const char *kinds = k == 0 ? first : second;
        struct tfr_batch b = {.file = &file, .first_in_file = at, .records = records};
        for (; kinds[b.n]; b.n++) {
            int64_t i = 5;
            float f = 0.5f;
            struct t2_slice s = t2_slice_of("s");
            struct tfr_feature x = {
                .name = name, .n = kinds[b.n] != 'e', .ints = &i, .floats = &f, .bytes = &s};
            x.kind = kinds[b.n] == 'f' ? TFR_FLOAT : kinds[b.n] == 'b' ? TFR_BYTES : TFR_INT64;
            t2_buf_clear(&payloads[b.n]);
            tfr_example_build(&payloads[b.n], &x, kinds[b.n] != '-');
            records[b.n].data = t2_buf_slice(&payloads[b.n]);
        }
        at += b.n;
        st = tfr_columns_extract(*columns, &b, &part, &err);
        if (st == T2_OK)
            st = tfr_columns_append(*columns, &b, &part, &err);
    }
    for (size_t i = 0; i < 8; i++)
        t2_buf_release(&payloads[i]);
    tfr_columns_part_release(&part);
    t2_strs_release(&names);
    return st;
}

static void append(void *context, const void *data, size_t len_bytes)
{
    t2_buf_append(context, data, len_bytes);
}

static void check(const char *first, const char *second, const char *counts, const char *values)
{
    struct tfr_columns *c;
    struct t2_buf got = {0}, want = {0};

    assert_int_equal(feed(first, second, &c), T2_OK);
    tfr_columns_values(c, 0, append, &got);
    for (size_t i = 0; counts[i]; i++)
        rf_le(&want, counts[i] == '-' ? UINT32_MAX : (uint64_t) (counts[i] - '0'), 4);
    while (want.len_bytes % 8)
        t2_buf_push(&want, 0);
    for (size_t i = 0; values[i]; i++) {
        float f = values[i] == '5' ? 0.5f : 0;
        if (strpbrk(first, "f") || strpbrk(second, "f"))
            t2_buf_append(&want, &f, 4);
        else
            rf_le(&want, (uint64_t) (values[i] - '0'), 8);
    }
    while (want.len_bytes % 8)
        t2_buf_push(&want, 0);
    assert_int_equal(got.len_bytes, want.len_bytes);
    assert_memory_equal(got.data, want.data, want.len_bytes);
    t2_buf_release(&got);
    t2_buf_release(&want);
    tfr_columns_free(c);
}

static void test_columns(void **state)
{
    (void) state;
    check("iii", "ii", "11111", "55555");
    check("--i", "-", "--1-", "0050");
    check("--", "-i", "---1", "0005");
    check("--", "-f", "---1", "0005");
    check("f-f", "-", "1-1-", "5050");
    check("ei", "-", "01-", "050");
    check("bb", "b", "111", "");
    check("--", "-", "---", "");
    check("", "", "", "");
}

static void refuse(const char *first, const char *second, const char *says)
{
    struct tfr_columns *c;

    assert_int_equal(feed(first, second, &c), T2_EFORMAT);
    t_assert_contains(err.message, says);
    tfr_columns_free(c);
}

static void test_two_kinds(void **state)
{
    (void) state;
    refuse("-if", "", "'x' is a list of int64 in record 1 and of float in record 2");
    refuse("-b-", "-f", "'x' is a list of bytes in record 1 and of float in record 4");
}

T_MAIN(cmocka_unit_test(test_columns), cmocka_unit_test(test_two_kinds))
