/* Tests of train/models/resnet.c: sizes, runs, refusals; values are compared with the original's in
 * tests/oracle/test_recorded_cnn.c. */
#include <stdio.h>

#include "tests/unit/train/image_model.h"

/* ResNet-50 with bottlenecks has as many everywhere; T2T's first group of residual blocks
 * projects. */
static void test_sizes(void **state)
{
    static const struct image_case fifty = {"resnet", "resnet_50", "", 224, 3};
    static const struct image_case cifar = {"resnet", "resnet_cifar_15", "", 32, 3};

    (void) state;
    image_count(&fifty, 1000, 25557032, 161);
    image_count(&cifar, 10, 693818, 50);
}

/* The last normalisation of a group of bottlenecks begins with 0, but for a group of one. */
static void test_zero_gamma(void **state)
{
    static const struct image_case p = {"resnet", "resnet_50",
                                        "layer_sizes=[2,1,1,1],filter_sizes=[4,4,4,4,4]", 64, 3};
    struct image_run r;

    (void) state;
    image_run_new(&r, &p, 1, false);
    for (int i = 1; i < 12; i++) {
        char name[64];

        snprintf(name, sizeof name, "resnet/body/batch_normalization_%d/gamma", i);
        assert_true(image_value(&r, name) == (i == 7 ? 0.0f : 1.0f));
    }
    image_run_release(&r);
}

static void test_runs(void **state)
{
    static const struct image_case cifar = {
        "resnet", "resnet_cifar_15",
        "layer_sizes=[1,2,1],filter_sizes=[8,8,16,16],learning_rate=0.05,"
        "learning_rate_warmup_steps=1",
        16, 3};
    static const struct image_case bottleneck = {
        "resnet", "resnet_50",
        "layer_sizes=[1,1,1,1],filter_sizes=[8,8,8,8,8],learning_rate=0.05,"
        "learning_rate_warmup_steps=1",
        64, 3};

    (void) state;
    image_check_runs(&cifar);
    image_check_runs(&bottleneck);
}

/* Sets of targeted dropout that drop nothing are the network under other names. */
static void test_targeted_names(void **state)
{
    static const struct image_case p = {"resnet", "resnet_cifar_32_td_unit_no_drop",
                                        "layer_sizes=[1,1,1]", 16, 3};
    struct image_run r;

    (void) state;
    image_run_new(&r, &p, 1, false);
    assert_non_null(gr_params_find(mdl_params(r.m), "resnet/body/conv2d/kernel"));
    assert_non_null(gr_params_find(mdl_params(r.m), "resnet/body/td_conv/DW"));
    assert_non_null(gr_params_find(mdl_params(r.m), "resnet/body/td_conv_8/DW"));
    assert_null(gr_params_find(mdl_params(r.m), "resnet/body/conv2d_1/kernel"));
    image_run_release(&r);
}

/* Training with targeted dropout; evaluation without the smallest weights. */
static void test_targeted_runs(void **state)
{
    static const char overrides[] = "layer_sizes=[1,1,1],filter_sizes=[8,8,16,16],"
                                    "learning_rate=0.05,learning_rate_warmup_steps=1";
    static const struct image_case cases[] = {{"resnet", "resnet_cifar_32_td_weight_05_05",
                                               overrides, 8, 3},
                                              {"resnet", "resnet_cifar_32_td_unit_05_05", overrides,
                                               8, 3}};
    float logits[2][8 * IMAGE_CLASSES];
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct image_run r;

        image_check_runs(&cases[i]);
        image_run_new(&r, &cases[i], 1, false);
        assert_int_equal(mdl_class_logits(r.m, &r.batch, logits[i], &err), T2_OK);
        image_run_release(&r);
    }
    assert_memory_not_equal(logits[0], logits[1], sizeof logits[0]);
}

/* More columns than classes, for the body of CIFAR alone. */
static void test_vocab_divisor(void **state)
{
    static const struct image_case p = {"resnet", "resnet_cifar_15",
                                        "layer_sizes=[1,1,1],vocab_divisor=16", 16, 3};
    float logits[8 * IMAGE_CLASSES];
    struct t2_err err = T2_ERR_INIT;
    struct image_run r;

    (void) state;
    image_run_new(&r, &p, 1, false);
    assert_int_equal(gr_params_find(mdl_params(r.m), "resnet/body/logits/bias")->n, 16);
    assert_int_equal(mdl_class_logits(r.m, &r.batch, logits, &err), T2_OK);
    image_run_release(&r);
}

static void test_refusals(void **state)
{
    static const struct image_refusal rows[] = {
        {{"resnet", "resnet_50", "", 0, 0}, T2_EUNSUPPORTED, "needs a problem of images"},
        {{"resnet", "basic_fc_small", "", 32, 3}, T2_EUSAGE, "--hparams_set=resnet_50"},
        {{"resnet", "resnet_50", "layer_sizes=[1,1]", 32, 3},
         T2_EUSAGE,
         "'layer_sizes' needs 4 entries, not 2"},
        {{"resnet", "resnet_50", "filter_sizes=[1,0,1,1,1]", 32, 3},
         T2_EUSAGE,
         "'filter_sizes' is 0"},
        {{"resnet", "resnet_50", "block_fn=dense", 32, 3}, T2_EUSAGE, "block_fn=dense"},
        {{"resnet", "resnet_50", "vocab_divisor=0", 32, 3}, T2_EUSAGE, "vocab_divisor"},
        {{"resnet", "resnet_50", "use_td=true", 32, 3}, T2_EUSAGE, "use_td=true"},
        {{"resnet", "resnet_cifar_32_td_unit_05_05", "use_td=filter", 32, 3},
         T2_EUSAGE,
         "neither weight nor unit"},
        {{"resnet", "resnet_cifar_32_td_unit_05_05", "targeting_rate=1", 32, 3},
         T2_EUSAGE,
         "targeting_rate=1 is not in [0, 1)"},
        {{"resnet", "resnet_cifar_32_td_unit_05_05", "keep_prob=0", 32, 3},
         T2_EUSAGE,
         "keep_prob=0 is not in (0, 1]"},
    };

    (void) state;
    image_check_refusals(rows, sizeof rows / sizeof *rows);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_zero_gamma), cmocka_unit_test(test_runs),
       cmocka_unit_test(test_targeted_names), cmocka_unit_test(test_targeted_runs),
       cmocka_unit_test(test_vocab_divisor), cmocka_unit_test(test_refusals))
