/*
 * train/device/cpu/table.c - the kernel table of one CPU variant; compiled once per variant, as all
 * files with DEV_CPU names. cpu_device.c chooses among the tables.
 */
#include "train/device/cpu/cpu_kernels.h"

extern const struct dev_kernels DEV_CPU(dev_cpu_kernels);

const struct dev_kernels DEV_CPU(dev_cpu_kernels) = {
#define KERNEL(name, args) .name = DEV_CPU(dev_cpu_##name),
#define SCRATCH(name, parameters) .name##_scratch_floats = DEV_CPU(dev_cpu_##name##_scratch),
#include "train/device/kernels.def"
};
