/* Tests of train/optim/image_schedule.c against figures from spec image-pipelines.md §2.4, §2.5. */
#include "train/optim/image_schedule.h"

#include <math.h>

#include "tests/support/t.h"
#include "train/optim/schedule.h"

static struct mdl_hparams *new_set(const char *name, const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    return hp;
}

static void check(const struct mdl_hparams *hp, int64_t step, int64_t train_steps, double expected)
{
    struct t2_err err = T2_ERR_INIT;
    double rate;

    assert_int_equal(opt_learning_rate(hp, step, train_steps, &rate, &err), T2_OK);
    if (fabs(rate - expected) > 1e-9 * fabs(expected))
        fail_msg("step %d: %.12g, not %.12g", (int) step, rate, expected);
}

/* 1251 steps are an epoch of 1281167 images and a little less; the run is 90 epochs. */
static void test_tpu_resnet(void **state)
{
    struct mdl_hparams *hp = new_set("tpu_resnet_50", "");
    double epoch = 1281167.0 / 1024.0;

    (void) state;
    check(hp, 0, 112590, 0.0);
    check(hp, 1000, 112590, 0.4 * (1000.0 / epoch) / 5.0);
    check(hp, 6256, 112590, 0.4);
    check(hp, 37534, 112590, 0.4);
    check(hp, 37535, 112590, 0.04);
    check(hp, 75069, 112590, 0.004);
    check(hp, 112589, 112590, 0.0004);
    mdl_hparams_free(hp);
    /* the recorded case: batch 4, 16 images, 360 steps */
    hp = new_set("tpu_resnet_50", "batch_size=4,num_train_images=16,learning_rate=3.2");
    check(hp, 2, 360, 0.005);
    check(hp, 3, 360, 0.0075);
    /* two epochs: no warm-up, and two drops at once in the second */
    check(hp, 0, 8, 0.05 * 0.1);
    check(hp, 4, 8, 0.05 * 0.001);
    mdl_hparams_free(hp);
}

static void test_tpu_resnet_lars(void **state)
{
    struct mdl_hparams *hp = new_set("tpu_resnet_50_lars", "");
    double epoch = 1281167.0 / 32768.0, steps = 3558.0 - 547.0 + 1.0, left;

    (void) state;
    check(hp, 0, 3558, 0.0);
    check(hp, 100, 3558, 32.0 * (100.0 / epoch) / 14.0);
    left = 1.0 - (2000.0 - 547.0) / steps;
    check(hp, 2000, 3558, (32.0 - 1e-4) * left * left + 1e-4);
    check(hp, 100000, 3558, 1e-4);
    mdl_hparams_free(hp);
    hp = new_set("tpu_resnet_50_lars", "poly_rate=7,batch_size=1024");
    check(hp, 100, 112590, 7.0 * (100.0 * 1024.0 / 1281167.0) / 5.0);
    mdl_hparams_free(hp);
}

static void test_keras_resnet(void **state)
{
    struct mdl_hparams *hp = new_set("keras_resnet50", "");

    (void) state;
    check(hp, 0, 100, 0.0);
    check(hp, 5004, 100, 0.02); /* an epoch of 256 */
    check(hp, 5 * 5004, 100, 0.1);
    check(hp, 30 * 5004, 100, 0.1);
    check(hp, 30 * 5004 + 1, 100, 0.01);
    check(hp, 60 * 5004 + 1, 100, 0.001);
    check(hp, 80 * 5004 + 1, 100, 0.0001);
    mdl_hparams_free(hp);
}

static void test_errors(void **state)
{
    struct mdl_hparams *hp = new_set("basic_fc_small", "learning_rate_schedule=tpu_resnet");
    struct t2_err err = T2_ERR_INIT;
    double rate;

    (void) state;
    assert_int_equal(opt_learning_rate(hp, 0, 1, &rate, &err), T2_EUSAGE);
    t_assert_contains(err.message, "num_train_images");
    mdl_hparams_free(hp);
    hp = new_set("tpu_resnet_50", "num_train_images=100");
    assert_int_equal(opt_learning_rate(hp, 0, 1, &rate, &err), T2_EUSAGE);
    t_assert_contains(err.message, "num_train_images (100)");
    mdl_hparams_free(hp);
    hp = new_set("tpu_resnet_50_lars", "");
    assert_int_equal(opt_learning_rate(hp, 600, 500, &rate, &err), T2_EUSAGE);
    t_assert_contains(err.message, "more training steps");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_tpu_resnet), cmocka_unit_test(test_tpu_resnet_lars),
       cmocka_unit_test(test_keras_resnet), cmocka_unit_test(test_errors))
