/*
 * train/exchange/saved_model.h - TensorFlow's SavedModel: <dir>/saved_model.pb.
 */
#ifndef XCH_SAVED_MODEL_H
#define XCH_SAVED_MODEL_H

#include "train/exchange/exchange.h"

/*
 * One graph with the tag "serve" and the variables as constants; signatures:
 *   serving_default  of a model that translates "inputs" int64 (B, L), padded with 0 and with EOS
 *                    -> "outputs" int64 (B, T): the likeliest id at every step, EOS included, 0
 *                    behind it; T is at most L + extra_length
 *   logits           "inputs", "targets" -> "logits" as in ONNX (onnx.h); serving_default where
 *                    there is nothing to translate
 * and of images:
 *   serving_default  "image_bytes" strings (B), JPEGs, decoded as m->pixels says (tf_images.h) ->
 *                    "classes" int64, "probabilities", "logits"; where that pipeline has no form
 *                    there, what `images` takes
 *   images           "images" float (B, H, W, C) -> the same
 * T2_EUNSUPPORTED: flow_graph.h; 2 GiB or more.
 */
T2_MUST_CHECK enum t2_status xch_write_saved_model(const struct xch_model *m, struct mdl *mdl,
                                                   int64_t extra_length, const char *dir,
                                                   struct t2_err *err);

#endif
