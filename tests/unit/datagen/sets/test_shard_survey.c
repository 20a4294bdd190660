/*
 * test_shard_survey.c - lengths, values and damage, for any number of threads.
 */
#include "datagen/sets/shard_survey.h"

#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static struct dg_manifest *make_set(struct t2_pool *pool)
{
    struct dg_generate g = ds_settings("set", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_manifest *m;

    ds_write_tmpdir(230);
    g.n_shards[DG_TRAIN] = 5;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    m = report.manifest;
    report.manifest = NULL;
    dg_report_release(&report);
    return m;
}

static void test_survey(void **state)
{
    (void) state;
    for (int n = 1; n <= 3; n++) {
        struct t2_pool *pool = t2_pool_new(n);
        struct dg_manifest *m = make_set(pool);
        struct dg_survey s = {0}, twice = {0};
        struct t2_err err = T2_ERR_INIT;
        const struct dg_surveyed_feature *f;
        assert_int_equal(dg_survey_split(&m->splits[DG_TRAIN], t_tmp_path("set"), true, pool, &s,
                                         &err),
                         T2_OK);
        assert_int_equal(s.errors.n, 0);
        assert_int_equal(s.n_records, 230);
        assert_int_equal(s.n_features, 2);
        f = dg_survey_find(&s, "targets");
        assert_int_equal(f->n_records, 230);
        assert_int_equal(f->kind, TFR_INT64);
        assert_int_equal(f->min_value, 1);
        assert_true(f->max_value < m->targets_vocab.size);
        assert_true(dg_survey_percentile(f, 0.5) <= dg_survey_percentile(f, 0.99));
        assert_int_equal(dg_survey_percentile(f, 1), f->max_length);
        assert_null(dg_survey_find(&s, "none"));
        dg_survey_join(&twice, &s);
        dg_survey_join(&twice, &s);
        assert_int_equal(twice.n_records, 460);
        assert_int_equal(dg_survey_find(&twice, "inputs")->n_values,
                         2 * dg_survey_find(&s, "inputs")->n_values);
        dg_survey_release(&s);
        dg_survey_release(&twice);
        dg_manifest_free(m);
        t2_pool_free(pool);
    }
}

static void test_percentiles(void **state)
{
    static uint64_t lengths[DG_SURVEY_LENGTHS];
    struct dg_surveyed_feature f = {.lengths = lengths, .n_records = 10, .max_length = 90};

    (void) state;
    lengths[1] = 5;
    lengths[2] = 4;
    lengths[90] = 1;
    assert_int_equal(dg_survey_percentile(&f, 0.5), 1);
    assert_int_equal(dg_survey_percentile(&f, 0.51), 2);
    assert_int_equal(dg_survey_percentile(&f, 0.9), 2);
    assert_int_equal(dg_survey_percentile(&f, 0.99), 90);
}

static void test_damage(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_manifest *m = make_set(pool);
    struct dg_survey s = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t_write_file(t_tmp_path("set/text2text_tmpdir-train-00001-of-00005"), "short", 5);
    m->splits[DG_TRAIN].shards[3].n_records += 1;
    assert_int_equal(dg_survey_split(&m->splits[DG_TRAIN], t_tmp_path("set"), true, pool, &s, &err),
                     T2_OK);
    assert_int_equal(s.errors.n, 3);
    t_assert_contains(s.errors.items[0], "00001-of-00005' has 5 bytes, the manifest says ");
    t_assert_contains(s.errors.items[1], "00001-of-00005'");
    t_assert_contains(s.errors.items[2], "00003-of-00005' has 46 records, the manifest says 47");
    dg_survey_release(&s);
    dg_manifest_free(m);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_survey), cmocka_unit_test(test_percentiles),
       cmocka_unit_test(test_damage))
