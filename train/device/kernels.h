/*
 * train/device/kernels.h - the table of kernels that every device provides.
 *
 * All pointers are device memory.  Matrices are row-major.  A `bool accumulate` says whether a
 * result is added to what the output holds (true) or replaces it.  Nothing may alias unless said.
 *
 * Tensors that are `void *` have the element type that the struct says (types.h): float32, or the
 * device's precision.  Whatever it is, a kernel computes with the float32 values of the elements,
 * adds in float32 (or wider) and rounds a result once, when it is stored; with `accumulate` the sum
 * with what was there is rounded.  All that is `float *` is float32: parameters and their
 * gradients, statistics, losses, logits.
 *
 * Every kernel has its plain form in device/reference/, which is its specification; the parity test
 * (tests/ops/test_kernels.c) compares each device with it.  Arguments of kernels are in the headers
 * below, by what they are for.
 */
#ifndef DEV_KERNELS_H
#define DEV_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/area_kernels.h"
#include "train/device/attention_kernels.h"
#include "train/device/conv_kernels.h"
#include "train/device/device.h"
#include "train/device/draw_kernels.h"
#include "train/device/elementwise_kernels.h"
#include "train/device/halt_kernels.h"
#include "train/device/image_kernels.h"
#include "train/device/layer_kernels.h"
#include "train/device/layout_kernels.h"
#include "train/device/loss_kernels.h"
#include "train/device/lstm_kernels.h"
#include "train/device/optimizer_kernels.h"
#include "train/device/own_kernels.h"
#include "train/device/packed_kernels.h"
#include "train/device/search_kernels.h"
#include "train/device/step_block.h"

/* kernels.def has a line for every kernel, in its order here and everywhere: the table, the
 * prototypes of each device and the list of the tests are made of it. */
struct dev_kernels {
#define KERNEL(name, args) void (*name)(struct dev * d, const struct args *a);
#define SCRATCH(name, parameters) int64_t(*name##_scratch_floats) parameters;
#include "train/device/kernels.def"
};

extern const struct dev_kernels dev_reference_kernels;

#endif
