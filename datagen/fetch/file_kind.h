/*
 * datagen/fetch/file_kind.h - do the first bytes of a file fit what it should be?
 *
 * Servers that sign people in, ask for a confirmation or are gone send a page of HTML under the
 * name of the archive.
 */
#ifndef DG_FILE_KIND_H
#define DG_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dg_file_kind {
    DG_KIND_BY_NAME, /* by the end of the name; what is none of the following is NOT_HTML */
    DG_KIND_GZIP,    /* .gz .tgz */
    DG_KIND_BZIP2,   /* .bz2 .tbz2 .tbz */
    DG_KIND_XZ,      /* .xz .txz */
    DG_KIND_ZIP,     /* .zip */
    DG_KIND_NOT_HTML,
    DG_KIND_ANY /* .html .htm .xml */
};

enum { DG_KIND_HEAD_BYTES = 512 }; /* so many decide */

/* Never DG_KIND_BY_NAME. */
enum dg_file_kind dg_kind_of_name(const char *name);

/* "a gzip file", "a file that is not HTML". */
const char *dg_kind_text(enum dg_file_kind kind);

/* Begins like a page: <!doctype html, <html, <head, <script, ... after blanks, byte order mark,
 * comments. */
bool dg_looks_like_html(const uint8_t *head, size_t n_bytes);

/* kind is not DG_KIND_BY_NAME; head is the begin of the file, up to DG_KIND_HEAD_BYTES. */
bool dg_kind_fits(enum dg_file_kind kind, const uint8_t *head, size_t n_bytes);
/* The kind has first bytes of its own and head has them. */
bool dg_kind_proved(enum dg_file_kind kind, const uint8_t *head, size_t n_bytes);

/* The text of <title>, blanks joined, at most 79 bytes, only printable ASCII; "" without. */
void dg_html_title(const uint8_t *page, size_t n_bytes, char title[80]);

#endif
