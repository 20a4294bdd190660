/*
 * test_forecast.c - guesses grow with the text and are near what is made; what cannot fit is
 * refused.
 */
#include "datagen/runs/forecast.h"

#include "tests/unit/datagen/small_set.h"

static struct dg_forecast forecast_of(const char *problem, const struct dg_generate *g)
{
    struct dg_input_sizes sizes = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_forecast f;

    assert_int_equal(dg_describe_inputs(dg_find(problem), g, &sizes, &err), T2_OK);
    f = dg_forecast_of(dg_find(problem), g, &sizes);
    dg_input_sizes_release(&sizes);
    return f;
}

static void test_grows(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings(".", pool);
    struct dg_forecast small, large, part;
    struct t2_buf text = {0};

    (void) state;
    ds_write_tmpdir(1000);
    small = forecast_of("text2text_tmpdir", &g);
    ds_write_tmpdir(30000);
    large = forecast_of("text2text_tmpdir", &g);
    assert_true(small.is_known);
    assert_true(large.text_bytes > 20 * small.text_bytes);
    assert_true(large.data_bytes > 20 * small.data_bytes);
    assert_true(large.memory_bytes > small.memory_bytes);
    assert_true(large.seconds > small.seconds);
    g.share = (struct dg_task_share){0, 1, 4};
    part = forecast_of("text2text_tmpdir", &g);
    assert_in_range(part.data_bytes, large.data_bytes / 5, large.data_bytes / 3);
    g.share.n = 0;
    g.options.max_cases = 3000;
    part = forecast_of("text2text_tmpdir", &g);
    assert_in_range(part.data_bytes, large.data_bytes / 13, large.data_bytes / 9);
    g.max_memory = 70 << 20;
    assert_true(forecast_of("text2text_tmpdir", &g).memory_bytes <= g.max_memory);
    dg_forecast_put(&large, &g, &text);
    t_assert_contains(t2_buf_cstr(&text),
                      "0 B to download, about 1.2 MB of text; disk: 0 B in --tmp");
    t2_buf_release(&text);
    t2_pool_free(pool);
}

/* Within a fifth of the records that come out; nothing more is wanted where they are already. */
static void test_is_near(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("made", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    uint64_t made = 0;
    struct dg_forecast f;

    (void) state;
    f = forecast_of("translate_ende_numbers", &g);
    assert_int_equal(dg_generate(dg_find("translate_ende_numbers"), &g, &report, &err), T2_OK);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < report.manifest->splits[split].n_shards; i++)
            made += report.manifest->splits[split].shards[i].bytes;
    }
    assert_in_range(made, f.data_bytes * 4 / 5, f.data_bytes * 6 / 5);
    assert_true(forecast_of("translate_ende_numbers", &g).data_bytes < made / 5);
    dg_report_release(&report);
    t2_pool_free(pool);
}

/* What is sorted takes memory and, above its share, room on the disk; text that has a vocabulary
 * already has no words. */
static void test_sorted(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings(".", pool);
    const struct dg_problem *p = dg_find("paraphrase_generation_ms_coco_problem1d_characters");
    struct dg_input_sizes sizes = {0};
    struct dg_forecast f[3];

    (void) state;
    g.shuffle_bytes = 1 << 20;
    for (int i = 0; i < 3; i++) {
        sizes.for_sort = i > 0;
        g.max_memory = g.options.max_memory = i == 2 ? (uint64_t) 80 << 20 : 0;
        dg_sizes_add(&sizes, "captions", 30 << 20, 0, 1, 0);
        f[i] = dg_forecast_of(p, &g, &sizes);
        dg_input_sizes_release(&sizes);
        memset(&sizes, 0, sizeof sizes);
    }
    assert_int_equal(f[1].memory_bytes - f[0].memory_bytes, 30 << 20);
    assert_int_equal(f[1].data_bytes, f[0].data_bytes);
    assert_in_range(f[2].memory_bytes, 40 << 20, 50 << 20); /* two sorters; no text is kept */
    assert_in_range(f[2].data_bytes - f[0].data_bytes, 60 << 20, 61 << 20);
    assert_true(f[0].memory_bytes < 70 << 20); /* no words: as bytes */
    t2_pool_free(pool);
}

static void test_fits(void **state)
{
    const struct dg_forecast f = {.is_known = true,
                                  .download_bytes = 3000000,
                                  .tmp_bytes = 10000000,
                                  .data_bytes = 20000000};
    const struct dg_forecast tiny = {.data_bytes = 999999};
    struct dg_generate g = {.options = {.data_dir = "d", .tmp_dir = "t"}};
    struct dg_room room = {.tmp_bytes = 27000000, .data_bytes = 27000000, .is_one = true};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_forecast_fits(&f, &g, &room, &err), T2_OK);
    room.data_bytes -= 1;
    assert_int_equal(dg_forecast_fits(&f, &g, &room, &err), T2_EIO);
    t_assert_contains(err.message, "'d' has 27.0 MB free, but the data set and its sources in "
                                   "--tmp_dir will take about 30.0 MB; nothing was begun");
    room.is_one = false;
    assert_int_equal(dg_forecast_fits(&f, &g, &room, &err), T2_OK);
    room.tmp_bytes = 8999999;
    assert_int_equal(dg_forecast_fits(&f, &g, &room, &err), T2_EIO);
    t_assert_contains(err.message, "'t' has 9.0 MB free, but downloads and unpacked text");
    room.tmp_bytes = 9000000;
    room.data_bytes = 17999999;
    assert_int_equal(dg_forecast_fits(&f, &g, &room, &err), T2_EIO);
    t_assert_contains(err.message, "'d' has 18.0 MB free, but the data set will take");
    room.data_bytes = 0;
    assert_int_equal(dg_forecast_fits(&tiny, &g, &room, &err), T2_OK);
}

static void test_sum_and_json(void **state)
{
    const struct dg_forecast a = {.is_known = true,
                                  .download_bytes = 1,
                                  .n_unknown = 1,
                                  .text_bytes = 2,
                                  .tmp_bytes = 3,
                                  .data_bytes = 4,
                                  .memory_bytes = 5,
                                  .seconds = 6};
    struct dg_forecast sum = {0};
    const struct dg_generate g = {0};
    struct t2_buf text = {0};
    struct t2_json json;

    (void) state;
    t2_json_init(&json, &text, 0);
    t2_json_object(&json);
    dg_forecast_json(&sum, &json);
    t2_json_end_object(&json);
    t_assert_contains(t2_buf_cstr(&text), "\"text_bytes\": null");
    t2_buf_clear(&text);
    dg_forecast_add(&sum, &a);
    dg_forecast_add(&sum, &a);
    dg_forecast_put(&sum, &g, &text);
    assert_string_equal(t2_buf_cstr(&text),
                        "more than 2 B to download (2 files are of unknown size), about 4 B of "
                        "text; disk: 6 B in --tmp_dir, 8 B in --data_dir; memory: 5 B; 12 s with "
                        "1 thread, downloads aside (estimates)");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_grows), cmocka_unit_test(test_is_near), cmocka_unit_test(test_sorted),
       cmocka_unit_test(test_fits), cmocka_unit_test(test_sum_and_json))
