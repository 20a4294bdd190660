/*
 * tests/unit/train/test_translator.c - how long results may be, and signals.
 */
#include <signal.h>

#include "base/signals.h"
#include "tests/support/op_device.h" /* make check-far and check-cuda run it, too */
#include "tests/unit/train/small_translator.h"

/* The official Transformer counts from sources of 97 ids, and never trained it finds no end. */
static void test_official_length(void **state)
{
    static const char sets[2][32] = {"official_transformer_tiny", "transformer_tiny"};
    static const char models[2][24] = {"official_transformer", "transformer"};
    struct mdl_problem problem = {.has_inputs = true,
                                  .inputs_vocab = 258,
                                  .targets_vocab = 258,
                                  .loss_multiplier = 1.0};
    int32_t n_ids[4];

    (void) state;
    for (int i = 0; i < 4; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *bytes = tok_bytes_new();
        struct dec_hypothesis out = {.score = 0};
        struct tok_ids source = {0};
        struct dec_hparams hp;
        struct dec_translator *t;
        struct mdl_hparams *mhp;
        struct dev *dev;
        struct mdl *m;
        size_t n_cut;

        assert_int_equal(mdl_hparams_new(sets[i & 1], &mhp, &err), T2_OK);
        assert_int_equal(mdl_hparams_override(mhp, "num_hidden_layers=1", &err), T2_OK);
        if ((i & 1) == 0)
            mdl_hp_set_int(mhp, "vocab_size", 300); /* more than the encoder has */
        assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
        if (mdl_new(models[i & 1], dev, mhp, &problem, MDL_EVAL, &m, &err) != T2_OK ||
            mdl_initialise(m, 3, &err) != T2_OK ||
            dec_hparams_parse(i < 2 ? "beam_size=1,extra_length=4" : "beam_size=1", &hp, &err) !=
                T2_OK)
            fail_msg("%s", err.message);
        assert_int_equal(dec_translator_new(&(struct dec_parts){.m = m,
                                                                .inputs = bytes,
                                                                .targets = bytes,
                                                                .hp = &hp},
                                            &t, &err),
                         T2_OK);
        assert_int_equal(dec_encode(t, (struct t2_slice){(const uint8_t *) "ab", 2}, &source,
                                    &n_cut, &err),
                         T2_OK);
        assert_int_equal(dec_translate(t, &source, 1, &out, &err), T2_OK);
        n_ids[i] = out.n_ids;
        t2_buf_release(&out.text);
        tok_ids_release(&source);
        dec_translator_free(t);
        mdl_free(m);
        mdl_hparams_free(mhp);
        dev_close(dev);
        tok_free(bytes);
    }
    assert_int_equal(n_ids[0], 97 + 4);
    assert_int_equal(n_ids[1], 3 + 4);
    assert_int_equal(n_ids[2], 97 + 50);
    assert_int_equal(n_ids[3], 3 + 100);
}

static void interrupt_third_step(void *context, int32_t step, int32_t max_steps)
{
    int *n_steps = context;

    assert_int_equal(step, *n_steps);
    assert_true(step < max_steps);
    if (++*n_steps == 3)
        raise(SIGINT);
}

/* The last test: the signal stays. */
static void test_interrupt(void **state)
{
    struct small_translator s;
    struct dec_hypothesis h = {{NULL, 0, 0}, 0, 0, NULL};
    struct tok_ids ids;
    struct mdl_decoder *decoder;
    int n_steps = 0;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&s, "", 0, 1);
    small_encode(&s, "some text", &ids);
    t2_signals_install();
    dec_translator_on_step(s.t, interrupt_third_step, &n_steps);
    assert_int_equal(dec_translate(s.t, &ids, 1, &h, &err), T2_EINTERRUPTED);
    assert_int_equal(n_steps, 3); /* not one more */
    /* nor does the pass over a source go on to its end */
    assert_int_equal(mdl_decoder_new(s.m, NULL, &decoder, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(decoder,
                                       &(struct mdl_search_shape){1, 1, (int32_t) ids.n, 4, 0, 0},
                                       ids.items, &err),
                     T2_EINTERRUPTED);
    mdl_decoder_free(decoder);
    t2_buf_release(&h.text);
    tok_ids_release(&ids);
    small_close(&s);
}

T_MAIN(cmocka_unit_test(test_official_length), cmocka_unit_test(test_interrupt))
