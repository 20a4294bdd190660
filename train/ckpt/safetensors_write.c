/*
 * train/ckpt/safetensors_write.c - writing safetensors files (layout in safetensors.c): tensors in
 * the given order, one behind the other; the header is padded with blanks to a multiple of
 * 256, so that tensors can be used where they lie in a mapped file: of parameters whose bytes are
 * multiples of 256 the data are what gr_params has in memory.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/progress.h"
#include "train/ckpt/safetensors.h"
#include "train/device/device.h"

enum { LENGTH_BYTES = 8, ALIGNMENT = DEV_ALIGN_BYTES };

static size_t needed_bytes(const struct ckpt_tensor *t)
{
    size_t n = ckpt_type_bytes(t->type);

    T2_ASSERT(t->rank >= 0 && t->rank <= CKPT_MAX_RANK);
    for (int i = 0; i < t->rank; i++) {
        bool fits = t->dims[i] >= 0 && t2_mul_size(n, (size_t) t->dims[i], &n);

        T2_ASSERT(fits);
    }
    return n;
}

static void write_entry(struct t2_json *json, const struct ckpt_tensor *t, uint64_t offset)
{
    t2_json_key(json, t->name);
    t2_json_object(json);
    t2_json_kv_string(json, "dtype", ckpt_type_name(t->type));
    t2_json_key(json, "shape");
    t2_json_array(json);
    for (int i = 0; i < t->rank; i++)
        t2_json_i64(json, t->dims[i]);
    t2_json_end_array(json);
    t2_json_key(json, "data_offsets");
    t2_json_array(json);
    t2_json_u64(json, offset);
    t2_json_u64(json, offset + t->n_bytes);
    t2_json_end_array(json);
    t2_json_end_object(json);
}

void ckpt_header(struct t2_buf *header, const struct ckpt_tensor *tensors, size_t n_tensors,
                 const char *const *keys, const char *const *values, size_t n_metadata)
{
    struct t2_json json;
    const uint8_t unknown[LENGTH_BYTES] = {0};
    uint64_t offset = 0;

    t2_buf_append(header, unknown, sizeof unknown);
    t2_json_init(&json, header, 0);
    t2_json_object(&json);
    if (n_metadata > 0) {
        t2_json_key(&json, "__metadata__");
        t2_json_object(&json);
        for (size_t i = 0; i < n_metadata; i++)
            t2_json_kv_string(&json, keys[i], values[i]);
        t2_json_end_object(&json);
    }
    for (size_t i = 0; i < n_tensors; i++) {
        T2_ASSERT(needed_bytes(&tensors[i]) == tensors[i].n_bytes);
        write_entry(&json, &tensors[i], offset);
        offset += tensors[i].n_bytes;
    }
    t2_json_end_object(&json);
    while (header->len_bytes % (n_tensors > 0 ? ALIGNMENT : LENGTH_BYTES) != 0)
        t2_buf_push(header, ' ');
    for (int i = 0; i < LENGTH_BYTES; i++)
        header->data[i] = (uint8_t) ((uint64_t) (header->len_bytes - LENGTH_BYTES) >> 8 * i);
}

static void write_tensor(struct t2_out *out, const struct ckpt_tensor *t,
                         struct t2_progress *progress, uint64_t *done)
{
    for (size_t at = 0; at < t->n_bytes; at += CKPT_PIECE_BYTES) {
        size_t n = t->n_bytes - at < CKPT_PIECE_BYTES ? t->n_bytes - at : CKPT_PIECE_BYTES;

        t2_out_write(out, (const uint8_t *) t->data + at, n);
        *done += n;
        t2_progress_update(progress, *done);
    }
}

enum t2_status ckpt_write(const char *path, const struct ckpt_tensor *tensors, size_t n_tensors,
                          const char *const *keys, const char *const *values, size_t n_metadata,
                          char sha256[65], struct t2_err *err)
{
    struct t2_buf header = {0};
    struct t2_progress progress;
    struct t2_out *out = NULL;
    uint64_t all = 0, done = 0;

    T2_TRY(t2_out_new(path, &out, err));
    ckpt_header(&header, tensors, n_tensors, keys, values, n_metadata);
    if (sha256)
        t2_out_hash_on(out);
    t2_out_write(out, header.data, header.len_bytes);
    t2_buf_release(&header);
    for (size_t i = 0; i < n_tensors; i++)
        all += tensors[i].n_bytes;
    t2_progress_start(&progress, "writing the checkpoint", "bytes", all);
    for (size_t i = 0; i < n_tensors; i++)
        write_tensor(out, &tensors[i], &progress, &done);
    t2_progress_end(&progress);
    if (sha256)
        t2_out_sha256(out, sha256);
    return t2_out_commit(out, err);
}
