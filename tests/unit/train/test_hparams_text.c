/* Tests of train/models/hparams_text.c; complete sets are compared with the original's in
 * tests/oracle/test_recorded_hparams.c. */
#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct mdl_hparams *set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

static void test_attention_lm(void **state)
{
    struct mdl_hparams *base = set("attention_lm_base"), *full;

    (void) state;
    full = set("attention_lm_translation_full_attention");
    assert_int_equal(mdl_hp_int(base, "hidden_size"), 1024);
    assert_string_equal(mdl_hp_string(base, "layer_postprocess_sequence"), "dan");
    assert_string_equal(mdl_hp_string(base, "prepend_mode"), "none");
    assert_string_equal(mdl_hp_string(full, "prepend_mode"), "prepend_inputs_full_attention");
    assert_int_equal(mdl_hp_int(full, "max_length"), 512);
    assert_false(mdl_hp_has(base, "proximity_bias"));
    mdl_hparams_free(base);
    mdl_hparams_free(full);
}

static void test_lstm(void **state)
{
    struct mdl_hparams *hp = set("lstm_seq2seq");

    (void) state;
    assert_int_equal(mdl_hp_int(hp, "hidden_size"), 128);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 1024);
    assert_true(mdl_hp_float(hp, "weight_decay") == 0.0);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_attention_lm), cmocka_unit_test(test_lstm))
