/*
 * train/models/registry.c - the models by name.
 */
#include <string.h>

#include "train/models/kind.h"
#include "train/models/layer_file.h"

/* sorted by name */
static const struct mdl_kind *const kinds[] = {&mdl_attention_lm,
                                               &mdl_basic_fc_relu,
                                               &mdl_byte_net,
                                               &mdl_flowers_cnn,
                                               &mdl_image_transformer,
                                               &mdl_keras_resnet50,
                                               &mdl_lstm_seq2seq,
                                               &mdl_lstm_seq2seq_bidirectional_encoder,
                                               &mdl_mg_resnet,
                                               &mdl_mnist_cnn,
                                               &mdl_official_transformer,
                                               &mdl_record_net,
                                               &mdl_resnet,
                                               &mdl_shake_shake,
                                               &mdl_tpu_resnet,
                                               &mdl_transformer,
                                               &mdl_transformer_encoder,
                                               &mdl_transformer_memory,
                                               &mdl_transformer_scorer,
                                               &mdl_universal_transformer,
                                               &mdl_universal_transformer_encoder,
                                               &mdl_xception};

size_t mdl_count(void)
{
    return sizeof kinds / sizeof *kinds;
}

const char *mdl_name(size_t i)
{
    T2_ASSERT(i < mdl_count());
    return kinds[i]->name;
}

const struct mdl_kind *mdl_find_kind(const char *name)
{
    for (size_t i = 0; i < mdl_count(); i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return mdl_is_layer_file(name) ? &mdl_layer_file : NULL;
}
