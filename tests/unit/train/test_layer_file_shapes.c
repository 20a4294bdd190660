/* Tests of train/models/layer_file_shapes.c. */
#include <stdio.h>

#include "tests/unit/train/layer_net.h"

static void is_shape(const struct mdl_layer_net *net, int i, const char *shape, int64_t values)
{
    struct t2_buf text = {0};

    mdl_layer_put_shape(&net->layers[i], &text);
    assert_string_equal(t2_buf_cstr(&text), shape);
    assert_int_equal(net->layers[i].n_values, values);
    t2_buf_release(&text);
}

static void test_images(void **state)
{
    struct mdl_layer_net *net =
        layer_net(false, "layers:\n"
                         "  - conv2d: {filters: 6, kernel_size: [3, 1]}\n"
                         "  - depthwise_conv2d: {kernel_size: 3, strides: 2, padding: same,"
                         " depth_multiplier: 2}\n"
                         "  - batch_norm\n"
                         "  - squeeze_excite: 0.5\n"
                         "  - avg_pool: {pool_size: 2, padding: same}\n"
                         "  - dense: {units: 4, use_bias: false}\n"
                         "  - reshape: [-1, 4]\n"
                         "  - attention: {num_heads: 2, key_dim: 3}\n"
                         "  - layer_norm\n"
                         "  - flatten\n"
                         "  - dense: $classes\n");

    (void) state;
    is_shape(net, 0, "(batch, 8, 8, 3)", 0);
    is_shape(net, 1, "(batch, 6, 8, 6)", 3 * 3 * 6 + 6);
    assert_true(net->layers[1].flops == 2.0 * 9 * 6 * 8 * 6);
    is_shape(net, 2, "(batch, 3, 4, 12)", 9 * 6 * 2 + 12);
    assert_true(net->layers[2].flops == 2.0 * 9 * 3 * 4 * 12);
    is_shape(net, 3, "(batch, 3, 4, 12)", 24);
    assert_int_equal(net->layers[3].n_states, 24);
    is_shape(net, 4, "(batch, 3, 4, 12)", 12 * 6 + 6 + 6 * 12 + 12);
    is_shape(net, 5, "(batch, 2, 2, 12)", 0);
    is_shape(net, 6, "(batch, 2, 2, 4)", 48);
    is_shape(net, 7, "(batch, 4, 4)", 0);
    is_shape(net, 8, "(batch, 4, 4)", 3 * (4 * 6 + 6) + 6 * 4 + 4);
    is_shape(net, 9, "(batch, 4, 4)", 8);
    is_shape(net, 11, "(batch, 10)", 170);
    mdl_layer_net_free(net);
}

static void test_texts(void **state)
{
    struct mdl_layer_net *net = layer_net(true, "layers:\n"
                                                "  - embedding: 16\n"
                                                "  - attention: {num_heads: 2, key_dim: 8}\n"
                                                "  - mean\n"
                                                "  - dense: $classes\n");

    (void) state;
    is_shape(net, 0, "(batch, length)", 0);
    is_shape(net, 1, "(batch, length, 16)", 800);
    is_shape(net, 2, "(batch, length, 16)", 4 * (16 * 16 + 16));
    is_shape(net, 3, "(batch, 16)", 0);
    mdl_layer_net_free(net);
}

/* Line, layer and both shapes. */
static void test_refusals(void **state)
{
    static const struct {
        bool text;
        const char *layers, *message;
    } rows[] = {
        {false, "  - dense: 3\n  - max_pool: 9\n",
         "line 3: layer max_pooling2d (max_pool) takes images that are not smaller than its "
         "window; what comes from dense is (batch, 8, 8, 3)"},
        {false, "  - flatten\n  - conv2d: {filters: 3, kernel_size: 3}\n",
         "line 3: layer conv2d (conv2d) takes images (batch, height, width, channels); what comes "
         "from flatten is (batch, 192)"},
        {false, "  - residual:\n      - dense: 4\n",
         "line 2: layer add (add) joins what does not fit: dense gives (batch, 8, 8, 4), and input "
         "gives (batch, 8, 8, 3)"},
        {false, "  - concat: [[flatten], []]\n", "flatten gives (batch, 192), and input gives"},
        {false, "  - dense: 4\n",
         "line 2: the last layer, dense (dense), gives (batch, 8, 8, 4); the 10 classes of the "
         "problem want (batch, 10)"},
        {false, "  - reshape: [5, -1]\n", "as many elements as its target_shape has"},
        {false, "  - reshape: [-1, -1]\n", "at most one -1"},
        {false, "  - embedding: 4\n", "takes the ids (batch, length) of a text"},
        {false, "  - attention: {num_heads: 1, key_dim: 2}\n", "takes (batch, length, features)"},
        {true, "  - relu\n", "ids go through an embedding first"},
        {true, "  - embedding: 4\n  - flatten\n", "a text has any length"},
        {true, "  - embedding: 4\n  - max_pool\n",
         "what comes from embedding is (batch, length, 4)"},
        {false,
         "  - dense: 1000000\n  - conv2d: {filters: 1000000, kernel_size: 1000,"
         " padding: same}\n",
         "too many"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];

        snprintf(text, sizeof text, "layers:\n%s", rows[i].layers);
        layer_refused(rows[i].text, text, rows[i].message);
    }
}

T_MAIN(cmocka_unit_test(test_images), cmocka_unit_test(test_texts), cmocka_unit_test(test_refusals))
