/* Tests of train/models/hparams.c: typed store, copies, JSON. */
#include "train/models/hparams.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "tests/support/t.h"

static struct mdl_hparams *new_set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

static void test_values_and_types(void **state)
{
    struct mdl_hparams *hp = new_set("basic_1");

    (void) state;
    assert_string_equal(mdl_hparams_set_name(hp), "basic_1");
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 4096);
    assert_true(mdl_hp_float(hp, "batch_size") == 4096.0); /* ints read as floats */
    assert_true(mdl_hp_float(hp, "learning_rate") == 0.1);
    assert_false(mdl_hp_bool(hp, "use_fixed_batch_size"));
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "adam");
    assert_int_equal(mdl_hp_type_of(hp, "learning_rate_minimum"), MDL_HP_NONE);
    assert_int_equal(mdl_hp_type_of(hp, "bottom"), MDL_HP_MAP);
    assert_true(mdl_hp_has(hp, "weights_fn"));
    assert_false(mdl_hp_has(hp, "num_heads"));
    mdl_hparams_free(hp);
    mdl_hparams_free(NULL);
}

static void test_set_keeps_type_and_declares(void **state)
{
    struct mdl_hparams *hp = new_set("basic_1");
    const int64_t ints[] = {3, 4, 6};
    const double floats[] = {0.5};
    size_t n = 0;

    (void) state;
    mdl_hp_set_int(hp, "learning_rate", 2); /* a float stays a float */
    assert_int_equal(mdl_hp_type_of(hp, "learning_rate"), MDL_HP_FLOAT);
    assert_true(mdl_hp_float(hp, "learning_rate") == 2.0);
    mdl_hp_set_string(hp, "optimizer", NULL);
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "None");
    mdl_hp_set_string(hp, "optimizer", "sgd");
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "sgd");
    mdl_hp_set_bool(hp, "a_new_one", true);
    assert_true(mdl_hp_bool(hp, "a_new_one"));
    mdl_hp_set_ints(hp, "layer_sizes", ints, 3);
    assert_int_equal(mdl_hp_ints(hp, "layer_sizes", &n)[2], 6);
    assert_int_equal(n, 3);
    mdl_hp_set_floats(hp, "multiples", floats, 1);
    mdl_hp_set_floats(hp, "multiples", NULL, 0);
    mdl_hp_floats(hp, "multiples", &n);
    assert_int_equal(n, 0);
    mdl_hparams_free(hp);
}

static void test_copy_is_deep(void **state)
{
    struct mdl_hparams *hp = new_set("transformer_tiny"), *copy;
    const int64_t ints[] = {1, 2};
    size_t n;

    (void) state;
    mdl_hp_set_ints(hp, "list", ints, 2);
    copy = mdl_hparams_copy(hp);
    mdl_hp_set_string(hp, "optimizer", "sgd");
    mdl_hp_set_ints(hp, "list", ints, 1);
    mdl_hparams_free(hp);
    assert_string_equal(mdl_hp_string(copy, "optimizer"), "adam");
    assert_int_equal(mdl_hp_ints(copy, "list", &n)[1], 2);
    assert_int_equal(n, 2);
    assert_string_equal(mdl_hparams_set_name(copy), "transformer_tiny");
    mdl_hparams_free(copy);
}

static void test_for_eval(void **state)
{
    struct mdl_hparams *hp = new_set("transformer_base");

    (void) state;
    mdl_hparams_for_eval(hp);
    assert_true(mdl_hp_float(hp, "dropout") == 0.0);
    assert_true(mdl_hp_float(hp, "attention_dropout") == 0.0);
    assert_true(mdl_hp_float(hp, "layer_prepostprocess_dropout") == 0.0);
    assert_true(mdl_hp_float(hp, "label_smoothing") == 0.0);
    assert_true(mdl_hp_float(hp, "learning_rate") == 0.2);
    assert_string_equal(mdl_hp_string(hp, "relu_dropout_broadcast_dims"), "");
    mdl_hparams_free(hp);
}

static char *to_json(const struct mdl_hparams *hp)
{
    struct t2_buf b = {0};
    struct t2_json j;

    t2_json_init(&j, &b, 0);
    mdl_hparams_write_json(hp, &j);
    return t2_buf_detach(&b);
}

static enum t2_status from_json(struct mdl_hparams *hp, const char *text, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err ignored = T2_ERR_INIT;
    enum t2_status st;

    assert_int_equal(t2_json_parse(text, strlen(text), "test", &doc, &ignored), T2_OK);
    st = mdl_hparams_read_json(hp, t2_json_root(doc), err);
    t2_json_free(doc);
    return st;
}

