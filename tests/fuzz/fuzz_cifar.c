/*
 * fuzz_cifar.c - IDX files, pickles and rows of CIFAR: no crash on any bytes.  Every small pickle
 * is tried.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "datagen/images/cifar_batch.h"
#include "datagen/images/idx.h"
#include "datagen/images/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dg_image_arrays a;
    const struct t2_slice file = {data, size};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf bytes = {NULL, 0, 0};
    struct dg_pickle *p = NULL;
    struct dg_idx idx;
    int64_t *labels;
    size_t rows, columns, n;

    for (unsigned dims = 1; dims <= DG_IDX_DIMS; dims++)
        if (dg_idx_parse(file, dims, "fuzz", &idx, &err) == T2_OK &&
            idx.data + idx.n * idx.item_bytes != data + size)
            abort();
    if (dg_pickle_parse(file, "fuzz", &p, &err) == T2_OK) {
        if (dg_pickle_matrix(p, "data", &rows, &columns, &bytes, &err) == T2_OK &&
            rows * columns != bytes.len_bytes)
            abort();
        if (dg_pickle_ints(p, "labels", &labels, &n, &err) == T2_OK)
            t2_free(labels);
    }
    dg_pickle_free(p);
    t2_buf_release(&bytes);
    if (dg_cifar_pickle(file, "fuzz", "labels", 10, &a, &err) == T2_OK && a.n == 0)
        abort();
    if (dg_cifar_rows(file, "fuzz", 2, 1, 100, &a, &err) == T2_OK && a.n == 0)
        abort();
    return 0;
}
