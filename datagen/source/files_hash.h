/*
 * datagen/source/files_hash.h - one hash over all that a stream reads of many files, for the list
 * of its inputs.
 */
#ifndef DG_FILES_HASH_H
#define DG_FILES_HASH_H

#include "base/buf.h"
#include "base/hash.h"
#include "datagen/stream.h"

/* Zero-initialise; dg_files_hash_release. */
struct dg_files_hash {
    struct t2_sha256 *hash; /* NULL: not asked for, or already given */
    uint64_t n_bytes;
};
void dg_files_hash_start(struct dg_files_hash *h);
/* Nothing without dg_files_hash_start. */
void dg_files_hash_add(struct dg_files_hash *h, struct t2_slice bytes);
/* Adds an entry for all of it, of n files or records, once. */
void dg_files_hash_note(struct dg_files_hash *h, const char *path, const char *role, uint64_t n,
                        struct dg_input_files *files);
void dg_files_hash_release(struct dg_files_hash *h);

#endif
