/*
 * test_yaml_tree.c - what stood where.  What is refused: test_yaml.c, by way of JSON.
 */
#include "base/yaml_tree.h"

#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"

static struct t2_yaml_node *read_tree(const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_yaml_node *root = NULL;

    assert_int_equal(t2_yaml_tree(text, strlen(text), "x.yaml", &root, &err), T2_OK);
    return root;
}

static void test_places(void **state)
{
    struct t2_yaml_node *root = read_tree("# first\na: 1\nb:\n  c: ['x', y]\n");
    const struct t2_yaml_node *c;

    (void) state;
    assert_int_equal(root->kind, T2_YAML_MAPPING);
    assert_int_equal(root->n, 2);
    assert_string_equal(root->items[0].key, "a");
    assert_string_equal(root->items[0].text, "1");
    assert_true(root->items[0].plain);
    assert_int_equal(root->items[0].line, 2);
    assert_int_equal(root->items[0].column, 4);
    c = &root->items[1].items[0];
    assert_string_equal(c->key, "c");
    assert_int_equal(c->key_line, 4);
    assert_int_equal(c->key_column, 3);
    assert_int_equal(c->kind, T2_YAML_LIST);
    assert_int_equal(c->n, 2);
    assert_false(c->items[0].plain);
    assert_true(c->items[1].plain);
    t2_yaml_free(root);
}

static void test_tags(void **state)
{
    struct t2_yaml_node *root = read_tree("!!python/tuple [0.5, !!str 1]");

    (void) state;
    assert_string_equal(root->tag, "tag:yaml.org,2002:python/tuple");
    assert_null(root->items[0].tag);
    assert_string_equal(root->items[1].tag, "tag:yaml.org,2002:str");
    t2_yaml_free(root);
}

static void test_nothing(void **state)
{
    (void) state;
    assert_null(read_tree(""));
    assert_null(read_tree("# only a comment\n"));
    t2_yaml_free(NULL);
}

/* libyaml compares each with all before it: 16 MiB of them would take an hour. */
static void test_many_directives(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_yaml_node *root = NULL;
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < 100; i++)
        t2_buf_printf(&text, "%%TAG !a%d! x\n", i);
    t2_buf_puts(&text, "---\na: 1\n");
    root = read_tree(t2_buf_cstr(&text));
    assert_int_equal(root->n, 1);
    t2_yaml_free(root);
    t2_buf_puts(&text, "...\n%");
    assert_int_equal(t2_yaml_tree(t2_buf_cstr(&text), text.len_bytes, "x.yaml", &root, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "'x.yaml': line 104: more than 100 directives");
    t2_buf_release(&text);
}

/* Many keys take no quadratic time, and there is a bound. */
static void test_many_keys(void **state)
{
    enum { BOUND = 10000 };
    struct t2_err err = T2_ERR_INIT;
    struct t2_yaml_node *root = NULL;
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < BOUND; i++)
        t2_buf_printf(&text, "k%d: %d\n", i, i);
    root = read_tree(t2_buf_cstr(&text));
    assert_int_equal(root->n, BOUND);
    t2_yaml_free(root);
    t2_buf_puts(&text, "more: 1\n");
    assert_int_equal(t2_yaml_tree(t2_buf_cstr(&text), text.len_bytes, "x.yaml", &root, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "line 10001, column 1: too many keys");
    assert_null(root);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_places), cmocka_unit_test(test_tags), cmocka_unit_test(test_nothing),
       cmocka_unit_test(test_many_keys), cmocka_unit_test(test_many_directives))
