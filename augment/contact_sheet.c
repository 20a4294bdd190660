/*
 * augment/contact_sheet.c - a page of images; it grows by a row of tiles at a time.
 *
 * The page is one buffer of (height, width, 3) bytes, to which rows of paper are appended; a row
 * of tiles is added when its first tile comes. Tiles stand at x = MARGIN + column (tile + MARGIN),
 * each with label_lines lines of text below.
 */
#include "augment/contact_sheet.h"

#include <string.h>

#include "augment/bitmap_font.h"
#include "augment/png.h"
#include "augment/resize.h"
#include "base/alloc.h"

enum {
    MARGIN = 8, /* around the page and between tiles */
    FRAME = 3,
    PAPER = 250,
    LARGE_TEXT_FROM = 160, /* tiles that are so wide have letters of double size */
    LINE_HEIGHT = AUG_LETTER_HEIGHT + 2
};
static const size_t largest_page = (size_t) 1 << 29;

static const uint8_t behind[3] = {226, 226, 226};
static const uint8_t black[3] = {0, 0, 0}, yellow[3] = {255, 221, 0};
static const uint8_t inks[][3] = {[AUG_TONE_PLAIN] = {24, 24, 24},
                                  [AUG_TONE_RIGHT] = {0, 112, 48},
                                  [AUG_TONE_WRONG] = {200, 16, 32}};

struct aug_sheet {
    int32_t tile, columns, label_lines, text_scale;
    int32_t width, height; /* of the page so far */
    size_t n_tiles;
    struct t2_buf pixels;
    struct aug_resizer *resizer;
    struct aug_image rgb, fitted;
};

static struct aug_image page(struct aug_sheet *s)
{
    return aug_image_of(s->pixels.data, s->height, s->width, 3);
}

/* Rows of paper below. */
static enum t2_status grow(struct aug_sheet *s, int32_t rows, struct t2_err *err)
{
    size_t row_bytes = (size_t) s->width * 3, extra = row_bytes * (size_t) rows;

    if (s->pixels.len_bytes + extra > largest_page)
        return t2_fail(err, T2_EUNSUPPORTED, "a contact sheet of more than %zu MiB",
                       largest_page >> 20);
    memset(t2_buf_reserve(&s->pixels, extra), PAPER, extra);
    s->pixels.len_bytes += extra;
    s->height += rows;
    return T2_OK;
}

static void write_line(struct aug_sheet *s, int32_t y, int32_t x, int32_t width, int32_t scale,
                       const uint8_t ink[3], const char *text, size_t len_bytes)
{
    struct aug_image to = page(s);
    size_t room = (size_t) (width / AUG_LETTER_WIDTH);

    /* A letter has at most four bytes: what is beyond cannot be seen, and would be counted again
     * and again. */
    if (len_bytes > 8 * (room + 1))
        len_bytes = 8 * (room + 1);
    if (scale > 1 && aug_text_letters(text, len_bytes) > room / 2) {
        y += AUG_LETTER_HEIGHT / 2;
        scale = 1;
    }
    if (scale == 1 && aug_text_letters(text, len_bytes) > room) {
        static const char dots[] = "..";
        size_t shown = room > 2 ? room - 2 : 0;
        while (aug_text_letters(text, len_bytes) > shown)
            len_bytes--;
        aug_draw_text(&to, y, x + (int32_t) shown * AUG_LETTER_WIDTH, 1, ink, dots, 2);
    }
    aug_draw_text(&to, y, x, scale, ink, text, len_bytes);
}

static enum t2_status check(const struct aug_sheet *s, struct t2_err *err)
{
    if (s->tile < 16 || s->tile > 4096)
        return t2_fail(err, T2_EUSAGE, "contact sheet: tiles of %d pixels; must be 16 to 4096",
                       s->tile);
    if (s->columns < 1 || s->columns > 256)
        return t2_fail(err, T2_EUSAGE, "contact sheet: %d columns; must be 1 to 256", s->columns);
    if (s->label_lines < 1 || s->label_lines > 16)
        return t2_fail(err, T2_EUSAGE, "contact sheet: %d lines of label; must be 1 to 16",
                       s->label_lines);
    return T2_OK;
}

