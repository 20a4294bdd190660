/*
 * tfrecord/idx_text.h - lines of DALI's .idx; only tfrecord/ includes it.
 */
#ifndef TFR_IDX_TEXT_H
#define TFR_IDX_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { TFR_IDX_LINE_BYTES = 42 };

/* Writes "<offset> <bytes>\n" without a NUL; returns its length. */
size_t tfr_idx_line(char line[TFR_IDX_LINE_BYTES], uint64_t offset, uint64_t bytes);

#endif
