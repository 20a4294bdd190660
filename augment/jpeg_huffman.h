/*
 * augment/jpeg_huffman.h - Huffman decoding of a baseline JPEG's only scan, for data that have
 * nothing odd.
 *
 * Coefficients equal libjpeg's.  Data that libjpeg warns about, repairs or refuses (invalid codes,
 * an early end, extra bytes) are only detected here: the caller then decodes the file again with
 * libjpeg alone.
 */
#ifndef AUG_JPEG_HUFFMAN_H
#define AUG_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AUG_SCAN_LOOK = 10, AUG_SCAN_TABLES = 4, AUG_SCAN_BLOCKS = 10 };

/* What the next bits stand for: codes of up to AUG_SCAN_LOOK bits by the table, others by their
 * lengths. */
struct aug_scan_table {
    int32_t look[1 << AUG_SCAN_LOOK];
    int32_t last[18];   /* the last code of each length, -1 none; a length of 17 is none at all */
    int32_t offset[17]; /* of the symbol of a code of each length */
    int32_t pass[1 << AUG_SCAN_LOOK];  /* AC: over how many coefficients the next bits lead */
    uint64_t pair[1 << AUG_SCAN_LOOK]; /* AC: up to two coefficients and the end of the block */
    uint8_t n_codes[17], symbols[256]; /* of what it was made */
    char made_as;                      /* 0 not yet, else d or a */
};

/* Zero-initialise; aug_scan_begin; fill in n_blocks, blocks, the tables that they name. */
struct aug_scan {
    const uint8_t *at, *end; /* the bytes of the scan, and what is behind it */
    size_t n_blocks;         /* of a unit */
    struct {
        uint8_t dc, ac, component; /* numbers of tables, of the component that it predicts */
    } blocks[AUG_SCAN_BLOCKS];
    struct aug_scan_table dc[AUG_SCAN_TABLES], ac[AUG_SCAN_TABLES];
    int32_t last_dc[AUG_SCAN_TABLES];
    uint64_t bits; /* the next one is the highest */
    int n_bits;
    int n_zeros; /* of them, made up behind the end */
};

/* For a scan; tables of the one before are kept. */
void aug_scan_begin(struct aug_scan *s, const uint8_t *at, const uint8_t *end);
/* n_codes[1 ... 16]: how many codes have that length.  Nothing to do when it was made of the same.
 * False: no table. */
bool aug_scan_table_make(struct aug_scan_table *t, bool is_ac, const uint8_t n_codes[17],
                         const uint8_t symbols[256]);
/* The next unit: blocks of 64 coefficients, zeroed before; NULL: they are passed over.  False:
 * something odd. */
bool aug_scan_unit(struct aug_scan *s, int16_t *const *blocks);
/* After the last unit: true when a marker follows; s->at is then at it. */
bool aug_scan_is_at_marker(const struct aug_scan *s);

#endif
