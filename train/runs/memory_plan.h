/*
 * train/runs/memory_plan.h - what a run needs of memory, and which batch size fits.
 */
#ifndef TR_MEMORY_PLAN_H
#define TR_MEMORY_PLAN_H

#include "train/runs/run.h"

/* Bytes.  On a device of the host's memory `device` is 0. */
struct tr_memory {
    uint64_t parameters, gradients, optimizer;
    uint64_t rounded;     /* of `parameters`, what is their second copy for products */
    uint64_t averages;    /* moving averages and slow weights */
    uint64_t activations; /* arena of the largest batch: values, gradients of values, scratch */
    uint64_t batches; /* copied to a device with memory of its own, tables and sums there; or 0 */
    uint64_t data;    /* index and order of samples */
    /* Copies of variables and slots, while saved; 0: a device of the host's memory, where there is
     * no room for them (saves.h). */
    uint64_t saves;
    uint64_t program;      /* code, libraries, threads, what they keep for themselves */
    struct dev_bytes both; /* all of them, by whose memory it is */
    uint64_t sum;
};
/* now_bytes, and what threads, buffers of files and the device's libraries will take, these in
 * steps of a MiB, as they differ by some pages from one start to the next; multiplies: with what
 * the products of libraries pack, and the code that they write. */
uint64_t tr_program_bytes(const struct dev *dev, uint64_t now_bytes, bool multiplies);
/* Sets r->program_bytes; inputs and device are open, the model is not there yet. */
void tr_measure_program(struct tr_run *r);

/* What the largest batches of training and evaluation need under these hparams. */
T2_MUST_CHECK enum t2_status tr_plan_batches(struct tr_run *r, const struct mdl_hparams *hp,
                                             struct tr_batch_plan *plan, struct t2_err *err);

struct tr_memory tr_memory_of(const struct tr_run *r);
/* What copies of all of a checkpoint take beyond m->saves. */
uint64_t tr_memory_of_save(const struct tr_run *r, const struct tr_memory *m);

/* batch_size is a multiple of it when it is found. */
enum { TR_BATCH_SIZE_STEP = 64 };
/* The step in batch_size for this run: images are counted one by one. */
int64_t tr_batch_size_step(const struct tr_run *r);

/*
 * The largest hparam batch_size whose plan stays in r->limit, by the lengths of the data;
 * nothing is allocated for it or tried out.  A batch is never more than the data set: neither more
 * samples than it has nor more tokens (of the longer sides), and never more than helps: 32768
 * tokens, or 8192 images.  0: not even the smallest fits.  The
 * model and the inputs of the run are open.
 */
T2_MUST_CHECK enum t2_status tr_fit_batch_size(struct tr_run *r, int64_t *batch_size,
                                               struct t2_err *err);

/* T2_ENOMEM when what there is without any batch (variables, gradients, slots) does not fit
 * r->limit, before batches are planned: then nothing is planned that no machine could hold. */
T2_MUST_CHECK enum t2_status tr_check_model(struct tr_run *r, struct t2_err *err);
/* T2_ENOMEM when the plan (the model's, the optimizer's and r->plan) does not fit r->limit; says of
 * which memory there is too little, what would fit, and the plan by class.  Nothing need be
 * allocated yet. */
T2_MUST_CHECK enum t2_status tr_check_memory(struct tr_run *r, struct t2_err *err);

#endif
