/* Tests of train/models/image_attention.c: which attentions there are, and what is refused by name;
 * their numbers are compared with the original's in tests/oracle/test_recorded_image_transformer.c.
 */
#include "train/models/image_attention.h"

#include <stdio.h>

#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static struct mdl_hparams *hparams(const char *set, const char *changes)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    return hp;
}

static void test_blocks(void **state)
{
    static const struct {
        const char *type;
        bool by_blocks;
    } cases[] = {{"local_1d", false},
                 {"dilated", false},
                 {"global", false},
                 {"local_2d", true},
                 {"local_block", true}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char changes[64];
        struct mdl_hparams *hp;

        snprintf(changes, sizeof changes, "dec_attention_type=%s", cases[i].type);
        hp = hparams("imagetransformer2d_base", changes);
        assert_int_equal(mdl_image_by_blocks(hp), cases[i].by_blocks);
        mdl_hparams_free(hp);
    }
}

static void test_unknown(void **state)
{
    struct mdl_hparams *hp = hparams("imagetransformer2d_base", "dec_attention_type=axial");

    (void) state;
    assert_int_equal(mdl_image_check_attention("imagetransformer2d", hp, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "dec_attention_type=axial is not supported");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_blocks), cmocka_unit_test(test_unknown))
