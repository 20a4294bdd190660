/*
 * test_existing_set.c - what is recognised as there, and what is removed.  How generating goes on
 * from it is tested in test_generate.c.
 */
#include "datagen/runs/existing_set.h"

#include <unistd.h>

#include "tests/unit/datagen/small_set.h"

static const struct dg_problem problem = {
    .name = "x",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 100},
    .n_shards = {2, 1, 0},
    .text_files = {"en", "de"},
};

static void put(const char *dir, const char *name)
{
    char *path = t2_path_join(t_tmp_path(dir), name);

    t_write_file(path, "x", 1);
    t2_free(path);
}

static bool is_there(const char *dir, const char *name)
{
    char *path = t2_path_join(t_tmp_path(dir), name);
    bool there = t2_exists(path);

    t2_free(path);
    return there;
}

static void test_nothing_and_plan(void **state)
{
    static const char plan[] = "{\"made_from\": {\"seed\": \"1\"}, "
                               "\"vocab_origin\": {\"targets\": \"found\"}}\n";
    struct dg_generate g = ds_settings("plan", NULL);
    struct dg_made_from here = {0}, origin = {0};
    struct t2_err err = T2_ERR_INIT;
    enum dg_there there;
    char *path;

    (void) state;
    assert_int_equal(t2_make_dirs(g.options.data_dir, &err), T2_OK);
    dg_made_from_add(&here, "seed", "1");
    assert_int_equal(dg_existing_set(&problem, &g, &here, &there, &origin, &err), T2_OK);
    assert_int_equal(there, DG_THERE_NOTHING);
    path = dg_plan_path(g.options.data_dir, "x");
    t_write_file(path, plan, strlen(plan));
    put("plan", "x-train-00000-of-00002");
    assert_int_equal(dg_existing_set(&problem, &g, &here, &there, &origin, &err), T2_OK);
    assert_int_equal(there, DG_THERE_PART);
    assert_string_equal(dg_made_from_get(&origin, "targets"), "found");
    dg_made_from_add(&here, "more", "2");
    assert_int_equal(dg_existing_set(&problem, &g, &here, &there, &origin, &err), T2_EFORMAT);
    t_assert_contains(err.message, "more: none there, 2 here");
    t_write_file(path, "{", 1);
    assert_int_equal(dg_existing_set(&problem, &g, &here, &there, &origin, &err), T2_EFORMAT);
    t_assert_contains(err.message, "x.plan.json");
    t2_free(path);
    dg_made_from_release(&here);
    dg_made_from_release(&origin);
}

static void test_clear(void **state)
{
    static const char *const go[] = {"x.manifest.json",
                                     "x.plan.json",
                                     "x-train-00000-of-00002",
                                     "x-dev-00000-of-00100",
                                     "x-test-100000-of-100001",
                                     "x-unshuffled-train-00000-of-00002",
                                     "x-train-00001-of-00002.incomplete",
                                     "vocab.x.100.subwords",
                                     "x.dev.en",
                                     "x.test.de"};
    static const char *const stay[] = {"xy-train-00000-of-00002",
                                       "x-trainer-00000-of-00002",
                                       "x-train-0000-of-00002",
                                       "x-train-00000-of-00002.gz",
                                       "x-train-00000-of-",
                                       "x-train-",
                                       "vocab.x.200.subwords",
                                       "x.train.en",
                                       "y.manifest.json",
                                       "x-eval-00000-of-00001",
                                       "x"};
    struct dg_generate g = ds_settings("clear", NULL);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(g.options.data_dir, &err), T2_OK);
    for (size_t i = 0; i < sizeof go / sizeof *go; i++)
        put("clear", go[i]);
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        put("clear", stay[i]);
    assert_int_equal(dg_existing_set_clear(&problem, &g, &err), T2_OK);
    for (size_t i = 0; i < sizeof go / sizeof *go; i++) {
        if (is_there("clear", go[i]))
            fail_msg("'%s' is still there", go[i]);
    }
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        if (!is_there("clear", stay[i]))
            fail_msg("'%s' was removed", stay[i]);
    }
}

