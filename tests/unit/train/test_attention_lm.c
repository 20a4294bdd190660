/* Tests of train/models/attention_lm.c: sizes, decoding, refusals; values are compared with the
 * original's in tests/oracle/test_recorded_transformer.c. */
#include "tests/unit/train/tiny_model.h"

static const char small[] = "hidden_size=16,filter_size=8,num_heads=2,num_hidden_layers=2";

/* A decoder alone, with a table for the embedding and one for the softmax, and a norm behind each
 * sub-layer; of inputs in front of the targets no variable knows. */
static void test_sizes(void **state)
{
    static const struct {
        const char *set;
        int tables, norms; /* in all */
        bool inputs;
    } rows[] = {{"attention_lm_small", 2, 4, false}, {"attention_lm_translation", 1, 5, true}};
    int64_t D = 16, F = 8, layers = 2 * (4 * D * D + 2 * D * F + F + D);

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct mdl *m =
            tiny_model_of(op_device("cpu", 1), "attention_lm", tiny_hparams_of(rows[i].set, small),
                          rows[i].inputs ? &tiny_translation : &tiny_language, MDL_EVAL);

        assert_int_equal(gr_params_count(mdl_params(m)),
                         layers + rows[i].tables * TINY_VOCAB * D + rows[i].norms * 2 * D);
        assert_false(mdl_problem_of(m)->has_inputs);
        mdl_free(m);
    }
}

static void refused(const char *set, const char *overrides, const struct mdl_problem *problem,
                    const char *part)
{
    struct mdl_hparams *hp = tiny_hparams_of(set, overrides);
    struct t2_err err = T2_ERR_INIT;
    struct mdl *m = NULL;

    assert_int_not_equal(mdl_new("attention_lm", op_device("cpu", 1), hp, problem, MDL_TRAIN, &m,
                                 &err),
                         T2_OK);
    t_assert_contains(err.message, part);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    struct mdl_problem labels = tiny_translation, two = tiny_translation;

    (void) state;
    labels.class_labels = true;
    two.inputs_vocab++;
    refused("attention_lm_small", "", &tiny_translation, "attention_lm_translation");
    refused("attention_lm_translation", "shared_embedding_and_softmax_weights=false",
            &tiny_translation, "one vocabulary");
    refused("attention_lm_translation", "", &two, "one vocabulary");
    refused("attention_lm_translation", "", &labels, "texts");
    refused("attention_lm_small", "num_heads=7", &tiny_language, "divisible by num_heads");
    refused("basic_1", "", &tiny_language, "attention_lm_base");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_refusals))
