/* test_gif.c - GIF files made by hand: codes, interlacing, parts of the screen, damage. */
#include <string.h>

#include "augment/gif.h"
#include "base/buf.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;
static const struct aug_decode plain = {.channels = 0};

struct bits {
    struct t2_buf *out;
    uint32_t value, n;
};

static void put_bits(struct bits *b, uint32_t code, uint32_t width)
{
    b->value |= code << b->n;
    for (b->n += width; b->n >= 8; b->n -= 8, b->value >>= 8)
        t2_buf_push(b->out, (uint8_t) b->value);
}

/* A screen of w x h with four colours; an image on it whose codes are given, of 3 bits. */
static void make(struct t2_buf *b, int w, int h, int left, int top, int pw, int ph, bool interlaced,
                 const uint8_t *codes, size_t n)
{
    const uint8_t head[] = {'G', 'I',         'F', '8',  '9', 'a', (uint8_t) w,
                            0,   (uint8_t) h, 0,   0x81, 0,   0};
    const uint8_t colours[] = {1, 2, 3, 11, 12, 13, 21, 22, 23, 31, 32, 33};
    const uint8_t part[] = {0x21, 0xf9,
                            4,    0,
                            0,    0,
                            0,    0, /* an extension */
                            0x2c, (uint8_t) left,
                            0,    (uint8_t) top,
                            0,    (uint8_t) pw,
                            0,    (uint8_t) ph,
                            0,    interlaced ? 0x40 : 0,
                            2};
    struct t2_buf data = {NULL, 0, 0};
    struct bits bits = {.out = &data};

    t2_buf_clear(b);
    t2_buf_append(b, head, sizeof head);
    t2_buf_append(b, colours, sizeof colours);
    t2_buf_append(b, part, sizeof part);
    for (size_t i = 0; i < n; i++)
        put_bits(&bits, codes[i], 3);
    put_bits(&bits, 0, 7);
    t2_buf_push(b, (uint8_t) data.len_bytes);
    t2_buf_append(b, data.data, data.len_bytes);
    t2_buf_append(b, "\0;", 2);
    t2_buf_release(&data);
}

static void expect(const struct t2_buf *file, int h, int w, const char *indices)
{
    struct aug_image im = {.data = NULL};
    uint8_t *p = t_guarded_alloc(file->len_bytes);

    memcpy(p, file->data, file->len_bytes);
    if (aug_gif_decode(p, file->len_bytes, &plain, &im, NULL, &err) != T2_OK)
        fail_msg("%s", err.message);
    t_guarded_free(p, file->len_bytes);
    assert_int_equal(im.height, h);
    assert_int_equal(im.width, w);
    for (int i = 0; i < h * w; i++)
        assert_int_equal(im.data[3 * i], indices[i] == '.' ? 0 : 10 * (indices[i] - '0') + 1);
    aug_image_release(&im);
}

static void test_codes(void **state)
{
    struct t2_buf b = {NULL, 0, 0};
    /* clear every other code, so that the width stays 3 */
    static const uint8_t single[] = {4, 0, 1, 4, 2, 3, 4, 1, 1, 5};
    /* 6 = "1 1", while it is being defined */
    static const uint8_t itself[] = {4, 1, 6, 4, 2, 5};
    static const uint8_t rows[] = {4, 0, 4, 1, 4, 2, 4, 3, 4, 0, 4, 1, 5};

    (void) state;
    make(&b, 3, 2, 0, 0, 3, 2, false, single, sizeof single);
    expect(&b, 2, 3, "012311");
    make(&b, 2, 2, 0, 0, 2, 2, false, itself, sizeof itself);
    expect(&b, 2, 2, "1112");
    make(&b, 1, 6, 0, 0, 1, 6, true, rows, sizeof rows);
    /* rows 0; 4; 2; 1, 3, 5 hold 0; 1; 2; 3, 0, 1 */
    expect(&b, 6, 1, "032011");
    t2_buf_release(&b);
}

static void test_parts(void **state)
{
    static const uint8_t codes[] = {4, 1, 2, 4, 3, 0, 5};
    struct t2_buf b = {NULL, 0, 0};

    (void) state;
    make(&b, 4, 3, 1, 1, 2, 2, false, codes, sizeof codes);
    expect(&b, 3, 4, ".....12..30.");
    make(&b, 2, 2, 1, 1, 2, 2, false, codes, sizeof codes); /* it sticks out */
    expect(&b, 2, 2, "...1");
    t2_buf_release(&b);
}

static void refuse(const struct t2_buf *b, size_t n, const char *why)
{
    struct aug_image im = {.data = NULL};

    assert_int_not_equal(aug_gif_decode(b->data, n, &plain, &im, NULL, &err), T2_OK);
    if (why)
        t_assert_contains(err.message, why);
    aug_image_release(&im);
}

static void test_damage(void **state)
{
    static const uint8_t good[] = {4, 1, 2, 4, 3, 0, 5}, undefined[] = {4, 1, 7, 5};
    struct t2_buf b = {NULL, 0, 0};
    struct aug_info info;

    (void) state;
    make(&b, 2, 2, 0, 0, 2, 2, false, good, sizeof good);
    assert_int_equal(aug_gif_probe(b.data, b.len_bytes, &info, &err), T2_OK);
    assert_int_equal(info.width, 2);
    for (size_t n = 0; n + 4 < b.len_bytes; n++)
        refuse(&b, n, NULL);
    make(&b, 2, 2, 0, 0, 2, 2, false, undefined, sizeof undefined);
    refuse(&b, b.len_bytes, "not defined");
    b.data[25] = ';';
    refuse(&b, b.len_bytes, "no image");
    b.data[25] = 7;
    refuse(&b, b.len_bytes, "byte 0x07");
    memset(b.data + 6, 0, 2);
    refuse(&b, b.len_bytes, "0 x 2 pixels");
    b.data[4] = '8';
    refuse(&b, b.len_bytes, "neither");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_codes), cmocka_unit_test(test_parts), cmocka_unit_test(test_damage))
