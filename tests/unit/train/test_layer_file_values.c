/* Tests of train/models/layer_file_values.c. */
#include <stdio.h>

#include "tests/unit/train/layer_net.h"
#include "train/models/layer_file_values.h"

static char value[MDL_SCALAR_BYTES];

/* The scalar of a plain text, with $i = 2 in a loop. */
static enum t2_status read_text(const char *text, struct t2_err *err)
{
    struct mdl_hparams *hp = image_hparams("mg_resnet_imagenet", "weight_decay=0.25");
    struct mdl_problem problem = layer_problem(true);
    struct mdl_scope s = {.hp = hp, .problem = &problem, .n = 1};
    char copy[200];
    struct t2_yaml_node node = {.kind = T2_YAML_SCALAR, .text = copy, .plain = true, .line = 7};
    enum t2_status st;

    s.variables[0].name = "i";
    memcpy(s.variables[0].text, "2", 2);
    snprintf(copy, sizeof copy, "%s", text);
    st = strchr(text, '{') ? mdl_scope_name(&s, &node, value, err)
                           : mdl_scope_text(&s, &node, value, err);
    mdl_hparams_free(hp);
    return st;
}

static void test_values(void **state)
{
    static const char *const rows[][2] = {{"64", "64"},
                                          {"same", "same"},
                                          {"$i", "2"},
                                          {"$classes", "10"},
                                          {"$inputs_vocab", "50"},
                                          {"$weight_decay", "0.25"},
                                          {"0.5 * $weight_decay", "0.125"},
                                          {"$filter_sizes[3]", "256"},
                                          {"$filter_sizes[$i]", "128"},
                                          {"$i * 3 + 1", "7"},
                                          {"$classes / 4 - 1", "1.5"},
                                          {"$resnetd_shortcut", "false"},
                                          {"$stem_type", "v0"},
                                          {"block_{i}/x", "block_2/x"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_err err = T2_ERR_INIT;

        if (read_text(rows[i][0], &err) != T2_OK)
            fail_msg("%s: %s", rows[i][0], err.message);
        assert_string_equal(value, rows[i][1]);
    }
}

static void test_refusals(void **state)
{
    static const char *const rows[][2] = {{"$no_such", "line 7: $no_such is neither"},
                                          {"$", "a name stands behind $"},
                                          {"$filter_sizes", "is a list: $filter_sizes[0]"},
                                          {"$filter_sizes[9]", "has 5 entries"},
                                          {"$filter_sizes[", "stands in [ ]"},
                                          {"$hidden_size[0]", "no hparam that is a list"},
                                          {"$i * many", "'many' is no number"},
                                          {"$i / 0", "divides by 0"},
                                          {"$i ** 2", "is no expression"},
                                          {"$i *", "is no expression"},
                                          {"$i * 1e308 * 1e308", "too large"},
                                          {"block_{i", "a } is missing"},
                                          {"$mixed", "neither a variable"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_err err = T2_ERR_INIT;

        if (read_text(rows[i][0], &err) == T2_OK)
            fail_msg("%s is %s", rows[i][0], value);
        t_assert_contains(err.message, rows[i][1]);
    }
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_refusals))