enum t2_status aug_sheet_new(const struct aug_sheet_settings *settings, struct aug_sheet **sheet,
                             struct t2_err *err)
{
    struct aug_sheet *s = t2_alloc(1, sizeof *s);
    const char *title = settings->title;
    enum t2_status st;

    s->tile = settings->tile ? settings->tile : 224;
    s->columns = settings->columns ? settings->columns : 6;
    s->label_lines = settings->label_lines ? settings->label_lines : 1;
    s->text_scale = s->tile >= LARGE_TEXT_FROM ? 2 : 1;
    s->resizer = aug_resizer_new();
    *sheet = NULL;
    st = check(s, err);
    if (st == T2_OK) {
        s->width = s->columns * (s->tile + MARGIN) + MARGIN;
        st = grow(s, MARGIN, err);
    }
    if (st == T2_OK && title && title[0]) {
        st = grow(s, LINE_HEIGHT * s->text_scale + MARGIN, err);
        if (st == T2_OK)
            write_line(s, MARGIN, MARGIN, s->width - 2 * MARGIN, s->text_scale,
                       inks[AUG_TONE_PLAIN], title, strlen(title));
    }
    if (st == T2_OK)
        *sheet = s;
    else
        aug_sheet_free(s);
    return st;
}

void aug_sheet_free(struct aug_sheet *sheet)
{
    if (!sheet)
        return;
    t2_buf_release(&sheet->pixels);
    aug_resizer_free(sheet->resizer);
    aug_image_release(&sheet->rgb);
    aug_image_release(&sheet->fitted);
    t2_free(sheet);
}

size_t aug_sheet_count(const struct aug_sheet *sheet)
{
    return sheet->n_tiles;
}

/* ---- a tile ---- */

static enum t2_status to_rgb(struct aug_sheet *s, const struct aug_image *im, struct t2_err *err)
{
    int32_t c = im->channels;

    T2_TRY(aug_image_resize(&s->rgb, im->height, im->width, 3, err));
    for (int32_t y = 0; y < im->height; y++) {
        const uint8_t *from = aug_row(im, y);
        uint8_t *to = aug_row(&s->rgb, y);
        for (int32_t x = 0; x < im->width; x++)
            for (int32_t j = 0; j < 3; j++)
                to[3 * x + j] = from[c * x + (c >= 3 ? j : 0)];
    }
    return T2_OK;
}

static int32_t shrunk(int32_t side, int32_t longest, int32_t tile)
{
    int32_t n = (int32_t) (((int64_t) side * tile + longest / 2) / longest);

    return n > 0 ? n : 1;
}

/* s->fitted: the image at the size of a tile.  Larger images are averaged over areas, so that
 * nothing flickers; smaller ones are enlarged by a whole factor without smoothing, so that their
 * pixels can be seen. */
static enum t2_status fit(struct aug_sheet *s, const struct aug_image *im, struct t2_err *err)
{
    static const struct aug_resize smaller = {.convention = AUG_PIL, .method = AUG_AREA};
    static const struct aug_resize larger = {.convention = AUG_PIL, .method = AUG_NEAREST};
    int32_t longest = im->width > im->height ? im->width : im->height, times = s->tile / longest;

    T2_TRY(to_rgb(s, im, err));
    if (times > 0)
        return aug_resize_bytes(s->resizer, &larger, &s->rgb, im->height * times, im->width * times,
                                &s->fitted, err);
    return aug_resize_bytes(s->resizer, &smaller, &s->rgb, shrunk(im->height, longest, s->tile),
                            shrunk(im->width, longest, s->tile), &s->fitted, err);
}

