/*
 * Tests of train/experiment/experiments.c and the tables of fields: names, defaults that the
 * specification lists, notes.  All defaults against the real program:
 * tests/e2e/experiment_params.sh.
 */
#include "train/experiment/experiments.h"

#include <string.h>

#include "tests/support/t.h"
#include "train/experiment/params_override.h"

static struct t2_err err;

static struct exp_config *open(const char *name)
{
    const struct exp_experiment *e = NULL;
    struct exp_config *c = NULL;

    assert_int_equal(exp_find(name, &e, &err), T2_OK);
    assert_string_equal(e->name, name);
    assert_int_equal(exp_new(e, &c, &err), T2_OK);
    return c;
}

static void test_resnet_imagenet(void **state)
{
    struct exp_config *c = open("resnet_imagenet");
    const struct exp_value *v =
        exp_config_get(c, "trainer.optimizer_config.learning_rate.stepwise.boundaries");

    (void) state;
    assert_int_equal(exp_config_int(c, "task.model.num_classes"), 1001);
    assert_int_equal(exp_config_int(c, "trainer.train_steps"), 28080);
    assert_int_equal(exp_config_int(c, "trainer.validation_steps"), 12);
    assert_int_equal(v->n, 3);
    assert_int_equal(v->items[2].i, 24960);
    assert_true(exp_config_bool(c, "task.train_data.is_training"));
    assert_false(exp_config_bool(c, "task.validation_data.is_training"));
    assert_string_equal(exp_config_string(c, "task.validation_data.input_path"),
                        "imagenet-2012-tfrecord/valid*");
    exp_config_free(c);
}

static void test_wmt(void **state)
{
    struct exp_config *c = open("wmt_transformer/large");

    (void) state;
    assert_int_equal(exp_config_int(c, "task.train_data.global_batch_size"), 24576);
    assert_int_equal(exp_config_int(c, "task.model.decoder.num_attention_heads"), 16);
    assert_true(exp_config_number(c, "trainer.optimizer_config.optimizer.adam.epsilon") == 1e-9);
    assert_true(exp_config_is_null(c, "task.sentencepiece_model_path"));
    assert_int_equal(exp_override(c, "task.model.encoder.activation=relu", &err), T2_OK);
    assert_int_equal(exp_override(c, "task.model.encoder.activation=gelu", &err), T2_EUNSUPPORTED);
    exp_config_free(c);
}

/* The experiment's own defaults are what FIXED fields may be, here another than the field's. */
static void test_own_defaults(void **state)
{
    struct exp_config *c = open("vit_imagenet_pretrain");

    (void) state;
#define DECAYS "trainer.optimizer_config.optimizer.adamw.include_in_weight_decay="
    assert_int_equal(exp_override(c, DECAYS "'.*(kernel|weight):0$'", &err), T2_OK);
    assert_int_equal(exp_override(c, DECAYS "null", &err), T2_EUNSUPPORTED);
    exp_config_free(c);
}

static void count_field(void *context, int depth, const char *name, const char *path,
                        const struct exp_field *field, const struct exp_value *value, bool changed)
{
    int *n = context;

    (void) depth;
    (void) name;
    assert_false(changed);
    if (!field)
        return;
    assert_non_null(value);
    if (field->note[0] == '\0')
        fail_msg("%s has no note", path);
    ++*n;
}

static void test_every_experiment(void **state)
{
    (void) state;
    for (size_t i = 0; i < exp_count(); i++) {
        struct exp_config *c = open(exp_at(i)->name);
        int n = 0;

        exp_config_visit(c, count_field, &n);
        assert_true(n > 30);
        exp_config_free(c);
    }
}

static void test_names(void **state)
{
    const struct exp_experiment *e;

    (void) state;
    assert_int_equal(exp_find("resnet_imagnet", &e, &err), T2_EUSAGE);
    t_assert_contains(err.message, "did you mean 'resnet_imagenet'?");
    assert_int_equal(exp_find("something", &e, &err), T2_EUSAGE);
    assert_int_equal(exp_find("revnet_imagenet", &e, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "--experiment=revnet_imagenet is not built; there are");
}

T_MAIN(cmocka_unit_test(test_resnet_imagenet), cmocka_unit_test(test_wmt),
       cmocka_unit_test(test_own_defaults), cmocka_unit_test(test_every_experiment),
       cmocka_unit_test(test_names))
