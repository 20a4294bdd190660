/*
 * test_generate.c - from text files to a data set: bytes, threads, memory, resuming, refusing.
 */
#include "datagen/runs/generate.h"

#include <unistd.h>

#include "datagen/own/problem_own_text.h"
#include "datagen/runs/existing_set.h"
#include "tests/unit/datagen/small_set.h"

static void generate(const struct dg_problem *p, const struct dg_generate *g,
                     enum dg_outcome expected)
{
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    if (dg_generate(p, g, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(report.outcome, expected);
    dg_report_release(&report);
}

static void check_refused(const struct dg_problem *p, const struct dg_generate *g, const char *part)
{
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_not_equal(dg_generate(p, g, &report, &err), T2_OK);
    t_assert_contains(err.message, part);
    dg_report_release(&report);
}

static void check_file(const char *dir, const char *name, const char *sha256)
{
    char *path = t2_path_join(dir, name), hex[65];
    struct t2_err err = T2_ERR_INIT;
    uint64_t bytes;

    assert_int_equal(t2_sha256_file(path, hex, &bytes, &err), T2_OK);
    assert_string_equal(hex, sha256);
    t2_free(path);
}

/* Recorded from the original: spec t2t-datagen.md §12.5. */
static void test_end_to_end_vector(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("vector", pool);
    struct t2_sha256 *all = t2_sha256_new();
    char hex[65];

    (void) state;
    ds_write_tmpdir(230);
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    check_file(g.options.data_dir, "vocab.text2text_tmpdir.32768.subwords",
               "b33be81fd137298ca2466a1969b9909e0697fb56d9e98a59e1d6b4ff88cb56d5");
    check_file(g.options.data_dir, "text2text_tmpdir-dev-00000-of-00001",
               "68d8ee4698cd2353777448b8959acd1996c4c84f00a847ed882f5fffbf2d15d8");
    check_file(g.options.data_dir, "text2text_tmpdir-train-00000-of-00100",
               "96cf2ce8d77941cc836253dd7536f57c3b6bf2f5e0a68f696ad4814e58c49407");
    for (int i = 0; i < 100; i++) {
        char name[64], *path, *data;
        size_t n;
        snprintf(name, sizeof name, "text2text_tmpdir-train-%05d-of-00100", i);
        path = t2_path_join(g.options.data_dir, name);
        data = t_read_file(path, &n);
        t2_sha256_update(all, data, n);
        free(data);
        t2_free(path);
    }
    t2_sha256_peek(all, hex);
    assert_string_equal(hex, "00d92757ac13069d0da4c5af0eb38bc3aac53e72a8e98e4441f9d7294fdb3e41");
    t2_sha256_free(all);
    t2_pool_free(pool);
}

/* The same bytes for any number of threads and any memory, the manifest included. */
static void test_threads_and_memory(void **state)
{
    static const struct {
        int n_threads;
        uint64_t shuffle_bytes;
    } cases[] = {{1, 1 << 20}, {2, 1 << 20}, {5, 1 << 20}, {1, 0}, {3, 2000}};
    struct t2_buf first = {0};

    (void) state;
    ds_write_tmpdir(2000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_pool *pool = t2_pool_new(cases[i].n_threads);
        struct dg_generate g = ds_settings("threads", pool);
        struct t2_buf sums = {0};
        g.shuffle_bytes = cases[i].shuffle_bytes;
        g.n_shards[DG_TRAIN] = 7;
        g.overwrite = i > 0;
        generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
        ds_sums(g.options.data_dir, "", &sums);
        if (i == 0) {
            first = sums;
        } else {
            assert_string_equal(t2_buf_cstr(&sums), t2_buf_cstr(&first));
            t2_buf_release(&sums);
        }
        t2_pool_free(pool);
    }
    t_assert_contains(t2_buf_cstr(&first), "text2text_tmpdir.manifest.json");
    t_assert_contains(t2_buf_cstr(&first), "train-00006-of-00007");
    assert_null(strstr(t2_buf_cstr(&first), "incomplete"));
    assert_null(strstr(t2_buf_cstr(&first), "plan.json"));
    assert_null(strstr(t2_buf_cstr(&first), ".lock"));
    t2_buf_release(&first);
}

static void remove_file(const struct dg_generate *g, const char *name)
{
    char *path = t2_path_join(g->options.data_dir, name);

    assert_int_equal(unlink(path), 0);
    t2_free(path);
}

/* What a killed run leaves is finished with the same bytes. */
static void test_resume(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("resume", pool);
    struct t2_buf whole = {0}, again = {0};
    char *plan, *text, *path;
    size_t n;

    (void) state;
    ds_write_tmpdir(230);
    g.n_shards[DG_TRAIN] = 5;
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    ds_sums(g.options.data_dir, "", &whole);

    /* a lost shard: the manifest is not believed */
    remove_file(&g, "text2text_tmpdir-train-00003-of-00005");
    generate(dg_find("text2text_tmpdir"), &g, DG_CONTINUED);
    ds_sums(g.options.data_dir, "", &again);
    assert_string_equal(t2_buf_cstr(&again), t2_buf_cstr(&whole));
    generate(dg_find("text2text_tmpdir"), &g, DG_WAS_COMPLETE);

    /* the vocabulary as well */
    remove_file(&g, "vocab.text2text_tmpdir.32768.subwords");
    generate(dg_find("text2text_tmpdir"), &g, DG_CONTINUED);
    t2_buf_clear(&again);
    ds_sums(g.options.data_dir, "", &again);
    assert_string_equal(t2_buf_cstr(&again), t2_buf_cstr(&whole));

    /* killed before the manifest: the plan stands there, some shards do, scratch and half files lie
     * about */
    path = dg_manifest_path(g.options.data_dir, "text2text_tmpdir");
    text = t_read_file(path, &n);
    plan = dg_plan_path(g.options.data_dir, "text2text_tmpdir");
    t_write_file(plan, text, n); /* has what a plan has, and more */
    remove_file(&g, "text2text_tmpdir.manifest.json");
    remove_file(&g, "text2text_tmpdir-train-00004-of-00005");
    t_write_file(t_tmp_path("resume/text2text_tmpdir-train-00004-of-00005.incomplete"), "x", 1);
    t_write_file(t_tmp_path("resume/text2text_tmpdir-unshuffled-train-00004-of-00005.incomplete"),
                 "x", 1);
    t_write_file(t_tmp_path("resume/text2text_tmpdir.lock"), "", 0);
    generate(dg_find("text2text_tmpdir"), &g, DG_CONTINUED);
    t2_buf_clear(&again);
    ds_sums(g.options.data_dir, "", &again);
    assert_string_equal(t2_buf_cstr(&again), t2_buf_cstr(&whole));

    /* killed after the manifest */
    t_write_file(plan, text, n);
    generate(dg_find("text2text_tmpdir"), &g, DG_WAS_COMPLETE);
    assert_false(t2_exists(plan));
    free(text);
    t2_free(path);
    t2_free(plan);
    t2_buf_release(&whole);
    t2_buf_release(&again);
    t2_pool_free(pool);
}

static void test_another_set_is_refused(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("refuse", pool);
    struct t2_buf sums = {0};

    (void) state;
    ds_write_tmpdir(230);
    g.n_shards[DG_TRAIN] = 3;
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    g.options.random_seed = 1;
    check_refused(dg_find("text2text_tmpdir"), &g, "(random_seed: 429459 there, 1 here)");
    g.options.random_seed = 429459;
    g.n_shards[DG_TRAIN] = 4;
    check_refused(dg_find("text2text_tmpdir"), &g, "train shards: 3 there, 4 here");
    g.n_shards[DG_TRAIN] = 3;
    ds_write_lines("inputs.train.txt", "another test", 230);
    check_refused(dg_find("text2text_tmpdir"), &g, "train file 1 (inputs): ");
    check_refused(dg_find("text2text_tmpdir"), &g, "--overwrite");
    /* told to: the old shards go, whatever their number */
    g.n_shards[DG_TRAIN] = 4;
    g.overwrite = true;
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    ds_sums(g.options.data_dir, "", &sums);
    assert_null(strstr(t2_buf_cstr(&sums), "of-00003"));
    t_assert_contains(t2_buf_cstr(&sums), "train-00003-of-00004");
    t2_buf_release(&sums);
    t2_pool_free(pool);
}

static void test_foreign_shards_are_refused(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("foreign", pool);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(10);
    assert_int_equal(t2_make_dirs(g.options.data_dir, &err), T2_OK);
    t_write_file(t_tmp_path("foreign/text2text_tmpdir-train-00000-of-00100"), "", 0);
    check_refused(dg_find("text2text_tmpdir"), &g, "holds 1 shards of 'text2text_tmpdir'");
    g.overwrite = true;
    g.n_shards[DG_TRAIN] = 1;
    /* what belongs to a longer name stays */
    t_write_file(t_tmp_path("foreign/text2text_tmpdir_tokens-train-00000-of-00100"), "", 0);
    t_write_file(t_tmp_path("foreign/text2text_tmpdir-training-00000-of-00100"), "", 0);
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    assert_false(t2_exists(t_tmp_path("foreign/text2text_tmpdir-train-00000-of-00100")));
    assert_true(t2_exists(t_tmp_path("foreign/text2text_tmpdir_tokens-train-00000-of-00100")));
    assert_true(t2_exists(t_tmp_path("foreign/text2text_tmpdir-training-00000-of-00100")));
    t2_pool_free(pool);
}

/* As in the original: a vocabulary that is there is used. */
static void test_vocabulary_found(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("found", pool);
    struct t2_buf built = {0}, found = {0};
    struct t2_err err = T2_ERR_INIT;
    char *vocab, *manifest;
    size_t n;

    (void) state;
    ds_write_tmpdir(230);
    g.n_shards[DG_TRAIN] = 2;
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    ds_sums(g.options.data_dir, "text2text_tmpdir-", &built);
    vocab = t_read_file(t_tmp_path("found/vocab.text2text_tmpdir.32768.subwords"), &n);
    g.options.data_dir = t_tmp_path("found2");
    assert_int_equal(t2_make_dirs(g.options.data_dir, &err), T2_OK);
    t_write_file(t_tmp_path("found2/vocab.text2text_tmpdir.32768.subwords"), vocab, n);
    free(vocab);
    generate(dg_find("text2text_tmpdir"), &g, DG_MADE);
    ds_sums(g.options.data_dir, "text2text_tmpdir-", &found);
    assert_string_equal(t2_buf_cstr(&found), t2_buf_cstr(&built));
    manifest = t_read_file(t_tmp_path("found2/text2text_tmpdir.manifest.json"), &n);
    t_assert_contains(manifest, "\"targets\": \"found\"");
    free(manifest);
    generate(dg_find("text2text_tmpdir"), &g, DG_WAS_COMPLETE);
    /* changed behind the manifest's back */
    t_write_file(t_tmp_path("found2/vocab.text2text_tmpdir.32768.subwords"), "'<pad>_'\n", 9);
    check_refused(dg_find("text2text_tmpdir"), &g, "is not the vocabulary that the data set was");
    t2_buf_release(&built);
    t2_buf_release(&found);
    t2_pool_free(pool);
}

static struct dg_own_text own_flags(const char *name, const char *train, const char *dev)
{
    struct dg_own_text own = {.name = name,
                              .files = {train, dev, ""},
                              .vocab_type = "subwords",
                              .vocab = "",
                              .source_vocab = "",
                              .target_vocab = "",
                              .oov_token = ""};

    return own;
}

/* Own text gives the records of text2text_tmpdir under its own name. */
static void test_own_text(void **state)
{
    char *train =
        t2_asprintf("%s,%s", t_tmp_path("inputs.train.txt"), t_tmp_path("targets.train.txt"));
    char *dev = t2_asprintf("%s,%s", t_tmp_path("inputs.eval.txt"), t_tmp_path("targets.eval.txt"));
    struct dg_own_text own = own_flags("mine", train, dev);
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("own", pool);
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(230);
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    generate(p, &g, DG_MADE);
    check_file(g.options.data_dir, "vocab.mine.32768.subwords",
               "b33be81fd137298ca2466a1969b9909e0697fb56d9e98a59e1d6b4ff88cb56d5");
    check_file(g.options.data_dir, "mine-dev-00000-of-00001",
               "68d8ee4698cd2353777448b8959acd1996c4c84f00a847ed882f5fffbf2d15d8");
    dg_own_text_free(p);
    t2_free(train);
    t2_free(dev);
    t2_pool_free(pool);
}

static void test_two_vocabularies_and_drops(void **state)
{
    static const char tsv[] = "one\teins\nonly one\nthree\tdrei\textra\n \t \ntwo\tzwei\n";
    const char *path = t_tmp_path("pairs.tsv");
    struct dg_own_text own = own_flags("two", path, path);
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("two", pool);
    struct dg_report report = {0};
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *manifest;
    size_t n;

    (void) state;
    t_write_file(path, tsv, strlen(tsv));
    own.source_vocab_size = 50;
    own.target_vocab_size = 60;
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    g.n_shards[DG_TRAIN] = 1;
    assert_int_equal(dg_generate(p, &g, &report, &err), T2_OK);
    assert_int_equal(report.manifest->splits[DG_TRAIN].n_records, 2);
    assert_int_equal(report.manifest->n_dropped, 6);
    assert_string_equal(report.manifest->inputs_vocab.file, "vocab.two.50.subwords.source");
    assert_string_equal(report.manifest->targets_vocab.file, "vocab.two.60.subwords.target");
    assert_string_not_equal(report.manifest->inputs_vocab.sha256,
                            report.manifest->targets_vocab.sha256);
    manifest = t_read_file(report.manifest_path, &n);
    t_assert_contains(manifest, "\"reason\": \"blank column\"");
    t_assert_contains(manifest, "\"line\": 4");
    free(manifest);
    dg_report_release(&report);
    dg_own_text_free(p);
    t2_pool_free(pool);
}

static void test_bytes_and_given_vocabulary(void **state)
{
    const char *path = t_tmp_path("pairs.tsv");
    struct dg_own_text own = own_flags("chars", path, path);
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("chars", pool);
    struct dg_report report = {0};
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *vocab;

    (void) state;
    t_write_file(path, "one\teins\n", 9);
    own.vocab_type = "character";
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    assert_int_equal(dg_generate(p, &g, &report, &err), T2_OK);
    assert_null(report.manifest->targets_vocab.file);
    assert_int_equal(report.manifest->targets_vocab.size, 258);
    assert_int_equal(report.manifest->features[0].max_length, 4);
    dg_report_release(&report);
    dg_own_text_free(p);

    own = own_flags("given", path, path);
    own.vocab_size = 40;
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    generate(p, &g, DG_MADE);
    dg_own_text_free(p);
    vocab = t2_strdup(t_tmp_path("chars/vocab.given.40.subwords"));
    own = own_flags("taken", path, path);
    own.vocab = vocab;
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    generate(p, &g, DG_MADE);
    generate(p, &g, DG_WAS_COMPLETE);
    dg_own_text_free(p);
    t2_free(vocab);
    t2_pool_free(pool);
}

/* Bad input in any split leaves nothing under a final name. */
static void check_nothing_written(const char *broken, const char *text, const char *part)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("bad", pool);
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;

    ds_write_tmpdir(50);
    t_write_file(t_tmp_path(broken), text, strlen(text));
    check_refused(dg_find("text2text_tmpdir"), &g, part);
    assert_int_equal(t2_list_dir(g.options.data_dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 0);
    t2_strs_release(&names);
    t2_pool_free(pool);
}

static void test_bad_input(void **state)
{
    (void) state;
    check_nothing_written("targets.eval.txt", "one\ntwo\n", "has 2: line 3 of '");
    check_nothing_written("inputs.eval.txt", "a\nb\nc\nd\ne\nf\ngr\xfc\xdf\n",
                          "line 7: byte 0xFC at offset 14");
    check_nothing_written("targets.train.txt", "", "has 0: line 1 of '");
}

static void test_empty_split(void **state)
{
    (void) state;
    ds_write_tmpdir(5);
    t_write_file(t_tmp_path("inputs.eval.txt"), "", 0);
    check_nothing_written("inputs.train.txt", "", "lines but");
}

static void test_fewer_records_than_shards(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("few", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(3);
    g.n_shards[DG_TRAIN] = 5;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    assert_int_equal(report.manifest->splits[DG_TRAIN].n_shards, 5);
    assert_int_equal(report.manifest->splits[DG_TRAIN].shards[3].n_records, 0);
    assert_int_equal(report.manifest->splits[DG_TRAIN].shards[3].bytes, 0);
    assert_true(t2_exists(t_tmp_path("few/text2text_tmpdir-train-00004-of-00005")));
    dg_report_release(&report);
    t2_pool_free(pool);
}

static void test_max_cases(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("max", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(230);
    g.options.max_cases = 11;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    assert_int_equal(report.manifest->splits[DG_TRAIN].n_records, 11);
    assert_int_equal(report.manifest->splits[DG_DEV].n_records, 7);
    dg_report_release(&report);
    t2_pool_free(pool);
}

static void test_shards_of_a_split_that_is_not_there(void **state)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("no_test", pool);

    (void) state;
    ds_write_tmpdir(3);
    g.n_shards[DG_TEST] = 2;
    check_refused(dg_find("text2text_tmpdir"), &g,
                  "--test_shards: 'text2text_tmpdir' has no test split");
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_end_to_end_vector), cmocka_unit_test(test_threads_and_memory),
       cmocka_unit_test(test_resume), cmocka_unit_test(test_another_set_is_refused),
       cmocka_unit_test(test_foreign_shards_are_refused), cmocka_unit_test(test_vocabulary_found),
       cmocka_unit_test(test_own_text), cmocka_unit_test(test_two_vocabularies_and_drops),
       cmocka_unit_test(test_bytes_and_given_vocabulary), cmocka_unit_test(test_bad_input),
       cmocka_unit_test(test_empty_split), cmocka_unit_test(test_fewer_records_than_shards),
       cmocka_unit_test(test_max_cases), cmocka_unit_test(test_shards_of_a_split_that_is_not_there))
