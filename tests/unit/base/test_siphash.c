/* SipHash-2-4-128 against vectors of the reference implementation (github.com/veorq/SipHash). */
#include "base/siphash.h"

#include <string.h>

#include "tests/support/t.h"

static void test_vectors(void **state)
{
    static const struct {
        size_t len_bytes;
        uint8_t hash[16];
    } vectors[] = {
        {0,
         {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
          0x93}},
        {1,
         {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
          0x45}},
    };
    uint8_t key[16], input[64], hash[16];
    (void) state;

    for (int i = 0; i < 16; i++)
        key[i] = (uint8_t) i;
    for (int i = 0; i < 64; i++)
        input[i] = (uint8_t) i;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        t2_siphash128(key, input, vectors[i].len_bytes, hash);
        assert_memory_equal(hash, vectors[i].hash, 16);
    }
}

/* Each byte and the length count. */
static void test_differs(void **state)
{
    uint8_t key[16], other_key[16], input[40] = {0}, a[16], b[16];
    (void) state;

    t2_siphash_random_key(key);
    t2_siphash_random_key(other_key);
    assert_memory_not_equal(key, other_key, 16);
    for (size_t n = 1; n < sizeof input; n++) {
        t2_siphash128(key, input, n, a);
        t2_siphash128(key, input, n - 1, b);
        assert_memory_not_equal(a, b, 16);
        for (size_t i = 0; i < n; i++) {
            input[i] ^= 0x80;
            t2_siphash128(key, input, n, b);
            assert_memory_not_equal(a, b, 16);
            input[i] ^= 0x80;
        }
        t2_siphash128(other_key, input, n, b);
        assert_memory_not_equal(a, b, 16);
    }
}

T_MAIN(cmocka_unit_test(test_vectors), cmocka_unit_test(test_differs))
