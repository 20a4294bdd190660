/*
 * Tests of train/runs/run_page.c: what a run's folder holds is in the page, whatever of it is
 * missing; that the page draws it is looked at in a browser.
 */
#include "train/runs/run_page.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/t.h"

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

static void put(const char *dir, const char *name, const char *text)
{
    char *path = t2_path_join(dir, name);

    OK(t2_make_dirs(dir, &err));
    OK(t2_write_file(path, text, strlen(text), &err));
    t2_free(path);
}

/* The data of a page; owned by the caller. */
static struct t2_json_doc *data_of(const struct t2_buf *html)
{
    static const char begin[] = "<script id=\"runs\" type=\"application/json\">";
    const char *text = t2_buf_cstr(html), *at = strstr(text, begin), *end;
    struct t2_json_doc *doc = NULL;

    assert_non_null(at);
    at += strlen(begin);
    end = strstr(at, "</script>");
    assert_non_null(end);
    OK(t2_json_parse(at, (size_t) (end - at), "page", &doc, &err));
    return doc;
}

static struct t2_json_doc *page(const char *a, const char *b, struct t2_buf *html)
{
    struct t2_strs dirs = {0};

    t2_strs_push(&dirs, a);
    if (b)
        t2_strs_push(&dirs, b);
    OK(tr_run_page(&dirs, html, &err));
    t2_strs_release(&dirs);
    return data_of(html);
}

static void test_whole(void **state)
{
    const char *a = t_tmp_path("a"), *b = t_tmp_path("b");
    struct t2_buf html = {0};
    struct t2_json_doc *doc;
    const struct t2_json_value *run;

    (void) state;
    put(a, "metrics.jsonl",
        "{\"kind\": \"train\", \"step\": 4, \"loss\": 2.5}\nno JSON\n"
        "{\"kind\": \"sample\", \"step\": 4, \"output\": \"</script>\"}\n{\"kind\": \"train\"");
    put(a, "hparams.json", "{\"hidden_size\": 16}");
    put(a, "run.json", "{\"memory_bytes\": {\"sum\": 7}}");
    put(a, "flags.txt", "--train_steps=4\n");
    put(b, "metrics.jsonl", "");
    put(b, "hparams.json", "{damaged");
    doc = page(a, b, &html);
    assert_int_equal(t2_json_size(t2_json_root(doc)), 2);
    run = t2_json_item(t2_json_root(doc), 0);
    assert_string_equal(t2_json_as_string(t2_json_get(run, "dir"), ""), a);
    assert_int_equal(t2_json_size(t2_json_get(run, "lines")), 2);
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_get(run, "hparams"), "hidden_size"), 0),
                     16);
    assert_string_equal(t2_json_as_string(t2_json_get(run, "flags"), ""), "--train_steps=4\n");
    run = t2_json_item(t2_json_root(doc), 1);
    assert_int_equal(t2_json_size(t2_json_get(run, "lines")), 0);
    assert_int_equal(t2_json_type(t2_json_get(run, "hparams")), T2_JSON_NULL);
    assert_int_equal(t2_json_type(t2_json_get(run, "state")), T2_JSON_NULL);
    t2_json_free(doc);
    t2_buf_release(&html);
}

/* Of very many lines the first, the last and some between stay; evaluations stay all. */
static void test_many_lines(void **state)
{
    const char *dir = t_tmp_path("many");
    struct t2_buf text = {0}, html = {0};
    const struct t2_json_value *lines;
    struct t2_json_doc *doc;
    size_t n, n_eval = 0;

    (void) state;
    for (int i = 1; i <= 9001; i++) {
        t2_buf_printf(&text, "{\"kind\": \"train\", \"step\": %d}\n", i);
        if (i % 10 == 0)
            t2_buf_printf(&text, "{\"kind\": \"eval\", \"step\": %d}\n", i);
    }
    put(dir, "metrics.jsonl", t2_buf_cstr(&text));
    doc = page(dir, NULL, &html);
    lines = t2_json_get(t2_json_item(t2_json_root(doc), 0), "lines");
    n = t2_json_size(lines);
    for (size_t i = 0; i < n; i++)
        n_eval +=
            strcmp(t2_json_as_string(t2_json_get(t2_json_item(lines, i), "kind"), ""), "eval") == 0;
    assert_int_equal(n_eval, 900);
    assert_true(n - n_eval <= 2001 && n - n_eval > 1000);
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_item(lines, 0), "step"), 0), 1);
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_item(lines, n - 1), "step"), 0), 9001);
    t2_json_free(doc);
    t2_buf_release(&html);
    t2_buf_release(&text);
}

static void test_command(void **state)
{
    const char *dir = t_tmp_path("command"), *out = t_tmp_path("page.html");
    char name[] = "report", flag[] = "-o", *folder = t2_strdup(dir), *file = t2_strdup(out);
    char *argv[] = {name, folder, flag, file};

    (void) state;
    assert_int_equal(tr_report_main(1, argv, &err), T2_EUSAGE);
    assert_int_equal(tr_report_main(4, argv, &err), T2_ENOTFOUND);
    assert_false(t2_exists(out));
    put(dir, "metrics.jsonl", "");
    OK(tr_report_main(4, argv, &err));
    assert_true(t2_exists(out));
    t2_free(folder);
    t2_free(file);
}

T_MAIN(cmocka_unit_test(test_whole), cmocka_unit_test(test_many_lines),
       cmocka_unit_test(test_command))
