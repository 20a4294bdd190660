/* Tests of train/models/cnn_parts.c: names and shapes of variables, the loss of the examples. */
#include "train/models/cnn_parts.h"

#include <math.h>

#include "tests/unit/train/image_model.h"

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b,
                        .scope = "net/",
                        .norm = {.momentum = 0.9, .epsilon = 1e-3},
                        .kernel = {GR_INIT_FAN_IN, 1.0}};
    struct mdl_cnn_conv counted = {
        .layer = "conv2d#", .filters = 4, .size = 3, .stride = 2, .padding = NN_SAME};
    struct mdl_cnn_conv named = {.layer = "last",
                                 .kernel = "DW",
                                 .filters = 4,
                                 .size = 1,
                                 .stride = 1,
                                 .bias = true,
                                 .relu = true};
    struct mdl_cnn_norm norm = {.layer = "batch_normalization#", .zero_gamma = true};
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    x = mdl_cnn_conv(&c, out->images, &counted);
    x = mdl_cnn_norm(&c, mdl_cnn_conv(&c, x, &counted), &norm);
    mdl_cnn_next_layer(&c);
    x = mdl_cnn_conv(&c, mdl_cnn_conv(&c, x, &counted), &named);
    mdl_cnn_class_top(b, x, want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"filter_sizes", NULL};

    T2_TRY(mdl_cnn_check("net", hp, problem, own, "resnet_50", err));
    return mdl_cnn_check_list("net", hp, "filter_sizes", 3, err);
}

static const struct mdl_kind net = {.name = "net", .check = check, .build = build};

static void test_names(void **state)
{
    static const struct {
        const char *name;
        int rank;
        int64_t dims[4];
        bool trainable;
    } rows[] = {
        {"net/conv2d/kernel", 4, {3, 3, 3, 4}, true},
        {"net/conv2d_1/kernel", 4, {3, 3, 4, 4}, true},
        {"net/batch_normalization/gamma", 1, {4}, true},
        {"net/batch_normalization/beta", 1, {4}, true},
        {"net/batch_normalization/moving_mean", 1, {4}, false},
        {"net/batch_normalization/moving_variance", 1, {4}, false},
        {"net/conv2d_2/kernel", 4, {3, 3, 4, 4}, true},
        {"net/last/DW", 4, {1, 1, 4, 4}, true},
        {"net/last/bias", 1, {4}, true},
        {"net/class_label_modality_10_64/class_label_modality_10_64/dense/kernel",
         2,
         {4, 10},
         true},
        {"net/class_label_modality_10_64/class_label_modality_10_64/dense/bias", 1, {10}, true}};
    const size_t n = sizeof rows / sizeof *rows;
    struct mdl_problem problem = image_problem(9, 3);
    struct mdl_hparams *hp = image_hparams("resnet_50", "");
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    (void) state;
    assert_int_equal(dev_open("reference", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_new_of_kind(&net, dev, hp, &problem, MDL_TRAIN, &m, &err), T2_OK);
    assert_int_equal(mdl_params(m)->n_variables, n);
    for (size_t i = 0; i < n; i++) {
        const struct gr_variable *v = gr_params_find(mdl_params(m), rows[i].name);

        assert_non_null(v);
        assert_int_equal(v->rank, rows[i].rank);
        assert_memory_equal(v->dims, rows[i].dims, (size_t) v->rank * sizeof v->dims[0]);
        assert_int_equal(v->trainable, rows[i].trainable);
    }
    assert_int_equal(gr_params_find(mdl_params(m), "net/batch_normalization/gamma")->init,
                     GR_INIT_ZEROS);
    assert_int_equal(gr_params_find(mdl_params(m), "net/conv2d/kernel")->init, GR_INIT_FAN_IN);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

/* A batch of mixed images: weight 1 is the loss of the one labels, 0 that of the others. */
static void test_mixed(void **state)
{
    static const int32_t labels[] = {1, 2}, others[] = {3, 4};
    static const float weights[][2] = {{1, 1}, {0, 0}, {0.25f, 0.25f}};
    struct mdl_problem problem = image_problem(9, 3);
    struct mdl_hparams *hp = image_hparams("resnet_50", "");
    float images[2 * 9 * 9 * 3];
    struct mdl_batch batch = {.batch = 2,
                              .targets_length = 1,
                              .targets = labels,
                              .height = 9,
                              .width = 9,
                              .channels = 3,
                              .images = images};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss plain[2], mixed[3];
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    (void) state;
    t_fill(images, sizeof images / sizeof *images, 2);
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_new_of_kind(&net, dev, hp, &problem, MDL_TRAIN, &m, &err), T2_OK);
    assert_int_equal(mdl_initialise(m, 3, &err), T2_OK);
    for (int i = 0; i < 2; i++) {
        batch.targets = i == 0 ? labels : others;
        assert_int_equal(mdl_train_step(m, &batch, 1, 0, &plain[i], &err), T2_OK);
    }
    batch.targets = labels;
    batch.other_labels = others;
    for (int i = 0; i < 3; i++) {
        batch.label_weights = weights[i];
        assert_int_equal(mdl_train_step(m, &batch, 1, 0, &mixed[i], &err), T2_OK);
    }
    assert_true(mixed[0].numerator == plain[0].numerator);
    assert_true(fabs(mixed[1].numerator - plain[1].numerator) < 1e-6);
    assert_true(fabs(mixed[2].numerator - 0.25 * plain[0].numerator - 0.75 * plain[1].numerator) <
                1e-5);
    batch.other_labels = (const int32_t[]){0, IMAGE_CLASSES};
    assert_int_equal(mdl_train_step(m, &batch, 1, 0, &mixed[0], &err), T2_EFORMAT);
    t_assert_contains(err.message, "label 10 is not one of the 10 classes");
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

static void test_refusals(void **state)
{
    struct mdl_problem problem = image_problem(9, 3);
    struct mdl_hparams *hp = image_hparams("resnet_50", "filter_sizes=[1,2]");
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(check(hp, &problem, &err), T2_EUSAGE);
    t_assert_contains(err.message, "'filter_sizes' needs 3 entries, not 2");
    problem.class_labels = false;
    assert_int_equal(check(hp, &problem, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "needs a problem of images");
    mdl_hparams_free(hp);
    hp = image_hparams("transformer_tiny", "");
    problem.class_labels = true;
    assert_int_equal(check(hp, &problem, &err), T2_EUSAGE);
    t_assert_contains(err.message, "reads hparam 'filter_sizes', which hparams set "
                                   "'transformer_tiny' has not");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_mixed), cmocka_unit_test(test_refusals))
