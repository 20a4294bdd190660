/*
 * tests/unit/datagen/fetch/test_fetch_plan.c - what would be downloaded, and how much of it is
 * there.
 */
#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/part_file.h"
#include "tests/unit/datagen/fetching.h"

static struct t2_err err;

static void test_absent(void **state)
{
    const char *const answers[] = {"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n",
                                   "HTTP/1.1 404 N\r\nContent-Length: 3\r\n\r\n", NULL};
    struct dg_fetch_plan p;
    struct t_fetching t;
    char *asked;

    (void) state;
    t_fetching_start(&t, answers);
    assert_int_equal(dg_fetch_make_plan(t.list, 1, t.dir, &t.options, false, &p, &err), T2_OK);
    assert_int_equal(p.how, DG_FETCH_ABSENT);
    assert_string_equal(p.url, t.url);
    assert_int_equal(p.size_bytes, 0);
    assert_int_equal(t.server.n_asked, 0);
    dg_fetch_plan_release(&p, 1);
    assert_int_equal(dg_fetch_make_plan(t.list, 1, t.dir, &t.options, true, &p, &err), T2_OK);
    assert_int_equal(p.size_bytes, 12345);
    dg_fetch_plan_release(&p, 1);
    assert_int_equal(dg_fetch_make_plan(t.list, 1, t.dir, &t.options, true, &p, &err), T2_OK);
    assert_int_equal(p.size_bytes, 0);
    dg_fetch_plan_release(&p, 1);
    t.file.gone = "closed";
    assert_int_equal(dg_fetch_make_plan(t.list, 1, t.dir, &t.options, true, &p, &err), T2_OK);
    assert_null(p.url);
    dg_fetch_plan_release(&p, 1);
    asked = t_fetching_stop(&t);
    t_assert_contains(asked, "HEAD /f HTTP/1.1");
    assert_null(strstr(asked, "GET"));
    t2_free(asked);
}

static void test_there(void **state)
{
    const char *const answers[] = {NULL};
    struct dg_part_state s = {.total_bytes = 10};
    struct dg_fetch_plan p;
    struct dg_part part;
    struct t_fetching t;
    char *path;

    (void) state;
    t_fetching_start(&t, answers);
    s.url = t.url;
    dg_part_look(&part, t.dir, "f");
    assert_int_equal(dg_part_begin(&part, &s, &err), T2_OK);
    assert_int_equal(dg_part_append(&part, "abc", 3, &err), T2_OK);
    dg_part_release(&part);
    assert_int_equal(dg_fetch_make_plan(t.list, 1, t.dir, &t.options, true, &p, &err), T2_OK);
    assert_int_equal(p.part_bytes, 3);
    assert_int_equal(p.size_bytes, 10);
    dg_fetch_plan_release(&p, 1);
    path = t2_path_join(t.dir, "f");
    t_write_file(path, "hello", 5);
    assert_int_equal(dg_fetch_make_plan(t.list, 1, t.dir, &t.options, true, &p, &err), T2_OK);
    assert_int_equal(p.how, DG_FETCH_FOUND);
    assert_string_equal(p.path, path);
    assert_int_equal(p.size_bytes, 5);
    dg_fetch_plan_release(&p, 1);
    t2_free(path);
    t2_free(t_fetching_stop(&t));
}

T_MAIN(cmocka_unit_test(test_absent), cmocka_unit_test(test_there))
