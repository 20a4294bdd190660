/*
 * tests/oracle/test_recorded_resnet_slow.c - ResNet-50 of tensorflow/tpu and tf-models-official in
 * full width against their own programs.
 */
#include "tests/support/resnet_oracle.h"
#include "tests/support/t.h"

static const struct resnet_row rows[] = {
    {"tpu_full_50", "cpu", "tpu_resnet_50", true},
    {"keras_full", "cpu", "keras_resnet50", true},
};

static void test_case(void **state)
{
    resnet_check_case(*state);
}

T_ROWS_MAIN(rows, test_case)
