/*
 * train/device/gemm_times.h - how long gemms take, by their shape.
 *
 * The kernel `gemm` of a device calls both functions; they do nothing where dev.gemm_times is NULL.
 */
#ifndef DEV_GEMM_TIMES_H
#define DEV_GEMM_TIMES_H

#include "train/device/device.h"
#include "train/device/kernels.h"

enum { DEV_MAX_GEMM_TIMES = 256 };

/*
 * All calls of one shape, op(A) (M,K) times op(B) (K,N); M = 0 adds up those that found no place.
 */
struct dev_gemm_time {
    bool trans_a, trans_b;
    int64_t M, N, K;
    int64_t calls;
    double seconds, multiply_adds;
};

struct dev_gemm_times {
    struct dev_gemm_time items[DEV_MAX_GEMM_TIMES]; /* as they came */
    int n;
    struct dev_event *begin, *end;
};

/* From now on the device's gemms are counted in the object, which starts empty. */
struct dev_gemm_times *dev_gemm_times_start(struct dev *d);
/* Ends that and frees the object. */
void dev_gemm_times_stop(struct dev *d);

/* Around a gemm, on the thread that calls kernels. */
void dev_gemm_begins(struct dev *d);
void dev_gemm_ends(struct dev *d, const struct dev_gemm *a);

#endif
