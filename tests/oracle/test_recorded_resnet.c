/*
 * tests/oracle/test_recorded_resnet.c - the ResNets of tensorflow/tpu and tf-models-official
 * against their own programs: narrow ones of T2_DATA/oracles/official_cnn.
 */
#include <string.h>

#include "tests/support/resnet_oracle.h"
#include "tests/support/t.h"

static const struct resnet_row rows[] = {
    {"tpu_small_18", "plain", "tpu_resnet_50", false},
    {"tpu_small_18", "cpu", "tpu_resnet_50", false},
    {"tpu_small_50", "plain", "tpu_resnet_50", false},
    {"tpu_small_50", "cpu", "tpu_resnet_50", false},
    {"tpu_small_50_resnetd", "plain", "tpu_resnet_50", false},
    {"tpu_small_50_resnetd", "cpu", "tpu_resnet_50", false},
    {"tpu_small_50_se", "plain", "tpu_resnet_50", false},
    {"tpu_small_50_se", "cpu", "tpu_resnet_50", false},
    {"tpu_small_50_replace_stem_max_pool", "plain", "tpu_resnet_50", false},
    {"tpu_small_50_replace_stem_max_pool", "cpu", "tpu_resnet_50", false},
    {"keras_small", "plain", "keras_resnet50", false},
    {"keras_small", "cpu", "keras_resnet50", false},
};

static void test_case(void **state)
{
    const struct resnet_row *row = *state;

    if (t_is_sample() && strncmp(row->name, "tpu_small_50", strlen("tpu_small_50")) == 0)
        t_skip("a sample: the shallow net and Keras's alone");
    resnet_check_case(*state);
}

T_ROWS_MAIN(rows, test_case)
