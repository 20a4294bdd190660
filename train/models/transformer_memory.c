/*
 * train/models/transformer_memory.c - a Transformer language model that remembers the chunk before
 * (Dai et al. 2019, Transformer-XL).
 *
 * models/transformer.py (TransformerMemory).  Texts come in chunks of split_targets_chunk_length
 * positions, one batch after the other (input/chunks.h); the layers remember (chunk_memory.c).  The
 * first chunk of a text sees nothing of the text before.
 */
#include <inttypes.h>
#include <string.h>

#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"

#define MOST_FLOATS 0x1p40

static const char own_set[] = "transformer_wikitext103_l4k_memory_v0";

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    enum { LARGEST = 1 << 20 };
    static const char model[] = "transformer_memory";
    static const char *const sizes[] = {"split_targets_chunk_length", "num_memory_items",
                                        "recurrent_memory_batch_size"};

    T2_TRY(mdl_check_keys_of(model, hp, own_set, err));
    if (problem->has_inputs || problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED, "%s is for language models: a problem without inputs",
                       model);
    if (!mdl_hp_bool(hp, "unconditional"))
        return t2_fail(err, T2_EUNSUPPORTED, "%s: unconditional=false is not supported", model);
    if (!mdl_tf_is(hp, "memory_type", "transformer_xl"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: memory_type=%s is not supported (supported: transformer_xl)", model,
                       mdl_hp_string(hp, "memory_type"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t value = mdl_hp_has(hp, sizes[i]) ? mdl_hp_int(hp, sizes[i]) : 0;

        if (value < (i == 0) || value > LARGEST)
            return t2_fail(err, T2_EUSAGE, "%s: %s=%" PRId64 " must lie between %d and %d", model,
                           sizes[i], value, i == 0, LARGEST);
    }
    if (mdl_memory_rows(hp) < 1)
        return t2_fail(err, T2_EUSAGE,
                       "%s: batch_size=%" PRId64 " ids hold no text of max_length=%" PRId64
                       "; memory is kept for batch_size / max_length of them",
                       model, mdl_hp_int(hp, "batch_size"), mdl_hp_int(hp, "max_length"));
    if ((double) mdl_memory_rows(hp) * (double) mdl_tf_memory_items_of(hp) *
            (double) mdl_hp_int(hp, "hidden_size") >
        MOST_FLOATS)
        return t2_fail(err, T2_EUSAGE,
                       "%s: the memory of a layer, %d rows of %" PRId64 " positions, is too large",
                       model, (int) mdl_memory_rows(hp), mdl_tf_memory_items_of(hp));
    if (mdl_tf_is(hp, "self_attention_type", "dot_product_relative_v2"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: self_attention_type=dot_product_relative_v2 is not supported "
                       "(supported: dot_product, dot_product_relative)",
                       model);
    if (mdl_hp_bool(hp, "attention_variables_3d") ||
        !mdl_hp_bool(hp, "causal_decoder_self_attention") || !mdl_tf_is(hp, "prepend_mode", "none"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: attention_variables_3d, prepend_mode and "
                       "causal_decoder_self_attention=false are not supported",
                       model);
    return mdl_tf_check(model, hp, problem, err);
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer_memory takes texts in chunks, not packed rows: make the data "
                       "without packed_length");
    if (shape->batch > mdl_memory_rows(hp) ||
        shape->targets_length > mdl_hp_int(hp, "split_targets_chunk_length"))
        return t2_fail(
            err, T2_EUSAGE,
            "transformer_memory: a batch of %d rows of %d positions; there is memory for "
            "%d rows, in chunks of %" PRId64,
            (int) shape->batch, (int) shape->targets_length, (int) mdl_memory_rows(hp),
            mdl_hp_int(hp, "split_targets_chunk_length"));
    return T2_OK;
}

static int64_t chunk_positions(const struct mdl_hparams *hp)
{
    return mdl_hp_int(hp, "split_targets_chunk_length");
}

/*
 * While nothing is forgotten, attention to the caches of all positions so far is attention to
 * memory and chunk: a position of chunk c sees as much as long as c chunks fit into the memory.
 * What a position adds to its embedding begins anew with each chunk, which caches do not know.
 */
static int64_t most_positions(const struct mdl_hparams *hp)
{
    int64_t C = chunk_positions(hp);

    return mdl_tf_is(hp, "pos", "none") ? C * (mdl_tf_memory_items_of(hp) / C + 1) : C;
}

const struct mdl_kind mdl_transformer_memory = {
    .name = "transformer_memory",
    .own_set = own_set,
    .check = check,
    .check_shape = check_shape,
    .build = mdl_tf_build,
    .remembers = true,
    .chunk_positions = chunk_positions,
    .most_positions = most_positions,
    .check_decoding = mdl_tf_check_decoding,
    .build_step = mdl_tf_build_step,
    .n_decoder_layers = mdl_tf_decoder_layers,
    .cache_channels = mdl_tf_cache_channels,
};
