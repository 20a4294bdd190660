/*
 * tests/unit/train/test_transformer.c - the Transformer's variables.
 *
 * That it computes what Tensor2Tensor computed: tests/oracle/test_recorded_transformer.c.  That it
 * learns: test_transformer_toy.c.
 */
#include <math.h>
#include <stdio.h>

#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"

/* No position signal at all: the text "none", Python's None, nothing. */
static void test_no_positions(void **state)
{
    static const char *const values[] = {"none", "None", "", NULL};

    (void) state;
    for (int i = 0; i < 4; i++) {
        struct mdl_hparams *hp = tiny_hparams("");
        struct t2_err err = T2_ERR_INIT;
        struct mdl *m = NULL;

        mdl_hp_set_string(hp, "pos", values[i]);
        if (mdl_new("transformer", op_device("cpu", 1), hp, &tiny_translation, MDL_TRAIN, &m,
                    &err) != T2_OK)
            fail_msg("pos %s: %s", values[i] ? values[i] : "null", err.message);
        mdl_free(m);
        mdl_hparams_free(hp);
    }
}

/* ---- variables ---- */

static bool has(struct mdl *m, const char *name)
{
    return gr_params_find(mdl_params(m), name) != NULL;
}

static void test_tables(void **state)
{
    struct mdl_problem p = tiny_translation;
    struct mdl *m;

    (void) state;
    m = tiny_model(op_device("cpu", 1), "symbol_modality_num_shards=4", &p, MDL_TRAIN);
    for (int s = 0; s < 4; s++) {
        char name[80];

        snprintf(name, sizeof name, "transformer/symbol_modality_23_16/shared/weights_%d", s);
        assert_true(has(m, name));
        assert_int_equal(gr_params_find(mdl_params(m), name)->dims[0], s < 3 ? 6 : 5);
    }
    mdl_free(m);
    m = tiny_model(op_device("cpu", 1), "shared_embedding_and_softmax_weights=false", &p,
                   MDL_TRAIN);
    assert_true(has(m, "transformer/symbol_modality_23_16/input_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_23_16/target_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_23_16/softmax/weights_0"));
    mdl_free(m);
    m = tiny_model(op_device("cpu", 1),
                   "shared_embedding_and_softmax_weights=false,shared_embedding=true", &p,
                   MDL_TRAIN);
    assert_true(has(m, "transformer/symbol_modality_23_16/shared/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_23_16/softmax/weights_0"));
    mdl_free(m);
    /* two vocabularies cannot share; a rounded one has its rounded size in its name */
    p.inputs_vocab = 30;
    m = tiny_model(op_device("cpu", 1), "vocab_divisor=8", &p, MDL_TRAIN);
    assert_true(has(m, "transformer/symbol_modality_32_16/input_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_24_16/target_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_24_16/softmax/weights_0"));
    mdl_free(m);
}

/* Number of values, counted on paper. */
static void test_count(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    int64_t D = 16, F = 8, norms = 2 * D, attention = 4 * D * D, ffn = 2 * D * F + F + D;
    int64_t encoder = 2 * (attention + ffn + 2 * norms) + norms;
    int64_t decoder = 2 * (2 * attention + ffn + 3 * norms) + norms;

    (void) state;
    assert_int_equal(gr_params_count(mdl_params(m)), TINY_VOCAB * D + 32 * D + encoder + decoder);
    mdl_free(m);
}

/* Evaluation knows the same variables. */
static void test_eval_has_the_same_variables(void **state)
{
    struct mdl *train = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    struct mdl *eval = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    const struct gr_params *a = mdl_params(train), *b = mdl_params(eval);

    (void) state;
    assert_int_equal(a->n_variables, b->n_variables);
    for (int i = 0; i < a->n_variables; i++)
        assert_string_equal(a->variables[i].name, b->variables[i].name);
    device_assert_same(a->dev, a->values, b->dev, b->values, a->n_floats);
    mdl_free(train);
    mdl_free(eval);
}

/* ---- positions ---- */

/* spec §3.3: sines, then cosines, wave lengths from 2 pi to 10000 * 2 pi. */
static void test_timing_signal(void **state)
{
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "hidden_size=7,num_heads=1", &tiny_translation, MDL_EVAL);
    struct t2_err err = T2_ERR_INIT;
    const struct mdl_tables *tables = mdl_positions_plan(&m->positions, 1000);

    (void) state;
    assert_int_equal(mdl_positions_make(&m->positions, tables, &err), T2_OK);
    assert_int_equal(tables->n_positions, 1024);
    for (int p = 0; p < 1000; p += 37) {
        float row[7];

        device_read(m->dev, row, tables->timing + p * 7, 7);
        for (int i = 0; i < 3; i++) {
            double angle = p * pow(10000.0, -i / 2.0);

            assert_true(fabs((double) row[i] - sin(angle)) < 1e-6);
            assert_true(fabs((double) row[3 + i] - cos(angle)) < 1e-6);
        }
        assert_true(row[6] == 0.0f);
    }
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_no_positions), cmocka_unit_test(test_tables),
       cmocka_unit_test(test_count), cmocka_unit_test(test_eval_has_the_same_variables),
       cmocka_unit_test(test_timing_signal))
