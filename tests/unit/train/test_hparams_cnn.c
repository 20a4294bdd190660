/* Tests of train/models/hparams_cnn.c against spec t2t-trainer.md §5; complete sets are compared
 * with recorded ones in tests/oracle/test_recorded_hparams.c. */
#include <string.h>

#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct mdl_hparams *new_set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

static void test_resnet_sets(void **state)
{
    static const struct {
        const char *set, *block;
        int64_t layers[4];
        size_t n;
    } rows[] = {{"resnet_50", "bottleneck", {3, 4, 6, 3}, 4},
                {"resnet_18", "residual", {2, 2, 2, 2}, 4},
                {"resnet_34", "residual", {3, 4, 6, 3}, 4},
                {"resnet_101", "bottleneck", {3, 4, 23, 3}, 4},
                {"resnet_152", "bottleneck", {3, 8, 36, 3}, 4},
                {"resnet_200", "bottleneck", {3, 24, 36, 3}, 4},
                {"resnet_imagenet_34", "residual", {2, 4, 8, 2}, 4},
                {"resnet_imagenet_102", "residual", {3, 8, 36, 3}, 4},
                {"resnet_cifar_15", "residual", {2, 2, 2, 0}, 3},
                {"resnet_cifar_32", "residual", {5, 5, 5, 0}, 3}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = new_set(rows[i].set);
        const int64_t *layers, *filters;
        size_t n;

        layers = mdl_hp_ints(hp, "layer_sizes", &n);
        assert_int_equal(n, rows[i].n);
        assert_memory_equal(layers, rows[i].layers, n * sizeof *layers);
        filters = mdl_hp_ints(hp, "filter_sizes", &n);
        assert_int_equal(n, rows[i].n + 1);
        assert_int_equal(filters[1], rows[i].n == 3 ? 32 : 64);
        assert_string_equal(mdl_hp_string(hp, "block_fn"), rows[i].block);
        assert_int_equal(mdl_hp_bool(hp, "is_cifar"), rows[i].n == 3);
        assert_false(mdl_hp_bool(hp, "use_td"));
        assert_true(mdl_hp_float(hp, "label_smoothing") == 0.1);
        assert_true(mdl_hp_bool(hp, "optimizer_momentum_nesterov"));
        mdl_hparams_free(hp);
    }
}

/* What is None or false in the parent has another type in these. */
static void test_targeted_dropout(void **state)
{
    struct mdl_hparams *hp = new_set("resnet_cifar_32_td_weight_05_05");
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_string_equal(mdl_hp_string(hp, "use_td"), "weight");
    assert_true(mdl_hp_float(hp, "targeting_rate") == 0.5);
    assert_true(mdl_hp_float(hp, "keep_prob") == 0.5);
    mdl_hparams_free(hp);
    hp = new_set("resnet_imagenet_34_td_unit_no_drop");
    assert_true(mdl_hp_float(hp, "keep_prob") == 1.0);
    mdl_hparams_free(hp);
    hp = new_set("resnet_18");
    assert_int_equal(mdl_hparams_override(hp, "targeting_rate=0.5", &err), T2_EUSAGE);
    assert_int_equal(mdl_hparams_override(hp, "layer_sizes=[1,2,1,1]", &err), T2_OK);
    mdl_hparams_free(hp);
}

static void test_others(void **state)
{
    struct mdl_hparams *hp = new_set("shakeshake_tpu");

    (void) state;
    assert_int_equal(mdl_hp_int(hp, "hidden_size"), 96);
    assert_int_equal(mdl_hp_int(hp, "shake_shake_num_branches"), 2);
    assert_int_equal(mdl_hp_int(hp, "learning_rate_cosine_cycle_steps"), 180000);
    mdl_hparams_free(hp);
    hp = new_set("xception_tiny");
    assert_true(mdl_hp_float(hp, "weight_decay") == 3.0);
    assert_string_equal(mdl_hp_string(hp, "initializer"), "orthogonal");
    mdl_hparams_free(hp);
    hp = new_set("tpu_resnet_50_lars");
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "lars");
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 32768);
    assert_true(mdl_hp_float(hp, "label_smoothing") == 0.1);
    mdl_hparams_free(hp);
    hp = new_set("flowers_cnn_batch_norm");
    assert_true(mdl_hp_bool(hp, "batch_norm"));
    assert_int_equal(mdl_hp_int(hp, "ksize1"), 5);
    assert_true(mdl_hp_float(hp, "dropout") == 0.25);
    mdl_hparams_free(hp);
    hp = new_set("mg_resnet_imagenet");
    assert_true(mdl_hp_float(hp, "learning_rate_constant") == 1.6);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_resnet_sets), cmocka_unit_test(test_targeted_dropout),
       cmocka_unit_test(test_others))
