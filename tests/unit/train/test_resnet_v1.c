/* Tests of train/models/resnet_v1.c; values are compared with the originals' in
 * tests/oracle/test_recorded_resnet.c. */
#include "tests/unit/train/image_model.h"

/* Spec image-pipelines.md §2.3: 25,557,032 values, 161 variables. */
static void test_sizes(void **state)
{
    static const struct {
        struct image_case p;
        int32_t classes;
        int64_t values;
        int variables;
    } rows[] = {
        {{"tpu_resnet", "tpu_resnet_50", "", 224, 3}, 1000, 25557032, 161},
        {{"keras_resnet50", "keras_resnet50", "", 224, 3}, 1000, 25557032, 161},
        {{"mg_resnet", "mg_resnet_imagenet", "", 224, 3}, 1001, 25557032 + 2049, 161},
        {{"mg_resnet", "mg_resnet_imagenet", "add_head_batch_norm=true", 224, 3},
         1001,
         25557032 + 2049 + 2 * 2048,
         163},
        /* a stem of its own width: 7 x 7 x 3 to 8, normalised, then 3 x 3 x 8 to 4 in place of
           pooling */
        {{"mg_resnet", "mg_resnet_imagenet",
          "resnet_depth=10,filter_sizes=[8,4,4,4,4],replace_stem_max_pool=true", 64, 3},
         10,
         49 * 3 * 8 + 2 * 8 + 9 * 8 * 4 + 2 * 4 + 4 * (4 * 4 + 2 * 4) +
             4 * 2 * (9 * 4 * 4 + 2 * 4) + 4 * 10 + 10,
         6 + 4 * 9 + 2},
        {{"tpu_resnet", "tpu_resnet_18", "", 224, 3}, 1000, 11689512 + 64 * 64 + 128, 65},
        {{"tpu_resnet", "tpu_resnet_101", "filter_sizes=[4,4,8,16,32]", 64, 3}, 10, 174030, 314},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        image_count(&rows[i].p, rows[i].classes, rows[i].values, rows[i].variables);
}

#define SMALL "filter_sizes=[4,4,4,8,8],learning_rate_schedule=constant,learning_rate_constant=0.01"

static void test_runs(void **state)
{
    static const struct image_case tpu = {"tpu_resnet", "tpu_resnet_18",
                                          SMALL
                                          ",label_smoothing=0.1,dropout=0.1,weight_decay=0.001",
                                          32, 3};
    static const struct image_case options = {
        "tpu_resnet", "tpu_resnet_50",
        SMALL ",drop_connect_rate=0.1,use_resnetd_stem=true,resnetd_shortcut=true,se_ratio=0.25,"
              "skip_stem_max_pool=true",
        32, 3};
    static const struct image_case lars = {"tpu_resnet", "tpu_resnet_50_lars",
                                           SMALL ",resnet_depth=18", 32, 3};
    static const struct image_case garden = {
        "mg_resnet", "mg_resnet_imagenet",
        SMALL ",resnet_depth=10,stem_type=v1,stochastic_depth_drop_rate=0.2", 32, 3};

    (void) state;
    image_check_runs(&tpu);
    image_check_runs(&options);
    image_check_runs(&lars);
    image_check_runs(&garden);
}

/* The last normalisation of a block begins with 0 in one flavour only. */
static void test_zero_gamma(void **state)
{
    static const struct image_case rows[] = {{"tpu_resnet", "tpu_resnet_18", SMALL, 64, 3},
                                             {"mg_resnet", "mg_resnet_imagenet",
                                              SMALL ",resnet_depth=18", 64, 3}};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct image_run r;

        image_run_new(&r, &rows[i], 1, false);
        assert_true(image_value(&r, "batch_normalization_2/gamma") == 1.0f);
        assert_true(image_value(&r, "batch_normalization_3/gamma") == (float) i);
        image_run_release(&r);
    }
}

/* A share of the examples loses what a block adds, more in later groups; blocks of two 3 x 3 do in
 * Model Garden only. */
static void test_drops(void **state)
{
    static const struct image_case garden = {"mg_resnet", "mg_resnet_imagenet",
                                             SMALL
                                             ",resnet_depth=10,stochastic_depth_drop_rate=0.5",
                                             64, 3};
    static const struct image_case basic = {"tpu_resnet", "tpu_resnet_18",
                                            SMALL ",drop_connect_rate=0.5", 64, 3};
    int dropped[4] = {0};
    struct image_run r;

    (void) state;
    image_run_new(&r, &garden, 1, false);
    for (uint64_t step = 0; step < 50; step++) {
        float values[4][8];

        assert_int_equal(image_drawn(&r, "draw_keep", 7, step, values, 4), 4);
        for (int block = 0; block < 4; block++)
            for (int i = 0; i < 8; i++) {
                double keep = 1.0 - 0.5 * (block + 2) / 5.0;

                dropped[block] += values[block][i] == 0.0f;
                assert_true(values[block][i] == 0.0f || values[block][i] == (float) (1.0 / keep));
            }
    }
    for (int block = 0; block < 4; block++)
        assert_true(abs(dropped[block] - 40 * (block + 2)) < 40);
    image_run_release(&r);
    image_run_new(&r, &basic, 1, false);
    assert_int_equal(image_drawn(&r, "draw_keep", 7, 0, NULL, 0), 0);
    image_run_release(&r);
}

static void test_refusals(void **state)
{
    static const struct image_refusal rows[] = {
        {{"tpu_resnet", "tpu_resnet_50", "resnet_depth=51", 64, 3},
         T2_EUSAGE,
         "no ResNet of 51 layers; known: 10, 18, 34, 50"},
        {{"tpu_resnet", "tpu_resnet_50", "pre_activation=true", 64, 3},
         T2_EUNSUPPORTED,
         "pre_activation"},
        {{"tpu_resnet", "tpu_resnet_50", "drop_connect_rate=1", 64, 3},
         T2_EUSAGE,
         "drop_connect_rate=1"},
        {{"tpu_resnet", "tpu_resnet_50", "dropblock_groups=3", 64, 3},
         T2_EUNSUPPORTED,
         "dropblock_groups"},
        {{"tpu_resnet", "tpu_resnet_50", "norm_act_layer=evonorm_b0", 64, 3},
         T2_EUNSUPPORTED,
         "norm_act_layer"},
        {{"tpu_resnet", "tpu_resnet_50", "se_ratio=2", 64, 3}, T2_EUSAGE, "between 0 and 1"},
        {{"tpu_resnet", "resnet_50", "", 64, 3}, T2_EUSAGE, "--hparams_set=tpu_resnet_50"},
        {{"keras_resnet50", "keras_resnet50", "filter_sizes=[1]", 64, 3},
         T2_EUSAGE,
         "needs 5 entries"},
        {{"mg_resnet", "mg_resnet_imagenet", "stem_type=v2", 64, 3}, T2_EUSAGE, "stem_type=v2"},
        {{"mg_resnet", "mg_resnet_imagenet", "stochastic_depth_drop_rate=-1", 64, 3},
         T2_EUSAGE,
         "stochastic_depth_drop_rate=-1"},
    };

    (void) state;
    image_check_refusals(rows, sizeof rows / sizeof *rows);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_zero_gamma),
       cmocka_unit_test(test_drops), cmocka_unit_test(test_refusals))
