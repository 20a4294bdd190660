/* Tests of train/models/model_table.c. */
#include "tests/unit/train/layer_net.h"

static void test_table(void **state)
{
    struct mdl_problem problem = image_problem(4, 1);
    struct mdl_hparams *hp = image_hparams("basic_fc_small", "num_hidden_layers=0");
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct dev *dev;
    struct mdl *m;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_describe("basic_fc_relu", dev, hp, &problem, MDL_TRAIN, &m, &err), T2_OK);
    mdl_put_variables(m, &text);
    t_assert_contains(t2_buf_cstr(&text), "dense/kernel");
    t_assert_contains(t2_buf_cstr(&text), "  (16, 10)                       160\n");
    t_assert_contains(
        t2_buf_cstr(&text),
        "Total params: 170 (680 B)\nTrainable params: 170\nNon-trainable params: 0\n");
    t2_buf_release(&text);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

T_MAIN(cmocka_unit_test(test_table))
