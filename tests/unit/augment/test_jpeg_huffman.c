/* test_jpeg_huffman.c - our Huffman decoder against libjpeg's: pixels, warnings, verdicts;
 * tables. */
#include "augment/jpeg_huffman.h"

#include <string.h>

#include "augment/jpeg.h"
#include "base/rng.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

/* Both ways of decoding give the same. */
static void assert_same(const uint8_t *file, size_t len_bytes, const struct aug_decode *how)
{
    static struct aug_image own, plain;
    struct aug_decode by_libjpeg = *how;
    struct t2_err own_err = T2_ERR_INIT, plain_err = T2_ERR_INIT;
    struct aug_notes a, b;
    enum t2_status st = aug_jpeg_decode(file, len_bytes, how, &own, &a, &own_err);

    by_libjpeg.plain_huffman = true;
    assert_int_equal(aug_jpeg_decode(file, len_bytes, &by_libjpeg, &plain, &b, &plain_err), st);
    assert_string_equal(own_err.message, plain_err.message);
    assert_int_equal(a.n_warnings, b.n_warnings);
    assert_string_equal(a.first, b.first);
    assert_int_equal(a.rows_missing, b.rows_missing);
    if (st == T2_OK)
        t_assert_same_pixels(&own, &plain);
}

static void encode(int32_t height, int32_t width, int32_t channels, uint64_t seed,
                   struct aug_jpeg_settings how, struct t2_buf *out)
{
    struct aug_image im = t_image(height, width, channels, seed);

    t2_buf_clear(out);
    assert_int_equal(aug_jpeg_encode(&im, &how, out, &err), T2_OK);
    aug_image_release(&im);
}

static void test_images(void **state)
{
    static const int32_t sizes[][2] = {{1, 1}, {8, 8}, {17, 33}, {64, 48}, {121, 90}};
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 40; variant++) {
            const struct aug_jpeg_settings how = {.quality = 1 + variant % 5 * 24,
                                                  .full_chroma = variant / 5 % 2,
                                                  .optimise_size = variant / 10 % 2};
            struct aug_decode ask = {.ratio = 1 << variant % 4};
            encode(sizes[i][0], sizes[i][1], variant / 20 ? 1 : 3, (uint64_t) variant, how, &file);
            assert_same(file.data, file.len_bytes, &ask);
        }
    t2_buf_release(&file);
}

static void test_windows(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct t2_rng r;

    (void) state;
    t2_rng_init(&r, 1, T2_RNG_ORDER, 0, 0);
    encode(150, 200, 3, 5, (struct aug_jpeg_settings){.quality = 95}, &file);
    for (int i = 0; i < 60; i++) {
        int32_t x = (int32_t) (t2_rng_u32(&r) % 199), y = (int32_t) (t2_rng_u32(&r) % 149);
        const struct aug_window w = {x, y, 1 + (int32_t) (t2_rng_u32(&r) % (uint32_t) (200 - x)),
                                     1 + (int32_t) (t2_rng_u32(&r) % (uint32_t) (150 - y))};
        assert_same(file.data, file.len_bytes,
                    &(struct aug_decode){.window = &w, .stop_after_window = i % 2});
    }
    t2_buf_release(&file);
}

/* Cut short, changed bytes, bytes too many, several scans. */
static void test_odd_files(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct t2_rng r;

    (void) state;
    t2_rng_init(&r, 2, T2_RNG_ORDER, 0, 0);
    encode(40, 56, 3, 7, (struct aug_jpeg_settings){.quality = 92}, &file);
    for (size_t n = 0; n < file.len_bytes; n += 7)
        assert_same(file.data, n, &(struct aug_decode){.recover = n % 2});
    for (int i = 0; i < 600; i++) {
        size_t at = 20 + t2_rng_u32(&r) % (file.len_bytes - 20);
        uint8_t before = file.data[at];
        file.data[at] = i % 4 ? (uint8_t) t2_rng_u32(&r) : 0xff;
        assert_same(file.data, file.len_bytes, &(struct aug_decode){.recover = i % 2});
        file.data[at] = before;
    }
    file.len_bytes -= 2; /* the end marker gives way */
    t2_buf_append(&file, "\x12\x34\x56\xff\xd9", 5);
    assert_same(file.data, file.len_bytes, &(struct aug_decode){.ratio = 1});
    encode(40, 56, 3, 7, (struct aug_jpeg_settings){.quality = 92, .progressive = true}, &file);
    assert_same(file.data, file.len_bytes, &(struct aug_decode){.ratio = 1});
    t2_buf_release(&file);
}

