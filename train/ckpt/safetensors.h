/*
 * train/ckpt/safetensors.h - the safetensors container: write atomically, read as a map.
 *
 * A file is the length of a header (8 bytes, little-endian), the header as JSON, the tensors'
 * bytes. Reading and writing follow the safetensors library 0.8: holes, overlaps and bytes that
 * belong to nobody are refused; unknown fields, a key that comes twice (the last counts) and blanks
 * around the header are accepted.
 */
#ifndef CKPT_SAFETENSORS_H
#define CKPT_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum ckpt_type {
    CKPT_F32,
    CKPT_F64,
    CKPT_BF16,
    CKPT_F16,
    CKPT_I32,
    CKPT_I64,
    CKPT_U8,
    CKPT_BOOL,
    CKPT_I8,
    CKPT_I16,
    CKPT_U16,
    CKPT_U32,
    CKPT_U64,
    CKPT_F8_E4M3,
    CKPT_F8_E5M2,
    CKPT_C64
};

enum { CKPT_MAX_RANK = 8 };

struct ckpt_tensor {
    const char *name;
    enum ckpt_type type;
    int rank;
    int64_t dims[CKPT_MAX_RANK];
    size_t n_bytes;
    /* Borrowed.  Of a file that was read it may lie at any address: copy it with memcpy. */
    const void *data;
};

/* "F32"; never NULL. */
const char *ckpt_type_name(enum ckpt_type type);
size_t ckpt_type_bytes(enum ckpt_type type);

/* ---- reading: the file is mapped ---- */
struct ckpt_file;
/* The header is hostile: offsets, sizes, overlaps, types and names are checked.  T2_EFORMAT names
 * the file and the tensor; T2_EUNSUPPORTED for types below a byte and more than 8 dimensions. */
T2_MUST_CHECK enum t2_status ckpt_open(const char *path, struct ckpt_file **f, struct t2_err *err);
void ckpt_close(struct ckpt_file *f);
size_t ckpt_count(const struct ckpt_file *f);
const struct ckpt_tensor *ckpt_at(const struct ckpt_file *f,
                                  size_t i); /* borrowed from f; in the order of the header */
const struct ckpt_tensor *ckpt_find(const struct ckpt_file *f,
                                    const char *name); /* NULL if absent */
/* Bytes of a tensor's data that will not be read soon leave main memory (a mapped file only). */
void ckpt_forget(const struct ckpt_file *f, const void *data, size_t n_bytes);
/* All bytes behind the header; borrowed. */
struct t2_slice ckpt_data(const struct ckpt_file *f);
/* A value of "__metadata__", NULL if absent. */
const char *ckpt_metadata(const struct ckpt_file *f, const char *key);

/* As ckpt_open, from memory that is borrowed until ckpt_close; `origin` stands for the path in
 * messages. */
T2_MUST_CHECK enum t2_status ckpt_open_memory(const void *data, size_t len_bytes,
                                              const char *origin, struct ckpt_file **f,
                                              struct t2_err *err);

/* ---- writing ---- */
/* keys/values: n_metadata pairs for "__metadata__".  Atomic (base/file.h).  Tensors are written in
 * the order given without gaps, the first one aligned to 256 bytes.  n_bytes must fit type and dims
 * (assertion); names must be unique.  sha256 (may be NULL) gets the hash of the file. */
T2_MUST_CHECK enum t2_status ckpt_write(const char *path, const struct ckpt_tensor *tensors,
                                        size_t n_tensors, const char *const *keys,
                                        const char *const *values, size_t n_metadata,
                                        char sha256[65], struct t2_err *err);

/* What stands in front of the data: length and header; appended to a buffer. */
void ckpt_header(struct t2_buf *header, const struct ckpt_tensor *tensors, size_t n_tensors,
                 const char *const *keys, const char *const *values, size_t n_metadata);
/* Data is written so many bytes at a time. */
enum { CKPT_PIECE_BYTES = 1 << 24 };

#endif
