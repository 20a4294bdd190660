/*
 * JPEG by its markers, PNG by its chunks: sound ones, cut at every byte, each thing wrong.
 */
#include "tfrec/image_check.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

/* SOI, APP0, SOF0 2x3 of one component, DHT (empty), SOS, two bytes, EOI */
static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4, 'J',  'F', 0xff, 0xc0, 0, 11,   8,
                               0,    3,    0,    2,    1, 1, 0x11, 0,   0xff, 0xc4, 0, 2,    0xff,
                               0xda, 0,    8,    1,    1, 0, 0,    63,  0,    1,    2, 0xff, 0xd9};
static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0,    0, 0, 13,
                              'I',  'H', 'D', 'R', 0,    0,    0,    1,    0,    0, 0, 1,
                              8,    0,   0,   0,   0,    0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0,
                              0,    'I', 'E', 'N', 'D',  0xae, 0x42, 0x60, 0x82};

/* The end of the value touches a page that cannot be read. */
static const char *check(const uint8_t *data, size_t n)
{
    uint8_t *p = t_guarded_alloc(n);

    memcpy(p, data, n);
    const char *problem = rec_image_check((struct t2_slice){p, n});
    t_guarded_free(p, n);
    return problem;
}

static void assert_broken(const uint8_t *data, size_t n, size_t at, uint8_t value,
                          const char *words)
{
    uint8_t *p = malloc(n);

    memcpy(p, data, n);
    p[at] = value;
    const char *problem = check(p, n);
    if (!problem)
        fail_msg("byte %zu as %d is not noticed", at, value);
    t_assert_contains(problem, words);
    free(p);
}

static void test_sound(void **state)
{
    uint8_t padded[sizeof jpeg + 3] = {0};
    (void) state;

    assert_null(check(jpeg, sizeof jpeg));
    assert_null(check(png, sizeof png));
    memcpy(padded, jpeg, sizeof jpeg);
    assert_null(check(padded, sizeof padded));
    assert_null(check((const uint8_t *) "some text", 9));
}

static void test_cuts(void **state)
{
    (void) state;
    for (size_t n = 8; n < sizeof jpeg; n++) {
        if (!check(jpeg, n))
            fail_msg("JPEG of %zu bytes", n);
    }
    for (size_t n = 8; n < sizeof png; n++) {
        if (!check(png, n))
            fail_msg("PNG of %zu bytes", n);
    }
}

static void test_wrong_parts(void **state)
{
    (void) state;
    assert_broken(jpeg, sizeof jpeg, 14, 0, "height or width is 0");
    assert_broken(jpeg, sizeof jpeg, 16, 0, "height or width is 0");
    assert_broken(jpeg, sizeof jpeg, 17, 9, "components");
    assert_broken(jpeg, sizeof jpeg, 12, 7, "neither 8 nor 12 bits");
    assert_broken(jpeg, sizeof jpeg, 8, 0x12, "no marker");
    assert_broken(jpeg, sizeof jpeg, 9, 0xe1, "no frame header");
    assert_broken(jpeg, sizeof jpeg, 9, 0xd9, "ends without an image");
    assert_broken(jpeg, sizeof jpeg, 4, 200, "longer than what is left");
    assert_broken(png, sizeof png, 12, 'X', "not IHDR");
    assert_broken(png, sizeof png, 19, 2, "CRC of its header");
    assert_broken(png, sizeof png, sizeof png - 1, 0, "no last chunk");
}

T_MAIN(cmocka_unit_test(test_sound), cmocka_unit_test(test_cuts),
       cmocka_unit_test(test_wrong_parts))
