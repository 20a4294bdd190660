/* Tests of train/models/layer_file_parse.c. */
#include "tests/unit/train/layer_net.h"

#define END "  - flatten\n  - dense: $classes\n"

/* Names are counted by type, loops unrolled, inputs are places; blocks have groups. */
static void test_structure(void **state)
{
    static const char *const names[] = {"input",    "conv2d",      "activation", "conv2d_1",
                                        "add",      "conv2d_2",    "b/0",        "add_1",
                                        "conv2d_3", "b/1",         "add_2",      "l0",
                                        "l1",       "concatenate", "flatten",    "dense"};
    static const int groups[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 0, 0};
    struct mdl_layer_net *net =
        layer_net(false, "name: mine\n"
                         "defaults:\n"
                         "  conv2d: {kernel_size: 1, padding: same}\n"
                         "layers:\n"
                         "  - conv2d: {filters: 4}\n"
                         "  - relu\n"
                         "  - residual:\n"
                         "      - conv2d: {filters: 4}\n"
                         "  - repeat: 2\n"
                         "    layers:\n"
                         "      - residual:\n"
                         "          shortcut:\n"
                         "            - conv2d: {filters: 2 + $index}\n"
                         "          layers:\n"
                         "            - conv2d: {filters: 2 + $index, name: 'b/{index}'}\n"
                         "  - concat:\n"
                         "      - - conv2d: {filters: 1, name: l0}\n"
                         "      - - conv2d: {filters: 2, name: l1}\n"
                         "      - []\n" END "loss: softmax\n");

    (void) state;
    assert_string_equal(net->title, "mine");
    assert_int_equal(net->n, 16);
    for (int i = 0; i < net->n; i++) {
        assert_string_equal(net->layers[i].name, names[i]);
        assert_int_equal(net->layers[i].group, groups[i]);
    }
    assert_true(net->layers[4].inputs[0] == 3 && net->layers[4].inputs[1] == 2);
    assert_true(net->layers[5].inputs[0] == 4 && net->layers[6].inputs[0] == 4);
    assert_true(net->layers[7].inputs[0] == 6 && net->layers[7].inputs[1] == 5);
    assert_int_equal(net->layers[13].n_inputs, 3);
    assert_int_equal(net->layers[13].inputs[2], 10);
    assert_int_equal(net->layers[10].dims[3], 3);
    assert_int_equal(net->layers[13].dims[3], 6);
    assert_int_equal(net->layers[13].line, 16);
    mdl_layer_net_free(net);
}

/* Parameters are hparams: of the set, of the file, of the command line. */
static void test_parameters(void **state)
{
    static const char text[] = "parameters: {width: 6, hidden_size: 4}\n"
                               "layers:\n"
                               "  - for: {n: [$width, 3], act: [relu, linear]}\n"
                               "    layers:\n"
                               "      - dense: {units: $n, activation: $act}\n"
                               "  - dense: $hidden_size\n" END;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = image_hparams("flowers_cnn", "");
    struct mdl_problem problem = layer_problem(false);
    struct mdl_layer_net *net;

    (void) state;
    assert_int_equal(mdl_layer_file_declare(text, "x.yaml", hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "width=7", &err), T2_OK);
    assert_int_equal(mdl_layer_net_new(text, "x.yaml", hp, &problem, &net, &err), T2_OK);
    assert_int_equal(net->layers[1].units, 7);
    assert_int_equal(net->layers[1].activation, MDL_RELU);
    assert_int_equal(net->layers[2].units, 3);
    assert_int_equal(net->layers[3].units, 300); /* the set's */
    assert_string_equal(mdl_hp_string(hp, "layer_file"), text);
    mdl_layer_net_free(net);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    static const char *const rows[][2] = {
        {"", "line 1: a layer file is a mapping with `layers:`"},
        {"layers: 3\n", "a mapping with `layers:`"},
        {"layers: []\n", "a mapping with `layers:`"},
        {"layers: [\n", "'x.yaml': line 2, column 1"},
        {"layer: []\nlayers: [relu]\n", "line 1: a layer file has no 'layer'; it has name"},
        {"layers:\n  - dens: 3\n", "line 2: there is no layer 'dens'; there are activation"},
        {"layers:\n  - dense: 3\n    units: 3\n", "line 3: 'dense' and 'units' in one item"},
        {"layers:\n  - []\n", "line 2: a layer is wanted here"},
        {"layers:\n  - dense: {units: 3, name: a}\n  - dense: {units: 3, name: a}\n",
         "line 3: the name 'a' is there twice"},
        {"layers:\n  - dense: {units: 3, name: 'a b'}\n", "is no name"},
        {"layers:\n  - repeat: 3\n", "a loop has repeat or for, and layers"},
        {"layers:\n  - repeat: -1\n    layers: []\n", "repeat=-1 is not between 0"},
        {"layers:\n  - for: {a: [1, 2], b: [1]}\n    layers: []\n", "no list of as many values"},
        {"layers:\n  - residual: 3\n", "residual is a list of layers"},
        {"layers:\n  - add: [[relu]]\n", "add has a list of two or more branches"},
        {"layers:\n  - repeat: 4000\n    layers:\n      - repeat: 4000\n        layers: []\n",
         "the loops of a layer file: more than"},
        {"layers:\n  - repeat: 4096\n    layers: [relu]\n", "more than 4096 layers"},
        {"layers:\n  - relu\nloss: mse\n",
         "line 3: there is no loss 'mse' for class labels; there is softmax"},
        {"defaults: {relu: {}}\nlayers:\n  - relu\n", "there is no layer 'relu'"},
        {"defaults: {dense: {name: a}}\nlayers: [relu]\n", "defaults of dense are settings"},
        {"parameters: {classes: 3}\nlayers: [relu]\n", "'classes' is no name for a parameter"},
        {"parameters: {a: [1]}\nlayers: [relu]\n", "parameter 'a' has one short value"},
        {"parameters: {filter_sizes: 3}\nlayers: [relu]\n", "the name of an hparam of set"},
        {"parameters: {block_size: x}\nlayers: [relu]\n",
         "line 1: parameter 'block_size' has the name of an hparam of set transformer_base_bs1"},
        {"parameters: {lookahead_steps: x}\nlayers: [relu]\n", "is no name for a parameter"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        layer_refused(false, rows[i][0], rows[i][1]);
}

T_MAIN(cmocka_unit_test(test_structure), cmocka_unit_test(test_parameters),
       cmocka_unit_test(test_refusals))
