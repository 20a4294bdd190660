/* Tests of train/models/record_net.c, which has no original: that it trains, what its views are,
 * and what it refuses. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/train/image_model.h"

static void test_model(void **state)
{
    static const struct image_case cifar = {"record_net", "record_net", "", 32, 3};
    static const struct image_case small = {"record_net", "record_net",
                                            "filter_sizes=[8,16,16],learning_rate_warmup_steps=1,"
                                            "learning_rate_decay_steps=1000",
                                            20, 3};
    static const struct image_case grey = {"record_net", "record_net_mnist", "filter_sizes=[8,8,8]",
                                           20, 1};

    (void) state;
    /* whiten/bias 24; convolutions 24 64, 64 64, 64 256, 256 256 three times; beta of each norm;
     * dense */
    image_count(&cifar, 10,
                24 + 9 * (24 * 64 + 64 * 64 + 64 * 256 + 3 * 256 * 256) + (2 * 64 + 4 * 256) + 2570,
                15);
    image_check_runs(&small);
    image_check_runs(&grey);
}

static void test_refused(void **state)
{
    static const struct image_case tiny = {"record_net", "record_net", "", 16, 3};
    static const struct image_case short_list = {"record_net", "record_net", "filter_sizes=[8,8]",
                                                 32, 3};
    static const struct image_case views = {"record_net", "record_net", "eval_views=3", 32, 3};

    (void) state;
    image_refused(&tiny, T2_EUNSUPPORTED, "at least 17 x 17 pixels");
    image_refused(&short_list, T2_EUSAGE, "needs 3 entries");
    image_refused(&views, T2_EUSAGE, "must be 1, 2 or 6, not 3");
}

enum { SIDE = 20, PIXELS = SIDE * SIDE * 3 };

/* The logits of one image by a fresh model of seed 5. */
static void logits_of(const char *overrides, const float *image, float logits[IMAGE_CLASSES])
{
    struct mdl_problem problem = image_problem(SIDE, 3);
    struct mdl_hparams *hp = image_hparams("record_net", overrides);
    struct mdl_batch batch = {.batch = 1,
                              .height = SIDE,
                              .width = SIDE,
                              .channels = 3,
                              .images = image,
                              .targets = (const int32_t[]){0},
                              .targets_length = 1};
    struct t2_err err = T2_ERR_INIT;
    struct dev *dev = NULL;
    struct mdl *m = NULL;

    assert_int_equal(dev_open("reference", 1, &dev, &err), T2_OK);
    if (mdl_new("record_net", dev, hp, &problem, MDL_EVAL, &m, &err) != T2_OK ||
        mdl_initialise(m, 5, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (mdl_class_logits(m, &batch, logits, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

/* y[i][j] = x[i + by][j + by], 0 beyond the edge; mirrored after that. */
static void moved(const float *x, int by, bool mirror, float *y)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int c = 0; c < 3; c++) {
                int si = i + by, sj = (mirror ? SIDE - 1 - j : j) + by;
                bool inside = si >= 0 && si < SIDE && sj >= 0 && sj < SIDE;

                y[(i * SIDE + j) * 3 + c] = inside ? x[(si * SIDE + sj) * 3 + c] : 0.0f;
            }
}

static void test_views(void **state)
{
    static const char *const filters = "filter_sizes=[8,8,8],eval_views=";
    static const int moves[] = {0, 0, 1, 1, -1, -1};
    static const double weights[] = {0.25, 0.25, 0.125, 0.125, 0.125, 0.125};
    float x[PIXELS], view[PIXELS], one[IMAGE_CLASSES], of_two[IMAGE_CLASSES];
    float of_six[IMAGE_CLASSES];
    double two[IMAGE_CLASSES] = {0}, six[IMAGE_CLASSES] = {0}, spread = 0.0;
    char single[64], both[64], all[64];

    (void) state;
    snprintf(single, sizeof single, "%s1", filters);
    snprintf(both, sizeof both, "%s2", filters);
    snprintf(all, sizeof all, "%s6", filters);
    t_fill(x, PIXELS, 9);
    for (int v = 0; v < 6; v++) {
        moved(x, moves[v], v % 2 == 1, view);
        logits_of(single, view, one);
        for (int k = 0; k < IMAGE_CLASSES; k++) {
            six[k] += weights[v] * (double) one[k];
            two[k] += v < 2 ? 0.5 * (double) one[k] : 0.0;
        }
    }
    logits_of(both, x, of_two);
    logits_of(all, x, of_six);
    for (int k = 0; k < IMAGE_CLASSES; k++) {
        assert_true(fabs((double) of_two[k] - two[k]) < 1e-6);
        assert_true(fabs((double) of_six[k] - six[k]) < 1e-6);
        spread = fmax(spread, fabs(six[k] - two[k]));
    }
    assert_true(spread > 1e-4); /* the views do differ */
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_refused), cmocka_unit_test(test_views))
