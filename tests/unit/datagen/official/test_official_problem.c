/*
 * test_official_problem.c - the problems of data_download, made from small text.
 */
#include "datagen/official/official_problem.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/dir_lock.h"
#include "tests/unit/datagen/small_set.h"

static struct dg_official_spec own_spec(void)
{
    static char train[8192], dev[8192];

    ds_write_tmpdir(30);
    snprintf(train, sizeof train, "%s", t_tmp_path("inputs.train.txt"));
    snprintf(train + strlen(train), sizeof train - strlen(train), ",%s",
             t_tmp_path("targets.train.txt"));
    snprintf(dev, sizeof dev, "%s", t_tmp_path("inputs.eval.txt"));
    snprintf(dev + strlen(dev), sizeof dev - strlen(dev), ",%s", t_tmp_path("targets.eval.txt"));
    return (struct dg_official_spec){.name = "mine", .files = {train, dev, ""}, .vocab_size = 50};
}

static enum t2_status make(const struct dg_official_spec *spec, const char *dir, int n_threads,
                           uint64_t seed, struct dg_report *report, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct dg_generate g = ds_settings(dir, pool);
    struct dg_problem *p = NULL;
    enum t2_status st = dg_official_new(spec, &p, err);

    g.n_shards[DG_TRAIN] = 4;
    g.options.random_seed = seed;
    if (st == T2_OK)
        st = dg_generate(p, &g, report, err);
    dg_official_free(p);
    t2_pool_free(pool);
    return st;
}

/* Names from 1, dev in the order of the text, the same for any number of threads; the seed moves
 * the records of train only. */
static void test_own_text(void **state)
{
    struct dg_official_spec spec = own_spec();
    struct dg_report a = {0}, b = {0}, c = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    if (make(&spec, "a", 1, 1, &a, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(make(&spec, "b", 5, 1, &b, &err), T2_OK);
    assert_int_equal(make(&spec, "c", 2, 2, &c, &err), T2_OK);
    assert_string_equal(a.manifest->data_sha256, b.manifest->data_sha256);
    assert_string_not_equal(a.manifest->data_sha256, c.manifest->data_sha256);
    assert_string_equal(a.manifest->splits[DG_TRAIN].shards[0].file, "mine-train-00001-of-00004");
    assert_string_equal(a.manifest->splits[DG_TRAIN].shards[3].file, "mine-train-00004-of-00004");
    assert_string_equal(a.manifest->splits[DG_DEV].shards[0].file, "mine-dev-00001-of-00001");
    assert_string_equal(a.manifest->splits[DG_DEV].shards[0].sha256,
                        c.manifest->splits[DG_DEV].shards[0].sha256);
    assert_int_equal(a.manifest->splits[DG_TRAIN].n_records, 30);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(a.manifest->splits[DG_TRAIN].shards[i].n_records,
                         c.manifest->splits[DG_TRAIN].shards[i].n_records);
    assert_string_equal(a.manifest->targets_vocab.file, "vocab.mine.50");
    dg_report_release(&a);
    dg_report_release(&b);
    dg_report_release(&c);
}

/* Other rules for the vocabulary are another data set. */
static void test_search_is_another_set(void **state)
{
    struct dg_official_spec spec = own_spec();
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    int64_t size;

    (void) state;
    assert_int_equal(make(&spec, "search", 1, 1, &report, &err), T2_OK);
    size = report.manifest->targets_vocab.size;
    dg_report_release(&report);
    spec.search = true;
    assert_int_equal(make(&spec, "search", 1, 1, &report, &err), T2_EFORMAT);
    t_assert_contains(err.message, "layout: official, min_count 6");
    t_assert_contains(err.message, "min_count searched");
    dg_report_release(&report);
    err.status = T2_OK;
    assert_int_equal(make(&spec, "search2", 1, 1, &report, &err), T2_OK);
    assert_int_not_equal(report.manifest->targets_vocab.size, size);
    dg_report_release(&report);
}

static void test_the_surplus_is_reported(void **state)
{
    struct dg_official_spec spec = own_spec();
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_lines("targets.train.txt", "ein kleiner Test", 32);
    assert_int_equal(make(&spec, "surplus", 2, 1, &report, &err), T2_OK);
    assert_int_equal(report.manifest->splits[DG_TRAIN].n_records, 30);
    assert_int_equal(report.manifest->n_dropped, 2);
    dg_report_release(&report);
}

/* Another process holds the lock until it is killed. */
static pid_t lock_elsewhere(const char *dir, const char *name)
{
    struct t2_lock lock = {-1, NULL};
    struct t2_err err = T2_ERR_INIT;
    int ends[2];
    char ready;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        ready = t2_lock_take(dir, name, "something", &lock, &err) == T2_OK ? 'y' : 'n';
        if (write(ends[1], &ready, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ends[0], &ready, 1), 1);
    assert_int_equal(ready, 'y');
    close(ends[0]);
    close(ends[1]);
    return child;
}

/* Two runs with one raw_dir, or with one data_dir: the second is told. */
static void test_two_runs(void **state)
{
    static const char *const locks[][2] = {{".", "wmt32k-raw"}, {"two", "mine"}};
    struct dg_official_spec spec = own_spec();
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("two"), &err), T2_OK);
    for (size_t i = 0; i < 2; i++) {
        struct dg_report report = {0};
        pid_t other = lock_elsewhere(t_tmp_path(locks[i][0]), locks[i][1]);
        err.status = T2_OK;
        assert_int_equal(make(&spec, "two", 1, 1, &report, &err), T2_EIO);
        t_assert_contains(err.message, "another run (process");
        dg_report_release(&report);
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
    }
}

/* The trainer finds what data_download of TensorFlow left, which has no manifest. */
static void test_without_manifest(void **state)
{
    struct dg_view *v = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("theirs"), &err), T2_OK);
    assert_int_equal(dg_view_open("wmt32k", t_tmp_path("theirs"), &v, &err), T2_OK);
    assert_string_equal(v->dataset_filename, "wmt32k");
    t_assert_contains(v->targets.vocab_file, "theirs/vocab.ende.32768");
    assert_int_equal(v->inputs.space_id, DG_SPACE_EN_TOKENS);
    dg_view_free(v);
}

T_MAIN(cmocka_unit_test(test_own_text), cmocka_unit_test(test_search_is_another_set),
       cmocka_unit_test(test_the_surplus_is_reported), cmocka_unit_test(test_two_runs),
       cmocka_unit_test(test_without_manifest))
