/*
 * tests/unit/train/test_registry.c - the models by name.
 */
#include <string.h>

#include "tests/support/t.h"
#include "train/models/kind.h"

static void test_names(void **state)
{
    (void) state;
    assert_true(mdl_count() >= 1);
    for (size_t i = 0; i < mdl_count(); i++) {
        const struct mdl_kind *kind = mdl_find_kind(mdl_name(i));

        assert_non_null(kind);
        assert_string_equal(kind->name, mdl_name(i));
        assert_non_null(kind->check);
        assert_non_null(kind->build);
        assert_true(i == 0 || strcmp(mdl_name(i - 1), mdl_name(i)) < 0); /* sorted */
    }
    assert_ptr_equal(mdl_find_kind("transformer"), &mdl_transformer);
    assert_null(mdl_find_kind("Transformer"));
    assert_null(mdl_find_kind(""));
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    (void) hp;
    (void) problem;
    (void) err;
    return T2_OK;
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    (void) b;
    (void) shape;
    (void) want_logits;
    (void) out;
}

static void refused(const struct mdl_kind *kind, const char *words)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(mdl_register(kind, &err), T2_EFORMAT);
    t_assert_contains(err.message, words);
}

/* Kinds of plug-ins stand among the others, in their order. */
static void test_register(void **state)
{
    static const struct mdl_kind last = {.name = "zebra", .check = check, .build = build},
                                 first = {.name = "aardvark", .check = check, .build = build},
                                 big = {.name = "Zebra", .check = check, .build = build},
                                 none = {.check = check, .build = build},
                                 empty = {.name = "yak", .check = check};
    struct t2_err err = T2_ERR_INIT;
    size_t n = mdl_count();

    (void) state;
    assert_int_equal(mdl_register(&last, &err), T2_OK);
    assert_int_equal(mdl_register(&first, &err), T2_OK);
    assert_int_equal(mdl_count(), n + 2);
    test_names(state);
    assert_string_equal(mdl_name(0), "aardvark");
    assert_ptr_equal(mdl_find_kind("zebra"), &last);
    refused(&first, "there is a model 'aardvark' already");
    refused(&big, "model 'Zebra': a name has");
    refused(&none, "model '': a name has");
    refused(&empty, "model 'yak' needs the functions check and build");
    assert_int_equal(mdl_count(), n + 2);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_register))
