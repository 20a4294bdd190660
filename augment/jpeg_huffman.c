/*
 * augment/jpeg_huffman.c - Huffman decoding of a baseline JPEG's only scan.
 *
 * Faster than libjpeg's because most coefficients, code and value, come from one look at a table,
 * and because bits are taken eight bytes at a time.
 *
 * A scan is a string of bits, the first the highest of its byte; a byte 0xff in it is followed by
 * 0x00 that does not count.  A block of 64 coefficients is (ITU-T T.81, F.2.2):
 *
 *   DC   code -> size (0 ... 15), `size` bits: the difference from the DC of the block before
 *   AC   code -> run << 4 | size: `run` zeros, then a coefficient of `size` bits
 *        0x00 ends the block, 0xf0 is sixteen zeros
 *
 * `look` decides most of it in one load: it is indexed by the next ten bits and holds code and
 * value together.  `pair` goes further, two coefficients and the end of the block from the same
 * ten bits; `pass` counts coefficients without making them, for units outside of the window.
 *
 * Tried (bench/results/2026-11-22-jpeg-notes.md, against libjpeg-turbo, whole images): state in
 * memory 0.99, in registers 1.07, refilling for every symbol 1.04, twelve bits of look-ahead 1.00
 * (tables of 16 KiB evict each other); three symbols from one filling 1.145, kept.  What remains
 * is the branch at the end of a block, which no processor predicts.
 */
#include "augment/jpeg_huffman.h"

#include <string.h>

enum { LOOK = AUG_SCAN_LOOK, LARGEST_DC = 1 << 24 };
_Static_assert(2 * LOOK + 16 + 15 <= 56, "bits of one filling");

/*
 * Entries of look:
 *
 *   bit 31         16 15      12 11       8 7            0
 *      |    value    |   size   |   run    |  bits used   |     0: the code has more than LOOK bits
 *
 * With value != 0 the value's own bits are among `bits used`; with value == 0 they follow the code,
 * `size` of them (0 for the end of the block and for sixteen zeros).
 */

/* Zigzag order to rows and columns (T.81, figure A.6).  Sixteen more entries, so that a run beyond
 * the end of a damaged block stays in bounds. */
static const uint8_t natural_order[64 + 16] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25,
                                               18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34,
                                               27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56,
                                               57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                               58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
                                               47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63,
                                               63, 63, 63, 63, 63, 63, 63, 63};

/* ---- tables ---- */

/* A value of `size` bits (T.81, EXTEND): those that begin with 0 are negative, 0...0 the least. */
static inline int32_t extended(uint32_t value, int size)
{
    return (int32_t) value - (value >> (size - 1) ? 0 : (1 << size) - 1);
}

/* The entry of a symbol whose code has n bits; code_and_rest are the LOOK bits that led here. */
static int32_t entry_of(uint8_t symbol, int n, uint32_t code_and_rest, bool is_ac)
{
    int run = is_ac ? symbol >> 4 : 0, size = symbol & 15;
    int32_t value;

    if (!is_ac || size == 0 || n + size > LOOK)
        return size << 12 | run << 8 | n;
    value = extended(code_and_rest >> (LOOK - n - size) & ((1u << size) - 1), size);
    return (int32_t) ((uint32_t) value << 16) | run << 8 | (n + size);
}

/* As many whole coefficients as are in LOOK bits: bits in 0 ... 7, coefficients in 8 ... 15, from
 * 16 on whether the block ends there; 0 none. */
static int32_t pass_of(const struct aug_scan_table *t, uint32_t bits)
{
    int used = 0, n = 0;

    for (;;) {
        int32_t e = t->look[(bits << used) & ((1 << LOOK) - 1)];
        int size = e >> 16 ? 0 : e >> 12, run = e >> 8 & 15, length = (e & 255) + size;
        if (e == 0 || used + length > LOOK)
            break;
        used += length;
        if (!(e >> 16) && size == 0 && run != 15)
            return 1 << 16 | n << 8 | used;
        n += run + 1;
    }
    return n << 8 | used;
}

