/* Tests of train/models/hparams_research.c; complete sets are compared with recorded ones in
 * tests/oracle/test_recorded_hparams.c. */
#include "tests/support/t.h"
#include "train/models/hparams.h"

/* The experiment: Adafactor made equal to Adam, and one part of it changed in each set. */
static void test_adafactor_like_adam(void **state)
{
    static const struct {
        const char *set;
        bool factored, clipped, scaled;
        double beta1;
    } rows[] = {{"afx_mimic_adam", false, false, false, 0.9},
                {"afx_base", false, false, false, 0.0},
                {"afx_factored", true, false, false, 0.0},
                {"afx_clip_factored", true, true, false, 0.0},
                {"afx_relative", false, false, true, 0.0},
                {"afx_unscale_relative", false, false, true, 0.0}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp;

        assert_int_equal(mdl_hparams_new(rows[i].set, &hp, &err), T2_OK);
        assert_string_equal(mdl_hp_string(hp, "optimizer"), "adafactor");
        assert_int_equal(mdl_hp_bool(hp, "optimizer_adafactor_factored"), rows[i].factored);
        assert_int_equal(!mdl_hp_is_null(hp, "optimizer_adafactor_clipping_threshold"),
                         rows[i].clipped);
        assert_int_equal(mdl_hp_bool(hp, "optimizer_adafactor_multiply_by_parameter_scale"),
                         rows[i].scaled);
        assert_true(mdl_hp_float(hp, "optimizer_adafactor_beta1") == rows[i].beta1);
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_adafactor_like_adam))
