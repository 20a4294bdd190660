/*
 * train/input/pack.h - several short samples in one row, made on the fly (hparam pack_dataset).
 *
 * generator_utils.pack_dataset; spec t2t-trainer.md §2.6.  The original cuts its stream of samples
 * into windows and packs each for itself, in one of two ways: IN_PACK_LATEST (use_custom_ops=true):
 * windows of `length` samples; a sample goes into the first of the latest 1000 rows that has room
 * on both sides.  Longer samples were cut before. IN_PACK_QUEUE (use_custom_ops=false): windows
 * of 12.5 * length samples; first fit into a queue of ten rows, of which the oldest leaves when
 * none has room.  Longer samples were dropped before.
 *
 * Here the stream is the samples of an epoch in the order of a permutation of (seed, epoch), for
 * evaluation those of the index in order.  So a row is a pure function of (seed, epoch, window),
 * and the number of samples in all rows before it names its place.
 */
#ifndef IN_PACK_H
#define IN_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "train/input/index.h"
#include "train/input/record.h"

/* The rows of a window: row r has samples members[begins[r] .. begins[r + 1]), as numbers within
 * the window and in their order in the row.  Zero-initialise; released by in_packed_release. */
struct in_packed {
    uint32_t *members;
    uint32_t *begins; /* n_rows + 1 */
    uint32_t n_rows;
};

/* Lengths of n samples, each at most `length` -> rows.  `rows` is used again. */
void in_pack(enum in_packing form, int32_t length, uint32_t n, const int32_t *inputs_lengths,
             const int32_t *targets_lengths, struct in_packed *rows);
void in_packed_release(struct in_packed *rows);
uint32_t in_pack_window(enum in_packing form, int32_t length);

/* The stream of rows. */
struct in_packer;

/* index is borrowed and has samples.  endless: epoch after epoch; else one pass in order. */
struct in_packer *in_packer_new(const struct in_index *index, enum in_packing form, int32_t length,
                                bool endless, uint64_t seed);
void in_packer_free(struct in_packer *p);

/* The next row: its places, borrowed until the next call.  T2_EOF after a pass. */
T2_MUST_CHECK enum t2_status in_packer_next(struct in_packer *p, const struct in_place *const **row,
                                            uint32_t *n);
/* Samples in all rows given so far, since position 0. */
uint64_t in_packer_samples(const struct in_packer *p);
/* T2_EFORMAT when that is inside a row: it belongs to other data or other hparams. */
T2_MUST_CHECK enum t2_status in_packer_seek(struct in_packer *p, uint64_t samples,
                                            struct t2_err *err);
/* Rows per sample, from the first windows. */
double in_packer_rows_per_sample(const struct in_packer *p);

#endif
