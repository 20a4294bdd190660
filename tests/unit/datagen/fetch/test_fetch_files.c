/*
 * tests/unit/datagen/fetch/test_fetch_files.c - several files: found, downloaded, missing, gone,
 * offline.
 */
#include "datagen/fetch/fetch_files.h"

#include "tests/unit/datagen/fetching.h"

static struct t2_err err;

static void test_nothing(void **state)
{
    struct dg_fetch_result r;

    (void) state;
    assert_int_equal(dg_fetch(NULL, 0, "/no such folder", NULL, &r, &err), T2_OK);
    assert_int_equal(dg_source_count(NULL), 0);
}

static void test_local(void **state)
{
    const char *const urls[] = {t_tmp_path("local.txt"), NULL};
    const struct dg_source_file f = {.urls = urls};
    const struct dg_source_file *const list[] = {&f, NULL};
    struct dg_fetch_result r;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    assert_int_equal(dg_source_count(list), 1);
    assert_int_equal(dg_fetch(list, 1, t_tmp_path("t"), NULL, &r, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "local.txt' is not there, or is another file; put it at '");
    t_write_file(urls[0], "x", 1);
    assert_int_equal(dg_fetch(list, 1, t_tmp_path("t"), NULL, &r, &err), T2_OK);
    assert_int_equal(r.how, DG_FETCH_LOCAL);
    assert_string_equal(r.path, urls[0]);
    assert_int_equal(r.size_bytes, 1);
    assert_false(t2_exists(t_tmp_path("t")));
    dg_fetch_release(&r, 1);
    t2_log_set_level(T2_LOG_INFO);
}

#define HELLO T_OK("Content-Length: 5\r\n", "hello")
#define NOT_THERE "HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n"

static void test_several(void **state)
{
    const char *const answers[] = {HELLO, HELLO, HELLO, NULL};
    const struct dg_source_file *list[3];
    struct dg_source_file files[3];
    const char *const names[] = {"a", "b", "c"};
    struct dg_fetch_result r[3];
    struct t_fetching t;
    char path[5000];

    (void) state;
    t_fetching_start(&t, answers);
    t.options.parallel = 2;
    for (int i = 0; i < 3; i++) {
        files[i] = (struct dg_source_file){.name = names[i], .urls = t.urls};
        list[i] = &files[i];
    }
    assert_int_equal(dg_fetch(list, 3, t.dir, &t.options, r, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(r[i].how, DG_FETCH_DOWNLOADED);
        t_fetching_check(&t, names[i], "hello");
    }
    dg_fetch_release(r, 3);
    /* as a kill at the last moment leaves it */
    snprintf(path, sizeof path, "%s/a.part.json", t.dir);
    t_write_file(path, "{}", 2);
    assert_int_equal(dg_fetch(list, 3, t.dir, &t.options, r, &err), T2_OK);
    assert_int_equal(r[2].how, DG_FETCH_FOUND);
    t_fetching_check(&t, "a.part.json", NULL);
    assert_int_equal(t.server.n_asked, 3);
    dg_fetch_release(r, 3);
    t2_free(t_fetching_stop(&t));
}

/* The second is brought though the first is not; the first is what is reported. */
static void test_first_failure(void **state)
{
    const char *const answers[] = {NOT_THERE, HELLO, NULL};
    const struct dg_source_file *list[2];
    struct dg_source_file files[2];
    struct dg_fetch_result r[2];
    struct t_fetching t;

    (void) state;
    t_fetching_start(&t, answers);
    t.options.parallel = 1;
    files[0] = (struct dg_source_file){.name = "a", .urls = t.urls};
    files[1] = (struct dg_source_file){.name = "b", .urls = t.urls};
    list[0] = &files[0], list[1] = &files[1];
    assert_int_equal(dg_fetch(list, 2, t.dir, &t.options, r, &err), T2_EIO);
    t_assert_contains(err.message, "answers 404");
    assert_null(r[0].path);
    t_fetching_check(&t, "b", "hello");
    dg_fetch_release(r, 2);
    t2_free(t_fetching_stop(&t));
}

static void test_twice(void **state)
{
    const char *const answers[] = {HELLO, NULL};
    const char *const other[] = {"http://127.0.0.1:9/f", NULL};
    const struct dg_source_file *list[2];
    struct dg_source_file same, differs;
    struct dg_fetch_result r[2];
    struct t_fetching t;

    (void) state;
    t_fetching_start(&t, answers);
    same = t.file;
    list[0] = &t.file, list[1] = &same;
    assert_int_equal(dg_fetch(list, 2, t.dir, &t.options, r, &err), T2_OK);
    assert_string_equal(r[0].path, r[1].path);
    assert_int_equal(r[1].how, DG_FETCH_DOWNLOADED);
    assert_int_equal(t.server.n_asked, 1);
    dg_fetch_release(r, 2);
    differs = (struct dg_source_file){.urls = other};
    list[1] = &differs;
    assert_int_equal(dg_fetch(list, 2, t.dir, &t.options, r, &err), T2_EUSAGE);
    t_assert_contains(err.message, "two different files are to be 'f'");
    dg_fetch_release(r, 2);
    t2_free(t_fetching_stop(&t));
}

static void test_refused(void **state)
{
    const char *const urls[] = {"http://127.0.0.1:9/x.tgz", NULL};
    struct dg_source_file f = {.urls = urls, .gone = "the host was closed in 2020"};
    const struct dg_source_file *const list[] = {&f, &f};
    struct dg_fetch_options o = {0};
    struct dg_fetch_result r[2];
    const char *dir = t_tmp_path("refused");

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    assert_int_equal(dg_fetch(list, 1, dir, NULL, r, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "'x.tgz' cannot be downloaded any more: the host was closed in "
                                   "2020; put it at '");
    t_assert_contains(err.message, "refused/x.tgz'");
    f.gone = NULL;
    o.offline = true;
    assert_int_equal(dg_fetch(list, 1, dir, &o, r, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "--offline: 'http://127.0.0.1:9/x.tgz' is missing; put it at '");
    assert_int_equal(dg_fetch(list, 2, dir, &o, r, &err), T2_ENOTFOUND);
    f.name = "a/b";
    assert_int_equal(dg_fetch(list, 1, dir, &o, r, &err), T2_EUSAGE);
    f.name = NULL;
    if (!t2_http_missing()) {
        o.offline = false;
        f.size_bytes = UINT64_MAX / 4;
        assert_int_equal(dg_fetch(list, 1, dir, &o, r, &err), T2_EIO);
        t_assert_contains(err.message, "the downloads need ");
    }
    t2_log_set_level(T2_LOG_INFO);
}

T_MAIN(cmocka_unit_test(test_nothing), cmocka_unit_test(test_local), cmocka_unit_test(test_several),
       cmocka_unit_test(test_first_failure), cmocka_unit_test(test_twice),
       cmocka_unit_test(test_refused))
