/* Tests of train/models/revnet.c; values are compared with the original's in
 * tests/oracle/test_recorded_cnn.c. */
#include "tests/unit/train/image_model.h"

#define UNITS "num_channels=[2,3],num_layers_per_block=[1,1]"
#define SMALL UNITS ",num_channels_init_block=4,strides=[1,2],first_batch_norm=[false,true]"

static void test_runs(void **state)
{
    static const struct image_case small = {
        "revnet", "revnet_164_cifar",
        SMALL ",weight_decay=0,learning_rate=0.02,learning_rate_decay_scheme=none", 12, 3};

    (void) state;
    image_check_runs(&small);
}

static void test_refusals(void **state)
{
    static const char *const set = "revnet_164_cifar";
    const struct image_case basic = {"revnet", "revnet_38_cifar", "batch_size=4", 12, 3};
    const struct image_case odd = {"revnet", set, UNITS ",num_channels_init_block=5", 12, 3};
    const struct image_case still = {"revnet", set, UNITS ",init_stride=0", 12, 3};
    const struct image_case solid = {"revnet", set, UNITS ",dim=3d", 12, 3};
    const struct image_case few = {"revnet", set, UNITS ",first_batch_norm=[true]", 12, 3};
    const struct image_case none = {"revnet", set, UNITS ",strides=[1]", 12, 3};
    const struct image_case tiny = {"revnet", "revnet_104", "batch_size=4", 4, 3};

    (void) state;
    image_refused(&basic, T2_EUNSUPPORTED, "bottleneck=false is not supported");
    image_refused(&odd, T2_EUSAGE, "num_channels_init_block must be even");
    image_refused(&still, T2_EUSAGE, "init_stride must be positive");
    image_refused(&solid, T2_EUNSUPPORTED, "dim=3d is not supported");
    image_refused(&few, T2_EUSAGE, "'first_batch_norm' needs 2 entries, not 1");
    image_refused(&none, T2_EUSAGE, "'strides' needs 2 entries, not 1");
    image_refused(&tiny, T2_EUSAGE, "images of 4 x 4 pixels are too small");
}

T_MAIN(cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
