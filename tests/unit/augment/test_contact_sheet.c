/* test_contact_sheet.c - a page: where tiles lie, boxes, frames, labels, limits; equal bytes. */
#include <string.h>

#include "augment/contact_sheet.h"
#include "augment/png.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;
static const struct aug_decode plain = {.channels = 0};

/* The page of a sheet, decoded, and the file; aug_image_release, t2_buf_release. */
static struct aug_image page_of(struct aug_sheet *sheet, struct t2_buf *file)
{
    struct aug_image im = {.data = NULL};

    assert_int_equal(aug_sheet_png(sheet, file, &err), T2_OK);
    assert_int_equal(aug_png_decode(file->data, file->len_bytes, &plain, &im, NULL, &err), T2_OK);
    assert_int_equal(im.channels, 3);
    return im;
}

static void assert_pixel(const struct aug_image *im, int32_t y, int32_t x, int r, int g, int b)
{
    const uint8_t *p = aug_row(im, y) + 3 * x;

    assert_int_equal(p[0], r);
    assert_int_equal(p[1], g);
    assert_int_equal(p[2], b);
}

static struct aug_sheet *new_sheet(int32_t tile, int32_t columns, int32_t lines, const char *title)
{
    const struct aug_sheet_settings s = {tile, columns, lines, title};
    struct aug_sheet *sheet;

    assert_int_equal(aug_sheet_new(&s, &sheet, &err), T2_OK);
    return sheet;
}

/* One image of one colour. */
static struct aug_image flat(int32_t height, int32_t width, int32_t channels, uint8_t value)
{
    struct aug_image im = {.data = NULL};

    assert_int_equal(aug_image_resize(&im, height, width, channels, &err), T2_OK);
    memset(im.data, value, (size_t) height * (size_t) width * (size_t) channels);
    return im;
}

static void test_places(void **state)
{
    struct aug_sheet *sheet = new_sheet(32, 2, 1, NULL);
    struct aug_image small = flat(8, 4, 3, 40), large = flat(64, 128, 1, 90), page;
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.image = &small}, &err), T2_OK);
    assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.label = "none"}, &err), T2_OK);
    assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.image = &large}, &err), T2_OK);
    assert_int_equal(aug_sheet_count(sheet), 3);
    page = page_of(sheet, &file);
    assert_int_equal(page.width, 2 * (32 + 8) + 8);
    assert_int_equal(page.height, 8 + 2 * (32 + 3 + 11 + 8));
    assert_pixel(&page, 0, 0, 250, 250, 250);
    assert_pixel(&page, 8, 8, 226, 226, 226);  /* beside the small one, four times as large */
    assert_pixel(&page, 8, 15, 226, 226, 226); /* which takes 16 of 32 columns */
    assert_pixel(&page, 8, 16, 40, 40, 40);
    assert_pixel(&page, 39, 31, 40, 40, 40);
    assert_pixel(&page, 39, 32, 226, 226, 226);
    assert_pixel(&page, 8, 48, 250, 250, 250); /* no image */
    assert_pixel(&page, 62 + 7, 8, 226, 226, 226);
    assert_pixel(&page, 62 + 8, 8, 90, 90, 90); /* the large one: 32 x 16 */
    assert_pixel(&page, 62 + 23, 39, 90, 90, 90);
    assert_pixel(&page, 62 + 24, 39, 226, 226, 226);
    aug_image_release(&page);
    aug_image_release(&small);
    aug_image_release(&large);
    aug_sheet_free(sheet);
    t2_buf_release(&file);
}

static void test_channels(void **state)
{
    struct aug_sheet *sheet = new_sheet(16, 4, 1, "");
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image page;

    (void) state;
    for (int32_t c = 1; c <= 4; c++) {
        struct aug_image im = flat(16, 16, c, 0);
        for (int32_t i = 0; i < 16 * 16 * c; i++)
            im.data[i] = (uint8_t) (10 + i % c);
        assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.image = &im}, &err), T2_OK);
        aug_image_release(&im);
    }
    page = page_of(sheet, &file);
    assert_pixel(&page, 9, 9, 10, 10, 10);
    assert_pixel(&page, 9, 24 + 9, 10, 10, 10);
    assert_pixel(&page, 9, 48 + 9, 10, 11, 12);
    assert_pixel(&page, 9, 72 + 9, 10, 11, 12);
    aug_image_release(&page);
    aug_sheet_free(sheet);
    t2_buf_release(&file);
}

static void test_box_and_tone(void **state)
{
    struct aug_sheet *sheet = new_sheet(64, 1, 1, NULL);
    struct aug_image im = flat(32, 32, 3, 100), page;
    const struct aug_window box = {.x = 4, .y = 6, .width = 16, .height = 20};
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    assert_int_equal(aug_sheet_add(sheet,
                                   &(struct aug_tile){.image = &im,
                                                      .label = "x",
                                                      .tone = AUG_TONE_WRONG,
                                                      .box = &box},
                                   &err),
                     T2_OK);
    assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.image = &im, .tone = AUG_TONE_RIGHT},
                                   &err),
                     T2_OK);
    page = page_of(sheet, &file);
    assert_pixel(&page, 5, 5, 200, 16, 32); /* the frame */
    assert_pixel(&page, 4, 5, 250, 250, 250);
    assert_pixel(&page, 8, 8, 100, 100, 100);
    assert_pixel(&page, 8 + 12, 8 + 8, 0, 0, 0);
    assert_pixel(&page, 8 + 13, 8 + 9, 255, 221, 0);
    assert_pixel(&page, 8 + 15, 8 + 11, 0, 0, 0);
    assert_pixel(&page, 8 + 16, 8 + 12, 100, 100, 100);
    assert_pixel(&page, 8 + 51, 8 + 39, 0, 0, 0); /* its last corner */
    assert_pixel(&page, 8 + 52, 8 + 39, 100, 100, 100);
    assert_pixel(&page, 8 + 64 + 3 + 11 + 8 + 64 + 1, 8, 0, 112, 48);
    aug_image_release(&page);
    aug_image_release(&im);
    aug_sheet_free(sheet);
    t2_buf_release(&file);
}

