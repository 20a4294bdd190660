/* Tests of train/models/garden_vit.c: sizes, runs, refusals; values are compared with the
 * original's in tests/oracle/test_recorded_garden.c. */
#include "tests/unit/train/image_model.h"

/* ViT-B/16 of 1000 classes has 86,567,656 values; ViT-Ti/16 5,717,416. */
static void test_sizes(void **state)
{
    int64_t D = 768, R = 6;

    (void) state;
    image_count(&(struct image_case){"mg_vit", "mg_vit_b16", "", 224, 3}, 1000, 86567656, 200);
    image_count(&(struct image_case){"mg_vit", "mg_vit_ti16", "", 224, 3}, 1000, 5717416, 200);
    /* no token and no place for it; another dense layer */
    image_count(&(struct image_case){"mg_vit", "mg_vit_b16", "pooler=gap,representation_size=6",
                                     224, 3},
                1000, 86567656 - 2 * D + (D + 1) * R - (D - R) * 1000, 201);
}

#define SMALL                                                                                      \
    "patch_size=4,hidden_size=8,filter_size=12,num_heads=2,num_hidden_layers=2,"                   \
    "learning_rate_schedule=constant,learning_rate_constant=0.1,"

static void test_runs(void **state)
{
    static const struct image_case nets[] = {
        {"mg_vit", "mg_vit_ti16", SMALL "layer_prepostprocess_dropout=0.1,attention_dropout=0.1", 8,
         3},
        {"mg_vit", "mg_vit_ti16",
         SMALL "pooler=gap,original_init=false,representation_size=5,dropout=0.1,"
               "stochastic_depth_drop_rate=0.2",
         8, 3}};

    (void) state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        image_check_runs(&nets[i]);
}

static void test_refusals(void **state)
{
    static const struct image_refusal rows[] = {
        {{"mg_vit", "mg_vit_ti16", "", 8, 3},
         T2_EUSAGE,
         "patches of 16 x 16 do not fit images of 8"},
        {{"mg_vit", "mg_vit_ti16", "patch_size=4,hidden_size=8", 8, 3},
         T2_EUSAGE,
         "no multiple of num_heads"},
        {{"mg_vit", "mg_vit_ti16", SMALL "pooler=none", 8, 3},
         T2_EUNSUPPORTED,
         "pooler=none is neither"},
        {{"mg_vit", "mg_vit_ti16", SMALL "representation_size=-1", 8, 3},
         T2_EUSAGE,
         "representation_size is not"},
        {{"mg_vit", "mg_vit_ti16", SMALL "stochastic_depth_drop_rate=1", 8, 3},
         T2_EUSAGE,
         "stochastic_depth_drop_rate=1 is not"}};

    (void) state;
    image_check_refusals(rows, sizeof rows / sizeof *rows);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
