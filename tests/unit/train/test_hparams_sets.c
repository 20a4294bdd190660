/* Tests of train/models/hparams_sets.c: names, inheritance, the TPU conversion. */
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

/* Errors in a table are assertions: building every set finds them. */
static void test_every_set_can_be_built(void **state)
{
    (void) state;
    assert_true(mdl_hparams_count() > 80);
    for (size_t i = 0; i < mdl_hparams_count(); i++) {
        struct mdl_hparams *hp = new_set(mdl_hparams_name(i));

        assert_true(mdl_hp_int(hp, "batch_size") > 0);
        if (i > 0)
            assert_true(strcmp(mdl_hparams_name(i - 1), mdl_hparams_name(i)) < 0);
        mdl_hparams_free(hp);
    }
}

static void test_unknown(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_bas", &hp, &err), T2_EUSAGE);
    assert_null(hp);
    t_assert_contains(err.message, "unknown hparams set 'transformer_bas'; did you mean "
                                   "'transformer_base'?; --registry_help lists all");
    assert_int_equal(mdl_hparams_new("zzzzzzzz", &hp, &err), T2_EUSAGE);
    assert_string_equal(err.message, "unknown hparams set 'zzzzzzzz'; --registry_help lists all");
}

static void test_tpu_conversion(void **state)
{
    struct mdl_hparams *hp = new_set("transformer_tpu");

    (void) state;
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "Adafactor");
    assert_string_equal(mdl_hp_string(hp, "attention_dropout_broadcast_dims"), "0,1");
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 2048);
    assert_int_equal(mdl_hp_int(hp, "max_length"), 64);
    mdl_hparams_free(hp);
    hp = new_set("transformer_timeseries_tpu"); /* smaller batches stay */
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 256);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_every_set_can_be_built), cmocka_unit_test(test_unknown),
       cmocka_unit_test(test_tpu_conversion))
