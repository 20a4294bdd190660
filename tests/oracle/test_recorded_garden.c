/*
 * tests/oracle/test_recorded_garden.c - Model Garden's MobileNets, ResNets and Vision Transformers
 * against its own programs: T2_DATA/oracles/garden, which bench/record_garden.py makes.
 *
 * Names, logits of both modes, loss with smoothing and regulariser, gradients, three steps of SGD
 * with momentum (one where ReLU6 makes the others a matter of rounding), moving averages, logits
 * behind them.
 */
#include <math.h>
#include <stdio.h>

#include "tests/support/cnn_oracle.h"
#include "tests/support/t.h"
#include "train/optim/optimizer.h"

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

static const char *text(const struct cnn_case *c, const char *key)
{
    return t2_json_as_string(t2_json_get(c->root, key), "");
}

static void read_case(struct cnn_case *c, struct dev *dev, const struct row *row)
{
    const struct ckpt_tensor *images, *labels;
    struct t2_err err = T2_ERR_INIT;
    int32_t side;

    cnn_open(c, dev, folder, row->name, NULL);
    if (mdl_hparams_new(text(c, "hparams_set"), &c->hp, &err) != T2_OK ||
        mdl_hparams_override(c->hp, text(c, "hparams"), &err) != T2_OK)
        fail_msg("%s", err.message);
    images = cnn_must_find(c, "in/", "images");
    labels = cnn_must_find(c, "in/", "labels");
    side = (int32_t) images->dims[1];
    c->problem =
        (struct mdl_problem){.targets_vocab = (int32_t) cnn_must_find(c, "out/", "logits")->dims[1],
                             .loss_multiplier = 3.0, /* must not count */
                             .class_labels = true,
                             .image = {side, side, 3}};
    c->batch = (struct mdl_batch){.batch = (int32_t) images->dims[0],
                                  .targets_length = 1,
                                  .targets = labels->data,
                                  .height = side,
                                  .width = side,
                                  .channels = 3,
                                  .images = images->data};
    cnn_model(c, text(c, "model"));
    cnn_compare_names(c);
    cnn_set_variables(c);
}

static void check_steps(struct cnn_case *c)
{
    const struct cnn_tolerance gradients = {.each = cnn_room(c, "gradients", 2e-5, 2e-5),
                                            .of_largest = true};
    const struct cnn_tolerance variables = {.each = cnn_room(c, "steps", 2e-5, 2e-5),
                                            .of_largest = true};
    const struct t2_json_value *losses = t2_json_get(c->root, "losses");
    struct gr_params *p = mdl_params(c->m);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct mdl_loss loss;

    assert_int_equal(opt_new(c->hp, p, &o, &err), T2_OK);
    for (int step = 0; step < (int) t2_json_size(losses); step++) {
        assert_int_equal(mdl_train_step(c->m, &c->batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        cnn_near(c, "loss", loss.numerator / loss.denominator,
                 t2_json_as_double(t2_json_item(losses, (size_t) step), NAN), 2e-5);
        if (step == 0)
            assert_int_equal(cnn_compare_on_device(c, p->grads, "grad/", &gradients),
                             t2_json_size(t2_json_get(c->root, "trainable")));
        assert_int_equal(opt_step(o, step, 1000, &report, &err), T2_OK);
    }
    assert_int_equal(cnn_compare_on_device(c, p->values, "after/", &variables), p->n_variables);
    opt_free(o);
}

static void test_case(void **state)
{
    const struct row *row = *state;
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct cnn_case c;
    char file[128];

    snprintf(file, sizeof file, "%s/%s.json", folder, row->name);
    if (!t_data_path(file))
        t_skip("no %s in T2_DATA", file);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    read_case(&c, dev, row);
    cnn_compare_training(&c, cnn_room(&c, "logits", 2e-5, 2e-5));
    cnn_set_variables(&c);
    cnn_compare_eval(&c, "eval_logits_initial", 2e-5);
    check_steps(&c);
    cnn_compare_eval(&c, "eval_logits_after", 2e-5);
    cnn_close(&c);
    dev_close(dev);
}

T_ROWS_MAIN(rows, test_case)
