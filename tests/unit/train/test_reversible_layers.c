/* Tests of train/models/reversible_layers.c: sizes, what sees what; runs and refusals are in
 * test_transformer_revnet.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=2,learning_rate_warmup_steps=1,"  \
    "symbol_modality_num_shards=1,learning_rate_schedule=constant,learning_rate_constant=0.01"

static const struct text_case translating = {"transformer_revnet", "transformer_revnet_base", SMALL,
                                             &tiny_translation};

/* Layers of half the width, which see a memory of the whole one; the decoder's self-attention is
 * there and not trained. */
static void test_sizes(void **state)
{
    int64_t D = 16, H = D / 2, F = 24, V = TINY_VOCAB, attention = 4 * H * H, norm = 2 * H;
    int64_t layer = attention + 2 * H * F + F + H + 2 * norm;
    struct mdl *m = text_model(&translating, op_device("cpu", 1), MDL_EVAL);
    const struct gr_params *p = mdl_params(m);
    int64_t unread = 0;

    (void) state;
    for (int i = 0; i < p->n_variables; i++)
        unread += p->variables[i].trainable ? 0 : p->variables[i].n;
    assert_int_equal(unread, 2 * (attention + norm));
    assert_int_equal(text_count(&translating),
                     4 * layer + 2 * 2 * H * (D - H) + 2 * 2 * D + V * D + 32 * D);
    mdl_free(m);
}

/* A position of the decoder sees its own id alone: text_check_seen finds that, too, as the id in
 * front of a position is what stands at it. */
static void test_seen(void **state)
{
    enum { LENGTH = 4 };
    struct mdl *m = text_model(&translating, op_device("cpu", 1), MDL_EVAL);
    int32_t inputs[] = {3, 4, 1}, targets[] = {9, 8, 7, 1};
    struct mdl_batch b = {.batch = 1,
                          .inputs_length = 3,
                          .targets_length = LENGTH,
                          .inputs = inputs,
                          .targets = targets};
    float logits[2][LENGTH * TINY_VOCAB];
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    text_check_seen(&translating, TEXT_PADDING_IS_NOTHING);
    assert_int_equal(mdl_logits(m, &b, logits[0], &err), T2_OK);
    targets[0] = 5;
    assert_int_equal(mdl_logits(m, &b, logits[1], &err), T2_OK);
    assert_memory_not_equal(logits[0], logits[1], sizeof logits[0] / 2);
    assert_memory_equal(logits[0] + 2 * TINY_VOCAB, logits[1] + 2 * TINY_VOCAB,
                        sizeof logits[0] / 2);
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_seen))
