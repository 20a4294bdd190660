/*
 * base/crc32c.c - CRC-32C: tables, the forms for any machine.
 *
 * The forms for x86-64 and ARMv8 are in crc32c_x86.c and crc32c_arm.c, the choice of one in
 * crc32c_choose.c.
 */
#include "base/crc32c_impl.h"

/* The Castagnoli polynomial without its x^32, bit i for x^(31 - i). */
#define POLYNOMIAL UINT32_C(0x82F63B78)

uint32_t t2_crc_shift[T2_CRC_SHIFTS + 1];
uint32_t t2_crc_ones[T2_CRC_ONES];
#ifdef T2_CRC_X86
_Alignas(64) uint64_t t2_crc_fold[T2_CRC_PIECES][8];
#endif

/* table[0][b] is the register after byte b on a zero register; table[k][b] after k more zero
 * bytes. */
static uint32_t table[8][256];

uint32_t t2_crc_plain(uint32_t state, const uint8_t *data, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        state = table[0][(state ^ data[i]) & 0xff] ^ (state >> 8);
    return state;
}

static uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

uint32_t t2_crc_sliced(uint32_t state, const uint8_t *data, size_t len_bytes)
{
    for (; len_bytes >= 8; data += 8, len_bytes -= 8) {
        uint32_t a = state ^ load_le32(data);
        uint32_t b = load_le32(data + 4);
        state = table[7][a & 0xff] ^ table[6][a >> 8 & 0xff] ^ table[5][a >> 16 & 0xff] ^
                table[4][a >> 24] ^ table[3][b & 0xff] ^ table[2][b >> 8 & 0xff] ^
                table[1][b >> 16 & 0xff] ^ table[0][b >> 24];
    }
    return t2_crc_plain(state, data, len_bytes);
}

static const uint8_t zeros[8];

#ifdef T2_CRC_X86
/*
 * The constants of crc32c_x86.c, by feeding zero bytes: eight of them multiply by x^64.
 *
 *   t2_crc_fold[k]    for each lane of the k-th piece before the last, its two words
 */
static void fill_fold(void)
{
    /* x^(64 i - 1) mod P; the first, x^-1, is what times x gives 1 (bit 31). */
    uint32_t power[8 * T2_CRC_PIECES + 1] = {(UINT32_C(0x80000000) ^ POLYNOMIAL) << 1 | 1};

    for (size_t i = 1; i < sizeof power / sizeof *power; i++)
        power[i] = t2_crc_plain(power[i - 1], zeros, sizeof zeros);
    for (size_t k = 0; k < T2_CRC_PIECES; k++) {
        for (size_t lane = 0; lane < 4; lane++) {
            size_t words = 8 * k + 2 * (3 - lane); /* how far it is moved */
            t2_crc_fold[k][2 * lane] = (uint64_t) power[words + 1] << 32;
            t2_crc_fold[k][2 * lane + 1] = (uint64_t) power[words] << 32;
        }
    }
}
#endif

void t2_crc_fill_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t state = b;
        for (int bit = 0; bit < 8; bit++)
            state = (state >> 1) ^ (state & 1 ? POLYNOMIAL : 0);
        table[0][b] = state;
    }
    for (int k = 1; k < 8; k++) {
        for (uint32_t b = 0; b < 256; b++)
            table[k][b] = t2_crc_plain(table[k - 1][b], zeros, 1);
    }
    t2_crc_shift[1] = 1; /* x^31 */
    for (int i = 2; i <= T2_CRC_SHIFTS; i++)
        t2_crc_shift[i] = t2_crc_plain(t2_crc_shift[i - 1], zeros, sizeof zeros);
    t2_crc_ones[0] = UINT32_MAX;
    for (int i = 1; i < T2_CRC_ONES; i++)
        t2_crc_ones[i] = t2_crc_plain(t2_crc_ones[i - 1], zeros, 1);
#ifdef T2_CRC_X86
    fill_fold();
#endif
}
