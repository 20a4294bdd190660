/*
 * train/ckpt/bundle.h - TensorFlow's checkpoints, version 2 ("bundles"): PREFIX.index and
 * PREFIX.data-00000-of-0000N.
 *
 * tensorflow/core/util/tensor_bundle; spec formats-and-experiments.md E3.  What is opened is a
 * ckpt_file, as a safetensors file is (safetensors.h).
 */
#ifndef CKPT_BUNDLE_H
#define CKPT_BUNDLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "train/ckpt/safetensors.h"

/* True when PREFIX.index is there. */
bool ckpt_is_bundle(const char *prefix);

/*
 * Opens a bundle.  Partitioned variables are put together.  Of a checkpoint with an object graph
 * (tf.train.Checkpoint, Keras) a variable has the name that it had in its program, a slot of an
 * optimizer "training/<variable>/<slot>" with TensorFlow 1's names of slots ("Adam" for m, "Adam_1"
 * for v), and "optimizer/iter" is "global_step"; where the graph does not tell, the name is the
 * path of attributes that led to the variable.
 *
 * Every tensor's checksum is compared.  T2_EFORMAT names file and tensor; T2_EUNSUPPORTED: written
 * on a big-endian machine, or for readers later than this version of the format.
 */
T2_MUST_CHECK enum t2_status ckpt_open_bundle(const char *prefix, struct ckpt_file **f,
                                              struct t2_err *err);
/* The same from memory that is borrowed until ckpt_close: the index and n data files. */
T2_MUST_CHECK enum t2_status ckpt_open_bundle_memory(struct t2_slice index,
                                                     const struct t2_slice *data, size_t n,
                                                     const char *origin, struct ckpt_file **f,
                                                     struct t2_err *err);
/* What a bundle has besides tensors: names of texts and of types that nothing here can use. */
size_t ckpt_count_others(const struct ckpt_file *f);
const char *ckpt_other(const struct ckpt_file *f, size_t i);

/*
 * Writes a bundle with one data file: data first, index last, each complete or absent.  Names must
 * be unique and not empty (assertion); they are sorted here, as the format wants.
 */
T2_MUST_CHECK enum t2_status ckpt_write_bundle(const char *prefix,
                                               const struct ckpt_tensor *tensors, size_t n_tensors,
                                               struct t2_err *err);

#endif
