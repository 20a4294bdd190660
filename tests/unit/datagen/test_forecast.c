/*
 * test_forecast.c - guesses grow with the text, and what cannot fit is refused.
 */
#include "datagen/forecast.h"

#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static struct dg_forecast forecast(const struct dg_generate *g)
{
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_forecast f;

    assert_int_equal(dg_describe_inputs(dg_find("text2text_tmpdir"), g, &text, &err), T2_OK);
    f = dg_forecast_of(dg_find("text2text_tmpdir"), g, t2_buf_cstr(&text));
    t2_buf_release(&text);
    return f;
}

static void test_grows(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings(".", pool);
    struct dg_forecast small, large;
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(1000);
    small = forecast(&g);
    ds_write_tmpdir(30000);
    large = forecast(&g);
    assert_true(small.is_known);
    assert_true(large.text_bytes > 20 * small.text_bytes);
    assert_true(large.disk_bytes > 20 * small.disk_bytes);
    assert_true(large.memory_bytes > small.memory_bytes);
    assert_true(large.seconds > small.seconds);
    g.max_memory = 70 << 20;
    assert_true(forecast(&g).memory_bytes <= g.max_memory);
    dg_forecast_tell(&large, &text);
    t_assert_contains(t2_buf_cstr(&text), "  forecast: 1.2 MB of text, about ");
    assert_int_equal(dg_forecast_check(&large, &g, &err), T2_OK);
    large.disk_bytes = (uint64_t) 1 << 60;
    assert_int_equal(dg_forecast_check(&large, &g, &err), T2_EIO);
    t_assert_contains(err.message, "free, the data set takes about ");
    t2_buf_release(&text);
    t2_pool_free(pool);
}

/* Samples that a program makes have no files: nothing is said, nothing is refused. */
static void test_unknown(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings(".", pool);
    struct dg_forecast f = dg_forecast_of(dg_find("text2text_tmpdir"), &g, "5000 'sentences'");
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_false(f.is_known);
    dg_forecast_tell(&f, &text);
    assert_int_equal(text.len_bytes, 0);
    assert_int_equal(dg_forecast_check(&f, &g, &err), T2_OK);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_grows), cmocka_unit_test(test_unknown))
