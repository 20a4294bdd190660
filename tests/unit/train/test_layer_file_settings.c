/* Tests of train/models/layer_file_settings.c. */
#include <stdio.h>

#include "tests/unit/train/layer_net.h"

#define END "  - flatten\n  - dense: $classes\n"

/* Settings of Keras by their names; what is not said is as Keras has it. */
static void test_settings(void **state)
{
    struct mdl_layer_net *net = layer_net(
        false, "layers:\n"
               "  - Conv2D: {filters: 4, kernel_size: [3, 1], strides: 2, padding: same,\n"
               "      dilation_rate: 1, use_bias: false, activation: silu,\n"
               "      kernel_initializer: {random_normal: {stddev: 0.02}},\n"
               "      kernel_regularizer: {l2: 0.001}}\n"
               "  - BatchNormalization: {momentum: 0.9, gamma_initializer: zeros}\n"
               "  - MaxPooling2D\n"
               "  - dropout: 0.25\n"
               "  - dense: {units: 5, kernel_initializer: he_uniform, bias_regularizer: l2}\n" END);
    const struct mdl_layer *l = net->layers;

    (void) state;
    assert_int_equal(net->n, 8);
    assert_int_equal(l[1].units, 4);
    assert_true(l[1].size[0] == 3 && l[1].size[1] == 1 && l[1].strides[0] == 2);
    assert_int_equal(l[1].padding, NN_SAME);
    assert_false(l[1].bias);
    assert_int_equal(l[1].activation, MDL_SWISH);
    assert_int_equal(l[1].kernel_init.init, GR_INIT_NORMAL);
    assert_true(l[1].kernel_init.gain == 0.02 && l[1].kernel_l2 == 0.001);
    assert_true(l[2].momentum == 0.9 && l[2].epsilon == 1e-3);
    assert_int_equal(l[2].gamma_init.init, GR_INIT_ZEROS);
    assert_true(l[3].size[0] == 2 && l[3].strides[0] == 2 && l[3].padding == NN_VALID);
    assert_true(l[4].rate == 0.25);
    assert_int_equal(l[5].kernel_init.how, MDL_INIT_UNIFORM_FAN_IN);
    assert_true(l[5].bias && l[5].bias_l2 == 0.01);
    assert_int_equal(l[7].kernel_init.init, GR_INIT_GLOROT);
    mdl_layer_net_free(net);
}

static void test_refusals(void **state)
{
    static const char *const rows[][2] = {
        {"conv2d: {filters: 4}", "line 2: conv2d needs kernel_size"},
        {"dense", "dense needs units"},
        {"dense: {units: 5, filters: 3}", "dense has no setting 'filters'; it has units"},
        {"dense: {units: 0}", "units=0 is not between 1"},
        {"dense: {units: 2.5}", "units is a whole number, not '2.5'"},
        {"dense: {units: [1, 2]}", "a single value is wanted"},
        {"dropout: 1", "rate=1 is not between 0 and 0.999"},
        {"dense: {units: 3, activation: softmax}", "the softmax is part of the loss"},
        {"dense: {units: 3, activation: selu}", "there is no activation 'selu'"},
        {"dense: {units: 3, use_bias: maybe}", "use_bias is true or false"},
        {"dense: {units: 3, kernel_initializer: identity}", "no initializer 'identity'"},
        {"dense: {units: 3, kernel_initializer: {he_normal: {scale: 2}}}", "has no 'scale'"},
        {"dense: {units: 3, kernel_initializer: {random_uniform: {minval: -1, maxval: 2}}}",
         "as far below 0 as above"},
        {"dense: {units: 3, kernel_regularizer: l1}", "no regularizer 'l1'"},
        {"conv2d: {filters: 1, kernel_size: 3, strides: [1, 2]}", "same strides both ways"},
        {"conv2d: {filters: 1, kernel_size: 3, padding: full}", "valid, same or symmetric"},
        {"max_pool: {pool_size: [2, 3]}", "windows of max_pool are square"},
        {"flatten: 3", "flatten has no setting"},
        {"reshape: [4, 4, 4, 4, 4]", "target_shape is a list of 1 to"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];

        snprintf(text, sizeof text, "layers:\n  - %s\n" END, rows[i][0]);
        layer_refused(false, text, rows[i][1]);
    }
}

T_MAIN(cmocka_unit_test(test_settings), cmocka_unit_test(test_refusals))
