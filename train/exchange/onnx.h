/*
 * train/exchange/onnx.h - ONNX: <dir>/model.onnx.
 */
#ifndef XCH_ONNX_H
#define XCH_ONNX_H

#include "base/buf.h"
#include "train/exchange/exchange.h"
#include "train/exchange/flow.h"

/*
 * Inputs "inputs" and "targets", int64 (batch, length), or "images", float (batch, height, width,
 * channels), normalised; output "logits".  Operator set 17.  T2_EUNSUPPORTED: flow_graph.h; 2 GiB
 * or more.
 */
T2_MUST_CHECK enum t2_status xch_write_onnx(const struct xch_model *m, struct mdl *mdl,
                                            const char *dir, struct t2_err *err);
/* The file's bytes, appended. */
void xch_put_onnx(const struct xch_flow *f, const struct xch_model *m, struct t2_buf *out);

#endif
