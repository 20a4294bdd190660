/*
 * augment/limits.h - how much work and memory a file may ask of a decoder; not for callers of
 * codec.h.
 *
 * An image has at most 2^29 values (TensorFlow's limit) unless the caller says otherwise, and what
 * a decoder does beyond one visit of each pixel is bounded by the file's bytes (base/budget.h).
 * All decoders refuse with the same sentences, and ask for Ctrl-C at each row (libwebp: before the
 * first).
 */
#ifndef AUG_LIMITS_H
#define AUG_LIMITS_H

#include "augment/codec.h"
#include "base/budget.h"

/* T2_EFORMAT when width * height * channels values are too many for `how`. */
T2_MUST_CHECK enum t2_status aug_check_size(enum aug_kind kind, int32_t width, int32_t height,
                                            int32_t channels, const struct aug_decode *how,
                                            struct t2_err *err);
/*
 * T2_ENOMEM when decoding needs more than how->max_memory: bytes_a_value for each of the values.
 * Not the file's fault, so no refusal.
 */
T2_MUST_CHECK enum t2_status aug_check_memory(enum aug_kind kind, int32_t width, int32_t height,
                                              int32_t channels, int32_t bytes_a_value,
                                              const struct aug_decode *how, struct t2_err *err);
/*
 * How many blocks of 8 x 8 the scans of a JPEG may visit, when the components of its image have
 * n_blocks together.  False: so many cannot be in so few bytes.
 */
bool aug_jpeg_work(struct t2_budget *visits, uint64_t n_blocks, bool arithmetic, size_t len_bytes);

#endif