static void test_json_there_and_back(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = new_set("transformer_relative"),
                       *other = new_set("transformer_relative");
    const double floats[] = {0.1, 1.0 / 3.0, 1e-30};
    char *text, *again;

    (void) state;
    mdl_hp_set_float(hp, "learning_rate", 1.0 / 3.0);
    mdl_hp_set_floats(hp, "zz_floats", floats, 3);
    mdl_hp_set_int(hp, "batch_size", INT64_MAX);
    mdl_hp_set_string(hp, "moe_hidden_sizes", "a\"b,\xc3\xa4");
    mdl_hp_set_floats(other, "zz_floats", floats, 1);
    mdl_hp_set_string(other, "pos", "timing");
    text = to_json(hp);
    assert_true(strstr(text, "\"pos\":null") || strstr(text, "\"pos\": null"));
    assert_int_equal(from_json(other, text, &err), T2_OK);
    again = to_json(other);
    assert_string_equal(text, again);
    t2_free(text);
    t2_free(again);
    mdl_hparams_free(hp);
    mdl_hparams_free(other);
}

static void test_json_is_sorted(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = new_set("transformer_base");
    struct t2_json_doc *doc = NULL;
    char *text = to_json(hp);

    (void) state;
    assert_int_equal(t2_json_parse(text, strlen(text), "test", &doc, &err), T2_OK);
    for (size_t i = 1; i < t2_json_size(t2_json_root(doc)); i++)
        assert_true(strcmp(t2_json_member(t2_json_root(doc), i - 1, NULL),
                           t2_json_member(t2_json_root(doc), i, NULL)) < 0);
    t2_json_free(doc);
    t2_free(text);
    mdl_hparams_free(hp);
}

static void test_json_errors(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[]", "hparams must be a JSON object, not a list"},
        {"{\"batch_size\": \"x\"}", "hparam 'batch_size' must be an integer, not a string"},
        {"{\"batch_size\": 1.5}", "hparam 'batch_size' must be an integer, not a number with"},
        {"{\"batch_size\": null}", "hparam 'batch_size' must be an integer, not null"},
        {"{\"learning_rate\": true}", "hparam 'learning_rate' must be a number, not a boolean"},
        {"{\"mlperf_mode\": 2}", "hparam 'mlperf_mode' must be a boolean, not an integer"},
        {"{\"optimizer\": {}}", "hparam 'optimizer' must be a string, not an object"},
        {"{\"learning_rate_minimum\": 3}", "hparam 'learning_rate_minimum' must be null"},
        {"{\"ints\": 3}", "hparam 'ints' must be a list, not an integer"},
        {"{\"ints\": [1, 2.5]}", "hparam 'ints' must be a list of integers"},
        {"{\"floats\": [1, \"x\"]}", "hparam 'floats' must be a list of numbers"},
    };
    const int64_t one = 1;
    const double half = 0.5;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp = new_set("basic_1");

        mdl_hp_set_ints(hp, "ints", &one, 1);
        mdl_hp_set_floats(hp, "floats", &half, 1);
        assert_int_equal(from_json(hp, cases[i].text, &err), T2_EFORMAT);
        t_assert_contains(err.message, cases[i].message);
        mdl_hparams_free(hp);
    }
}

static void test_json_skips_unknown_and_maps(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = new_set("basic_1");

    (void) state;
    assert_int_equal(from_json(hp,
                               "{\"train_steps\": 300, \"bottom\": {\"x\": 1}, \"top\": 3,"
                               " \"learning_rate\": 1, \"hidden_size\": 7, \"use_custom_ops\": 0}",
                               &err),
                     T2_OK);
    assert_true(mdl_hp_float(hp, "learning_rate") == 1.0);
    assert_int_equal(mdl_hp_int(hp, "hidden_size"), 7);
    assert_false(mdl_hp_bool(hp, "use_custom_ops")); /* the original writes such ones as integers */
    assert_false(mdl_hp_has(hp, "train_steps"));
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_values_and_types), cmocka_unit_test(test_set_keeps_type_and_declares),
       cmocka_unit_test(test_copy_is_deep), cmocka_unit_test(test_for_eval),
       cmocka_unit_test(test_json_there_and_back), cmocka_unit_test(test_json_is_sorted),
       cmocka_unit_test(test_json_errors), cmocka_unit_test(test_json_skips_unknown_and_maps))
