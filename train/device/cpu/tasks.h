/*
 * train/device/cpu/tasks.h - pieces of work of train/device/rules/ on the pool.
 */
#ifndef DEV_CPU_TASKS_H
#define DEV_CPU_TASKS_H

#include "train/device/cpu/cpu_kernels.h"

/* Defines run_FN(d, n, a): fn(a, i) for all i < n, on any thread. */
#define DEV_CPU_TASK(fn, args)                                                                     \
    static void fn##_task(void *arg, int64_t i, int worker)                                        \
    {                                                                                              \
        const struct args *const *a = arg;                                                         \
                                                                                                   \
        (void) worker;                                                                             \
        fn(*a, i);                                                                                 \
    }                                                                                              \
    static void run_##fn(struct dev *d, int64_t n, const struct args *a)                           \
    {                                                                                              \
        dev_cpu_run(d, n, fn##_task, &a);                                                          \
    }

#endif
