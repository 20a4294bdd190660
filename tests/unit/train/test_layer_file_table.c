/* Tests of train/models/layer_file_table.c. */
#include "tests/unit/train/layer_net.h"

static void test_table(void **state)
{
    static const char expected[] =
        "Model: mine\n"
        "Layer (type)                      Output shape            Params      Mflops\n"
        "input (input)                     (batch, 8, 8, 3)             0       0.000\n"
        "conv2d (conv2d)                   (batch, 8, 8, 3)            12       0.001\n"
        "batch_normalization (batch_norm)  (batch, 8, 8, 3)            12       0.000\n"
        "add (add)                         (batch, 8, 8, 3)             0       0.000  from "
        "batch_normalization, input\n"
        "activation (relu)                 (batch, 8, 8, 3)             0       0.000\n"
        "flatten (flatten)                 (batch, 192)                 0       0.000\n"
        "dense (dense)                     (batch, 10)              1,930       0.004\n"
        "Total params: 1,954 (7.8 kB)\n"
        "Trainable params: 1,948 (7.8 kB)\n"
        "Non-trainable params: 6 (24 B)\n"
        "Mflops forward, for each image: 0.005 (2 a multiply-add)\n";
    struct mdl_layer_net *net =
        layer_net(false, "name: mine\n"
                         "layers:\n"
                         "  - residual: [conv2d: {filters: 3, kernel_size: 1}, batch_norm]\n"
                         "  - relu\n"
                         "  - flatten\n"
                         "  - dense: $classes\n");
    struct t2_buf text = {0};

    (void) state;
    mdl_layer_net_table(net, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
    mdl_layer_net_free(net);
}

T_MAIN(cmocka_unit_test(test_table))
