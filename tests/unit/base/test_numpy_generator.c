/*
 * tests/unit/base/test_numpy_generator.c - streams that NumPy 2.4's default_rng gives, by seed.
 */
#include "base/numpy_generator.h"
#include "tests/support/t.h"

enum { N = 7, N_LARGE = 5, N_BITS = 40 };

static const struct {
    uint64_t seed, words[3];
    uint32_t below_1000[N], below_3000000000[N_LARGE], below_10[3];
    const char *bits;
    uint32_t behind_the_bits[3]; /* below 1000: half a word is left over */
} streams[] = {
    {0,
     {0xa30febcfd9c2825f, 0x4510bdf882d9d721, 0xa7d3da94ecde8b8},
     {850, 636, 511, 269, 307, 40, 75},
     {49582906, 525801878, 2439810717, 1948247248, 2738266731},
     {5, 6, 9},
     "1111101001000001010000111001101111110011",
     {511, 269, 307}},
    {12345,
     {0x3a32b18db2ffc19d, 0x51171315c9e4c4de, 0xcc2024823444efd9},
     {699, 227, 788, 316, 204, 797, 642},
     {2028764011, 2518275128, 1794926260, 639429039, 560202556},
     {2, 6, 6},
     "1011100110000011111111110100110110110001",
     {788, 316, 204}},
    {(UINT64_C(1) << 40) + 7,
     {0xd46e9e2034de21aa, 0x415badc99c087675, 0x275ed40f045acb84},
     {206, 829, 609, 255, 17, 153, 504},
     {2655564380, 2216522156, 283480328, 1469986249, 2021901070},
     {0, 6, 0},
     "0101010110000100011110110010110000000100",
     {609, 255, 17}},
};
enum { N_STREAMS = sizeof streams / sizeof *streams };

static void test_words(void **state)
{
    (void) state;
    for (int i = 0; i < N_STREAMS; i++) {
        struct t2_generator g;

        t2_generator_seed(&g, streams[i].seed);
        for (int k = 0; k < 3; k++)
            assert_true(t2_generator_u64(&g) == streams[i].words[k]);
    }
}

/* Calls go on in the stream, over the half of a word that is left. */
static void test_integers(void **state)
{
    (void) state;
    for (int i = 0; i < N_STREAMS; i++) {
        struct t2_generator g;
        uint32_t got[N];

        t2_generator_seed(&g, streams[i].seed);
        t2_generator_integers(&g, 1000, got, N);
        assert_memory_equal(got, streams[i].below_1000, sizeof got);
        t2_generator_integers(&g, 3000000000, got, N_LARGE); /* many draws are refused */
        assert_memory_equal(got, streams[i].below_3000000000, N_LARGE * sizeof *got);
        t2_generator_integers(&g, 1, got, 3); /* takes nothing */
        assert_int_equal(got[0] + got[1] + got[2], 0);
        t2_generator_integers(&g, 10, got, 3);
        assert_memory_equal(got, streams[i].below_10, 3 * sizeof *got);
    }
}

static void test_pieces_are_the_whole(void **state)
{
    struct t2_generator g;
    uint32_t got[N];

    (void) state;
    t2_generator_seed(&g, 12345);
    for (int i = 0; i < N; i++)
        t2_generator_integers(&g, 1000, got + i, 1);
    assert_memory_equal(got, streams[1].below_1000, sizeof got);
}

static void test_bits(void **state)
{
    static const int pieces[] = {1, 5, 31, 32};

    (void) state;
    for (int i = 0; i < 4 * N_STREAMS; i++) {
        struct t2_generator_bits bits = {0, 0};
        struct t2_generator g;
        uint32_t got[3];

        t2_generator_seed(&g, streams[i / 4].seed);
        for (int k = 0, n; k < N_BITS; k += n) {
            uint32_t drawn;

            n = N_BITS - k < pieces[i % 4] ? N_BITS - k : pieces[i % 4];
            drawn = t2_generator_draw_bits(&g, &bits, n);
            for (int b = 0; b < n; b++)
                assert_int_equal(drawn >> b & 1, streams[i / 4].bits[k + b] == '1');
            assert_true(n == 32 || drawn >> n == 0);
        }
        t2_generator_integers(&g, 1000, got, 3);
        assert_memory_equal(got, streams[i / 4].behind_the_bits, sizeof got);
    }
}

T_MAIN(cmocka_unit_test(test_words), cmocka_unit_test(test_integers),
       cmocka_unit_test(test_pieces_are_the_whole), cmocka_unit_test(test_bits))
