/* Tests of train/models/layer_file_drawing.c. */
#include "tests/unit/train/layer_net.h"

static int count(const char *text, const char *word)
{
    int n = 0;

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        n++;
    return n;
}

/* A box a layer, a line an input, special characters of the title escaped, lanes side by side. */
static void test_drawing(void **state)
{
    struct mdl_layer_net *net = layer_net(false, "name: a < b & c\n"
                                                 "layers:\n"
                                                 "  - residual:\n"
                                                 "      - dense: {units: 3, activation: relu}\n"
                                                 "      - residual: [dense: 3, relu]\n"
                                                 "  - flatten\n"
                                                 "  - dense: $classes\n");
    struct t2_buf svg = {0};
    const char *text;

    (void) state;
    mdl_layer_net_svg(net, &svg);
    text = t2_buf_cstr(&svg);
    assert_int_equal(count(text, "<rect "), net->n);
    assert_int_equal(count(text, "<path d=\"M"), 1 + net->n - 1 + 2); /* an arrow, two shortcuts */
    t_assert_contains(text, "a &lt; b &amp; c");
    t_assert_contains(text, "dense + relu");
    t_assert_contains(text, ">activation<"); /* of itself, in the words of the table */
    t_assert_contains(text, ">relu (batch, 8, 8, 3)<");
    t_assert_contains(text, "dense (batch, 10), 1930 params");
    t_assert_contains(text, "H414V"); /* the outer shortcut: lane 1 */
    t_assert_contains(text, "H428V"); /* the inner one runs at the same time: lane 2 */
    t2_buf_release(&svg);
    mdl_layer_net_free(net);
}

T_MAIN(cmocka_unit_test(test_drawing))
