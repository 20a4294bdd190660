/*
 * train/device/cpu/cpu_device.c - the device "cpu": the pool, and the kernels that this processor
 * likes best.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "train/device/cpu/convolver.h"
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/devices.h"

#define DECLARE(name, cpu) extern const struct dev_kernels dev_cpu_kernels_##name;
T2_CPU_EACH(DECLARE)

struct cpu_dev {
    struct dev dev; /* first: a struct dev * of this device is a struct cpu_dev * */
    char description[200], bf16_description[300];
};

static const struct dev_kernels *best_kernels(void)
{
#define CASE(name, cpu)                                                                            \
    case cpu:                                                                                      \
        return &dev_cpu_kernels_##name;
    switch (t2_cpu_variant()) {
        T2_CPU_EACH(CASE)
    default:
        return &dev_cpu_kernels_generic;
    }
}

static void cpu_release(struct dev *d)
{
    t2_pool_free(d->pool);
    t2_free(d);
}

static const char *cpu_describe(const struct dev *d)
{
    const struct cpu_dev *c = (const struct cpu_dev *) d;

    return d->precision == DEV_BFLOAT16 ? c->bf16_description : c->description;
}

/* Memory that the plan cannot see, for its forecast.  Where there are instructions for bfloat16,
 * oneDNN writes a function for every shape of a gemm, and a thread keeps scratch for the largest
 * (onednn.c); without them gemms are of floats and keep nothing. */
static uint64_t functions_bytes(const struct dev *d)
{
    enum { MIB = 1 << 20, FUNCTIONS = 4 * MIB, SCRATCH = MIB };

    if (d->precision != DEV_BFLOAT16 || !dev_cpu_gemm_lib()->fast_bf16)
        return 0;
    return FUNCTIONS + (uint64_t) t2_pool_threads(d->pool) * SCRATCH;
}

static uint64_t cpu_library_bytes(const struct dev *d, enum dev_library_use use)
{
    switch (use) {
    case DEV_LIBRARY_PRODUCTS:
        return dev_cpu_gemm_lib()->code_bytes;
    case DEV_LIBRARY_CONVOLUTIONS:
        return dev_cpu_convolver() ? dev_cpu_convolver()->code_bytes : 0;
    case DEV_LIBRARY_FUNCTIONS:
    default:
        return functions_bytes(d);
    }
}

void dev_cpu_note(struct dev *d, const char *note)
{
    struct cpu_dev *c = (struct cpu_dev *) d;
    size_t n = strlen(c->description), n_bf16 = strlen(c->bf16_description);

    snprintf(c->description + n, sizeof c->description - n, " (%s)", note);
    snprintf(c->bf16_description + n_bf16, sizeof c->bf16_description - n_bf16, " (%s)", note);
}

struct dev *dev_cpu_new(int num_threads)
{
    struct cpu_dev *c = t2_alloc(1, sizeof *c);

    dev_host_memory(&c->dev);
    c->dev.name = "cpu";
    c->dev.kernels = best_kernels();
    c->dev.pool = t2_pool_new(num_threads);
    c->dev.release = cpu_release;
    c->dev.describe = cpu_describe;
    c->dev.library_bytes = cpu_library_bytes;
    snprintf(c->description, sizeof c->description, "cpu %s, %d thread%s, %s%s%s",
             t2_cpu_name(t2_cpu_variant()), t2_pool_threads(c->dev.pool),
             t2_pool_threads(c->dev.pool) == 1 ? "" : "s",
             dev_cpu_own_tiles_are_faster() ? "own tiles and " : "", dev_cpu_gemm_lib()->name,
             dev_cpu_gemm_missing());
    snprintf(c->bf16_description, sizeof c->bf16_description, "%s, %s", c->description,
             dev_cpu_gemm_lib()->bf16);
    return &c->dev;
}
