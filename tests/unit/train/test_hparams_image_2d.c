/* Tests of train/models/hparams_image_2d.c; complete sets are compared with the original's in
 * tests/oracle/test_recorded_hparams.c. */
#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct mdl_hparams *set(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    return hp;
}

static void test_two_dimensions(void **state)
{
    struct mdl_hparams *hp = set("img2img_transformer2d_q3");
    size_t n;

    (void) state;
    assert_int_equal(mdl_hp_ints(hp, "query_shape", &n)[0], 8);
    assert_int_equal(n, 2);
    assert_int_equal(mdl_hp_ints(hp, "memory_flange", &n)[1], 32);
    assert_int_equal(n, 2);
    assert_string_equal(mdl_hp_string(hp, "layer_postprocess_sequence"), "dan");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_two_dimensions))
