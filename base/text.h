/*
 * base/text.h - lines of text files, plain or gzip (found by content), streamed.
 *
 * zlib is used in gzip.c only.  The line terminator is LF alone; the terminator is not
 * part of the line.  Carriage returns stay (callers that follow TensorFlow's reader delete them).
 */
#ifndef T2_BASE_TEXT_H
#define T2_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Byte stream over a plain file, a gzip or zlib file (by content; several members), or "-". */
struct t2_in;
T2_MUST_CHECK enum t2_status t2_in_new(const char *path, struct t2_in **in, struct t2_err *err);
/* The same over bytes that `read` gives: up to len_bytes, *n_read 0 only at the end.  name is for
 * messages; context is borrowed until t2_in_free. */
typedef enum t2_status (*t2_in_source)(void *context, void *data, size_t len_bytes, size_t *n_read,
                                       struct t2_err *err);
void t2_in_new_from(const char *name, t2_in_source read, void *context, struct t2_in **in);
void t2_in_free(struct t2_in *in);
/* Bytes after the last compressed member that begin no other are left out with a warning, as gzip
 * does; without this they are T2_EFORMAT. */
void t2_in_ignore_trailing(struct t2_in *in);
/* Before the first read: gzip by t2_inflater_new_fast. */
void t2_in_fast(struct t2_in *in);
bool t2_in_is_compressed(const struct t2_in *in); /* after the first read */
/* Up to len_bytes bytes; *n_read is 0 only at the end.  A gzip stream cut short is T2_EFORMAT. */
T2_MUST_CHECK enum t2_status t2_in_read(struct t2_in *in, void *data, size_t len_bytes,
                                        size_t *n_read, struct t2_err *err);
/* Before the first read: bytes that begin like a compressed stream are plain all the same when
 * is_plain says so of the first n_bytes (fewer when there are no more). */
void t2_in_plain_when(struct t2_in *in, size_t n_bytes,
                      bool (*is_plain)(const uint8_t *head, size_t n_bytes));
const char *t2_in_path(const struct t2_in *in);

/* Next line, borrowed until the next call; T2_EOF at the end.  A last line without LF counts, an
 * empty rest after the last LF does not. */
T2_MUST_CHECK enum t2_status t2_in_line(struct t2_in *in, struct t2_slice *line,
                                        struct t2_err *err);
/*
 * A line of more bytes is T2_ENOMEM, with its number and where it begins; a line is held several
 * times over on its way.  For the whole process, before any thread reads: a tool that keeps a limit
 * of memory sets a share of it, T2_LINE_SHARE, but 1 MiB at least.  0: no such limit, 1 GiB is
 * T2_EFORMAT.
 */
enum { T2_LINE_SHARE = 16 };
void t2_in_limit_lines(uint64_t max_memory);
/* Of this reader alone: a line of more bytes is T2_EFORMAT as soon as so many of it are read. */
void t2_in_most_line(struct t2_in *in, uint64_t len_bytes);
/* t2_in_line's check, for callers that cut lines from blocks; T2_OK as long as a line of len_bytes
 * may go on. */
T2_MUST_CHECK enum t2_status t2_in_check_line(const char *path, uint64_t line_number,
                                              uint64_t offset, uint64_t len_bytes,
                                              struct t2_err *err);
uint64_t t2_in_next_offset(const struct t2_in *in); /* where the next line begins, unpacked */
uint64_t t2_in_line_number(const struct t2_in *in); /* of the last line given, from 1 */

/* Size of a file's text, after unpacking: reads it to its end unless it is a plain file. */
T2_MUST_CHECK enum t2_status t2_text_bytes(const char *path, uint64_t *bytes, struct t2_err *err);

/* Deletes CR in place, as TensorFlow's line reader does; returns the new length. */
size_t t2_delete_cr(uint8_t *s, size_t len_bytes);

/* SHA-256 and size of the raw (compressed) bytes, complete only after T2_EOF. */
void t2_in_hash_on(struct t2_in *in);
void t2_in_sha256(struct t2_in *in, char hex[65], uint64_t *raw_bytes);

/* Offset of the first byte that is not valid UTF-8 (surrogates and overlong forms are invalid), or
 * len_bytes when all is valid. */
size_t t2_utf8_invalid_at(const uint8_t *data, size_t len_bytes);

#endif