static void test_tables(void **state)
{
    static struct aug_scan_table t;
    uint8_t n_codes[17] = {0}, symbols[256] = {0};

    (void) state;
    n_codes[1] = 1; /* 0: end of block */
    n_codes[2] = 1; /* 10: run 2, one bit */
    symbols[1] = 0x21;
    assert_true(aug_scan_table_make(&t, true, n_codes, symbols));
    assert_int_equal(t.look[0], 1);
    assert_int_equal(t.look[0x200], (int32_t) (0xffff0000u | 2 << 8 | 3)); /* 10 0: -1 */
    assert_int_equal(t.look[0x280], 1 << 16 | 2 << 8 | 3);                 /* 10 1: 1 */
    assert_int_equal(t.look[0x300], 0);
    assert_true(t.pair[0x250] == (UINT64_C(1) << 48 | UINT64_C(0xffff) << 32 | 1 << 24 | 6 << 16 |
                                  2 << 8 | 7));                   /* 10 0, 10 1, 0 */
    assert_true(t.pair[0] == (1 << 24 | 1 << 16 | 1));            /* 0 */
    assert_true(aug_scan_table_make(&t, true, n_codes, symbols)); /* again: is there */
    assert_int_equal(t.look[0], 1);
    assert_false(aug_scan_table_make(&t, false, n_codes, symbols)); /* a size of 33 bits */
    n_codes[2] = 3;
    assert_false(aug_scan_table_make(&t, true, n_codes, symbols)); /* one code too many */
    memset(n_codes, 0, sizeof n_codes);
    n_codes[16] = 255;
    n_codes[15] = 2;
    assert_false(aug_scan_table_make(&t, true, n_codes, symbols)); /* one symbol too many */
}

static void put(uint8_t *data, size_t *at, const char *bits)
{
    for (; *bits; bits++, ++*at)
        data[*at / 8] |= (uint8_t) ((*bits == '1') << (7 - *at % 8));
}

/* A block with all its coefficients has no end: what follows is the next one's, even where it looks
 * like an end. */
static void test_full_block(void **state)
{
    static struct aug_scan s;
    uint8_t data[40] = {0}, n_codes[17] = {0}, symbols[256] = {0};
    int16_t block[2][64] = {{0}};
    size_t at = 0;

    (void) state;
    n_codes[1] = n_codes[2] = 1;
    symbols[0] = 1; /* DC 0 one bit, 10 none; AC 0 one bit, 10 end */
    assert_true(aug_scan_table_make(&s.dc[0], false, n_codes, symbols));
    assert_true(aug_scan_table_make(&s.ac[0], true, n_codes, symbols));
    put(data, &at, "10");
    for (int i = 0; i < 63; i++)
        put(data, &at, i % 2 ? "00" : "01");
    put(data, &at, "100110");
    put(data, &at, "11");
    at = (at + 7) / 8;
    data[at] = 0xff;
    data[at + 1] = 0xd9;
    aug_scan_begin(&s, data, data + at + 2);
    s.n_blocks = 1;
    for (int i = 0; i < 2; i++)
        assert_true(aug_scan_unit(&s, (int16_t *[]){block[i]}));
    for (int i = 1; i < 64; i++)
        assert_true(block[0][i] == 1 || block[0][i] == -1);
    assert_int_equal(block[1][1], 1);
    for (int i = 2; i < 64; i++)
        assert_int_equal(block[1][i], 0);
    assert_true(aug_scan_is_at_marker(&s));
}

/* By hand: DC 0 bits, AC: run 2 value -1, end of block; then a marker. */
static void test_unit(void **state)
{
    static struct aug_scan s;
    const uint8_t data[] = {0x43, 0xff, 0xd9}; /* 0 100 0 and ones: 0 1 0 0 0 0 1 1 */
    uint8_t n_codes[17] = {0}, symbols[256] = {0};
    int16_t block[64] = {0}, *blocks[] = {block};
    int sum = 0;

    (void) state;
    n_codes[1] = n_codes[2] = 1;
    symbols[1] = 0x01;
    assert_true(aug_scan_table_make(&s.dc[1], false, n_codes, symbols));
    symbols[1] = 0x21;
    assert_true(aug_scan_table_make(&s.ac[0], true, n_codes, symbols));
    s.at = data;
    s.end = data + sizeof data;
    s.n_blocks = 1;
    s.blocks[0].dc = 1;
    assert_true(aug_scan_unit(&s, blocks));
    for (int i = 0; i < 64; i++)
        sum += block[i] != 0;
    assert_int_equal(sum, 1);
    assert_int_equal(block[16], -1); /* the third of the zigzag */
    assert_true(aug_scan_is_at_marker(&s));
    assert_ptr_equal(s.at, data + 1);
    assert_false(aug_scan_unit(&s, NULL)); /* 11: no code */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_images),
                                       cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_odd_files),
                                       cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_unit),
                                       cmocka_unit_test(test_full_block)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
