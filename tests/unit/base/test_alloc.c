/*
 * tests/unit/base/test_alloc.c - memory with overflow checks.
 */
#include "base/alloc.h"

#include <string.h>

#include "tests/unit/base/in_child.h"

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0)
            return false;
    }
    return true;
}

static void test_zeroed(void **state)
{
    uint8_t *p = t2_alloc(1000, 7), *nothing = t2_alloc(0, 8), *more = t2_try_alloc(10, 10);

    (void) state;
    assert_true(all_zero(p, 7000));
    assert_non_null(nothing);
    assert_non_null(more);
    assert_true(all_zero(more, 100));
    t2_free(p);
    t2_free(nothing);
    t2_free(more);
    t2_free(NULL);
}

static void test_realloc_keeps(void **state)
{
    uint8_t *p = t2_realloc(NULL, 4, 1);

    (void) state;
    memcpy(p, "abc", 4);
    p = t2_realloc(p, 1000, 100);
    assert_string_equal((char *) p, "abc");
    p = t2_realloc(p, 0, 1);
    assert_non_null(p);
    t2_free(p);
}

static void test_overflow_is_refused(void **state)
{
    volatile size_t half = SIZE_MAX / 2 + 2;
    size_t r = 5;

    (void) state;
    assert_null(t2_try_alloc(half, 2));
    assert_null(t2_try_alloc(half, 1));
    assert_null(t2_alloc_aligned(half));
    assert_false(t2_mul_size(half, 2, &r));
    assert_true(t2_mul_size(half, 1, &r));
    assert_true(r == half);
    assert_false(t2_add_size(half, half, &r));
    assert_true(t2_add_size(3, 4, &r));
    assert_int_equal(r, 7);
}

static void alloc_too_much(void *n)
{
    t2_free(t2_alloc(*(const size_t *) n, 16));
}

static void realloc_too_much(void *n)
{
    t2_free(t2_realloc(NULL, *(const size_t *) n, 16));
}

static void test_out_of_memory_ends(void **state)
{
    size_t n = SIZE_MAX / 4;

    (void) state;
    assert_no_memory(alloc_too_much, &n,
                     "error: out of memory: cannot allocate 4611686018427387903 x 16");
    assert_no_memory(realloc_too_much, &n, "error: out of memory");
}

static void test_aligned(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 4095, 4096, 100000, 5 << 20, (33 << 20) + 7};

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *p = t2_alloc_aligned(sizes[i]);

        assert_non_null(p);
        assert_int_equal((uintptr_t) p % 64, 0);
        if (sizes[i] >= 4096)
            assert_int_equal((uintptr_t) p % 4096, 0);
        assert_true(all_zero(p, sizes[i]));
        memset(p, 1, sizes[i]);
        t2_free_aligned(p);
    }
    t2_free_aligned(NULL);
}

/* Large blocks are not one another's, whatever the order they are released in. */
static void test_large_blocks(void **state)
{
    enum { N = 4, BYTES = 40 << 20 };
    uint8_t *p[N];

    (void) state;
    for (int i = 0; i < N; i++) {
        p[i] = t2_alloc_aligned(BYTES);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t) p[i] % (2 << 20), 0);
        p[i][0] = p[i][BYTES - 1] = (uint8_t) (i + 1);
    }
    t2_free_aligned(p[1]);
    t2_free_aligned(p[3]);
    p[1] = t2_alloc_aligned(BYTES);
    assert_non_null(p[1]);
    assert_int_equal(p[1][0] | p[1][BYTES - 1], 0);
    assert_int_equal(p[0][0], 1);
    assert_int_equal(p[2][BYTES - 1], 3);
    for (int i = 0; i < 3; i++)
        t2_free_aligned(p[i]);
    assert_null(t2_alloc_aligned(SIZE_MAX / 4));
}

static void test_strings(void **state)
{
    char *a = t2_strdup("abc"), *b = t2_strndup("abcdef", 4), *c = t2_strndup("ab", 10);
    char *d = t2_bytes_dup("a\0b", 3), *e = t2_bytes_dup(NULL, 0);

    (void) state;
    assert_string_equal(a, "abc");
    assert_string_equal(b, "abcd");
    assert_string_equal(c, "ab");
    assert_memory_equal(d, "a\0b", 4);
    assert_string_equal(e, "");
    t2_free(d);
    t2_free(e);
    t2_free(a);
    t2_free(b);
    t2_free(c);
}

static void test_failing_on_purpose(void **state)
{
    void *a, *b, *c;

    (void) state;
    t2_alloc_fail_after(2);
    a = t2_try_alloc(1, 1);
    b = t2_alloc_aligned(1);
    c = t2_try_alloc(1, 1);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    t2_alloc_fail_after(1);
    t2_alloc_fail_after(0);
    b = t2_try_alloc(1, 1);
    assert_non_null(b);
    t2_free(a);
    t2_free(b);
    t2_free(c);
}

T_MAIN(cmocka_unit_test(test_zeroed), cmocka_unit_test(test_realloc_keeps),
       cmocka_unit_test(test_overflow_is_refused), cmocka_unit_test(test_out_of_memory_ends),
       cmocka_unit_test(test_aligned), cmocka_unit_test(test_large_blocks),
       cmocka_unit_test(test_strings), cmocka_unit_test(test_failing_on_purpose))
