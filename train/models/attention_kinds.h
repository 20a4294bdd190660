/*
 * train/models/attention_kinds.h - which kind of attention the layers of attention_lm_moe have; its
 * variables' names have it in them.
 */
#ifndef MDL_ATTENTION_KINDS_H
#define MDL_ATTENTION_KINDS_H

#include "train/models/kind.h"

/* What a model that has such layers has for its name. */
extern const char mdl_moe_name[];
bool mdl_is_moe(const struct mdl_build *b);
/* What a layer attends by, "multihead" or another; NULL: a letter that is not known. */
const char *mdl_moe_attention(const struct mdl_hparams *hp, int32_t layer);
int32_t mdl_moe_layers(const struct mdl_hparams *hp);

#endif
