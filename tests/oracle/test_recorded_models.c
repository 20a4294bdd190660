/*
 * tests/oracle/test_recorded_models.c - docs/t2t-models.md has a row for every model that the
 * original registers (reference-runs/registry/names.json.gz), docs/garden-models.md one for every
 * experiment of Model Garden (oracles/garden/experiments.json, which bench/record_garden.py makes);
 * they say "yes" to those that are ours and to no others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/reference_run.h"
#include "tests/support/t.h"
#include "train/experiment/experiments.h"
#include "train/models/model.h"

static bool is_our_model(const char *model)
{
    for (size_t i = 0; i < mdl_count(); i++)
        if (strcmp(mdl_name(i), model) == 0)
            return true;
    return false;
}

static bool is_our_experiment(const char *name)
{
    for (size_t i = 0; i < exp_count(); i++)
        if (strcmp(exp_at(i)->name, name) == 0)
            return true;
    return false;
}

static void read_page(const char *path, struct t2_buf *page)
{
    const char *root = getenv("T2_ROOT");
    char *whole = t2_path_join(root && *root ? root : ".", path);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(t2_read_file(whole, 0, page, &err), T2_OK);
    t2_free(whole);
}

/* Fails unless the page has the row and says whether the name is ours. */
static void need_row(struct t2_buf *page, const char *name, bool ours)
{
    char *row = t2_asprintf("\n| `%s` | %s | ", name, ours ? "yes" : "");

    if (!strstr(t2_buf_cstr(page), row))
        fail_msg("the page has no row that begins with '%s'", row + 1);
    t2_free(row);
}

static size_t count_rows(struct t2_buf *page)
{
    size_t n = 0;

    for (const char *at = t2_buf_cstr(page); (at = strstr(at, "\n| `")); at++)
        n++;
    return n;
}

/* The names of a list in T2_DATA are the rows of a page. */
static void compare_page(const char *list, const char *member, const char *page_path,
                         bool (*is_ours)(const char *))
{
    const char *path = t_data_path(list);
    const struct t2_json_value *names;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0}, page = {0};
    size_t n_ours = 0, n;

    if (!path)
        t_skip("no %s in T2_DATA", list);
    rr_read_all(path, &text);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, path, &doc, &err), T2_OK);
    read_page(page_path, &page);
    names = t2_json_root(doc);
    if (member)
        names = t2_json_get(names, member);
    n = t2_json_size(names);
    for (size_t i = 0; i < n; i++) {
        const char *name = t2_json_as_string(t2_json_item(names, i), "");

        need_row(&page, name, is_ours(name));
        n_ours += is_ours(name);
    }
    assert_true(n_ours > 0);
    assert_int_equal(count_rows(&page), n);
    print_message("%zu of %zu are here\n", n_ours, n);
    t2_json_free(doc);
    t2_buf_release(&text);
    t2_buf_release(&page);
}

static void test_models(void **state)
{
    (void) state;
    compare_page("reference-runs/registry/names.json.gz", "models", "docs/t2t-models.md",
                 is_our_model);
}

static void test_experiments(void **state)
{
    (void) state;
    compare_page("oracles/garden/experiments.json", NULL, "docs/garden-models.md",
                 is_our_experiment);
}

/* Without the original's list: what is registered here is on the page, and nothing else says yes.
 */
static void test_our_experiments(void **state)
{
    struct t2_buf page = {0};
    size_t n_ours = 0, n_yes = 0;

    (void) state;
    read_page("docs/garden-models.md", &page);
    for (size_t i = 0; i < exp_count(); i++) {
        const char *name = exp_at(i)->name;

        if (strcmp(name, "tpu_resnet") == 0) /* of another repository */
            continue;
        need_row(&page, name, true);
        n_ours++;
    }
    for (const char *at = t2_buf_cstr(&page); (at = strstr(at, "` | yes | ")); at++)
        n_yes++;
    assert_int_equal(n_yes, n_ours);
    t2_buf_release(&page);
}

T_MAIN(cmocka_unit_test(test_models), cmocka_unit_test(test_experiments),
       cmocka_unit_test(test_our_experiments))
