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

T_MAIN(cmocka_unit_test(test_names))
