/* Tests of train/models/xception.c; values of small images are compared with the original's in
 * tests/oracle/test_recorded_cnn.c. */
#include "tests/unit/train/image_model.h"

static void test_runs(void **state)
{
    static const struct image_case small = {
        "xception", "xception_tiny",
        "hidden_size=16,num_hidden_layers=1,weight_decay=0,learning_rate=1,dropout=0.1,"
        "learning_rate_warmup_steps=1",
        12, 3};

    (void) state;
    image_check_runs(&small);
}

/* Images above 200 pixels go through the entry flow. */
static void test_entry(void **state)
{
    static const struct image_case large = {"xception", "xception_tiny",
                                            "hidden_size=200,num_hidden_layers=0", 201, 3};
    struct mdl_problem problem = image_problem(large.side, 3);
    struct mdl_hparams *hp = image_hparams(large.set, large.overrides);
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    const struct gr_params *p;

    (void) state;
    assert_int_equal(dev_open("reference", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_new("xception", dev, hp, &problem, MDL_TRAIN, &m, &err), T2_OK);
    p = mdl_params(m);
    assert_int_equal(gr_params_find(p, "xception/body/xception/xception_entry/conv0/"
                                       "conv_block_0_single/kernel")
                         ->dims[3],
                     32);
    assert_int_equal(gr_params_find(p, "xception/body/xception/xception_entry/block1/"
                                       "sep_conv_block/conv_block_1_single/pointwise_kernel")
                         ->dims[3],
                     200);
    assert_int_equal(gr_params_find(p, "xception/body/xception/xception_entry/block2/res_conv0/"
                                       "conv_block_0_single/kernel")
                         ->dims[0],
                     1);
    assert_null(gr_params_find(p, "xception/body/xception/small_image_conv/conv_block_0_single/"
                                  "kernel"));
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

static void test_refusals(void **state)
{
    static const struct image_case oblong = {"xception", "xception_tiny", "kernel_width=1", 8, 3};
    static const struct image_case none = {"xception", "xception_tiny", "hidden_size=0", 8, 3};

    (void) state;
    image_refused(&oblong, T2_EUNSUPPORTED, "kernels must be square, not 3 x 1");
    image_refused(&none, T2_EUSAGE, "hidden_size must be positive");
}

T_MAIN(cmocka_unit_test(test_runs), cmocka_unit_test(test_entry), cmocka_unit_test(test_refusals))
