/*
 * train/models/chunk_memory.c - what the layers of a Transformer remember of the chunk before.
 *
 * layers/transformer_memory.py (RecentTokensMemory).  Each layer keeps the last num_memory_items
 * positions that its self-attention had as x, before projection, and attends to them, too:
 *   k = [memory; x] Wk,  v = [memory; x] Wv,  q = x Wq
 * Relative positions count through.  No gradient flows into the memory.
 *
 * The memory is a variable that no optimizer knows: in checkpoints, so that a run continues with
 * the same bits (the original's is lost).  Evaluation has its own.
 */
#include <stdio.h>
#include <string.h>

#include "train/models/transformer_parts.h"
#include "train/ops/recall.h"

static int64_t optional_int(const struct mdl_hparams *hp, const char *hparam)
{
    return mdl_hp_has(hp, hparam) ? mdl_hp_int(hp, hparam) : 0;
}

int64_t mdl_tf_memory_items_of(const struct mdl_hparams *hp)
{
    int64_t items = optional_int(hp, "num_memory_items");

    return items > 0 ? items : mdl_hp_int(hp, "split_targets_chunk_length");
}

int32_t mdl_tf_memory_items(const struct mdl_build *b)
{
    return strcmp(b->model, "transformer_memory") == 0 ? (int32_t) mdl_tf_memory_items_of(b->hp)
                                                       : 0;
}

int32_t mdl_memory_rows(const struct mdl_hparams *hp)
{
    int64_t rows = optional_int(hp, "recurrent_memory_batch_size");

    if (rows > 0)
        return (int32_t) rows;
    rows = mdl_hp_int(hp, "max_length");
    return (int32_t) (rows > 0 ? mdl_hp_int(hp, "batch_size") / rows : 0);
}

/* Both, whatever the graph is for, as a model has the same variables in all of its graphs. */
static struct gr_tensor *memory_of(const struct mdl_build *b, int32_t layer)
{
    static const char *const names[] = {"memvals", "eval_memvals"};
    int64_t dims[] = {mdl_memory_rows(b->hp), mdl_tf_memory_items_of(b->hp),
                      mdl_hp_int(b->hp, "hidden_size")};
    struct gr_tensor *memory[2];
    char name[MDL_TF_NAME_BYTES];

    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/layer_%d/recurrent_memory/%s", b->model, (int) layer,
                 names[i]);
        memory[i] = gr_state(b->g, name, 3, dims, GR_INIT_ZEROS, 0.0);
    }
    return memory[!b->g->training];
}

struct gr_tensor *mdl_tf_recalling_attention(const struct mdl_build *b, struct gr_tensor *x,
                                             const struct nn_attention *masks, int32_t layer,
                                             const char *sublayer)
{
    struct gr_tensor *all = nn_recall(b->g, memory_of(b, layer), x); /* (B, M + L, D) */
    struct gr_tensor *k = mdl_tf_project(b, all, sublayer, 'k');
    struct gr_tensor *v = mdl_tf_project(b, all, sublayer, 'v');

    return mdl_tf_attend(b, x, k, v, *masks, true, sublayer);
}
