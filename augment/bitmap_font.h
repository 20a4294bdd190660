/*
 * augment/bitmap_font.h - letters of 5 x 9 pixels, drawn for this project: ASCII, and a box for the
 * rest.
 */
#ifndef AUG_BITMAP_FONT_H
#define AUG_BITMAP_FONT_H

#include "augment/image.h"

/* Of a letter with the space behind it; rows below the seventh are for tails. */
enum { AUG_LETTER_WIDTH = 6, AUG_LETTER_HEIGHT = 9 };

/* How many letters are drawn for UTF-8 text: one a character, one a broken byte. */
size_t aug_text_letters(const char *text, size_t len_bytes);
/* Draws on im (3 channels) with the upper left corner at (y, x), each pixel of a letter scale x
 * scale; what is outside of im is left out. */
void aug_draw_text(struct aug_image *im, int32_t y, int32_t x, int32_t scale,
                   const uint8_t colour[3], const char *text, size_t len_bytes);
/* A filled rectangle, cut where im ends. */
void aug_fill(struct aug_image *im, struct aug_window w, const uint8_t colour[3]);

#endif
