/*
 * tests/unit/base/test_buf.c - slices and growable buffers.
 */
#include "base/buf.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/unit/base/in_child.h"

static void test_slices(void **state)
{
    struct t2_slice empty = {NULL, 0}, a = t2_slice_of("a"), ab = t2_slice_of("ab"),
                    high = t2_slice_of("\xFF");

    (void) state;
    assert_int_equal(ab.len_bytes, 2);
    assert_true(t2_slice_eq(a, t2_slice_of("a")));
    assert_true(t2_slice_eq(empty, t2_slice_of("")));
    assert_false(t2_slice_eq(a, ab));
    assert_false(t2_slice_eq(a, high));
    assert_int_equal(t2_slice_cmp(a, a), 0);
    assert_int_equal(t2_slice_cmp(a, ab), -1);
    assert_int_equal(t2_slice_cmp(ab, a), 1);
    assert_int_equal(t2_slice_cmp(high, ab), 1); /* bytes are unsigned */
    assert_int_equal(t2_slice_cmp(empty, a), -1);
    assert_int_equal(t2_slice_cmp(empty, empty), 0);
}

static void test_empty(void **state)
{
    struct t2_buf b;

    (void) state;
    t2_buf_init(&b);
    assert_string_equal(t2_buf_cstr(&b), "");
    assert_int_equal(t2_buf_slice(&b).len_bytes, 0);
    t2_buf_append(&b, NULL, 0);
    assert_int_equal(b.len_bytes, 0);
    t2_buf_clear(&b);
    t2_buf_release(&b);
    t2_buf_release(&b);
    t2_buf_release(NULL);
}

static void test_grows_and_ends_in_nul(void **state)
{
    struct t2_buf b = {0};
    char expected[3001] = "";

    (void) state;
    for (size_t i = 0; i < 1000; i++) {
        t2_buf_push(&b, (uint8_t) ('a' + i % 26));
        t2_buf_puts(&b, "xy");
        expected[3 * i] = (char) ('a' + i % 26);
        memcpy(expected + 3 * i + 1, "xy", 3);
        assert_int_equal(b.data[b.len_bytes], 0);
    }
    assert_int_equal(b.len_bytes, 3000);
    assert_string_equal(t2_buf_cstr(&b), expected);
    t2_buf_clear(&b);
    assert_string_equal(t2_buf_cstr(&b), "");
    assert_true(b.capacity_bytes >= 3000);
    t2_buf_release(&b);
}

static void test_bytes_with_nul(void **state)
{
    struct t2_buf b = {0};

    (void) state;
    t2_buf_append(&b, "a\0b", 3);
    assert_int_equal(b.len_bytes, 3);
    assert_memory_equal(b.data, "a\0b", 4);
    t2_buf_release(&b);
}

static void test_reserve(void **state)
{
    struct t2_buf b = {0};
    uint8_t *to;

    (void) state;
    t2_buf_puts(&b, "12");
    to = t2_buf_reserve(&b, 100000);
    assert_ptr_equal(to, b.data + 2);
    assert_int_equal(b.len_bytes, 2);
    memset(to, 'x', 100000);
    b.len_bytes += 100000;
    t2_buf_push(&b, '3');
    assert_int_equal(b.data[100001], 'x');
    assert_int_equal(b.data[100002], '3');
    t2_buf_release(&b);
}

static void reserve_too_much(void *b)
{
    t2_buf_reserve(b, SIZE_MAX - 1);
}

static void test_overflow_aborts(void **state)
{
    struct t2_buf b = {0};

    (void) state;
    assert_aborts(reserve_too_much, &b, "assertion failed");
}

static void test_printf(void **state)
{
    struct t2_buf b = {0};

    (void) state;
    t2_buf_printf(&b, "%d-%s", 42, "x");
    t2_buf_printf(&b, "%500d|", 7);
    assert_int_equal(b.len_bytes, 4 + 501);
    assert_memory_equal(b.data, "42-x ", 5);
    assert_string_equal((char *) b.data + b.len_bytes - 3, " 7|");
    t2_buf_release(&b);
}

static void test_printf_around_the_first_try(void **state)
{
    (void) state;
    for (int n = 120; n < 140; n++) {
        struct t2_buf b = {0};

        t2_buf_printf(&b, "%*d", n, 5);
        assert_int_equal(b.len_bytes, n);
        assert_int_equal(b.data[n - 1], '5');
        assert_int_equal(b.data[n], 0);
        t2_buf_release(&b);
    }
}

static void test_detach(void **state)
{
    struct t2_buf b = {0};
    char *s = t2_buf_detach(&b);

    (void) state;
    assert_string_equal(s, "");
    t2_free(s);
    t2_buf_puts(&b, "abc");
    s = t2_buf_detach(&b);
    assert_string_equal(s, "abc");
    assert_null(b.data);
    assert_int_equal(b.len_bytes, 0);
    t2_free(s);
}

T_MAIN(cmocka_unit_test(test_slices), cmocka_unit_test(test_empty),
       cmocka_unit_test(test_grows_and_ends_in_nul), cmocka_unit_test(test_bytes_with_nul),
       cmocka_unit_test(test_reserve), cmocka_unit_test(test_overflow_aborts),
       cmocka_unit_test(test_printf), cmocka_unit_test(test_printf_around_the_first_try),
       cmocka_unit_test(test_detach))
