/*
 * train/models/attention_kinds.c - see the header.
 */
#include "train/models/attention_kinds.h"

#include <string.h>

const char mdl_moe_name[] = "attention_lm_moe";

bool mdl_is_moe(const struct mdl_build *b)
{
    return b->model == mdl_moe_name;
}

/* A letter for each layer, or one kind for all. */
const char *mdl_moe_attention(const struct mdl_hparams *hp, int32_t layer)
{
    static const struct {
        char letter;
        const char *kind;
    } kinds[] = {
        {'h', "multihead"},        {'e', "local_experts"},     {'m', "memory_efficient"},
        {'s', "sparse_multihead"}, {'r', "multihead_reduced"}, {'t', "sparse_multihead_truncated"},
        {'f', "multihead_full"},
    };
    const char *letters = mdl_hp_string(hp, "attention_layers");

    if (!*letters)
        return mdl_hp_string(hp, "attention_type");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].letter == letters[layer])
            return kinds[i].kind;
    return NULL;
}

int32_t mdl_moe_layers(const struct mdl_hparams *hp)
{
    size_t letters = strnlen(mdl_hp_string(hp, "attention_layers"), MDL_MAX_LAYERS + 1);

    return (int32_t) (letters > 0 ? (int64_t) letters : mdl_hp_int(hp, "num_hidden_layers"));
}
