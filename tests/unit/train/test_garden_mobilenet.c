/* Tests of train/models/garden_mobilenet.c: sizes, runs, refusals; values are compared with the
 * original's in tests/oracle/test_recorded_garden.c. */
#include "tests/unit/train/image_model.h"

/* With 1000 classes the papers' networks: 4.2, 3.5, 5.4 and 2.5 million. */
static void test_sizes(void **state)
{
    static const struct {
        struct image_case p;
        int64_t values;
        int variables;
    } rows[] = {
        {{"mg_mobilenet", "mg_mobilenet_imagenet", "model_id=MobileNetV1", 224, 3}, 4231976, 83},
        {{"mg_mobilenet", "mg_mobilenet_imagenet", "", 224, 3}, 3504872, 158},
        {{"mg_mobilenet", "mg_mobilenet_v3_large_imagenet", "", 224, 3}, 5483032, 174},
        {{"mg_mobilenet", "mg_mobilenet_v3_small_imagenet", "", 224, 3}, 2542856, 142},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        image_count(&rows[i].p, 1000, rows[i].values, rows[i].variables);
}

#define SMALL "learning_rate_schedule=constant,learning_rate_constant=0.001,filter_size_scale=0.25,"

static void test_runs(void **state)
{
    static const struct image_case nets[] = {
        {"mg_mobilenet", "mg_mobilenet_imagenet",
         SMALL "stochastic_depth_drop_rate=0.2,flat_stochastic_depth_drop_rate=false", 32, 3},
        {"mg_mobilenet", "mg_mobilenet_v3_small_imagenet", SMALL "dropout=0.1", 32, 3}};

    (void) state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        image_check_runs(&nets[i]);
}

static void test_refusals(void **state)
{
    static const struct image_refusal rows[] = {
        {{"mg_mobilenet", "mg_mobilenet_imagenet", "model_id=MobileNetV4ConvSmall", 32, 3},
         T2_EUNSUPPORTED,
         "there is no model_id=MobileNetV4ConvSmall; there are MobileNetV1"},
        {{"mg_mobilenet", "mg_mobilenet_imagenet", "filter_size_scale=0", 32, 3},
         T2_EUSAGE,
         "filter_size_scale=0 is not"},
        {{"mg_mobilenet", "mg_mobilenet_imagenet", "stochastic_depth_drop_rate=1", 32, 3},
         T2_EUSAGE,
         "stochastic_depth_drop_rate=1 is not"},
        {{"mg_mobilenet", "basic_1", "", 32, 3}, T2_EUSAGE, "mg_mobilenet"}};

    (void) state;
    image_check_refusals(rows, sizeof rows / sizeof *rows);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
