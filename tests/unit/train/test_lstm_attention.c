/* Tests of train/models/lstm_attention.c: sizes, runs, refusals, padding of the inputs; values are
 * compared with the original's in tests/oracle/test_recorded_transformer.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=12,attention_layer_size=6,learning_rate_warmup_steps=1,learning_rate=2,"          \
    "num_hidden_layers=1,dropout=0.1"

static const char one_way[] = "lstm_seq2seq_attention",
                  two_ways[] = "lstm_seq2seq_attention_bidirectional_encoder";

static const struct text_case cases[] = {
    {one_way, "lstm_luong_attention", SMALL, &tiny_translation},
    {one_way, "lstm_bahdanau_attention_multi", SMALL ",num_heads=2", &tiny_translation},
    {two_ways, "lstm_luong_attention_multi", SMALL, &tiny_translation},
    {two_ways, "lstm_bahdanau_attention", SMALL, &tiny_translation},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* A layer of H over inputs of n. */
static int64_t layer(int64_t n, int64_t H)
{
    return (n + H) * 4 * H + 4 * H;
}

static void test_sizes(void **state)
{
    int64_t H = 12, A = 6, V = TINY_VOCAB;

    (void) state;
    assert_int_equal(text_count(&cases[0]),
                     layer(H, H) + layer(H + A, H) + H * H + 2 * H * A + 2 * V * H + V * A);
    assert_int_equal(text_count(&cases[1]), layer(H, H) + layer(H + 2 * A, H) + H * H +
                                                2 * (2 * H * A + H) + H * H + 2 * A * H + H +
                                                3 * V * H);
    assert_int_equal(text_count(&cases[2]), 2 * layer(H, H) + layer(H + 4 * A, 2 * H) + 4 * H * H +
                                                4 * 4 * H * A + 4 * A * 2 * H + 2 * H + 2 * V * H +
                                                V * 2 * H);
}

static void test_runs(void **state)
{
    (void) state;
    for (int i = 0; i < N_CASES; i++) {
        text_check_runs(&cases[i]);
        text_check_16_bits(&cases[i]);
    }
}

static void test_seen(void **state)
{
    (void) state;
    for (int i = 0; i < N_CASES; i++)
        text_check_seen(&cases[i], TEXT_PADDING_IS_SEEN);
}

static void test_refusals(void **state)
{
    const struct text_case *one = &cases[0], *two = &cases[3];
    struct mdl_problem labels = tiny_translation;
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", "");

    (void) state;
    labels.class_labels = true;
    text_refused(one, "", &labels, T2_EUNSUPPORTED, "needs a problem that makes texts of inputs");
    text_refused(one, "", &tiny_language, T2_EUNSUPPORTED, "makes texts of inputs");
    text_refused(one, "attention_mechanism=other", NULL, T2_EUSAGE,
                 "luong or bahdanau, not 'other'");
    text_refused(one, "output_attention=false", NULL, T2_EUNSUPPORTED, "output_attention=false");
    text_refused(one, "max_area_width=2", NULL, T2_EUNSUPPORTED, "area_key_mode=none");
    text_refused(one, "num_heads=9", NULL, T2_EUSAGE, "num_heads must lie between 1 and 8");
    text_refused(one, "shared_embedding_and_softmax_weights=true", NULL, T2_EUSAGE,
                 "the decoder gives 6 numbers and embeddings have 12");
    text_refused(two, "num_heads=2,shared_embedding_and_softmax_weights=true", NULL, T2_EUSAGE,
                 "the decoder gives 24 numbers");
    tiny_refused(one_way, hp, &tiny_translation, T2_EUSAGE, "--hparams_set=lstm_luong_attention");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_refusals))
