/*
 * datagen/images/idx.c - IDX files, as of MNIST.
 *
 *   0        2        0
 *   2        1        type of the items: 8, unsigned bytes (the only one read)
 *   3        1        number of dimensions, d
 *   4        4 * d    the dimensions, big-endian, the number of items first
 *   4 + 4d            the items, (n, rows, columns) bytes
 */
#include "datagen/images/idx.h"

#include <inttypes.h>

#include "base/alloc.h"

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

enum t2_status dg_idx_parse(struct t2_slice file, unsigned n_dims, const char *origin,
                            struct dg_idx *idx, struct t2_err *err)
{
    size_t header = 4 + 4 * (size_t) n_dims;
    uint64_t item = 1;

    T2_ASSERT(n_dims >= 1 && n_dims <= DG_IDX_DIMS);
    *idx = (struct dg_idx){.data = NULL};
    if (file.len_bytes < header)
        return t2_fail(err, T2_EFORMAT, "'%s': %zu bytes are no IDX file", origin, file.len_bytes);
    if (big_endian(file.data) != (0x800 | n_dims))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': begins with 0x%08" PRIx32
                       ", an IDX file of %u dimensions of bytes with "
                       "0x%08x",
                       origin, big_endian(file.data), n_dims, 0x800 | n_dims);
    for (unsigned i = 0; i < n_dims; i++)
        idx->dims[i] = big_endian(file.data + 4 + 4 * (size_t) i);
    for (unsigned i = 1; i < n_dims; i++) {
        if (idx->dims[i] == 0 || idx->dims[i] > 1 << 15)
            return t2_fail(err, T2_EFORMAT, "'%s': images of %" PRIu32 " pixels", origin,
                           idx->dims[i]);
        item *= idx->dims[i];
    }
    if (idx->dims[0] == 0 || item * idx->dims[0] != file.len_bytes - header)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': says %" PRIu32 " items of %" PRIu64 " bytes, and has %zu bytes",
                       origin, idx->dims[0], item, file.len_bytes - header);
    idx->n = idx->dims[0];
    idx->item_bytes = (size_t) item;
    idx->data = file.data + header;
    return T2_OK;
}
