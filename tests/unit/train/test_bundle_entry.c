/* Tests of train/ckpt/bundle_entry.c: ordered code, entries there and back. */
#include "train/ckpt/bundle_entry.h"

#include <string.h>

#include "tests/support/t.h"

/* Key of a slice of "a" with one dimension: 00, text, rank, start, length. */
static void key_is(int64_t start, int64_t length, const char *bytes, size_t n)
{
    struct ckpt_bundle_extent x = {.start = {start}, .length = {length}};
    struct t2_buf key = {0};

    ckpt_bundle_put_slice_key(&key, "a", 1, &x);
    assert_int_equal(key.len_bytes, 6 + n);
    assert_memory_equal(key.data,
                        "\x00"
                        "a\x00\x01\x01\x01",
                        6);
    assert_memory_equal(key.data + 6, bytes, n);
    t2_buf_release(&key);
}

static void test_ordered(void **state)
{
    (void) state;
    key_is(0, -1, "\x80\x7f", 2);
    key_is(63, -64, "\xbf\x40", 2);
    key_is(64, 0x424242, "\xc0\x40\xf0\x42\x42\x42", 6);
    key_is(-0x800, 0, "\x38\x00\x80", 3);
    key_is(INT64_MAX, 0, "\xff\xc0\x7f\xff\xff\xff\xff\xff\xff\xff\x80", 11);
    key_is((int64_t) 1 << 55, 0, "\xff\x80\x80\x00\x00\x00\x00\x00\x00\x80", 10);
}

static void test_types(void **state)
{
    enum ckpt_type type;

    (void) state;
    assert_true(ckpt_bundle_type(14, &type));
    assert_int_equal(type, CKPT_BF16);
    assert_int_equal(ckpt_bundle_tf_type(CKPT_I64), 9);
    assert_false(ckpt_bundle_type(CKPT_TF_STRING, &type));
    assert_false(ckpt_bundle_type(0, &type));
}

static void test_there_and_back(void **state)
{
    struct ckpt_bundle_entry e = {.tf_type = 1,
                                  .rank = 3,
                                  .dims = {300, 0, 7},
                                  .shard = 2,
                                  .offset = 1000,
                                  .n_bytes = 70000,
                                  .masked_crc = 0x80000001U},
                             back;
    struct t2_buf b = {0};

    (void) state;
    ckpt_bundle_put_entry(&b, &e);
    assert_true(ckpt_bundle_parse_entry(t2_buf_slice(&b), &back));
    assert_memory_equal(&back, &e, sizeof e);
    for (size_t n = 1; n < b.len_bytes; n++) /* no end in the middle of a field is taken */
        (void) ckpt_bundle_parse_entry((struct t2_slice){b.data, n}, &back);
    assert_false(ckpt_bundle_parse_entry((struct t2_slice){b.data, b.len_bytes - 1}, &back));
    t2_buf_release(&b);
}

static void test_slices(void **state)
{
    /* two slices of rank 2: rows from 5 on, 3 of them, all columns; then one of rank 1 */
    static const uint8_t value[] = {0x08, 0x01, 0x3a, 0x08, 0x0a, 0x04, 0x08, 0x05,
                                    0x10, 0x03, 0x0a, 0x00, 0x3a, 0x02, 0x0a, 0x00};
    struct t2_slice rest = {value, sizeof value};
    struct ckpt_bundle_entry e;
    struct ckpt_bundle_extent x;

    (void) state;
    assert_true(ckpt_bundle_parse_entry(rest, &e));
    assert_true(e.has_slices);
    assert_int_equal(ckpt_bundle_slice_next(&rest, 2, &x), T2_OK);
    assert_int_equal(x.start[0], 5);
    assert_int_equal(x.length[0], 3);
    assert_int_equal(x.start[1], 0);
    assert_int_equal(x.length[1], -1);
    assert_int_equal(ckpt_bundle_slice_next(&rest, 2, &x), T2_EFORMAT);
    assert_int_equal(ckpt_bundle_slice_next(&rest, 2, &x), T2_EOF);
}

T_MAIN(cmocka_unit_test(test_ordered), cmocka_unit_test(test_types),
       cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_slices))
