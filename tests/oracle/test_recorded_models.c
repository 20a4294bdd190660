/*
 * tests/oracle/test_recorded_models.c - docs/t2t-models.md has a row for every model that the
 * original registers (reference-runs/registry/names.json.gz), and says "yes" to those that are ours
 * and to no others.
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
#include "train/models/model.h"

static bool is_ours(const char *model)
{
    for (size_t i = 0; i < mdl_count(); i++)
        if (strcmp(mdl_name(i), model) == 0)
            return true;
    return false;
}

static void test_page(void **state)
{
    const char *names = t_data_path("reference-runs/registry/names.json.gz");
    const char *root = getenv("T2_ROOT");
    char *path = t2_path_join(root && *root ? root : ".", "docs/t2t-models.md");
    const struct t2_json_value *models;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0}, page = {0};
    size_t n_ours = 0;

    (void) state;
    if (!names)
        t_skip("no reference-runs/registry in T2_DATA");
    rr_read_all(names, &text);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, names, &doc, &err), T2_OK);
    assert_int_equal(t2_read_file(path, 0, &page, &err), T2_OK);
    models = t2_json_get(t2_json_root(doc), "models");
    for (size_t i = 0; i < t2_json_size(models); i++) {
        const char *name = t2_json_as_string(t2_json_item(models, i), "");
        char *row = t2_asprintf("\n| `%s` | %s | ", name, is_ours(name) ? "yes" : "");

        if (!strstr(t2_buf_cstr(&page), row))
            fail_msg("docs/t2t-models.md has no row that begins with '%s'", row + 1);
        n_ours += is_ours(name);
        t2_free(row);
    }
    print_message("%zu of %zu models are here\n", n_ours, t2_json_size(models));
    t2_json_free(doc);
    t2_buf_release(&text);
    t2_buf_release(&page);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_page))
