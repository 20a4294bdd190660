/*
 * augment/contact_sheet.h - a page of images to look at: a grid with labels and crop boxes, as PNG.
 *
 * Equal images and labels give equal bytes, whatever the machine.
 */
#ifndef AUG_CONTACT_SHEET_H
#define AUG_CONTACT_SHEET_H

#include "augment/image.h"
#include "base/buf.h"

/* Colour of a label and of the frame around its image. */
enum aug_tone { AUG_TONE_PLAIN, AUG_TONE_RIGHT, AUG_TONE_WRONG }; /* black, no frame; green; red */

struct aug_tile {
    const struct aug_image *image; /* 1 ... 4 channels (alpha is not looked at); NULL: no image */
    /* UTF-8, lines apart by LF, the first one larger; when it is too long it is written smaller,
     * then cut. NULL: none. */
    const char *label;
    enum aug_tone tone;
    const struct aug_window *box; /* in pixels of image, drawn over it; NULL: none */
};

/* Zeros: what is said in brackets. */
struct aug_sheet_settings {
    int32_t tile;        /* the longer side of an image, in pixels [224], 16 ... 4096 */
    int32_t columns;     /* [6], at most 256 */
    int32_t label_lines; /* under each image [1], at most 16 */
    const char *title;   /* one line on top; NULL or "": none */
};

struct aug_sheet;
/* *sheet is owned by the caller.  T2_EUSAGE when a setting is out of range. */
T2_MUST_CHECK enum t2_status aug_sheet_new(const struct aug_sheet_settings *settings,
                                           struct aug_sheet **sheet, struct t2_err *err);
void aug_sheet_free(struct aug_sheet *sheet);

/* Puts a tile behind those before, line by line; copies.  Small images grow by a whole number of
 * times, each pixel a square; large ones shrink.  T2_EUNSUPPORTED when the page gets larger than
 * 2^29 bytes. */
T2_MUST_CHECK enum t2_status aug_sheet_add(struct aug_sheet *sheet, const struct aug_tile *tile,
                                           struct t2_err *err);
size_t aug_sheet_count(const struct aug_sheet *sheet); /* of tiles */
/* Of the page so far, in pixels. */
void aug_sheet_size(const struct aug_sheet *sheet, int32_t *height, int32_t *width);
/* Appends the PNG file of the page. */
T2_MUST_CHECK enum t2_status aug_sheet_png(struct aug_sheet *sheet, struct t2_buf *out,
                                           struct t2_err *err);

#endif
