/*
 * train/ckpt/snappy.h - unpacking one block of snappy, as the tables of TensorFlow's checkpoints
 * may have them.
 */
#ifndef CKPT_SNAPPY_H
#define CKPT_SNAPPY_H

#include "base/buf.h"
#include "base/err.h"

/* Unpacks a whole block of snappy's raw format into out (replaced).  T2_EFORMAT without the name of
 * the file when the bytes are not such a block; then out holds nothing of use. */
T2_MUST_CHECK enum t2_status ckpt_snappy_unpack(struct t2_slice packed, struct t2_buf *out,
                                                struct t2_err *err);

#endif
