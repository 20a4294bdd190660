/* Tests of train/models/lstm_parts.c: what every LSTM model refuses; layers and encoders are tested
 * with the models that have them (test_lstm_seq2seq.c, test_lstm_attention.c, test_lstm_encoder.c).
 */
#include "train/models/lstm_parts.h"

#include "tests/unit/train/tiny_model.h"

static void refused(const char *hparams, const struct mdl_problem *problem, enum t2_status status,
                    const char *part)
{
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", hparams);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(mdl_lstm_check("a_model", hp, problem, &err), status);
    t_assert_contains(err.message, part);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    struct mdl_problem speech = tiny_translation;
    struct mdl_shape packed = {.packed = true};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    speech.speech = true;
    refused("", &speech, T2_EUNSUPPORTED, "a_model needs a problem of texts");
    refused("prepend_mode=prepend_inputs_full_attention", &tiny_translation, T2_EUNSUPPORTED,
            "prepend_mode");
    refused("initializer=orthogonal", &tiny_translation, T2_EUNSUPPORTED, "orthogonal");
    refused("num_hidden_layers=33", &tiny_translation, T2_EUSAGE, "between 1 and 32");
    refused("hidden_size=65537", &tiny_translation, T2_EUSAGE, "between 1 and 65536");
    refused("vocab_divisor=0", &tiny_translation, T2_EUSAGE, "vocab_divisor=0");
    assert_int_equal(mdl_lstm_check_shape(NULL, NULL, &packed, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "not packed data");
}

T_MAIN(cmocka_unit_test(test_refusals))