/* Rows and columns of ink below `from`. */
static void ink_box(const struct aug_image *page, int32_t from, int32_t *top, int32_t *bottom,
                    int32_t *right)
{
    *top = *bottom = *right = -1;
    for (int32_t y = from; y < page->height; y++)
        for (int32_t x = 0; x < page->width; x++) {
            if (aug_row(page, y)[3 * x] == 250)
                continue;
            *top = *top < 0 ? y : *top;
            *bottom = y;
            *right = x > *right ? x : *right;
        }
}

static void test_labels(void **state)
{
    /* letters that fit in double size; that fit in single size; that are cut */
    static const char *const labels[] = {"HHHH", "HHHHHHHHHHHHHHHHHHHH",
                                         "HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH", "H\nH\nH"};
    static const int32_t rows[] = {14, 7, 7, 29}, ends[] = {46, 119, 153, 10};
    struct aug_image page;

    (void) state;
    for (int i = 0; i < 4; i++) {
        struct aug_sheet *sheet = new_sheet(160, 1, 2, NULL);
        struct t2_buf file = {NULL, 0, 0};
        int32_t top, bottom, right;
        assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.label = labels[i]}, &err), T2_OK);
        page = page_of(sheet, &file);
        ink_box(&page, 0, &top, &bottom, &right);
        assert_int_equal(bottom - top + 1, rows[i]);
        assert_int_equal(right - 7, ends[i]);
        aug_image_release(&page);
        t2_buf_release(&file);
        aug_sheet_free(sheet);
    }
}

static void test_title(void **state)
{
    struct aug_sheet *sheet = new_sheet(16, 8, 1, "Title");
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image page = page_of(sheet, &file);
    int32_t top, bottom, right;

    (void) state;
    assert_int_equal(page.height, 8 + 11 + 8); /* no tile yet */
    ink_box(&page, 0, &top, &bottom, &right);
    assert_int_equal(top, 8);
    assert_int_equal(bottom, 14);
    assert_true(right > 30 && right < 38);
    aug_image_release(&page);
    t2_buf_release(&file);
    aug_sheet_free(sheet);
}

static void test_same_bytes(void **state)
{
    struct t2_buf files[2] = {{NULL, 0, 0}, {NULL, 0, 0}};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct aug_sheet *sheet = new_sheet(0, 0, 0, "same");
        for (int32_t k = 0; k < 7; k++) {
            struct aug_image im = t_image(100 + 90 * k, 300 - 40 * k, 3, (uint64_t) k);
            assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.image = &im, .label = "same"},
                                           &err),
                             T2_OK);
            aug_image_release(&im);
        }
        assert_int_equal(aug_sheet_png(sheet, &files[i], &err), T2_OK);
        aug_sheet_free(sheet);
    }
    assert_int_equal(files[0].len_bytes, files[1].len_bytes);
    assert_memory_equal(files[0].data, files[1].data, files[0].len_bytes);
    t2_buf_release(&files[0]);
    t2_buf_release(&files[1]);
}

static void test_limits(void **state)
{
    static const struct aug_sheet_settings bad[] = {{.tile = 15},        {.tile = 4097},
                                                    {.columns = -1},     {.columns = 257},
                                                    {.label_lines = -1}, {.label_lines = 17}};
    struct aug_sheet *sheet;
    struct aug_image im = flat(1, 4000, 3, 7);
    enum t2_status st = T2_OK;

    (void) state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(aug_sheet_new(&bad[i], &sheet, &err), T2_EUSAGE);
        assert_null(sheet);
    }
    assert_non_null(strstr(err.message, "17 lines of label; must be 1 to 16"));
    sheet = new_sheet(16, 1, 1, NULL); /* a strip of one row stays one */
    assert_int_equal(aug_sheet_add(sheet, &(struct aug_tile){.image = &im}, &err), T2_OK);
    aug_sheet_free(sheet);
    sheet = new_sheet(4096, 16, 1, NULL);
    for (int i = 0; i < 17 && st == T2_OK; i++)
        st = aug_sheet_add(sheet, &(struct aug_tile){.label = "x"}, &err);
    assert_int_equal(st, T2_EUNSUPPORTED);
    assert_string_equal(err.message, "a contact sheet of more than 512 MiB");
    aug_sheet_free(sheet);
    aug_sheet_free(NULL);
    aug_image_release(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_channels),
                                       cmocka_unit_test(test_box_and_tone),
                                       cmocka_unit_test(test_labels),
                                       cmocka_unit_test(test_title),
                                       cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
