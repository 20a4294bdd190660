/* Tests of train/models/transformer_revnet.c: sizes, runs, what sees what, refusals; values are
 * compared with the original's in tests/oracle/test_recorded_transformer.c. */
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

static void test_runs(void **state)
{
    (void) state;
    text_check_runs(&translating);
    text_check_16_bits(&translating);
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

static void test_refusals(void **state)
{
    const struct text_case *c = &translating;
    struct mdl_problem labels = tiny_translation;

    (void) state;
    labels.class_labels = true;
    text_refused(c, "", &tiny_language, T2_EUNSUPPORTED, "texts of texts");
    text_refused(c, "", &labels, T2_EUNSUPPORTED, "texts of texts");
    text_refused(c, "ffn_layer=conv_relu_conv", NULL, T2_EUNSUPPORTED,
                 "ffn_layer=dense_relu_dense");
    text_refused(c, "num_encoder_layers=1", NULL, T2_EUSAGE, "has no num_encoder_layers");
    text_refused(c, "num_heads=16", NULL, T2_EUSAGE, "divide the 8 key and 8 value channels");
    text_refused(c, "hidden_size=15,num_heads=1", NULL, T2_EUSAGE, "hidden_size=15 must be even");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_refusals))