/*
 * Entries of pair:
 *
 *   bit 63      48 47      32    24 23     16 15      8 7         0
 *      |  second  |  first   | END |  behind |  first  | bits used |
 *
 * first: zeros in front of the first coefficient; behind: places up to behind the second.  A single
 * coefficient is stored twice at one place, and an end alone as a coefficient of 0 (the block is
 * zeroed before), so that take_pair has no branch.  NOT_SO leads beyond any block.
 */
enum { END = 1 << 24, NOT_SO = 64 << 16 };

/* The entry of look of the symbol behind `used` bits; 0 when it is not whole within LOOK bits. */
static int32_t next_of(const struct aug_scan_table *t, uint32_t bits, int used)
{
    int32_t e = t->look[(bits << used) & ((1 << LOOK) - 1)];

    return used + (e & 255) <= LOOK ? e : 0;
}

static bool ends_block(int32_t e)
{
    return e != 0 && e >> 8 == 0;
}

static uint64_t pair_of(const struct aug_scan_table *t, uint32_t bits)
{
    int32_t a = next_of(t, bits, 0), b, c;
    int used = a & 255, first = a >> 8 & 15, behind;
    uint64_t values;

    if (ends_block(a))
        return (uint64_t) used | 1 << 16 | END;
    if (!(a >> 16))
        return NOT_SO;
    b = next_of(t, bits, used);
    behind = first + 1;
    values = (uint64_t) (uint16_t) (a >> 16) << 32 | (uint64_t) (uint16_t) (a >> 16) << 48;
    c = b;
    if (b >> 16) {
        used += b & 255;
        behind += (b >> 8 & 15) + 1;
        values = (uint64_t) (uint16_t) (a >> 16) << 32 | (uint64_t) (uint16_t) (b >> 16) << 48;
        c = next_of(t, bits, used);
    }
    if (ends_block(c))
        used += c & 255;
    return values | (ends_block(c) ? END : 0) | (uint64_t) behind << 16 | (uint64_t) first << 8 |
           (uint64_t) used;
}

/*
 * Canonical codes (T.81, annex C): those of n bits count up from twice the code behind the last of
 * n - 1 bits.  A code of n <= LOOK bits fills all 2^(LOOK - n) entries that begin with it; of
 * longer ones only last[] and offset[] are kept, for long_code.  Making `pass` and `pair` is 2 %
 * of the time of a photograph of 112 KB; about half of the tables can be kept from the file before.
 */
bool aug_scan_table_make(struct aug_scan_table *t, bool is_ac, const uint8_t n_codes[17],
                         const uint8_t symbols[256])
{
    const char kind = is_ac ? 'a' : 'd';
    uint32_t code = 0, n_symbols = 0;

    if (t->made_as == kind && memcmp(t->n_codes, n_codes, sizeof t->n_codes) == 0 &&
        memcmp(t->symbols, symbols, sizeof t->symbols) == 0)
        return true;
    memset(t, 0, sizeof *t);
    memcpy(t->n_codes, n_codes, sizeof t->n_codes);
    memcpy(t->symbols, symbols, sizeof t->symbols);
    for (int n = 1; n <= 16; n++, code <<= 1) {
        t->offset[n] = (int32_t) n_symbols - (int32_t) code;
        t->last[n] = -1;
        for (int i = 0; i < n_codes[n]; i++, code++, n_symbols++) {
            if (n_symbols > 255 || code >> n || (!is_ac && symbols[n_symbols] > 15))
                return false;
            t->last[n] = (int32_t) code;
            for (uint32_t rest = 0; n <= LOOK && rest < 1u << (LOOK - n); rest++) {
                uint32_t at = code << (LOOK - n) | rest;
                t->look[at] = entry_of(symbols[n_symbols], n, at, is_ac);
            }
        }
    }
    t->last[17] = INT32_MAX;
    for (uint32_t i = 0; is_ac && i < 1 << LOOK; i++) {
        t->pass[i] = pass_of(t, i);
        t->pair[i] = pair_of(t, i);
    }
    t->made_as = kind;
    return true;
}

/* ---- bits ---- */

