/*
 * tests/unit/base/crc_check.h - a variant of CRC-32C beside the plain one, at lengths where its
 * loops begin, end and hand over.
 */
#ifndef T2_TESTS_CRC_CHECK_H
#define T2_TESTS_CRC_CHECK_H

#include <stdlib.h>

#include "base/crc32c_impl.h"
#include "tests/support/plain_crc.h"
#include "tests/support/t.h"

/* Skips the test where the variant, known as `name`, is not there. */
static inline void crc_check(enum t2_crc_variant variant, const char *name)
{
    t2_crc_fn *f = t2_crc_variant(variant);
    uint8_t *data;
    enum { SIZE = 70000 };

    if (!f)
        t_skip("this machine or build has no %s", name);
    data = malloc(SIZE);
    assert_non_null(data);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t) t_hash64(i);
    for (size_t n = 0; n <= 2600; n++) {
        for (size_t at = 0; at < 3; at++)
            assert_int_equal(f((uint32_t) n * 77, data + at, n),
                             ~t_plain_crc(~((uint32_t) n * 77), data + at, n));
    }
    for (size_t n = SIZE - 700; n <= SIZE; n++)
        assert_int_equal(f(1, data, n), ~t_plain_crc(~1u, data, n));
    free(data);
}

#endif
