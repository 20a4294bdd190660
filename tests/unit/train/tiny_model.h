/*
 * tests/unit/train/tiny_model.h - a small Transformer with made-up sentences, for tests of models.
 */
#ifndef T2_TESTS_TINY_MODEL_H
#define T2_TESTS_TINY_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/models/model_parts.h"

enum { TINY_VOCAB = 23 };

static const struct mdl_problem tiny_translation = {.has_inputs = true,
                                                    .inputs_vocab = TINY_VOCAB,
                                                    .targets_vocab = TINY_VOCAB,
                                                    .input_space_id = 3,
                                                    .target_space_id = 4,
                                                    .loss_multiplier = 1.0};
static const struct mdl_problem tiny_language = {.targets_vocab = TINY_VOCAB,
                                                 .target_space_id = 1,
                                                 .loss_multiplier = 1.0};

static inline struct mdl_hparams *tiny_hparams_of(const char *set, const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    if (mdl_hparams_new(set, &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

/* Set transformer_test (two layers of 16) with overrides. */
static inline struct mdl_hparams *tiny_hparams(const char *overrides)
{
    return tiny_hparams_of("transformer_test", overrides);
}

/* Expects that there is no such model, and why. */
static inline void tiny_refused(const char *model, const struct mdl_hparams *hp,
                                const struct mdl_problem *problem, enum t2_status status,
                                const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl *m = NULL;
    enum t2_status st = mdl_new(model, op_device("cpu", 1), hp, problem, MDL_TRAIN, &m, &err);

    if (st != status)
        fail_msg("%s instead of %s, where the message should have '%s'", t2_status_name(st),
                 t2_status_name(status), part);
    assert_null(m);
    t_assert_contains(err.message, part);
}

/* A model with initial values of seed 1.  Takes hp. */
static inline struct mdl *tiny_model_of(struct dev *d, const char *model, struct mdl_hparams *hp,
                                        const struct mdl_problem *problem, enum mdl_mode mode)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl *m = NULL;

    if (mdl_new(model, d, hp, problem, mode, &m, &err) != T2_OK ||
        mdl_initialise(m, 1, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    return m;
}

static inline struct mdl *tiny_model(struct dev *d, const char *overrides,
                                     const struct mdl_problem *problem, enum mdl_mode mode)
{
    return tiny_model_of(d, "transformer", tiny_hparams(overrides), problem, mode);
}

/* Sentences of 1 to `length` ids, the rest 0; the first has full length. */
static inline void tiny_ids(int32_t *ids, int32_t batch, int32_t length, uint64_t seed)
{
    for (int32_t b = 0; b < batch; b++) {
        int32_t n = b == 0 ? length
                           : 1 + (int32_t) (t_hash64(seed * 31 + (uint64_t) b) % (uint64_t) length);

        for (int32_t i = 0; i < length; i++) {
            uint64_t h = t_hash64(seed * 1000 + (uint64_t) (b * length + i));

            ids[b * length + i] = i < n ? 1 + (int32_t) (h % (TINY_VOCAB - 1)) : 0;
        }
    }
}

enum { TINY_MAX_IDS = 4096 };

/* A batch whose ids are in the struct itself. */
struct tiny_batch {
    struct mdl_batch b;
    int32_t inputs[TINY_MAX_IDS], targets[TINY_MAX_IDS];
};

static inline const struct mdl_batch *tiny_batch(struct tiny_batch *t, int32_t batch,
                                                 int32_t inputs_length, int32_t targets_length,
                                                 uint64_t seed)
{
    assert_true(batch * inputs_length <= TINY_MAX_IDS && batch * targets_length <= TINY_MAX_IDS);
    tiny_ids(t->inputs, batch, inputs_length ? inputs_length : 1, seed);
    tiny_ids(t->targets, batch, targets_length, seed + 1);
    t->b = (struct mdl_batch){.batch = batch,
                              .inputs_length = inputs_length,
                              .targets_length = targets_length,
                              .inputs = t->inputs,
                              .targets = t->targets};
    return &t->b;
}

#endif
