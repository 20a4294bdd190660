/*
 * augment/sniff.h - what a file is, by its first bytes and never by its name.
 */
#ifndef AUG_SNIFF_H
#define AUG_SNIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum aug_kind {
    AUG_UNKNOWN,
    AUG_JPEG,
    AUG_PNG,
    AUG_GIF,
    AUG_BMP,
    AUG_WEBP,
    AUG_N_IMAGE_KINDS, /* those above can be decoded (WebP where the library is there) */
    /* what is found under an image's name, and cannot */
    AUG_EMPTY = AUG_N_IMAGE_KINDS,
    AUG_ZEROS,
    AUG_TIFF,
    AUG_JPEG2000,
    AUG_JPEGXL,
    AUG_AVIF, /* also HEIC */
    AUG_SVG,
    AUG_PDF,
    AUG_ARCHIVE,
    AUG_HTML,
    AUG_LFS,    /* a Git LFS pointer */
    AUG_BASE64, /* text of an image */
    AUG_REPR,   /* printed Python bytes */
    AUG_TEXT,
    AUG_N_KINDS
};

/* Looks at no more than the first kB, and for AUG_ZEROS at all of it. */
enum aug_kind aug_sniff(const uint8_t *data, size_t len_bytes);
/* "JPEG", "PNG", ... "HTML", "unknown". */
const char *aug_kind_name(enum aug_kind kind);
/* Decodable by this build. */
bool aug_kind_is_image(enum aug_kind kind);
/* For a message, of kinds that are no image: "a Git LFS pointer instead of the file (git lfs
 * pull)". */
const char *aug_kind_explain(enum aug_kind kind);

#endif
