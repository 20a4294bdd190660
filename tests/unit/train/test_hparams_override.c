/* Tests of train/models/hparams_override.c: the grammar of --hparams. */
#include <string.h>

#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct mdl_hparams *fresh(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    const int64_t ints[] = {3, 4};
    const double floats[] = {0.5};

    assert_int_equal(mdl_hparams_new("transformer_base", &hp, &err), T2_OK);
    mdl_hp_set_ints(hp, "ints", ints, 2);
    mdl_hp_set_floats(hp, "floats", floats, 1);
    return hp;
}

static void test_accepted(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = fresh();
    size_t n;

    (void) state;
    assert_int_equal(mdl_hparams_override(hp, "", &err), T2_OK);
    assert_int_equal(
        mdl_hparams_override(hp,
                             "batch_size=1024,learning_rate_constant=0.5,"
                             "shared_embedding_and_softmax_weights=false, num_heads = -2 ,\t"
                             "learning_rate=1e3,use_pad_remover=0,mlperf_mode=7,optimizer=SGD,"
                             "ints=[1, 2,,3],floats=[],pos=,max_length=+5,",
                             &err),
        T2_OK);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 1024);
    assert_true(mdl_hp_float(hp, "learning_rate_constant") == 0.5);
    assert_false(mdl_hp_bool(hp, "shared_embedding_and_softmax_weights"));
    assert_int_equal(mdl_hp_int(hp, "num_heads"), -2);
    assert_true(mdl_hp_float(hp, "learning_rate") == 1000.0);
    assert_false(mdl_hp_bool(hp, "use_pad_remover"));
    assert_true(mdl_hp_bool(hp, "mlperf_mode"));
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "SGD");
    assert_int_equal(mdl_hp_ints(hp, "ints", &n)[2], 3);
    assert_int_equal(n, 3);
    mdl_hp_floats(hp, "floats", &n);
    assert_int_equal(n, 0);
    assert_string_equal(mdl_hp_string(hp, "pos"), "");
    assert_int_equal(mdl_hp_int(hp, "max_length"), 5);
    mdl_hparams_free(hp);
}

static void test_floats_take_integers_and_stay_floats(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = fresh();

    (void) state;
    assert_int_equal(mdl_hparams_override(hp, "learning_rate=3", &err), T2_OK);
    assert_int_equal(mdl_hp_type_of(hp, "learning_rate"), MDL_HP_FLOAT);
    assert_true(mdl_hp_float(hp, "learning_rate") == 3.0);
    mdl_hparams_free(hp);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"batch_size=abc", "hparam 'batch_size' must be an integer, not 'abc'"},
        {"batch_size=1e3", "hparam 'batch_size' must be an integer, not '1e3'"},
        {"batch_size=1024.0", "hparam 'batch_size' must be an integer, not '1024.0'"},
        {"batch_size=", "hparam 'batch_size' must be an integer, not ''"},
        {"batch_size=99999999999999999999", "must be an integer, not '99999999999999999999'"},
        {"learning_rate=fast", "hparam 'learning_rate' must be a number, not 'fast'"},
        {"learning_rate=nan", "hparam 'learning_rate' must be a number, not 'nan'"},
        {"learning_rate=0.1.2", "hparam 'learning_rate' must be a number, not '0.1.2'"},
        {"mlperf_mode=yes", "hparam 'mlperf_mode' must be true or false, not 'yes'"},
        {"mlperf_mode=TRUE", "hparam 'mlperf_mode' must be true or false, not 'TRUE'"},
        {"bach_size=3", "has no hparam 'bach_size'; did you mean 'batch_size'?"},
        {"qqqqqqqqqqqqqqqqq=3", "hparams set 'transformer_base' has no hparam 'qqqqqqqqqqqqqqqqq'"},
        {"batch_size=1,batch_size=2", "hparam 'batch_size' is given twice"},
        {"batch_size=[1,2]", "hparam 'batch_size' takes one value, not the list [1,2]"},
        {"ints=3", "hparam 'ints' must be a list like [1,2,3], not '3'"},
        {"ints=[1,x]", "hparam 'ints' must be a list of integers; 'x' is none"},
        {"floats=[1,0x]", "hparam 'floats' must be a list of numbers; '0x' is none"},
        {"ints[1]=3", "hparam 'ints' can only be set as a whole"},
        {"ints[x]=3", "cannot read hparams at 'ints[x]=3'"},
        {"ints=[1,2", "cannot read hparams at 'ints=[1,2'"},
        {"ints=[1,2]x", "cannot read hparams at 'ints=[1,2]x'"},
        {"learning_rate_minimum=0.1", "hparam 'learning_rate_minimum' cannot be set"},
        {"bottom=x", "hparam 'bottom' cannot be set: it is a map"},
        {"attention_dropout_broadcast_dims=0,1", "cannot read hparams at '1'"},
        {"batch_size", "cannot read hparams at 'batch_size': expected name=value"},
        {"batch_size 3", "cannot read hparams at 'batch_size 3'"},
        {"=3", "cannot read hparams at '=3'"},
        {",", "cannot read hparams at ','"},
        {"batch_size=1,,max_length=2", "cannot read hparams at ',max_length=2'"},
        {"pos=a[1]", "cannot read hparams at 'pos=a[1]'"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp = fresh();

        assert_int_equal(mdl_hparams_override(hp, cases[i].text, &err), T2_EUSAGE);
        t_assert_contains(err.message, cases[i].message);
        mdl_hparams_free(hp);
    }
}

static void test_refused_changes_nothing(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = fresh();

    (void) state;
    assert_int_equal(mdl_hparams_override(hp, "batch_size=7,pos=emb,ints=[9],num_heads=x", &err),
                     T2_EUSAGE);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 4096);
    assert_string_equal(mdl_hp_string(hp, "pos"), "timing");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_accepted), cmocka_unit_test(test_floats_take_integers_and_stay_floats),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_refused_changes_nothing))
