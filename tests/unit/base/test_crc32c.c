/*
 * CRC-32C: published values, the plain form against a bitwise one, the dispatched form against the
 * plain one at all short lengths and alignments.
 */
#include "base/crc32c.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c_impl.h"
#include "tests/support/plain_crc.h"
#include "tests/support/t.h"

static uint32_t bitwise(const uint8_t *data, size_t n)
{
    uint32_t state = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        state ^= data[i];
        for (int k = 0; k < 8; k++)
            state = state >> 1 ^ (state & 1 ? 0x82F63B78u : 0);
    }
    return ~state;
}

static void fill(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t) t_hash64(i);
}

static void test_published_values(void **state)
{
    uint8_t data[32];
    (void) state;

    assert_int_equal(t2_crc32c(0, "123456789", 9), 0xE3069283);
    assert_int_equal(t2_crc32c(0, "", 0), 0);
    /* RFC 3720, B.4 */
    memset(data, 0, 32);
    assert_int_equal(t2_crc32c(0, data, 32), 0x8A9136AA);
    memset(data, 0xff, 32);
    assert_int_equal(t2_crc32c(0, data, 32), 0x62A8AB43);
    for (int i = 0; i < 32; i++)
        data[i] = (uint8_t) i;
    assert_int_equal(t2_crc32c(0, data, 32), 0x46DD794E);
    for (int i = 0; i < 32; i++)
        data[i] = (uint8_t) (31 - i);
    assert_int_equal(t2_crc32c(0, data, 32), 0x113FDB5C);
}

static void test_mask(void **state)
{
    (void) state;
    assert_int_equal(t2_crc_mask(0xE3069283), 0xC78AB0E5);
    assert_int_equal(t2_crc_mask(0), 0xA282EAD8);
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t crc = (uint32_t) t_hash64(i);
        assert_int_equal(t2_crc_unmask(t2_crc_mask(crc)), crc);
    }
}

static void test_plain_is_the_definition(void **state)
{
    uint8_t data[300];
    (void) state;

    fill(data, sizeof data);
    for (size_t n = 0; n <= sizeof data; n++)
        assert_int_equal(t_plain_crc(0, data, n), bitwise(data, n));
}

static void test_in_pieces(void **state)
{
    uint8_t data[1500];
    uint32_t whole;
    (void) state;

    fill(data, sizeof data);
    whole = t_plain_crc(0, data, sizeof data);
    for (size_t cut = 0; cut <= sizeof data; cut++) {
        uint32_t crc = t2_crc32c(0, data, cut);
        assert_int_equal(t2_crc32c(crc, data + cut, sizeof data - cut), whole);
    }
}

/* Every variant this machine has; the buffer ends where reading is forbidden, and starts there. */
static void test_lengths_and_alignments(void **state)
{
    uint8_t *end_guarded = t_guarded_alloc(8192);
    (void) state;

    fill(end_guarded, 8192);
    for (int v = 0; v < T2_CRC_VARIANTS; v++) {
        t2_crc_fn *f = t2_crc_variant((enum t2_crc_variant) v);
        if (!f) {
            print_message("no variant %d here\n", v);
            continue;
        }
        for (size_t n = 0; n <= 300; n++) {
            for (size_t at = 0; at < 64; at++) {
                const uint8_t *p = end_guarded + at;
                uint32_t begin = (uint32_t) t_hash64(n * 64 + at);
                assert_int_equal(f(begin, p, n), ~t_plain_crc(~begin, p, n));
            }
            const uint8_t *last = end_guarded + 8192 - n;
            assert_int_equal(f(7, last, n), ~t_plain_crc(~7u, last, n));
        }
    }
    t_guarded_free(end_guarded, 8192);
}

static void test_chosen_variant(void **state)
{
    (void) state;
    assert_non_null(t2_crc_variant(T2_CRC_PLAIN));
    assert_non_null(t2_crc_variant(T2_CRC_SLICED));
}

T_MAIN(cmocka_unit_test(test_published_values), cmocka_unit_test(test_mask),
       cmocka_unit_test(test_plain_is_the_definition), cmocka_unit_test(test_in_pieces),
       cmocka_unit_test(test_lengths_and_alignments), cmocka_unit_test(test_chosen_variant))
