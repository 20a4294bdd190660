/*
 * train/models/lstm_parts.h - what Tensor2Tensor's LSTM models have in common: stacks of layers,
 * encoders of one direction and of both, embeddings, refusals.
 *
 * models/lstm.py of release 1.15.7.  Dropout is that of each layer's input.  Positions behind a
 * row's length give zeros, as in tf.nn.dynamic_rnn.
 */
#ifndef MDL_LSTM_PARTS_H
#define MDL_LSTM_PARTS_H

#include "train/models/kind.h"

enum { MDL_LSTM_MOST_LAYERS = 32 };

/* The layers of one direction. */
struct mdl_lstm_stack {
    const char *scope; /* below the model's body, such as "lstm_seq2seq/encoder/rnn" */
    struct gr_tensor *lengths;
    bool reverse;
    int64_t hidden;
    struct gr_tensor *const *initial; /* (2, B, H) by layer; NULL: zeros */
};

/* x (B,T,I) -> (B,T,H); states[l] (2,B,H) are the last ones. */
struct gr_tensor *mdl_lstm_layers(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_lstm_stack *s, struct gr_tensor **states);
/* The variables of layer l whose input has I channels: kernel (I + H, 4H) and bias (4H), below
 * "<model>/body/<scope>/multi_rnn_cell". */
void mdl_lstm_cell(const struct mdl_build *b, const char *scope, int64_t l, int64_t I, int64_t H,
                   struct gr_tensor **kernel, struct gr_tensor **bias);

/* The encoder over x (B,T,I), embedded ids: from the last position to the first, or, both_ways,
 * also from the first to the last, whose states and outputs stand in front of the others', side by
 * side.  scope: "lstm_seq2seq/encoder".  Fills states[l] (2,B,H or 2H); gives (B,T,H or 2H). */
struct gr_tensor *mdl_lstm_encode(const struct mdl_build *b, const char *scope, bool both_ways,
                                  struct gr_tensor *x, struct gr_tensor *ids,
                                  struct gr_tensor **states);

/* ids (B,T) -> (B,T,hidden_size) by the table of inputs, or of targets, these shifted right. */
struct gr_tensor *mdl_lstm_embed(const struct mdl_build *b, struct gr_tensor *ids, bool targets);

/* Sizes, and what no LSTM model of texts can do. */
T2_MUST_CHECK enum t2_status mdl_lstm_check(const char *model, const struct mdl_hparams *hp,
                                            const struct mdl_problem *problem, struct t2_err *err);
T2_MUST_CHECK enum t2_status mdl_lstm_check_shape(const struct mdl_hparams *hp,
                                                  const struct mdl_problem *problem,
                                                  const struct mdl_shape *shape,
                                                  struct t2_err *err);

#endif
