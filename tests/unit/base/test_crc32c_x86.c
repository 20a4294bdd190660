/*
 * The x86-64 forms at lengths where their loops begin, end and hand over.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/crc32c_impl.h"
#include "tests/support/plain_crc.h"
#include "tests/support/t.h"
#include "tests/unit/base/crc_check.h"

static void test_sse42(void **state)
{
    (void) state;
    crc_check(T2_CRC_SSE42, "SSE4.2");
}

static void test_avx512(void **state)
{
    (void) state;
    crc_check(T2_CRC_AVX512, "AVX-512");
}

/* The odd bytes are loaded with a mask that starts in front of the data: also at the start of a
 * page with nothing before it. */
static void test_nothing_in_front(void **state)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void) state;

    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p, page, PROT_NONE), 0);
    for (size_t i = 0; i < page; i++)
        p[page + i] = (uint8_t) t_hash64(i);
    for (int v = 0; v < T2_CRC_VARIANTS; v++) {
        t2_crc_fn *f = t2_crc_variant((enum t2_crc_variant) v);
        for (size_t n = 0; f && n < 600; n++)
            assert_int_equal(f(1, p + page, n), ~t_plain_crc(~1u, p + page, n));
    }
    assert_int_equal(munmap(p, 2 * page), 0);
}

T_MAIN(cmocka_unit_test(test_sse42), cmocka_unit_test(test_avx512),
       cmocka_unit_test(test_nothing_in_front))