/* A frame of this thickness along the inside of w. */
static void outline(struct aug_image *im, struct aug_window w, int32_t thick,
                    const uint8_t colour[3])
{
    aug_fill(im, (struct aug_window){w.x, w.y, w.width, thick}, colour);
    aug_fill(im, (struct aug_window){w.x, w.y + w.height - thick, w.width, thick}, colour);
    aug_fill(im, (struct aug_window){w.x, w.y, thick, w.height}, colour);
    aug_fill(im, (struct aug_window){w.x + w.width - thick, w.y, thick, w.height}, colour);
}

/* A box of the image on what is shown of it; two pixels with a dark line on both sides, to be seen
 * on everything. */
static void draw_box(struct aug_image *shown, const struct aug_image *im,
                     const struct aug_window *box)
{
    int64_t x0 = (int64_t) box->x * shown->width / im->width;
    int64_t y0 = (int64_t) box->y * shown->height / im->height;
    int64_t x1 = ((int64_t) (box->x + box->width) * shown->width + im->width - 1) / im->width;
    int64_t y1 = ((int64_t) (box->y + box->height) * shown->height + im->height - 1) / im->height;
    struct aug_window w = {(int32_t) x0, (int32_t) y0, (int32_t) (x1 - x0), (int32_t) (y1 - y0)};

    outline(shown, w, 4, black);
    outline(shown, (struct aug_window){w.x + 1, w.y + 1, w.width - 2, w.height - 2}, 2, yellow);
}

static void paste(const struct aug_image *im, struct aug_image *to, int32_t y, int32_t x)
{
    for (int32_t i = 0; i < im->height; i++)
        memcpy(aug_row(to, y + i) + (size_t) x * 3, aug_row(im, i), (size_t) im->width * 3);
}

static void write_label(struct aug_sheet *s, int32_t y, int32_t x, const struct aug_tile *tile)
{
    const char *at = tile->label;

    for (int32_t line = 0; at && line < s->label_lines; line++) {
        size_t n = strcspn(at, "\n");
        int32_t scale = line == 0 ? s->text_scale : 1;
        write_line(s, y, x, s->tile, scale, inks[tile->tone], at, n);
        y += LINE_HEIGHT * scale;
        at = at[n] ? at + n + 1 : NULL;
    }
}

enum t2_status aug_sheet_add(struct aug_sheet *sheet, const struct aug_tile *tile,
                             struct t2_err *err)
{
    struct aug_sheet *s = sheet;
    int32_t column = (int32_t) (s->n_tiles % (size_t) s->columns);
    int32_t label = (s->label_lines - 1 + s->text_scale) * LINE_HEIGHT;
    int32_t x = MARGIN + column * (s->tile + MARGIN), y;
    struct aug_image to;

    if (tile->image)
        T2_TRY(fit(s, tile->image, err));
    if (column == 0)
        T2_TRY(grow(s, s->tile + FRAME + label + MARGIN, err));
    y = s->height - s->tile - FRAME - label - MARGIN;
    to = page(s);
    s->n_tiles++;
    if (tile->image) {
        if (tile->tone != AUG_TONE_PLAIN)
            aug_fill(&to,
                     (struct aug_window){x - FRAME, y - FRAME, s->tile + 2 * FRAME,
                                         s->tile + 2 * FRAME},
                     inks[tile->tone]);
        aug_fill(&to, (struct aug_window){x, y, s->tile, s->tile}, behind);
        if (tile->box)
            draw_box(&s->fitted, tile->image, tile->box);
        paste(&s->fitted, &to, y + (s->tile - s->fitted.height) / 2,
              x + (s->tile - s->fitted.width) / 2);
    }
    write_label(s, y + s->tile + FRAME + 2, x, tile);
    return T2_OK;
}

void aug_sheet_size(const struct aug_sheet *sheet, int32_t *height, int32_t *width)
{
    *height = sheet->height;
    *width = sheet->width;
}

enum t2_status aug_sheet_png(struct aug_sheet *sheet, struct t2_buf *out, struct t2_err *err)
{
    struct aug_image im = page(sheet);

    return aug_png_encode(&im, -1, out, err);
}
