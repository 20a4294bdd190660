/*
 * Tests of train/runs/run_hparams.c: what a continued run may change, hparams.json.
 */
#include "train/runs/run_hparams.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "tests/support/t.h"

static struct t2_err err;

static struct mdl_hparams *choose_ok(const char *set, const char *overrides,
                                     const struct mdl_hparams *old, bool allow)
{
    struct mdl_hparams *hp = NULL;

    if (tr_hparams_choose(set, NULL, overrides, old, allow, &hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static void refused(const char *set, const char *overrides, const struct mdl_hparams *old,
                    bool allow, const char *says)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(tr_hparams_choose(set, NULL, overrides, old, allow, &hp, &err), T2_EUSAGE);
    assert_null(hp);
    t_assert_contains(err.message, says);
}

/* Parameters of a layer file are hparams: overridden, kept by a run that is continued. */
static void test_parameters_of_layers(void **state)
{
    static const char text[] = "parameters: {my_width: 4}\nlayers: [relu]\n";
    struct mdl_hparams *old = NULL, *hp = NULL;

    (void) state;
    assert_int_equal(tr_hparams_choose("flowers_cnn", text, "my_width=6", NULL, false, &old, &err),
                     T2_OK);
    assert_int_equal(mdl_hp_int(old, "my_width"), 6);
    assert_int_equal(tr_hparams_choose("flowers_cnn", text, "my_width=6", old, false, &hp, &err),
                     T2_OK);
    mdl_hparams_free(hp);
    hp = choose_ok("flowers_cnn", "my_width=6", old, false); /* the run's own text */
    assert_string_equal(mdl_hp_string(hp, "layer_file"), text);
    mdl_hparams_free(hp);
    refused("flowers_cnn", NULL, old, false, "my_width is 4, in the run it is 6");
    mdl_hparams_free(old);
}

/* An hparam that only this program has stands in a run only when it was given. */
static void test_an_hparam_of_ours(void **state)
{
    struct mdl_hparams *old = choose_ok("transformer_tiny", "sample_order=reference", NULL, false);
    struct mdl_hparams *without = choose_ok("transformer_tiny", NULL, NULL, false), *hp;

    (void) state;
    hp = choose_ok(NULL, NULL, old, false);
    assert_string_equal(mdl_hp_string(hp, "sample_order"), "reference");
    mdl_hparams_free(hp);
    refused("transformer_tiny", NULL, old, true, "sample_order is not given, in the run it is");
    refused("transformer_tiny", "sample_order=reference", without, true, "sample_order");
    mdl_hparams_free(old);
    mdl_hparams_free(without);
}

static void test_a_new_run(void **state)
{
    struct mdl_hparams *hp = choose_ok("transformer_tiny", "batch_size=512", NULL, false);

    (void) state;
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 512);
    mdl_hparams_free(hp);
    refused(NULL, NULL, NULL, false, "--hparams_set is missing");
    refused("transformer_tyni", NULL, NULL, false, "transformer_tiny");
    refused("transformer_tiny", "batch_size=many", NULL, false, "batch_size");
}

static void test_a_continued_run(void **state)
{
    struct mdl_hparams *old = choose_ok("transformer_tiny", "batch_size=512", NULL, false), *hp;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    hp = choose_ok(NULL, NULL, old, false); /* its own */
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 512);
    mdl_hparams_free(hp);
    hp = choose_ok("transformer_tiny", "batch_size=512", old, false); /* the same command */
    mdl_hparams_free(hp);
    hp = choose_ok(NULL, "batch_size=512", old, false);
    mdl_hparams_free(hp);

    refused("transformer_tiny", NULL, old, true, "batch_size is 4096");
    refused("transformer_tiny", NULL, old, false, "in the run it is 512");
    refused(NULL, "num_heads=2", old, true, "num_heads is 2");
    refused("transformer_base", NULL, old, false, "more: leave --hparams_set and --hparams out");
    refused(NULL, "learning_rate_constant=0.5", old, false, "say --allow_hparams_change");

    hp = choose_ok(NULL, "learning_rate_constant=0.5,attention_dropout=0.3", old, true);
    assert_true(mdl_hp_float(hp, "learning_rate_constant") == 0.5);
    mdl_hparams_free(hp);
    hp = choose_ok(NULL, "learning_rate_decay_steps=77", old, false);
    assert_int_equal(mdl_hp_int(hp, "learning_rate_decay_steps"), 77);
    mdl_hparams_free(hp);
    mdl_hparams_free(old);
}

static void test_file(void **state)
{
    static const struct tr_runtime_entry extra[] = {{"train_steps", "300"},
                                                    {"data_dir", "\"data\""}};
    const char *dir = t_tmp_path("run");
    struct mdl_hparams *hp = choose_ok("transformer_tiny", NULL, NULL, false);
    char *path = t2_path_join(dir, "hparams.json"), *text;
    struct t2_json_doc *doc;
    const char *before = "";
    size_t n;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(tr_hparams_write(dir, hp, extra, 2, &err), T2_OK);
    text = t_read_file(path, &n);
    assert_int_equal(strncmp(text, "{\n\"", 3), 0);
    t_assert_contains(text, ",\n\"batch_size\": 4096,\n");
    t_assert_contains(text, ",\n\"grad_noise_scale\": 0.0,\n");
    t_assert_contains(text, ",\n\"data_dir\": \"data\",\n");
    assert_int_equal(t2_json_parse(text, n, path, &doc, &err), T2_OK);
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *v;
        const char *key = t2_json_member(t2_json_root(doc), i, &v);

        assert_true(strcmp(before, key) < 0);
        before = key;
    }
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_root(doc), "train_steps"), 0), 300);
    t2_json_free(doc);
    free(text);
    t2_free(path);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_parameters_of_layers), cmocka_unit_test(test_an_hparam_of_ours),
       cmocka_unit_test(test_a_new_run), cmocka_unit_test(test_a_continued_run),
       cmocka_unit_test(test_file))
