/* Tests of train/ckpt/checkpoint_state.c: the state file there and back, its errors, the list. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"

static void test_there_and_back(void **state)
{
    const char *dir = t_tmp_path("back");
    struct ckpt_state expected = run_state(30), s;
    struct mdl_hparams *hp = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    mdl_hp_set_int(r.hp, "batch_size", 77);
    run_save(&r, dir, 20, 5);
    run_save(&r, dir, 30, 5);
    assert_int_equal(ckpt_load_state(dir, -1, &s, &hp, &err), T2_OK);
    assert_int_equal(s.step, 30);
    assert_true(s.seed == expected.seed && s.samples == expected.samples);
    assert_string_equal(s.model, expected.model);
    assert_string_equal(s.hparams_set, expected.hparams_set);
    assert_string_equal(s.problem, expected.problem);
    assert_string_equal(s.inputs_vocab_sha256, expected.inputs_vocab_sha256);
    assert_string_equal(s.targets_vocab_sha256, "");
    assert_string_equal(s.manifest_sha256, expected.manifest_sha256);
    assert_string_equal(s.precision, "bfloat16");
    assert_int_equal(s.data_shards, 4);
    assert_true(s.global_batch_size);
    assert_true(s.damage_crc == 4000000000);
    assert_true(s.wall_seconds == 12.5);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 77);
    mdl_hparams_free(hp);
    assert_int_equal(ckpt_load_state(dir, 20, &s, NULL, &err), T2_OK);
    assert_int_equal(s.step, 20);
    run_release(&r);
}

static void test_none(void **state)
{
    struct ckpt_state s;
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    assert_steps(t_tmp_path("absent"), "");
    assert_int_equal(ckpt_load_state(t_tmp_path("absent"), -1, &s, NULL, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "there is no checkpoint in '");
    run_new(&r, "sgd", 4);
    run_save(&r, t_tmp_path("some"), 10, 5);
    run_save(&r, t_tmp_path("some"), 20, 5);
    assert_int_equal(ckpt_load_state(t_tmp_path("some"), 15, &s, NULL, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "there is no checkpoint of step 15 in '");
    t_assert_contains(err.message, "2 from step 10 to 20");
    run_release(&r);
}

static void test_other_names_are_not_checkpoints(void **state)
{
    static const char *const names[] = {
        "state-.json",   "state-01.json",           "state--1.json",
        "state-+1.json", "state-1.json.incomplete", "state-1x.json",
        "xstate-1.json", "model-5.safetensors",     "state-99999999999999999999.json",
        "state.json"};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("names"), &err), T2_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = t2_path_join(t_tmp_path("names"), names[i]);

        t_write_file(path, "{}", 2);
        t2_free(path);
    }
    assert_steps(t_tmp_path("names"), "");
    t_write_file(t_tmp_path("names/state-0.json"), "{}", 2);
    assert_steps(t_tmp_path("names"), "0");
}

/* Replaces the first `from` in the state file of step 2. */
static void damage(const char *dir, const char *from, const char *to)
{
    char *path = t2_path_join(dir, "state-2.json"), *text, *at;
    size_t n;

    text = t_read_file(path, &n);
    at = strstr(text, from);
    if (!at)
        fail_msg("no %s in %s", from, text);
    *at = '\0';
    at = t2_asprintf("%s%s%s", text, to, at + strlen(from));
    t_write_file(path, at, strlen(at));
    t2_free(at);
    t2_free(path);
    free(text);
}

static void test_damaged(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"{", "", "state-2.json"},
        {"t2t.c checkpoint 1", "t2t.c checkpoint 9", "its format is 't2t.c checkpoint 9'"},
        {"\"step\"", "\"stop\"", "'step' is missing or not a count"},
        {"\"seed\"", "\"sead\"", "'seed' is missing or not a number as text"},
        {"\"sha256\": \"", "\"sha256\": \"ff", "'sha256' is missing or not a text of the right"},
        {"\"bytes\": ", "\"bytes\": -", "'bytes' is missing or not a count"},
        {"\"model\": \"transformer\"", "\"model\": 7", "'model' is missing or not a text"},
        {"\"precision\": \"", "\"precision\": \"as many digits as ",
         "'precision' is missing or not"},
        {"\"data_shards\": ", "\"data_shards\": 1000",
         "'data_shards' is missing or not a number of shards"},
        {"\"data_shards\": ", "\"data_shards\": -", "'data_shards' is missing or not a count"},
        {"\"damage_crc\": ", "\"damage_crc\": 10000", "'damage_crc' is missing or not 32 bits"},
        {"\"damage_crc\": ", "\"damage_crc\": -", "'damage_crc' is missing or not a count"},
        {"\"batch_size\": ", "\"batch_size\": 1.5, \"x\": ", "'batch_size' must be an integer"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp = NULL;
        struct ckpt_state s;
        struct run r;
        char dir[64];

        snprintf(dir, sizeof dir, "damaged%zu", i);
        run_new(&r, "sgd", 4);
        run_save(&r, t_tmp_path(dir), 1, 5);
        run_save(&r, t_tmp_path(dir), 2, 5);
        damage(t_tmp_path(dir), cases[i].from, cases[i].to);
        assert_int_equal(ckpt_load_state(t_tmp_path(dir), -1, &s, &hp, &err), T2_EFORMAT);
        assert_null(hp);
        t_assert_contains(err.message, "state-2.json");
        t_assert_contains(err.message, cases[i].message);
        t_assert_contains(err.message, "state-2.json' to continue from step 1");
        run_release(&r);
    }
}

static void test_renamed(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_state s;
    struct run r;

    (void) state;
    run_new(&r, "sgd", 4);
    run_save(&r, t_tmp_path("renamed"), 4, 5);
    assert_int_equal(rename(t_tmp_path("renamed/state-4.json"), t_tmp_path("renamed/state-5.json")),
                     0);
    assert_int_equal(ckpt_load_state(t_tmp_path("renamed"), -1, &s, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "it is about step 4");
    t_assert_contains(err.message, "state-5.json' to start from the beginning");
    run_release(&r);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_none),
       cmocka_unit_test(test_other_names_are_not_checkpoints), cmocka_unit_test(test_damaged),
       cmocka_unit_test(test_renamed))
