/*
 * Oddities of an Example and paths of fields; what TensorFlow says of them:
 * oracle/test_example_oddities.c.
 */
#include "tfrecord/example_check.h"

#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/example.h"

/* {"a": int64 [1, 2]}: features(1) { entry(1) { key(1) "a", value(2) { int64_list(3) { 1: packed }
 * } } } */
static const uint8_t plain[] = {0x0a, 0x0d, 0x0a, 0x0b, 0x0a, 0x01, 'a', 0x12,
                                0x06, 0x1a, 0x04, 0x0a, 0x02, 0x01, 0x02};

static size_t oddities(const uint8_t *data, size_t n, struct tfr_oddity *o)
{
    return tfr_example_oddities((struct t2_slice){data, n}, o, 8);
}

static void test_oddities(void **state)
{
    static const uint8_t two_lists[] = {0x0a, 0x0b, 0x0a, 0x09, 0x0a, 0x01, 'a',
                                        0x12, 0x04, 0x1a, 0x00, 0x1a, 0x00};
    static const uint8_t no_key[] = {0x0a, 0x04, 0x0a, 0x02, 0x12, 0x00};
    static const uint8_t unknown[] = {0x0a, 0x02, 0x10, 0x01};
    struct tfr_oddity o[8];
    (void) state;

    assert_int_equal(oddities(NULL, 0, o), 0);
    assert_int_equal(oddities(plain, sizeof plain, o), 0);
    assert_true(oddities(two_lists, sizeof two_lists, o) >= 1);
    t_assert_contains(o[0].words, "more than one list");
    assert_int_equal(o[0].offset, 11);
    assert_int_equal(o[0].name.len_bytes, 1);
    assert_int_equal(oddities(no_key, sizeof no_key, o), 1);
    t_assert_contains(o[0].words, "no key");
    assert_int_equal(oddities(unknown, sizeof unknown, o), 1);
    t_assert_contains(o[0].words, "unknown field");
    assert_int_equal(tfr_example_oddities((struct t2_slice){unknown, sizeof unknown}, o, 0), 0);
}

static void assert_path(const uint8_t *data, size_t n, size_t offset, const char *expected)
{
    struct t2_buf path = {NULL, 0, 0};

    tfr_example_path((struct t2_slice){data, n}, offset, &path);
    assert_string_equal(t2_buf_cstr(&path), expected);
    t2_buf_release(&path);
}

static void test_paths(void **state)
{
    (void) state;
    assert_path(plain, sizeof plain, 0, "");
    assert_path(plain, sizeof plain, 6, "features.feature['a'].key");
    assert_path(plain, sizeof plain, 13, "features.feature['a'].int64_list");
    assert_path(plain, 0, 0, "");
    for (size_t n = 0; n <= sizeof plain; n++) { /* of any cut, at any byte */
        for (size_t at = 0; at <= n; at++) {
            struct t2_buf path = {NULL, 0, 0};
            uint8_t *p = t_guarded_alloc(n + 1);
            memcpy(p + 1, plain, n);
            tfr_example_path((struct t2_slice){p + 1, n}, at, &path);
            t_guarded_free(p, n + 1);
            t2_buf_release(&path);
        }
    }
}

static void test_has_field(void **state)
{
    struct t2_slice record = {plain, sizeof plain};
    (void) state;

    assert_true(tfr_has_field(record, 1));
    assert_false(tfr_has_field(record, 2));
    assert_false(tfr_has_field((struct t2_slice){NULL, 0}, 1));
}

T_MAIN(cmocka_unit_test(test_oddities), cmocka_unit_test(test_paths),
       cmocka_unit_test(test_has_field))
