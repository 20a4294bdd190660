/*
 * tests/oracle/test_recorded_resnet_slow.c - ResNet-50 of tensorflow/tpu and tf-models-official in full width
 * against their own programs.
 */
#include "tests/support/resnet_oracle.h"
#include "tests/support/t.h"

/* clang-format off */
/* The originals' own noise (README of the oracles, double-check.json) with room for another order of sums. */
static const struct resnet_row rows[] = {
    {"tpu_full_50", "cpu", "tpu_resnet_50", true, 1.5e-5, {.each = 0}, {1.6e-2, 0.15}, {1.2e-3, 1.8e-2}, 4e-3, {.each = 1.2e-2}, .eval = 1.2e-2},
    {"keras_full", "cpu", "keras_resnet50", true, 1.5e-5, {.each = 0}, {5e-3, 8e-2}, {3e-4, 8e-3}, 7e-4, {.each = 5e-2}, .eval = 1e-3},
};
/* clang-format on */

static void test_case(void **state)
{
    resnet_check_case(*state);
}

T_ROWS_MAIN(rows, test_case)
