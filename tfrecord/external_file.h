/*
 * tfrecord/external_file.h - temporary files of work that does not fit into memory.
 *
 * They have no name: however the program ends, nothing stays.
 */
#ifndef TFR_EXTERNAL_FILE_H
#define TFR_EXTERNAL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tfr_external_file;

/* In folder dir. */
T2_MUST_CHECK enum t2_status tfr_external_file_new(const char *dir, struct tfr_external_file **f,
                                                   struct t2_err *err);
/* Writes at the end; not buffered. */
T2_MUST_CHECK enum t2_status tfr_external_file_append(struct tfr_external_file *f, const void *data,
                                                      size_t len_bytes, struct t2_err *err);
/* The same for pieces of memory, none of them empty, one after another. */
struct iovec;
T2_MUST_CHECK enum t2_status tfr_external_file_appendv(struct tfr_external_file *f,
                                                       const struct iovec *pieces, size_t n,
                                                       struct t2_err *err);
/* Any thread. */
T2_MUST_CHECK enum t2_status tfr_external_file_read(const struct tfr_external_file *f,
                                                    uint64_t offset, void *data, size_t len_bytes,
                                                    struct t2_err *err);
/* The bytes from offset on are not needed any more: gives their room on the disk back. */
void tfr_external_file_forget(struct tfr_external_file *f, uint64_t offset, uint64_t len_bytes);
uint64_t tfr_external_file_bytes(const struct tfr_external_file *f);
void tfr_external_file_free(struct tfr_external_file *f); /* NULL is allowed */

/* T2_EIO when dir has not so many bytes free; what: "the shuffle". */
T2_MUST_CHECK enum t2_status tfr_external_need(const char *dir, uint64_t bytes, const char *what,
                                               struct t2_err *err);

#endif
