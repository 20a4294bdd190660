/*
 * tfrec/convert/npz.h - NumPy's .npz and .npy: an array a feature, a row a record.
 *
 *   X                        every record has as many values: [N] for one, [N, k] for k
 *   X/values, X/row_splits   lists of different lengths: all values, and where each record's values
 *                            begin (N + 1)
 *   X/bytes, X/byte_splits   long bytes, or bytes that end with zeros (NumPy's |S cannot keep
 *                            them): uint8, and where each value begins; with X/row_splits unless
 *                            every record has one
 */
#ifndef REC_NPZ_H
#define REC_NPZ_H

#include "tfrec/convert/formats.h"

#define REC_NPZ_VALUES "/values"
#define REC_NPZ_ROW_SPLITS "/row_splits"
#define REC_NPZ_BYTES "/bytes"
#define REC_NPZ_BYTE_SPLITS "/byte_splits"

/* npz_in.c, npz_out.c */
enum t2_status rec_npz_open(const struct rec_convert *c, const char *path, struct rec_reader **out,
                            struct t2_err *err);
enum t2_status rec_npz_create(const struct rec_convert *c, struct rec_writer **out,
                              struct t2_err *err);

#endif
