/*
 * tests/unit/base/test_map.c - the hash map against a plain list.
 */
#include "base/map.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"

static void test_empty(void **state)
{
    struct t2_map *m = t2_map_new();

    (void) state;
    assert_int_equal(t2_map_count(m), 0);
    assert_null(t2_map_find(m, "a", 1));
    assert_null(t2_map_find(m, "", 0));
    assert_true(t2_map_memory(m) > 0);
    t2_map_free(m);
    t2_map_free(NULL);
}

static void test_insert_and_find(void **state)
{
    struct t2_map *m = t2_map_new();
    bool inserted = false;

    (void) state;
    *t2_map_at(m, "a", 1, &inserted) += 5;
    assert_true(inserted);
    *t2_map_at(m, "a", 1, &inserted) += 5;
    assert_false(inserted);
    assert_int_equal(*t2_map_find(m, "a", 1), 10);
    assert_int_equal(*t2_map_at(m, "", 0, &inserted), 0);
    assert_true(inserted);
    *t2_map_at(m, "a\0b", 3, NULL) = 7; /* keys are bytes, not strings */
    assert_int_equal(t2_map_count(m), 3);
    assert_int_equal(*t2_map_find(m, "a\0b", 3), 7);
    assert_null(t2_map_find(m, "a\0c", 3));
    assert_int_equal(t2_map_key(m, 1).len_bytes, 0);
    t2_map_free(m);
}

static void test_key_is_copied(void **state)
{
    struct t2_map *m = t2_map_new();
    char key[4] = "abc";

    (void) state;
    *t2_map_at(m, key, 3, NULL) = 1;
    memset(key, 'x', 3);
    assert_non_null(t2_map_find(m, "abc", 3));
    assert_null(t2_map_find(m, key, 3));
    t2_map_free(m);
}

/* Many keys of all lengths, in an order that is kept. */
static void test_many(void **state)
{
    enum { N = 20000 };
    struct t2_map *m = t2_map_new();
    size_t before = t2_map_memory(m);
    char key[3000];

    (void) state;
    memset(key, 'k', sizeof key);
    for (uint64_t i = 0; i < N; i++) {
        size_t n = (size_t) snprintf(key, sizeof key, "%llu", (unsigned long long) t_hash64(i));
        bool inserted;

        key[n] = 'k';
        if (i % 1000 == 0)
            n = sizeof key;
        *t2_map_at(m, key, n, &inserted) = i;
        assert_true(inserted);
    }
    assert_int_equal(t2_map_count(m), N);
    assert_true(t2_map_memory(m) > before + N * 20);
    for (uint64_t i = 0; i < N; i++) {
        struct t2_slice k = t2_map_key(m, i);
        uint64_t *v = t2_map_find(m, k.data, k.len_bytes);

        assert_non_null(v);
        assert_int_equal(*v, i);
        assert_int_equal(t2_map_value(m, i), i);
        if (i % 1000 != 0) {
            snprintf(key, sizeof key, "%llu", (unsigned long long) t_hash64(i));
            assert_int_equal(k.len_bytes, strlen(key));
            assert_memory_equal(k.data, key, k.len_bytes);
        }
    }
    assert_null(t2_map_find(m, "absent", 6));
    t2_map_free(m);
}

static void test_keys_do_not_move(void **state)
{
    struct t2_map *m = t2_map_new();
    const uint8_t *first;

    (void) state;
    t2_map_at(m, "first", 5, NULL);
    first = t2_map_key(m, 0).data;
    for (uint32_t i = 0; i < 5000; i++)
        t2_map_at(m, &i, sizeof i, NULL);
    assert_ptr_equal(t2_map_key(m, 0).data, first);
    assert_memory_equal(first, "first", 5);
    t2_map_free(m);
}

T_MAIN(cmocka_unit_test(test_empty), cmocka_unit_test(test_insert_and_find),
       cmocka_unit_test(test_key_is_copied), cmocka_unit_test(test_many),
       cmocka_unit_test(test_keys_do_not_move))
