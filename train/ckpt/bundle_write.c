/*
 * train/ckpt/bundle_write.c - writing bundles: one data file, the tensors in the order of their
 * names, as TensorFlow's Saver stores them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/progress.h"
#include "train/ckpt/block_table.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/bundle_entry.h"

/* num_shards 1, endianness little, version {producer 1}. */
static const uint8_t header[] = {0x08, 0x01, 0x1a, 0x02, 0x08, 0x01};

static int by_name(const void *a, const void *b)
{
    const struct ckpt_tensor *x = *(const struct ckpt_tensor *const *) a;
    const struct ckpt_tensor *y = *(const struct ckpt_tensor *const *) b;

    return strcmp(x->name, y->name);
}

static void write_tensor(struct t2_out *out, struct ckpt_table *index, const struct ckpt_tensor *t)
{
    enum { PIECE = 1 << 20 };
    struct ckpt_bundle_entry e = {.tf_type = ckpt_bundle_tf_type(t->type),
                                  .rank = t->rank,
                                  .offset = t2_out_bytes(out),
                                  .n_bytes = t->n_bytes};
    struct t2_buf value = {0};
    uint32_t crc = 0;

    for (int i = 0; i < t->rank; i++)
        e.dims[i] = t->dims[i];
    for (size_t at = 0; at < t->n_bytes; at += PIECE) {
        size_t n = t->n_bytes - at < PIECE ? t->n_bytes - at : PIECE;

        crc = t2_crc32c(crc, (const uint8_t *) t->data + at, n);
        t2_out_write(out, (const uint8_t *) t->data + at, n);
    }
    e.masked_crc = t2_crc_mask(crc);
    ckpt_bundle_put_entry(&value, &e);
    ckpt_table_add(index, t2_slice_of(t->name), t2_buf_slice(&value));
    t2_buf_release(&value);
}

enum t2_status ckpt_write_bundle(const char *prefix, const struct ckpt_tensor *tensors,
                                 size_t n_tensors, struct t2_err *err)
{
    const struct ckpt_tensor **order = t2_alloc(n_tensors, sizeof(const struct ckpt_tensor *));
    char *data_path = t2_asprintf("%s.data-00000-of-00001", prefix);
    char *index_path = t2_asprintf("%s.index", prefix);
    struct ckpt_table *index = ckpt_table_new();
    struct t2_buf bytes = {0};
    struct t2_out *out = NULL;
    enum t2_status st;

    for (size_t i = 0; i < n_tensors; i++)
        order[i] = &tensors[i];
    qsort(order, n_tensors, sizeof(const struct ckpt_tensor *), by_name);
    ckpt_table_add(index, t2_slice_of(""), (struct t2_slice){header, sizeof header});
    st = t2_out_new(data_path, &out, err);
    for (size_t i = 0; i < n_tensors && st == T2_OK; i++)
        write_tensor(out, index, order[i]);
    ckpt_table_finish(index, &bytes);
    if (st == T2_OK)
        st = t2_out_commit(out, err);
    if (st == T2_OK)
        st = t2_write_file(index_path, bytes.data, bytes.len_bytes, err);
    t2_buf_release(&bytes);
    t2_free(index_path);
    t2_free(data_path);
    t2_free(order);
    return st;
}
