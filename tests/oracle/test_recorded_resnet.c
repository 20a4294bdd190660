/*
 * tests/oracle/test_recorded_resnet.c - the ResNets of tensorflow/tpu and tf-models-official against their
 * own programs: narrow ones of T2_DATA/oracles/official_cnn.
 */
#include "tests/support/t.h"
#include "tests/support/resnet_oracle.h"

/* clang-format off */
/* The originals' own noise (README of the oracles, double-check.json) with room for another order of sums.
 * A ReLU near 0 that rounding switches moves gradients and what follows by a fixed amount (docs/numerics.md
 * has the figures).  Device plain is compared tightly, where necessary with one value moved by some 1e-6 of
 * itself, which puts the ReLU on the original's side; the cpu rows have room for such switches. */
static const struct resnet_row rows[] = {
    {"tpu_small_18", "cpu", "tpu_resnet_50", false, 1e-5, {.each = 6e-6}, {7e-5, 2e-4}, {4e-6, 1e-5}, 3e-6, {.each = 4e-6}, .eval = 1e-6},
    {"tpu_small_50", "plain", "tpu_resnet_50", false, 1.5e-5, {.each = 2e-5}, {4e-5, 2e-4}, {4e-6, 1e-5}, 3e-6, {.each = 6e-6}, .eval = 2e-6,
     .moved = "batch_normalization/gamma", .element = 0, .by = -5e-7},
    {"tpu_small_50", "cpu", "tpu_resnet_50", false, 1.5e-5, {2e-5, 1e-2, 0.1}, {1e-2, 5e-2}, {1e-2, 6e-2}, 2e-3, {.each = 2e-2}, .eval = 2e-3},
    {"tpu_small_50_resnetd", "plain", "tpu_resnet_50", false, 1e-5, {.each = 0}, {2e-4, 4e-4}, {2e-4, 5e-4}, 2e-6, {.each = 4e-6}, .eval = 4e-6,
     .moved = "batch_normalization_1/gamma", .element = 0, .by = 8e-7},
    {"tpu_small_50_resnetd", "cpu", "tpu_resnet_50", false, 1.5e-5, {.each = 0}, {5e-2, 0.15}, {8e-2, 0.3}, 1e-2, {.each = 0.1}, .eval = 1e-2},
    {"tpu_small_50_se", "plain", "tpu_resnet_50", false, 1e-5, {.each = 0}, {1e-4, 1e-3}, {1e-5, 5e-5}, 3e-6, {.each = 1e-5}, .eval = 2e-6},
    {"tpu_small_50_se", "cpu", "tpu_resnet_50", false, 1e-5, {.each = 0}, {1e-4, 1e-3}, {1e-5, 5e-5}, 3e-6, {.each = 1e-5}, .eval = 2e-6},
    {"tpu_small_50_replace_stem_max_pool", "plain", "tpu_resnet_50", false, 1e-5, {.each = 0}, {1e-4, 1e-3}, {1e-5, 5e-5}, 3e-6, {.each = 1e-5}, .eval = 2e-6},
    {"tpu_small_50_replace_stem_max_pool", "cpu", "tpu_resnet_50", false, 1e-5, {.each = 0}, {1e-4, 1e-3}, {6e-3, 2e-2}, 1e-3, {.each = 1e-3}, .eval = 5e-4},
    {"keras_small", "plain", "keras_resnet50", false, 1e-5, {.each = 2e-5}, {1e-4, 4e-4}, {6e-6, 2e-5}, 2e-6, {.each = 1e-2}, .eval = 2e-6,
     .moved = "bn_conv1/gamma", .element = 0, .by = -2.5e-6},
    {"keras_small", "cpu", "keras_resnet50", false, 1e-5, {.each = 5e-3}, {6e-3, 3e-2}, {1e-3, 2e-2}, 1.5e-4, {.each = 6e-2}, .eval = 2e-3},
};
/* clang-format on */

static void test_case(void **state)
{
    resnet_check_case(*state);
}

T_ROWS_MAIN(rows, test_case)
