/* Tests of train/models/hparams_extra.c: in no set until given, then kept. */
#include "tests/support/t.h"
#include "train/models/hparams.h"
#include "train/models/hparams_store.h"

static struct t2_err err;

static void test_absent_until_given(void **state)
{
    struct mdl_hparams *hp = NULL, *again = NULL;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0};
    struct t2_json json;

    (void) state;
    for (size_t s = 0; s < mdl_hparams_count(); s++) {
        assert_int_equal(mdl_hparams_new(mdl_hparams_name(s), &hp, &err), T2_OK);
        for (size_t i = 0; i < mdl_hparams_extra_count(); i++)
            assert_true(mdl_hp_type_of(hp, mdl_hparams_extra_name(i)) ==
                        mdl_hparams_extra(mdl_hparams_extra_name(i))->type);
        mdl_hparams_free(hp);
    }
    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_false(mdl_hp_has(hp, "optimizer_rms_prop_rho"));
    assert_true(mdl_hp_float(hp, "optimizer_rms_prop_rho") == 0.9);
    assert_string_equal(mdl_hp_string(hp, "optimizer_lars_skip"), "batch_normalization+bias");
    assert_int_equal(mdl_hparams_override(hp, "optimizer_rms_prop_rho=0.5,optimizer_lars_skip=x",
                                          &err),
                     T2_OK);
    assert_true(mdl_hp_float(hp, "optimizer_rms_prop_rho") == 0.5);

    t2_json_init(&json, &text, 0);
    mdl_hparams_write_json(hp, &json);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "x", &doc, &err), T2_OK);
    assert_int_equal(mdl_hparams_new("transformer_tiny", &again, &err), T2_OK);
    assert_int_equal(mdl_hparams_read_json(again, t2_json_root(doc), &err), T2_OK);
    assert_true(mdl_hp_float(again, "optimizer_rms_prop_rho") == 0.5);
    assert_string_equal(mdl_hp_string(again, "optimizer_lars_skip"), "x");
    assert_false(mdl_hp_has(again, "optimizer_lars_eeta"));
    t2_json_free(doc);
    t2_buf_release(&text);
    mdl_hparams_free(hp);
    mdl_hparams_free(again);
}

static void test_refused(void **state)
{
    struct mdl_hparams *hp = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "optimizer_rms_prop_rho=x", &err), T2_EUSAGE);
    t_assert_contains(err.message, "must be a number");
    assert_int_equal(mdl_hparams_override(hp, "optimizer_lars_eta=1", &err), T2_EUSAGE);
    t_assert_contains(err.message, "did you mean 'optimizer_lars_eeta'?");
    assert_false(mdl_hp_has(hp, "optimizer_rms_prop_rho"));
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_absent_until_given), cmocka_unit_test(test_refused))
