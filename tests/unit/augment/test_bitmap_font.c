/* test_bitmap_font.c - letters: their shapes, what is no letter, edges. */
#include <string.h>

#include "augment/bitmap_font.h"
#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;
static const uint8_t white[3] = {255, 254, 253};

/* What is drawn of text on a black image, row by row, as '#' and '.'; t2_free. */
static char *drawn(const char *text, int32_t y, int32_t x, int32_t scale, int32_t height,
                   int32_t width)
{
    struct aug_image im = {.data = NULL};
    char *art = t2_alloc((size_t) (height * (width + 1)) + 1, 1), *to = art;

    assert_int_equal(aug_image_resize(&im, height, width, 3, &err), T2_OK);
    memset(im.data, 0, (size_t) height * (size_t) width * 3);
    aug_draw_text(&im, y, x, scale, white, text, strlen(text));
    for (int32_t j = 0; j < height; j++) {
        for (int32_t i = 0; i < width; i++)
            *to++ = memcmp(aug_row(&im, j) + 3 * i, white, 3) == 0 ? '#' : '.';
        *to++ = '\n';
    }
    aug_image_release(&im);
    return art;
}

static void assert_drawn(const char *text, int32_t y, int32_t x, int32_t scale, int32_t height,
                         int32_t width, const char *expected)
{
    char *art = drawn(text, y, x, scale, height, width);

    assert_string_equal(art, expected);
    t2_free(art);
}

static void test_shapes(void **state)
{
    (void) state;
    assert_drawn("Lg", 0, 0, 1, 9, 12,
                 "#...........\n#...........\n#......####.\n#.....#...#.\n#.....#...#.\n"
                 "#.....#...#.\n#####..####.\n..........#.\n.......###..\n");
    assert_drawn("-", 0, 1, 2, 8, 12,
                 "............\n............\n............\n............\n............\n"
                 "............\n.##########.\n.##########.\n");
}

static void test_all_differ(void **state)
{
    char *art[95], text[2] = {0, 0};

    (void) state;
    for (int i = 0; i < 95; i++) {
        text[0] = (char) (' ' + i);
        art[i] = drawn(text, 0, 0, 1, AUG_LETTER_HEIGHT, AUG_LETTER_WIDTH);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(art[i], art[j]);
    }
    for (int i = 0; i < 95; i++)
        t2_free(art[i]);
}

static void test_others(void **state)
{
    const char *box = "#####.\n#...#.\n#...#.\n#...#.\n#...#.\n#...#.\n#####.\n......\n......\n";

    (void) state;
    assert_int_equal(aug_text_letters("", 0), 0);
    assert_int_equal(aug_text_letters("na\xc3\xafve \xe7\x8c\xab", 10), 7);
    assert_int_equal(aug_text_letters("\xff\xc3", 2), 2);
    assert_int_equal(aug_text_letters("\xe7\x8c", 2), 2); /* cut short */
    assert_drawn("\xc3\xaf", 0, 0, 1, 9, 6, box);
    assert_drawn("\xff", 0, 0, 1, 9, 6, box);
    assert_drawn("\t", 0, 0, 1, 9, 6, box);
}

static void test_edges(void **state)
{
    (void) state;
    assert_drawn("II", -1, -2, 1, 3, 8, "#.....#.\n#.....#.\n#.....#.\n");
    assert_drawn("I", 2, 3, 1, 4, 5, ".....\n.....\n....#\n.....\n");
    assert_drawn("I", 20, 20, 3, 1, 2, "..\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_all_differ),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
