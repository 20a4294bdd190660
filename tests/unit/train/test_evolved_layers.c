/* Tests of train/models/evolved_layers.c: how many heads there are; the layers are tested with the
 * model (test_evolved_transformer.c). */
#include "train/models/evolved_layers.h"

#include "tests/support/t.h"

static void test_heads(void **state)
{
    (void) state;
    assert_int_equal(mdl_et_more_heads(1), 2);
    assert_int_equal(mdl_et_more_heads(8), 16);
    assert_int_equal(mdl_et_more_heads(12), 16);
    assert_int_equal(mdl_et_more_heads(20), 20);
}

T_MAIN(cmocka_unit_test(test_heads))
