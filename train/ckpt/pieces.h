/*
 * train/ckpt/pieces.h - the tensors of one file of a checkpoint, and the elements of them that one
 * of several writers puts into it; for checkpoint.c only.
 *
 * Writers cut a file of variables, or of slots that each of them has, where its floats are about
 * evenly shared, in pages of the file's data.  Slots that ranks share (--shard_optimizer) are
 * written by whoever has them.
 */
#ifndef CKPT_PIECES_H
#define CKPT_PIECES_H

#include "base/err.h"
#include "base/pool.h"
#include "train/ckpt/safetensors.h"
#include "train/graph/params.h"
#include "train/optim/optimizer.h"

/* What one writer has of one tensor. */
struct ckpt_own {
    int64_t first, n;               /* elements, in the order of the file */
    const float *values;            /* of element `begin` of the tensor; the device's memory */
    int64_t begin;                  /* which is the first that is there */
    const struct gr_variable *like; /* laid like it (graph/layouts.h), or NULL */
    const float *copy;              /* of element `first`, the host's; NULL: there is none */
};

struct ckpt_pieces {
    const struct gr_params *params;
    struct ckpt_tensor *tensors; /* (n), without data */
    struct ckpt_own *own;        /* (n) */
    size_t n;
};

/* Bytes at .. at + n_bytes - 1 behind a file's header, as they were written. */
struct ckpt_run {
    uint64_t at, n_bytes;
    uint32_t crc; /* CRC-32C */
    int32_t file; /* which of a checkpoint's */
};

struct ckpt_runs {
    struct ckpt_run *items;
    size_t n, capacity;
};

/* Names and dims are borrowed from params and opt. */
void ckpt_pieces_of_variables(struct ckpt_pieces *p, const struct gr_params *params,
                              struct opt_share writer);
void ckpt_pieces_of_slots(struct ckpt_pieces *p, const struct gr_params *params,
                          const struct opt_optimizer *opt, struct opt_share writer);
void ckpt_pieces_release(struct ckpt_pieces *p);
/* Of the tensors; of what is written here. */
uint64_t ckpt_pieces_file_bytes(const struct ckpt_pieces *p);
uint64_t ckpt_pieces_own_bytes(const struct ckpt_pieces *p);

/* Copies what is written here to `room` (ckpt_pieces_own_bytes), with the threads of a pool (NULL:
 * without); returns where it ends. */
uint8_t *ckpt_pieces_copy(struct ckpt_pieces *p, struct t2_pool *pool, uint8_t *room);

/* Elements first .. first + n - 1 of tensor i, which are written here, where the host can read
 * them: in the buffer, or where they are. */
const float *ckpt_pieces_at(const struct ckpt_pieces *p, size_t i, int64_t first, int64_t n,
                            float *buffer);

/* Adds to a list of runs; what follows the last one makes it longer. */
void ckpt_runs_add(struct ckpt_runs *runs, int file, uint64_t at, const void *data, size_t n_bytes);

/* Where a file is written: its data begin at byte data_at. */
struct ckpt_target {
    int fd;
    const char *path; /* for messages */
    uint64_t data_at;
    int file; /* which of a checkpoint's */
};
/* Bytes of the file's data. */
T2_MUST_CHECK enum t2_status ckpt_target_put(const struct ckpt_target *to, uint64_t at,
                                             const void *data, size_t n_bytes,
                                             struct ckpt_runs *runs, struct t2_err *err);
/* All that is written here, from the copy, else from the device. */
T2_MUST_CHECK enum t2_status ckpt_pieces_write(const struct ckpt_pieces *p,
                                               const struct ckpt_target *to, struct ckpt_runs *runs,
                                               struct t2_err *err);

#endif
