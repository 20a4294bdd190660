/* Sorting in little memory: the same as in much, stable, with large items and many runs. */
#include "tfrecord/external_sort.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"

static struct tfr_sorter *new_sorter(uint64_t memory)
{
    struct tfr_sorter *s = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (tfr_sorter_new(t_tmp_path(""), memory, &s, &err) != T2_OK)
        fail_msg("%s", err.message);
    return s;
}

static void add(struct tfr_sorter *s, const char *key, const void *data, size_t n)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tfr_sorter_add(s, t2_slice_of(key), (struct t2_slice){data, n}, &err), T2_OK);
}

static void test_small(void **state)
{
    static const char *const keys[] = {"b", "", "ab", "a", "abcdefgh1", "abcdefgh0", "abcdefgh"};
    struct tfr_sorter *s = new_sorter(1);
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, data;
    struct t2_buf joined = {NULL, 0, 0};
    (void) state;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add(s, keys[i], "x", 1);
    assert_int_equal(tfr_sorter_finish(s, &err), T2_OK);
    while (tfr_sorter_next(s, &key, &data, &err) == T2_OK) {
        t2_buf_append(&joined, key.data, key.len_bytes);
        t2_buf_puts(&joined, ",");
    }
    assert_string_equal(t2_buf_cstr(&joined), ",a,ab,abcdefgh,abcdefgh0,abcdefgh1,b,");
    assert_int_equal(tfr_sorter_runs(s), 0);
    t2_buf_release(&joined);
    tfr_sorter_free(s);
}

static void test_empty(void **state)
{
    struct tfr_sorter *s = new_sorter(0);
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, data;
    (void) state;

    assert_int_equal(tfr_sorter_finish(s, &err), T2_OK);
    assert_int_equal(tfr_sorter_next(s, &key, &data, &err), T2_EOF);
    tfr_sorter_free(s);
}

/* Few keys, so that order among equal ones shows; numbers of items as data. */
static void check(uint64_t memory, unsigned n, unsigned n_keys, size_t padding, size_t min_runs)
{
    static uint8_t data[600000];
    struct tfr_sorter *s = new_sorter(memory);
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, item;
    unsigned given = 0, last_key = 0, last = 0;
    char text[32];

    for (unsigned i = 0; i < n; i++) {
        snprintf(text, sizeof text, "key-%08u", (unsigned) (t_hash64(i) % n_keys));
        memcpy(data, &i, sizeof i);
        add(s, text, data, sizeof i + (i % 7 == 0 ? padding : i % 50));
    }
    assert_int_equal(tfr_sorter_finish(s, &err), T2_OK);
    assert_true(tfr_sorter_runs(s) >= min_runs);
    while (tfr_sorter_next(s, &key, &item, &err) == T2_OK) {
        unsigned i;
        memcpy(&i, item.data, sizeof i);
        unsigned k = (unsigned) (t_hash64(i) % n_keys);
        assert_int_equal(item.len_bytes, sizeof i + (i % 7 == 0 ? padding : i % 50));
        if (given > 0) {
            assert_true(k >= last_key);
            assert_true(k > last_key || i > last);
        }
        last_key = k;
        last = i;
        given++;
    }
    assert_int_equal(given, n);
    tfr_sorter_free(s);
}

static void test_memory(void **state)
{
    (void) state;
    check(64 << 20, 20000, 50, 10, 0);
    check(0, 20000, 50, 10, 3);
    check(0, 20000, 1, 10, 3);
    check(0, 20000, 1000000, 10, 3);
}

/* More runs than buffers: merged in several passes.  Items larger than the memory. */
static void test_many_runs(void **state)
{
    (void) state;
    check(0, 30000, 300, 3000, 40);
    check(0, 200, 20, 500000, 20);
}

T_MAIN(cmocka_unit_test(test_small), cmocka_unit_test(test_empty), cmocka_unit_test(test_memory),
       cmocka_unit_test(test_many_runs))
