/*
 * train/ckpt/tensor_file.h - struct ckpt_file, which the readers of the formats of tensors fill;
 * for them only.  Others use safetensors.h.
 */
#ifndef CKPT_TENSOR_FILE_H
#define CKPT_TENSOR_FILE_H

#include <stdbool.h>

#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/str.h"
#include "train/ckpt/safetensors.h"

struct ckpt_file {
    char *path; /* for messages */
    struct t2_mapped *maps;
    size_t n_maps;
    /* Of safetensors: the whole file, what is behind its header, the header. */
    const uint8_t *bytes;
    size_t n_bytes;
    const uint8_t *data;
    size_t n_data;
    struct t2_json_doc *header;
    struct ckpt_tensor *tensors;
    size_t n_tensors;
    struct t2_map *index;  /* name -> number of the tensor */
    struct t2_strs names;  /* of tensors whose names are not in the header */
    struct t2_strs others; /* names of what is there and cannot be had as a tensor */
    bool stays;            /* ckpt_forget does nothing */
    void **pieced;         /* tensors that were put together or decoded */
    size_t n_pieced;
};

struct ckpt_file *ckpt_file_new(const char *path);
/* Takes the map; it is empty afterwards. */
void ckpt_file_keep_map(struct ckpt_file *f, struct t2_mapped *map);
/* Takes memory of a tensor (t2_alloc), and gives it back. */
void *ckpt_file_keep(struct ckpt_file *f, void *bytes);

#endif
