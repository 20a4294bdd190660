/*
 * test_generate_report.c - the keys of --json, the text of --dry_run.
 */
#include "datagen/runs/forecast.h"

#include "tests/unit/datagen/small_set.h"

static void test_report(void **state)
{
    static const char *const keys[] = {"problem",          "outcome",           "manifest",
                                       "train_records",    "dev_records",       "test_records",
                                       "input_vocab_size", "target_vocab_size", "inputs_tokens",
                                       "targets_tokens",   "dropped",           "data_sha256",
                                       "seconds"};
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("report", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct t2_json json;

    (void) state;
    ds_write_tmpdir(20);
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    t2_json_init(&json, &text, 0);
    dg_report_json(&report, &json);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *key = t2_asprintf("\"%s\": ", keys[i]);
        t_assert_contains(t2_buf_cstr(&text), key);
        t2_free(key);
    }
    t_assert_contains(t2_buf_cstr(&text), "\"outcome\": \"made\"");
    t_assert_contains(t2_buf_cstr(&text), "\"train_records\": 20");
    t2_buf_release(&text);
    dg_report_release(&report);
    t2_pool_free(pool);
}

static void test_plan(void **state)
{
    struct dg_generate g = ds_settings("not_made", NULL);
    struct t2_err err = T2_ERR_INIT;
    struct dg_forecast sum = {0};
    struct t2_buf text = {0};

    (void) state;
    ds_write_tmpdir(20);
    assert_int_equal(dg_describe_plan(dg_find("text2text_tmpdir"), &g, false, &sum, &text, &err),
                     T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "  train: 100 shards from\n    inputs: '");
    t_assert_contains(t2_buf_cstr(&text),
                      "  vocabulary: vocab.text2text_tmpdir.32768.subwords, built");
    t_assert_contains(t2_buf_cstr(&text), "  manifest: text2text_tmpdir.manifest.json\n");
    assert_false(t2_exists(g.options.data_dir));
    t2_buf_clear(&text);
    assert_int_equal(dg_describe_plan(dg_find("translate_ende_numbers"), &g, false, &sum, &text,
                                      &err),
                     T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "    100000 sentences of a grammar, seed 429459\n");
    t_assert_contains(t2_buf_cstr(&text), "  forecast: 0 B to download, about 5.6 MB of text; ");
    assert_true(sum.text_bytes > 5600000);
    t2_buf_clear(&text);
    assert_int_equal(dg_describe_plan(dg_find("squad"), &g, true, &sum, &text, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&text),
                      "{\"problem\": \"squad\", \"download_bytes\": 35142551, ");
    t_assert_contains(t2_buf_cstr(&text), "\"fits\": true, \"missing\": null}\n");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_report), cmocka_unit_test(test_plan))
