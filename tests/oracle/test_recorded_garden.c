/*
 * tests/oracle/test_recorded_garden.c - Model Garden's MobileNets, ResNets and Vision Transformers
 * against its own programs: T2_DATA/oracles/garden, which bench/record_garden.py makes.
 *
 * Names, logits of both modes, loss with smoothing and regulariser, gradients, three steps of SGD
 * with momentum, moving averages, logits behind them: all to 2e-5.
 */
#include "tests/support/cnn_oracle.h"
#include "tests/support/t.h"

static const char folder[] = "oracles/garden";

struct row {
    const char *name;
};

static const struct row rows[] = {{"mobilenet_v1"},
                                  {"mobilenet_v2"},
                                  {"mobilenet_v3_large"},
                                  {"mobilenet_v3_small"},
                                  {"resnet_v0"},
                                  {"resnet_rs"},
                                  {"vit"},
                                  {"vit_representation"},
                                  {"vit_gap"}};

static void read_case(struct cnn_case *c, struct dev *dev, const struct row *row)
{
    cnn_open(c, dev, folder, row->name, NULL);
    cnn_read_hparams(c);
    cnn_read_images(c);
    cnn_model(c, cnn_text(c, "model"));
    cnn_compare_names(c);
    cnn_set_variables(c);
}

static void test_case(void **state)
{
    const struct row *row = *state;
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct cnn_case c;

    cnn_need(folder, row->name);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    read_case(&c, dev, row);
    cnn_compare_training(&c, 2e-5);
    cnn_set_variables(&c);
    cnn_compare_eval(&c, "eval_logits_initial", 2e-5);
    cnn_compare_steps(&c, 2e-5, 2e-5);
    cnn_compare_eval(&c, "eval_logits_after", 2e-5);
    cnn_close(&c);
    dev_close(dev);
}

T_ROWS_MAIN(rows, test_case)
