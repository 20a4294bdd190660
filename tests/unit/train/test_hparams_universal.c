/* Tests of train/models/hparams_universal.c; complete sets are compared with the original's in
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

/* Steps follow the layers of the set that a family begins with. */
static void test_steps(void **state)
{
    static const struct {
        const char *set;
        int64_t steps, most;
    } rows[] = {{"universal_transformer_base", 6, 12},
                {"universal_transformer_tiny", 8, 4},
                {"universal_transformer_teeny", 10, 12},
                {"universal_transformer_tall", 16, 12},
                {"adaptive_universal_transformer_tall", 6, 24}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = set(rows[i].set);

        assert_int_equal(mdl_hp_int(hp, "num_rec_steps"), rows[i].steps);
        assert_int_equal(mdl_hp_int(hp, "act_max_steps"), rows[i].most);
        assert_true(mdl_hp_is_null(hp, "pos"));
        mdl_hparams_free(hp);
    }
}

/* None in most sets, a word in those that are about it. */
static void test_none(void **state)
{
    struct mdl_hparams *base = set("universal_transformer_base");
    struct mdl_hparams *mixed = set("universal_transformer_mix_after_ut_base");

    (void) state;
    assert_int_equal(mdl_hp_type_of(base, "mix_with_transformer"), MDL_HP_NONE);
    assert_string_equal(mdl_hp_string(mixed, "mix_with_transformer"), "after_ut");
    mdl_hparams_free(base);
    mdl_hparams_free(mixed);
}

T_MAIN(cmocka_unit_test(test_steps), cmocka_unit_test(test_none))
