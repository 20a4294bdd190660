/*
 * tests/oracle/test_problem_names.c - every problem that Tensor2Tensor registers is found by its
 * name, or is refused with a reason (reference-runs/registry).
 */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"
#include "datagen/problem.h"
#include "tests/support/t.h"

static struct t2_json_doc *read_names(const char *path)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0};
    struct t2_slice line;
    struct t2_in *in;

    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    while (t2_in_line(in, &line, &err) == T2_OK) {
        t2_buf_append(&text, line.data, line.len_bytes);
        t2_buf_push(&text, '\n');
    }
    t2_in_free(in);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, path, &doc, &err), T2_OK);
    t2_buf_release(&text);
    return doc;
}

static void test_names(void **state)
{
    const char *path = t_data_path("reference-runs/registry/names.json.gz");
    struct t2_json_doc *doc;
    const struct t2_json_value *names;

    (void) state;
    if (!path)
        t_skip("no recorded registry");
    doc = read_names(path);
    names = t2_json_get(t2_json_root(doc), "problems");
    assert_true(t2_json_size(names) > 0);
    for (size_t i = 0; i < t2_json_size(names); i++) {
        const char *name = t2_json_as_string(t2_json_item(names, i), "");
        const struct dg_problem *p = dg_find(name);
        if (!p || !(p->open || p->sharding.maker || p->members || p->refusal))
            fail_msg("no problem '%s'", name);
    }
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_names))
