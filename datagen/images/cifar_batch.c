/*
 * datagen/images/cifar_batch.c - files of CIFAR.
 *
 *   pickle   { "data": (n, 3072) uint8, "labels" | "fine_labels": [n] }
 *   binary   n rows of n_labels bytes (CIFAR-100: coarse, fine) and 3072 bytes
 *
 * An image is three planes of 32 x 32: red, green, blue.
 */
#include "datagen/images/cifar_batch.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "datagen/images/pickle.h"

static enum t2_status check_labels(const struct dg_image_arrays *a, const char *origin,
                                   int64_t n_classes, struct t2_err *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->labels[i] < 0 || a->labels[i] >= n_classes)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': image %zu: label %" PRId64 " is not below %" PRId64, origin,
                           i + 1, a->labels[i], n_classes);
    return T2_OK;
}

static enum t2_status take_pickle(const struct dg_pickle *p, const char *origin, const char *key,
                                  int64_t n_classes, struct dg_image_arrays *a, struct t2_err *err)
{
    size_t columns;

    T2_TRY(dg_pickle_matrix(p, "data", &a->n, &columns, &a->pixels, err));
    t2_free(a->labels);
    T2_TRY(dg_pickle_ints(p, key, &a->labels, &a->n_labels, err));
    if (columns != DG_CIFAR_BYTES || a->n_labels != a->n)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': %zu rows of %zu bytes, %zu labels; rows have %d bytes", origin, a->n,
                       columns, a->n_labels, DG_CIFAR_BYTES);
    return check_labels(a, origin, n_classes, err);
}

enum t2_status dg_cifar_pickle(struct t2_slice file, const char *origin, const char *key,
                               int64_t n_classes, struct dg_image_arrays *a, struct t2_err *err)
{
    struct dg_pickle *p = NULL;
    enum t2_status st;

    t2_buf_clear(&a->pixels);
    T2_TRY(dg_pickle_parse(file, origin, &p, err));
    st = take_pickle(p, origin, key, n_classes, a, err);
    dg_pickle_free(p);
    return st;
}

enum t2_status dg_cifar_rows(struct t2_slice file, const char *origin, size_t n_labels,
                             size_t which, int64_t n_classes, struct dg_image_arrays *a,
                             struct t2_err *err)
{
    size_t row = n_labels + DG_CIFAR_BYTES;

    t2_buf_clear(&a->pixels);
    a->n = a->n_labels = file.len_bytes / row;
    if (file.len_bytes == 0 || file.len_bytes % row != 0)
        return t2_fail(err, T2_EFORMAT, "'%s': %zu bytes are not rows of %zu", origin,
                       file.len_bytes, row);
    a->labels = t2_realloc(a->labels, a->n, sizeof *a->labels);
    for (size_t i = 0; i < a->n; i++) {
        a->labels[i] = file.data[i * row + which];
        t2_buf_append(&a->pixels, file.data + i * row + n_labels, DG_CIFAR_BYTES);
    }
    return check_labels(a, origin, n_classes, err);
}
