/*
 * train/runs/memory_plan.h - what a run needs of memory, and which batch size fits.
 */
#ifndef TR_MEMORY_PLAN_H
#define TR_MEMORY_PLAN_H

#include "train/runs/run.h"

/* Bytes. */
struct tr_memory {
    uint64_t parameters, gradients, optimizer;
    uint64_t activations; /* arena of the largest batch: values, gradients of values, scratch */
    uint64_t data;        /* index and order of samples */
    uint64_t program;     /* code, libraries, threads, what they keep for themselves */
    uint64_t sum;
};
/* Beyond now_bytes, what threads, buffers of files and the device's libraries will take, and those
 * in steps of a MiB, as they differ by some pages from one start to the next. */
uint64_t tr_program_bytes(const struct dev *dev, uint64_t now_bytes);
/* Sets r->program_bytes; inputs and device are open, the model is not there yet. */
void tr_measure_program(struct tr_run *r);

/* The arena for the largest batches of training and evaluation under these hparams. */
T2_MUST_CHECK enum t2_status tr_arena_bytes(struct tr_run *r, const struct mdl_hparams *hp,
                                            uint64_t *arena_bytes, struct t2_err *err);

struct tr_memory tr_memory_of(const struct tr_run *r);

/* batch_size is a multiple of it when it is found. */
enum { TR_BATCH_SIZE_STEP = 64 };
/* The step in batch_size for this run: images are counted one by one. */
int64_t tr_batch_size_step(const struct tr_run *r);

/*
 * The largest hparam batch_size whose plan stays in r->memory_limit, by the lengths of the data;
 * nothing is allocated for it or tried out.  A batch is never more than the data set: neither more
 * samples than it has nor more tokens (of the longer sides).  0: not even the smallest fits.  The
 * model and the inputs of the run are open.
 */
T2_MUST_CHECK enum t2_status tr_fit_batch_size(struct tr_run *r, int64_t *batch_size,
                                               struct t2_err *err);

/* T2_ENOMEM when variables and gradients alone do not fit r->memory_limit: before slots are made of
 * them, and before anything is planned. */
T2_MUST_CHECK enum t2_status tr_check_variables(const struct tr_run *r, struct t2_err *err);
/* T2_ENOMEM when the plan (r->arena_bytes and what is there) does not fit r->memory_limit; says
 * what would. */
T2_MUST_CHECK enum t2_status tr_check_memory(struct tr_run *r, struct t2_err *err);

#endif
