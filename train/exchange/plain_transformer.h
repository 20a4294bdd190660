/*
 * train/exchange/plain_transformer.h - what formats for one kind of Transformer share: whether a
 * model is of that kind, and its tables.
 *
 * Plain is what "Attention is all you need" describes, as Tensor2Tensor computes it: timing
 * signals, dot-product attention, dense_relu_dense; norms before sub-layers, or behind them.
 */
#ifndef XCH_PLAIN_TRANSFORMER_H
#define XCH_PLAIN_TRANSFORMER_H

#include "train/exchange/exchange.h"

/*
 * T2_EUNSUPPORTED names the hparam that `peer` has no place for.  *post_norm: layers end with a
 * norm and begin with none (layer_preprocess_sequence=none, layer_postprocess_sequence=dan);
 * post_norm NULL: such models are refused.
 */
T2_MUST_CHECK enum t2_status xch_plain_check(const struct xch_model *m, const char *format,
                                             const char *peer, bool *post_norm, struct t2_err *err);
int64_t xch_plain_layers(const struct xch_model *m, bool encoder);

/* Tensor2Tensor's timing signal, sines then cosines; of the encoder with the row of the target
 * space added, where the model has one.  *table (positions, D) is owned by the caller. */
T2_MUST_CHECK enum t2_status xch_plain_positions(const struct xch_model *m, bool encoder,
                                                 int64_t positions, float **table,
                                                 struct t2_err *err);

enum xch_table { XCH_INPUTS, XCH_TARGETS, XCH_SOFTMAX };
/*
 * The table of symbols that is used so, (*rows, D), owned by the caller; *rows is the vocabulary
 * rounded up to vocab_divisor.  Which uses share a table follows from which variables there are.
 */
T2_MUST_CHECK enum t2_status xch_plain_symbols(const struct xch_model *m, enum xch_table use,
                                               int64_t *rows, float **table, struct t2_err *err);

#endif
