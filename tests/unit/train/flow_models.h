/*
 * tests/unit/train/flow_models.h - small models that become flows, and their logits.  Include it
 * after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_FLOW_MODELS_H
#define T2_TESTS_UNIT_TRAIN_FLOW_MODELS_H

#include <stdio.h>

#include "tests/support/t.h"
#include "train/exchange/check_logits.h"
#include "train/exchange/flow_graph.h"

struct flow_model {
    struct dev *dev;
    struct mdl *mdl;
    struct ckpt_state state;
    struct xch_model m;
};

static inline void flow_open(struct flow_model *f, const char *model, const char *set,
                             const char *hparams, const struct mdl_problem *problem)
{
    struct mdl_hparams *hp;
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_new(set, &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, hparams, &err) != T2_OK ||
        dev_open("cpu", 1, &f->dev, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_for_eval(hp);
    if (mdl_new(model, f->dev, hp, problem, MDL_EVAL, &f->mdl, &err) != T2_OK ||
        mdl_initialise(f->mdl, 7, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    f->state = (struct ckpt_state){.step = 7, .problem = "p"};
    snprintf(f->state.model, sizeof f->state.model, "%s", model);
    snprintf(f->state.hparams_set, sizeof f->state.hparams_set, "%s", set);
    f->m = (struct xch_model){.state = &f->state,
                              .hp = mdl_hparams_of(f->mdl),
                              .problem = mdl_problem_of(f->mdl),
                              .params = mdl_params(f->mdl),
                              .decode_hparams = ""};
}

static inline void flow_close(struct flow_model *f)
{
    mdl_free(f->mdl);
    dev_close(f->dev);
}

static const struct mdl_problem flow_texts = {.has_inputs = true,
                                              .inputs_vocab = 30,
                                              .targets_vocab = 30,
                                              .target_space_id = 9,
                                              .loss_multiplier = 1.0};
static const struct mdl_problem flow_images = {.targets_vocab = 5,
                                               .loss_multiplier = 1.0,
                                               .class_labels = true,
                                               .image = {20, 20, 3}};

static const char flow_small[] = "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1";

#endif
