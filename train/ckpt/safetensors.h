/*
 * train/ckpt/safetensors.h - the safetensors container: write atomically, read as a map.
 */
#ifndef CKPT_SAFETENSORS_H
#define CKPT_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum ckpt_type { CKPT_F32, CKPT_F64, CKPT_BF16, CKPT_F16, CKPT_I32, CKPT_I64, CKPT_U8, CKPT_BOOL };

struct ckpt_tensor {
    const char *name;
    enum ckpt_type type;
    int rank;
    int64_t dims[8];
    size_t n_bytes;
    const void *data; /* borrowed */
};

/* ---- reading: the file is mapped ---- */
struct ckpt_file;
/* The header is hostile: offsets, sizes, overlaps, types and names are checked. */
T2_MUST_CHECK enum t2_status ckpt_open(const char *path, struct ckpt_file **f, struct t2_err *err);
void ckpt_close(struct ckpt_file *f);
size_t ckpt_count(const struct ckpt_file *f);
const struct ckpt_tensor *ckpt_at(const struct ckpt_file *f, size_t i); /* borrowed from f */
const struct ckpt_tensor *ckpt_find(const struct ckpt_file *f, const char *name); /* NULL if absent */
/* A value of "__metadata__", NULL if absent. */
const char *ckpt_metadata(const struct ckpt_file *f, const char *key);

/* ---- writing ---- */
/* keys/values: n_metadata pairs for "__metadata__".  Atomic (base/file.h).  Tensors are written in
 * the order given, data aligned to 8 bytes. */
T2_MUST_CHECK enum t2_status ckpt_write(const char *path, const struct ckpt_tensor *tensors,
                                        size_t n_tensors, const char *const *keys,
                                        const char *const *values, size_t n_metadata,
                                        char sha256[65], struct t2_err *err);

#endif