static inline uint64_t eight_bytes(const uint8_t *p)
{
    uint64_t x;

    memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Whether one of the bytes is 0xff: the classic test for a zero byte, of ~x. */
static inline bool has_ff(uint64_t x)
{
    return (~x - UINT64_C(0x0101010101010101)) & x & UINT64_C(0x8080808080808080);
}

/* Byte by byte: 0xff is followed by a stuffed 0, which is dropped, or begins a marker.  At a marker
 * and at the end zeros are supplied and counted, so that a code near the end can be looked up; the
 * unit fails if it used any of them. */
static __attribute__((noinline)) void refill_slowly(struct aug_scan *s)
{
    while (s->n_bits < 56) {
        size_t left = (size_t) (s->end - s->at);
        uint8_t byte = left ? *s->at : 0xff;
        if (byte == 0xff && (left < 2 || s->at[1] != 0)) {
            s->n_zeros += 8;
            byte = 0;
        } else {
            s->at += byte == 0xff ? 2 : 1;
        }
        s->bits |= (uint64_t) byte << (56 - s->n_bits);
        s->n_bits += 8;
    }
}

/* The state of a unit, copied to locals.  Through the pointer the compiler would have to store and
 * reload it around every store into a block, which may alias it. */
struct bits {
    uint64_t bits;
    int n;
    const uint8_t *at;
};

/* To 56 bits or more.  Eight bytes are loaded and only whole ones counted, those that fit below the
 * n bits that are there.  Always done: a branch on whether it is needed cannot be predicted. */
static inline void refill(struct aug_scan *s, struct bits *b)
{
    if (s->end - b->at >= 8) {
        uint64_t x = eight_bytes(b->at);
        if (!has_ff(x)) {
            int n = (63 - b->n) >> 3;
            b->bits |= x >> b->n;
            b->at += n;
            b->n += 8 * n;
            return;
        }
    }
    s->bits = b->bits;
    s->n_bits = b->n;
    s->at = b->at;
    refill_slowly(s);
    *b = (struct bits){s->bits, s->n_bits, s->at};
}

static inline void skip(struct bits *b, int n)
{
    b->bits <<= n;
    b->n -= n;
}

/* A code of more than LOOK bits, by its length (T.81, DECODE): symbol << 8 | length; -1: there is
 * no such code. */
static __attribute__((noinline)) int long_code(const struct aug_scan_table *t, uint64_t bits)
{
    int n = LOOK + 1;

    while (n <= 16 && (int32_t) (bits >> (64 - n)) > t->last[n])
        n++;
    return n <= 16 ? t->symbols[(int32_t) (bits >> (64 - n)) + t->offset[n]] << 8 | n : -1;
}

static inline int32_t take_value(struct bits *b, int size)
{
    uint32_t value = (uint32_t) (b->bits >> (64 - size));

    skip(b, size);
    return extended(value, size);
}

/* ---- blocks ---- */

static inline bool read_dc(struct aug_scan *s, struct bits *b, const struct aug_scan_table *t,
                           int32_t *last)
{
    int32_t e;
    int size;

    refill(s, b);
    e = t->look[b->bits >> (64 - LOOK)];
    if (e) {
        size = e >> 12;
    } else {
        e = long_code(t, b->bits);
        size = e >> 8;
        if (e < 0)
            return false;
    }
    skip(b, e & 255);
    if (size)
        *last += take_value(b, size);
    return *last<LARGEST_DC && * last> - LARGEST_DC;
}

/* A coefficient that came with its code; false: the entry is of another kind. */
static inline bool take_at_once(struct bits *b, int32_t e, int *k, int16_t *block)
{
    if (!(e >> 16))
        return false;
    skip(b, e & 255);
    *k += e >> 8 & 15;
    block[natural_order[*k]] = (int16_t) (e >> 16);
    ++*k;
    return true;
}

static inline int32_t look(const struct bits *b, const struct aug_scan_table *t)
{
    return t->look[b->bits >> (64 - LOOK)];
}

/* What the table does not say at once: a symbol, and if it is a coefficient, its value.  *k is
 * behind it, 64 at the end of the block. */
static inline bool take_symbol(struct bits *b, const struct aug_scan_table *t, int32_t e, int *k,
                               int16_t *block)
{
    int run, size;

    if (e) {
        run = e >> 8 & 15;
        size = e >> 12;
    } else {
        e = long_code(t, b->bits);
        if (e < 0)
            return false;
        run = e >> 12;
        size = e >> 8 & 15;
    }
    skip(b, e & 255);
    if (size == 0) {
        *k = run == 15 ? *k + 16 : 64;
        return true;
    }
    *k += run;
    block[natural_order[*k]] = (int16_t) take_value(b, size);
    ++*k;
    return true;
}

/* Steps over the AC coefficients of a block outside of the window.  Four look-ups of ten bits are
 * 40 of the 56 bits of a filling. */
static inline bool pass_ac(struct aug_scan *s, struct bits *b, const struct aug_scan_table *t)
{
    int16_t nowhere[64];
    int k = 1;

    while (k < 64) {
        int32_t e = 1;
        refill(s, b);
        for (int i = 0; i < 4 && e; i++) {
            e = t->pass[b->bits >> (64 - LOOK)];
            if (k + (e >> 8 & 255) > 63) /* the block ends before */
                e = 0;
            skip(b, e & 255);
            k += e >> 8 & 255;
            if (e >> 16)
                return true;
        }
        if (e)
            continue;
        refill(s, b);
        e = look(b, t);
        if (!take_at_once(b, e, &k, nowhere) && !take_symbol(b, t, e, &k, nowhere))
            return false;
    }
    return true;
}

/* False: the next symbol has to be taken alone. */
static inline bool take_pair(struct bits *b, uint64_t e, int *k, int16_t *block)
{
    int behind = *k + (int) (e >> 16 & 255);

    if (behind > 63) /* a full block has no end symbol, so what follows is the next block's */
        return false;
    block[natural_order[*k + (int) (e >> 8 & 255)]] = (int16_t) (e >> 32);
    block[natural_order[behind - 1]] = (int16_t) (e >> 48);
    skip(b, (int) (e & 255));
    *k = behind;
    return true;
}

static inline bool read_ac(struct aug_scan *s, struct bits *b, const struct aug_scan_table *t,
                           int16_t *block)
{
    int k = 1;

    while (k < 64) {
        int32_t single;
        bool taken = true;
        refill(s, b);
        /* Three from one filling: 56 bits less two times LOOK leave 36 for a code of 16 and a value
         * of 15 bits (the assertion at the top). */
        for (int i = 0; i < 3 && taken; i++) {
            uint64_t e = t->pair[b->bits >> (64 - LOOK)];
            taken = take_pair(b, e, &k, block);
            if (taken && e & END)
                return true;
        }
        if (taken)
            continue;
        single = look(b, t);
        if (!take_at_once(b, single, &k, block) && !take_symbol(b, t, single, &k, block))
            return false;
    }
    return true;
}

void aug_scan_begin(struct aug_scan *s, const uint8_t *at, const uint8_t *end)
{
    s->at = at;
    s->end = end;
    s->bits = 0;
    s->n_bits = s->n_zeros = 0;
    memset(s->last_dc, 0, sizeof s->last_dc);
}

bool aug_scan_unit(struct aug_scan *s, int16_t *const *blocks)
{
    struct bits b = {s->bits, s->n_bits, s->at};

    for (size_t i = 0; i < s->n_blocks; i++) {
        const struct aug_scan_table *ac = &s->ac[s->blocks[i].ac];
        int32_t *last = &s->last_dc[s->blocks[i].component];
        if (!read_dc(s, &b, &s->dc[s->blocks[i].dc], last))
            return false;
        if (!(blocks ? read_ac(s, &b, ac, blocks[i]) : pass_ac(s, &b, ac)))
            return false;
        if (blocks)
            blocks[i][0] = (int16_t) *last;
    }
    s->bits = b.bits;
    s->n_bits = b.n;
    s->at = b.at;
    return s->n_bits >= s->n_zeros; /* none of those was used */
}

bool aug_scan_is_at_marker(const struct aug_scan *s)
{
    return s->n_bits - s->n_zeros < 8 && s->end - s->at >= 2 && s->at[0] == 0xff && s->at[1] != 0 &&
           s->at[1] != 0xff;
}
