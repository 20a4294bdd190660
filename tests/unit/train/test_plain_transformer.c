/* Tests of train/exchange/plain_transformer.c. */
#include <math.h>

#include "base/alloc.h"
#include "tests/unit/train/exchanged.h"
#include "train/exchange/plain_transformer.h"

static void test_positions(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    const struct gr_param *p;
    struct exchanged e;
    float *encoder, *decoder, *spaces;

    (void) state;
    exchanged_open(&e, "");
    assert_int_equal(xch_plain_positions(&e.m, true, 3, &encoder, &err), T2_OK);
    assert_int_equal(xch_plain_positions(&e.m, false, 3, &decoder, &err), T2_OK);
    assert_int_equal(xch_parameter(&e.m, "transformer/body/target_space_embedding/kernel", &spaces,
                                   &p, &err),
                     T2_OK);
    /* rates go from 1 to 1/10000 in 8 steps; row 2 */
    assert_true(fabs((double) decoder[2 * 16 + 1] - sin(2.0 * pow(1e4, -1.0 / 7.0))) < 1e-6);
    assert_true(fabs((double) decoder[2 * 16 + 15] - cos(2e-4)) < 1e-6);
    for (int i = 0; i < 16; i++)
        assert_true(fabs((double) encoder[16 + i] - ((double) (decoder[16 + i] + spaces[i]))) <
                    1e-6);
    t2_free(encoder);
    t2_free(decoder);
    t2_free(spaces);
    exchanged_close(&e);
}

static void test_symbols(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;
    float *inputs, *softmax;
    int64_t rows;

    (void) state;
    exchanged_open(&e, ",vocab_divisor=100");
    assert_int_equal(xch_plain_symbols(&e.m, XCH_INPUTS, &rows, &inputs, &err), T2_OK);
    assert_int_equal(rows, 300);
    assert_int_equal(xch_plain_symbols(&e.m, XCH_SOFTMAX, &rows, &softmax, &err), T2_OK);
    assert_true(inputs[0] != softmax[0]);
    t2_free(inputs);
    t2_free(softmax);
    exchanged_close(&e);
}

static void test_norms(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;
    bool post_norm = false;

    (void) state;
    exchanged_open(&e, ",layer_preprocess_sequence=none,layer_postprocess_sequence=dan");
    assert_int_equal(xch_plain_check(&e.m, "f", "Peer", &post_norm, &err), T2_OK);
    assert_true(post_norm);
    assert_int_equal(xch_plain_check(&e.m, "f", "Peer", NULL, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "Peer has no place for hparam layer_preprocess_sequence");
    exchanged_close(&e);
    err = (struct t2_err) T2_ERR_INIT;
    exchanged_open(&e, "");
    assert_int_equal(xch_plain_check(&e.m, "f", "Peer", &post_norm, &err), T2_OK);
    assert_false(post_norm);
    exchanged_close(&e);
}

T_MAIN(cmocka_unit_test(test_positions), cmocka_unit_test(test_symbols),
       cmocka_unit_test(test_norms))
