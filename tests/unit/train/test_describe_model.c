/* Tests of train/runs/describe_model.c. */
#include "train/runs/describe_model.h"

#include <stdlib.h>

#include "tests/unit/train/image_shards.h"

static struct tr_options options;
static struct t2_buf text;
static struct t2_err err;

static enum t2_status describe(const char *model, const char *to)
{
    t2_buf_clear(&text);
    options.model = model;
    return tr_describe_model(&options, to, &text, &err);
}

static void test_describe(void **state)
{
    const char *dir = t_tmp_path("data"), *file = t_tmp_path("mine.yaml");
    const char *svg = t_tmp_path("mine.svg");
    static const char layers[] = "parameters: {width: 3}\nlayers:\n  - flatten\n"
                                 "  - dense: $width\n  - dense: $classes\n";
    struct t2_buf drawing = {0};

    (void) state;
    images_write(dir, "image_cifar10", "train", 8, 1, 32, 32, 3, 0);
    assert_int_equal(t2_write_file(file, layers, sizeof layers - 1, &err), T2_OK);
    options = (struct tr_options){.problem = "image_cifar10",
                                  .data_dir = dir,
                                  .hparams_set = "basic_fc_small",
                                  .hparams = "num_hidden_layers=0"};
    if (describe("basic_fc_relu", "") != T2_OK)
        fail_msg("%s", err.message);
    t_assert_contains(t2_buf_cstr(&text), "(3072, 10)");
    assert_int_equal(describe("basic_fc_relu", "x.svg"), T2_EUNSUPPORTED);
    options.hparams = "width=5";
    if (describe(file, "") != T2_OK)
        fail_msg("%s", err.message);
    t_assert_contains(t2_buf_cstr(&text), "15,365"); /* 3072 * 5 + 5 */
    assert_int_equal(describe(file, svg), T2_OK);
    assert_int_equal(t2_read_file(svg, 0, &drawing, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&drawing), "15365 params");
    assert_int_equal(describe(file, "png"), T2_EUSAGE);
    options.hparams_set = NULL;
    assert_int_equal(describe(file, ""), T2_EUSAGE);
    t_assert_contains(err.message, "--describe is about an --experiment, or about a model");
    t2_buf_release(&drawing);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_describe))
