/* Tests of train/models/hparams_sets.c: names, inheritance, the TPU conversion. */
#include <string.h>

#include "tests/support/t.h"
#include "train/models/hparams_store.h"

static struct mdl_hparams *new_set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

/* Errors in a table are failures: building every set finds them. */
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

static bool is_declaring(const char *set, const char *hparam)
{
    const char *name;

    for (size_t i = 0; (name = mdl_hparams_declaring(hparam, &i));) {
        if (strcmp(name, set) == 0)
            return true;
    }
    return false;
}

/* An hparam that its parent has not, or has with another type, is one that a set declares. */
static void test_declaring(void **state)
{
    size_t found = 0, i = 0;

    (void) state;
    for (size_t s = 0; s < mdl_hparams_count(); s++) {
        const char *set = mdl_hparams_name(s), *parent = mdl_hparams_parent(set);
        struct mdl_hparams *hp = new_set(set), *above = parent ? new_set(parent) : NULL;

        for (size_t k = 0; k < hp->n; k++) {
            const struct mdl_value *v = above ? mdl_hparams_find(above, hp->entries[k].name) : NULL;

            if (v && v->type == hp->entries[k].value.type)
                continue;
            found++;
            if (!is_declaring(set, hp->entries[k].name))
                fail_msg("%s of %s", hp->entries[k].name, set);
        }
        mdl_hparams_free(hp);
        mdl_hparams_free(above);
    }
    assert_true(found > 500);
    assert_null(mdl_hparams_declaring("hidden", &i)); /* of hidden_size */
    assert_int_equal(i, mdl_hparams_count());
    i = 0;
    assert_string_equal(mdl_hparams_declaring("hidden_size", &i), "basic_1");
    assert_null(mdl_hparams_declaring("hidden_size", &i));
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

/* ---- sets of plug-ins ---- */

static void refused(const char *name, const char *parent, const char *changes, const char *words)
{
    struct t2_err err = T2_ERR_INIT;
    size_t n = mdl_hparams_count();

    assert_int_not_equal(mdl_hparams_register(name, parent, changes, &err), T2_OK);
    t_assert_contains(err.message, words);
    assert_int_equal(mdl_hparams_count(), n);
}

static void test_register(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    size_t n = mdl_hparams_count();
    struct mdl_hparams *hp;
    const int64_t *ints;

    (void) state;
    assert_int_equal(mdl_hparams_register("aa_own", "basic_1",
                                          "hidden_size=7;own_width:float=1.5;own_name:string=x;"
                                          "own_flag:bool=true;own_n:int=3",
                                          &err),
                     T2_OK);
    assert_int_equal(mdl_hparams_register("zz_own", "aa_own", "own_name=@null;own_n=4", &err),
                     T2_OK);
    assert_int_equal(mdl_hparams_count(), n + 2);
    assert_string_equal(mdl_hparams_name(0), "aa_own");
    assert_string_equal(mdl_hparams_name(n + 1), "zz_own");
    assert_string_equal(mdl_hparams_family("zz_own"), "aa_own");
    hp = new_set("zz_own");
    assert_int_equal(mdl_hp_int(hp, "hidden_size"), 7);
    assert_int_equal(mdl_hp_int(hp, "own_n"), 4);
    assert_true(mdl_hp_bool(hp, "own_flag"));
    assert_true(mdl_hp_float(hp, "own_width") == 1.5);
    assert_true(mdl_hp_is_null(hp, "own_name"));
    mdl_hparams_free(hp);
    assert_int_equal(mdl_hparams_register("own_filters", "resnet_50", "layer_sizes=[1,2]", &err),
                     T2_OK);
    hp = new_set("own_filters");
    ints = mdl_hp_ints(hp, "layer_sizes", &n);
    assert_int_equal(n, 2);
    assert_int_equal(ints[1], 2);
    mdl_hparams_free(hp);

    refused("Big", "basic_1", "", "hparams set 'Big': a name has small letters");
    refused("basic_1", "basic_1", "", "there is an hparams set 'basic_1' already");
    refused("b", "basic_9", "", "hparams set 'b' needs a parent that is registered, not 'basic_9'");
    refused("b", "basic_1", "hidden_size", "hparams set 'b': 'hidden_size' is no name=value");
    refused("b", "basic_1", "hidden_size=x", "hparams set 'b'");
    refused("b", "basic_1", "own=1", "there is no hparam 'own' in the parent; a new one is");
    refused("b", "basic_1", "own:real=1", "'own': int, float, bool or string, not 'real'");
    refused("b", "basic_1", "hidden_size:float=1", "'hidden_size' has another type already");
    refused("b", "basic_1", "hidden_size=@null", "'hidden_size' is neither a number with a point");
    refused("b", "resnet_50", "layer_sizes=1", "'layer_sizes' is a list, [1,2], not '1'");
}

T_MAIN(cmocka_unit_test(test_every_set_can_be_built), cmocka_unit_test(test_declaring),
       cmocka_unit_test(test_unknown), cmocka_unit_test(test_tpu_conversion),
       cmocka_unit_test(test_register))
