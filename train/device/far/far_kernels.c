/*
 * train/device/far/far_kernels.c - every kernel is queued with a copy of its arguments and runs
 * later as the reference's.
 */
#include "train/device/far/far.h"
#include "train/device/gemm_times.h"

static void queue(struct dev *d, far_fn run, const char *name, const void *a, size_t bytes)
{
    dev_far_queue((struct far_dev *) d, run, name, a, bytes);
}

static void queue_product(struct dev *d, far_fn run, const char *name, const void *a, size_t bytes)
{
    dev_gemm_begins(d);
    queue(d, run, name, a, bytes);
    dev_gemm_ends(d, a);
}

/* Products are counted (gemm_times.h). */
#define QUEUE(a) _Generic(a, const struct dev_gemm * : queue_product, default : queue)

#define KERNEL(name, args)                                                                         \
    static void run_##name(struct far_dev *f, void *arguments)                                     \
    {                                                                                              \
        f->near->kernels->name(f->near, arguments);                                                \
    }                                                                                              \
    static void queue_##name(struct dev *d, const struct args *a)                                  \
    {                                                                                              \
        QUEUE(a)(d, run_##name, #name, a, sizeof *a);                                              \
    }
#include "train/device/kernels.def"

/* Scratch is a function of the shape, and the reference's. */
#define SCRATCH(name, parameters) int64_t dev_reference_##name##_scratch parameters;
#include "train/device/kernels.def"

const struct dev_kernels dev_far_kernels = {
#define KERNEL(name, args) .name = queue_##name,
#define SCRATCH(name, parameters) .name##_scratch_floats = dev_reference_##name##_scratch,
#include "train/device/kernels.def"
};
