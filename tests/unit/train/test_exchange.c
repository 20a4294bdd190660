/* Tests of train/exchange/exchange.c: variables and parameters by name. */
#include "train/exchange/exchange.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/unit/train/exchanged.h"

static void test_numbers(void **state)
{
    struct exchanged e;
    struct t2_err err = T2_ERR_INIT;
    const struct gr_variable *v;
    const struct gr_param *p;
    float *one, *whole;

    (void) state;
    exchanged_open(&e, ",symbol_modality_num_shards=2");
    v = gr_params_find(e.m.params, "transformer/symbol_modality_258_16/softmax/weights_1");
    assert_non_null(v);
    assert_int_equal(xch_variable(&e.m, v, &one, &err), T2_OK);
    assert_int_equal(xch_parameter(&e.m, "transformer/symbol_modality_258_16/softmax/weights",
                                   &whole, &p, &err),
                     T2_OK);
    assert_int_equal(p->n, 258 * 16);
    assert_memory_equal(one, whole + 129 * 16, (size_t) v->n * sizeof *one);
    t2_free(one);
    t2_free(whole);
    assert_int_equal(xch_parameter(&e.m, "transformer/none", &whole, &p, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "no variable 'transformer/none'");
    exchanged_close(&e);
}

T_MAIN(cmocka_unit_test(test_numbers))
