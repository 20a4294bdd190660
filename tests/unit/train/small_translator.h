/*
 * tests/unit/train/small_translator.h - a translator over a very small Transformer that was never
 * trained, from bytes to bytes: what it writes is nonsense, and always the same.
 */
#ifndef T2_TESTS_SMALL_TRANSLATOR_H
#define T2_TESTS_SMALL_TRANSLATOR_H

#include <stdio.h>

#include "tests/support/t.h"
#include "train/decode/translator.h"

struct small_translator {
    struct dev *dev;
    struct mdl *m;
    struct tok_encoder *bytes;
    struct dec_hparams hp;
    struct dec_translator *t;
};

/* With more hparams of the model ("" or ",name=value"), and with inputs or as a language model. */
static inline void small_open_on(struct small_translator *s, const char *device,
                                 const char *decode_hparams, uint64_t max_memory, int num_threads,
                                 const char *more, bool has_inputs)
{
    struct mdl_problem problem = {.has_inputs = has_inputs,
                                  .inputs_vocab = has_inputs ? 258 : 0,
                                  .targets_vocab = 258,
                                  .loss_multiplier = 1.0};
    char overrides[256];
    struct mdl_hparams *hp;
    struct t2_err err = T2_ERR_INIT;
    struct dec_parts parts;

    snprintf(overrides, sizeof overrides,
             "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,"
             "shared_embedding_and_softmax_weights=false%s",
             more);
    s->bytes = tok_bytes_new();
    if (mdl_hparams_new("transformer_tiny", &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK ||
        dev_open(device, num_threads, &s->dev, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_for_eval(hp);
    if (mdl_new("transformer", s->dev, hp, &problem, MDL_EVAL, &s->m, &err) != T2_OK ||
        mdl_initialise(s->m, 7, &err) != T2_OK ||
        dec_hparams_parse(decode_hparams, &s->hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    parts = (struct dec_parts){.m = s->m,
                               .inputs = has_inputs ? s->bytes : NULL,
                               .targets = s->bytes,
                               .hp = &s->hp,
                               .max_memory = max_memory};
    if (dec_translator_new(&parts, &s->t, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static inline void small_open_as(struct small_translator *s, const char *decode_hparams,
                                 uint64_t max_memory, int num_threads, const char *more,
                                 bool has_inputs)
{
    small_open_on(s, "cpu", decode_hparams, max_memory, num_threads, more, has_inputs);
}

static inline void small_open(struct small_translator *s, const char *decode_hparams,
                              uint64_t max_memory, int num_threads)
{
    small_open_as(s, decode_hparams, max_memory, num_threads, "", true);
}

static inline void small_close(struct small_translator *s)
{
    dec_translator_free(s->t);
    mdl_free(s->m);
    dev_close(s->dev);
    tok_free(s->bytes);
}

/* The ids of a source; owned by the caller. */
static inline void small_encode(struct small_translator *s, const char *text, struct tok_ids *ids)
{
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    *ids = (struct tok_ids){NULL, 0, 0};
    assert_int_equal(dec_encode(s->t, t2_slice_of(text), ids, &n_cut, &err), T2_OK);
}

#endif