/* A vocabulary that the user gives and that lies in data_dir under this very name. */
static void test_clear_keeps_a_given_vocabulary(void **state)
{
    struct dg_generate g = ds_settings("given", NULL);
    struct dg_problem p = problem;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(g.options.data_dir, &err), T2_OK);
    put("given", "vocab.x.100.subwords");
    p.targets_vocab.ready_file = t_tmp_path("given/./vocab.x.100.subwords");
    assert_int_equal(dg_existing_set_clear(&p, &g, &err), T2_OK);
    assert_true(is_there("given", "vocab.x.100.subwords"));
}

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A manifest by `tfrec index`: never taken for a set of ours, never replaced without being
 * asked. */
static void test_foreign_manifest(void **state)
{
    static const char text[] =
        "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"x\", "
        "\"version\": \"0.1\", \"command\": \"tfrec index\", \"features\": [], \"splits\": {}, "
        "\"data_sha256\": \"" SHA "\"}";
    struct dg_generate g = ds_settings("foreign", NULL);
    struct dg_made_from here = {0}, origin = {0};
    struct t2_err err = T2_ERR_INIT;
    enum dg_there there;
    char *path = dg_manifest_path(g.options.data_dir, "x");

    (void) state;
    assert_int_equal(t2_make_dirs(g.options.data_dir, &err), T2_OK);
    t_write_file(path, text, strlen(text));
    assert_int_equal(dg_existing_set(&problem, &g, &here, &there, &origin, &err), T2_EFORMAT);
    t_assert_contains(err.message, "was made by tfrec for shards of another program");
    dg_made_from_release(&origin);
    t2_free(path);
}

static enum t2_status nothing_to_prepare(const struct dg_problem *p,
                                         const struct dg_options *options, struct t2_err *err)
{
    (void) p;
    (void) options;
    (void) err;
    return T2_OK;
}

static enum t2_status generate_again(const struct dg_problem *p, const struct dg_generate *g,
                                     enum dg_outcome *outcome)
{
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = dg_generate(p, g, &report, &err);

    *outcome = report.outcome;
    dg_report_release(&report);
    return st;
}

/* Sources that were fetched need not be there any more; those that are have to be the same. */
static void test_sources_are_gone(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("gone", pool);
    struct dg_problem p = *dg_find("text2text_tmpdir");
    enum dg_outcome outcome;

    (void) state;
    ds_write_tmpdir(60);
    p.prepare = nothing_to_prepare;
    g.options.data_dir = t2_strdup(g.options.data_dir); /* t_tmp_path uses its memory again */
    g.options.tmp_dir = t2_strdup(g.options.tmp_dir);
    g.n_shards[DG_TRAIN] = 3;
    assert_int_equal(generate_again(&p, &g, &outcome), T2_OK);
    assert_int_equal(outcome, DG_MADE);
    assert_int_equal(unlink(t_tmp_path("inputs.train.txt")), 0);
    assert_int_equal(unlink(t_tmp_path("inputs.eval.txt")), 0);
    assert_int_equal(generate_again(&p, &g, &outcome), T2_OK);
    assert_int_equal(outcome, DG_WAS_COMPLETE);
    p.can_be_edited = true;
    assert_int_not_equal(generate_again(&p, &g, &outcome), T2_OK);
    p.can_be_edited = false;
    g.n_shards[DG_TRAIN] = 4;
    assert_int_not_equal(generate_again(&p, &g, &outcome), T2_OK);
    g.n_shards[DG_TRAIN] = 3;
    ds_write_tmpdir(61);
    assert_int_equal(generate_again(&p, &g, &outcome), T2_EFORMAT);
    ds_write_tmpdir(60);
    assert_int_equal(unlink(t_tmp_path("gone/text2text_tmpdir-train-00001-of-00003")), 0);
    assert_int_equal(generate_again(&p, &g, &outcome), T2_OK);
    assert_int_equal(outcome, DG_CONTINUED);
    free((char *) (uintptr_t) g.options.data_dir);
    free((char *) (uintptr_t) g.options.tmp_dir);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_sources_are_gone), cmocka_unit_test(test_foreign_manifest),
       cmocka_unit_test(test_nothing_and_plan), cmocka_unit_test(test_clear),
       cmocka_unit_test(test_clear_keeps_a_given_vocabulary))
