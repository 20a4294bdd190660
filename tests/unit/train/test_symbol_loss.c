/*
 * tests/unit/train/test_symbol_loss.c - what an evaluation predicts are the largest of the logits,
 * of every model whose targets are symbols, padding included; the loss does not change by it.
 */
#include "train/models/symbol_loss.h"

#include "tests/unit/train/tiny_model.h"

static struct t2_err err;

/* The logits of a row are `columns`, of which the vocabulary may be the first. */
static int32_t argmax(const float *x, int64_t columns)
{
    int32_t best = 0;

    for (int32_t i = 1; i < columns; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

static void check(const char *device, const char *model, const char *set, const char *overrides,
                  const struct mdl_problem *problem)
{
    enum { ROWS = 3, LENGTH = 7, COLUMNS = TINY_VOCAB };
    struct mdl *m = tiny_model_of(op_device(device, 2), model, tiny_hparams_of(set, overrides),
                                  problem, MDL_EVAL);
    struct tiny_batch t;
    const struct mdl_batch *b = tiny_batch(&t, ROWS, problem->has_inputs ? 5 : 0, LENGTH, 3);
    static float logits[ROWS * LENGTH * COLUMNS];
    struct mdl_loss without, with;
    int32_t ids[ROWS * LENGTH];

    assert_int_equal(mdl_evaluate(m, b, &without, &err), T2_OK);
    assert_int_equal(mdl_logits(m, b, logits, &err), T2_OK);
    mdl_drop_graphs(m);
    mdl_set_predicts(m, true);
    if (mdl_evaluate(m, b, &with, &err) != T2_OK || mdl_predictions(m, b, ids, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_memory_equal(&with, &without, sizeof with);
    for (int i = 0; i < ROWS * LENGTH; i++)
        if (ids[i] != argmax(logits + i * COLUMNS, COLUMNS))
            fail_msg("%s of %s: place %d is %d, the largest logit is that of %d", model, device, i,
                     (int) ids[i], (int) argmax(logits + i * COLUMNS, COLUMNS));
    mdl_free(m);
}

static void test_all_devices(void **state)
{
    static const char *const devices[] = {"reference", "cpu", "far"};

    (void) state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        check(devices[i], "transformer", "transformer_test", "", &tiny_translation);
        check(devices[i], "transformer", "transformer_test", "", &tiny_language);
        check(devices[i], "universal_transformer", "universal_transformer_tiny",
              "hidden_size=16,num_heads=2,filter_size=24,num_rec_steps=2", &tiny_translation);
        check(devices[i], "official_transformer", "official_transformer_tiny",
              "hidden_size=16,num_heads=2,filter_size=24,num_hidden_layers=1,vocab_size=0",
              &tiny_translation);
    }
}

/* Its graphs are longer than the batch: lengths are rounded up. */
static void test_longer_graph(void **state)
{
    (void) state;
    check("cpu", "byte_net", "bytenet_base",
          "hidden_size=16,num_hidden_layers=1,num_block_repeat=1", &tiny_translation);
}

T_MAIN(cmocka_unit_test(test_all_devices), cmocka_unit_test(test_longer_graph))
