/*
 * tests/support/texts.h - recorded texts: JSON strings as WTF-8, lines of plain, gzip or zip files.
 *
 * base/json refuses lone surrogates, as JSON libraries do; recordings of Python programs have them.
 */
#ifndef T2_TESTS_SUPPORT_TEXTS_H
#define T2_TESTS_SUPPORT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Growable list of texts; zero-initialise. */
struct t_texts {
    struct t2_buf bytes;
    size_t *ends;
    size_t n, capacity;
};
void t_texts_add(struct t_texts *l, const void *text, size_t len_bytes);
struct t2_slice t_texts_at(const struct t_texts *l, size_t i);
void t_texts_release(struct t_texts *l);

/* Skips blanks and reads the JSON string at *at; a surrogate pair becomes one code point, a lone
 * surrogate three bytes.  *at ends behind it.  false when there is no string. */
bool t_json_string(const char **at, struct t2_buf *out);
/* Strings of a JSON list of strings in a file, unpacked when it is gzip. */
void t_json_texts(const char *path, struct t_texts *l);

/* Whole file, unpacked when it is gzip. */
void t_read_unpacked(const char *path, struct t2_buf *out);
/* Lines of a file, split at LF only. */
void t_read_lines(const char *path, struct t_texts *l);
/* Writes one member of a zip file to path as gzip; false when the member is not there. */
bool t_unzip_to_gzip(const char *zip, const char *member, const char *path);

/* Two neighbouring surrogates become one code point, as when Python's JSON is read back. */
void t_join_surrogates(struct t2_buf *text);

#endif
