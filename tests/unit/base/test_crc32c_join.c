/*
 * tests/unit/base/test_crc32c_join.c - joined CRCs are those of the joined bytes.
 */
#include "base/crc32c_join.h"

#include "base/alloc.h"
#include "base/crc32c.h"
#include "tests/support/t.h"

static void test_join(void **state)
{
    static uint8_t data[5000];
    static const size_t cuts[] = {0, 1, 7, 8, 255, 256, 4095, 4999, 5000};

    (void) state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t) (i * 131 + i / 7);
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        size_t n = cuts[k];
        uint32_t first = t2_crc32c(0, data, n), second = t2_crc32c(0, data + n, sizeof data - n);

        assert_int_equal(t2_crc32c_join(first, second, sizeof data - n),
                         t2_crc32c(0, data, sizeof data));
    }
}

/* A megabyte of zeros, in one step and in twenty that double. */
static void test_many(void **state)
{
    static const uint8_t zeros[1 << 20];
    uint32_t doubled = t2_crc32c(0, zeros, 1);

    (void) state;
    for (int i = 0; i < 20; i++)
        doubled = t2_crc32c_join(doubled, doubled, UINT64_C(1) << i);
    assert_int_equal(doubled, t2_crc32c(0, zeros, sizeof zeros));
}

/* Pieces of 4 MiB, none, one, several and a rest, by one thread and by three. */
static void test_large(void **state)
{
    static const size_t sizes[] = {0, 1, 1 << 22, (1 << 22) + 1, 3 << 22, (3 << 22) - 5};
    struct t2_pool *pool = t2_pool_new(3);
    uint8_t *data = t2_alloc((size_t) 3 << 22, 1);

    (void) state;
    for (size_t i = 0; i < (size_t) 3 << 22; i++)
        data[i] = (uint8_t) (i * 37 + i / 251);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t all = t2_crc32c(0, data, sizes[k]);

        assert_int_equal(t2_crc32c_large(NULL, data, sizes[k]), all);
        assert_int_equal(t2_crc32c_large(pool, data, sizes[k]), all);
    }
    t2_free(data);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_many), cmocka_unit_test(test_large))
