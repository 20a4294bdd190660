/*
 * train/exchange/exchange.h - a trained model on its way to another program's format: one file a
 * format, this is what they are given.
 *
 * Formats: docs/t2t-exporter.md.
 */
#ifndef XCH_EXCHANGE_H
#define XCH_EXCHANGE_H

#include <stdbool.h>

#include "augment/pipelines.h"
#include "base/err.h"
#include "tokenizer/encoder.h"
#include "train/ckpt/checkpoint.h"
#include "train/ckpt/safetensors.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

/* All borrowed. */
struct xch_model {
    const struct ckpt_state *state;
    const struct mdl_hparams *hp;
    const struct mdl_problem *problem;
    const struct gr_params *params;
    const struct tok_encoder *inputs, *targets; /* inputs NULL without */
    int context_separator;                      /* as dg_view's */
    const char *decode_hparams;                 /* "beam_size=4,...": what decoding begins with */
    const struct aug_pipeline *pixels;          /* of images: evaluation's; NULL: not known */
};

/* How numbers are kept where a format leaves the choice. */
enum xch_storage { XCH_FLOAT32, XCH_BFLOAT16, XCH_INT8 };

/* The variable's numbers in host memory, owned by the caller (t2_free). */
T2_MUST_CHECK enum t2_status xch_variable(const struct xch_model *m, const struct gr_variable *v,
                                          float **values, struct t2_err *err);
/* Likewise of the whole parameter that variables called `name`, or "<name>_0" on, make up.
 * T2_EUNSUPPORTED: the model has none. */
T2_MUST_CHECK enum t2_status xch_parameter(const struct xch_model *m, const char *name,
                                           float **values, const struct gr_param **p,
                                           struct t2_err *err);

/* Likewise by its index. */
T2_MUST_CHECK enum t2_status xch_parameter_at(const struct xch_model *m, int index, float **values,
                                              struct t2_err *err);

/*
 * As Tensor2Tensor's trainer leaves a run: <dir>/model.ckpt-<step>.index and .data-00000-of-00001,
 * <dir>/flags_t2t.txt, <dir>/checkpoint.  slots (n of them, may be none) are the optimizer's; with
 * them training continues there.
 */
T2_MUST_CHECK enum t2_status xch_write_tensorflow(const struct xch_model *m, const char *dir,
                                                  const struct ckpt_tensor *slots, size_t n_slots,
                                                  int64_t updates, struct t2_err *err);

/*
 * A folder for CTranslate2: model.bin (binary version 6), config.json, the vocabularies.  Float32;
 * CTranslate2 makes other types when it loads.  T2_EUNSUPPORTED names the hparam that its
 * Transformer has no place for.
 */
T2_MUST_CHECK enum t2_status xch_write_ctranslate2(const struct xch_model *m, const char *dir,
                                                   struct t2_err *err);

/*
 * Marian's model.npz, vocab.src.yml and vocab.trg.yml, for CTranslate2's converter; marian-decoder
 * itself does not scale symbols beside a table of positions.  T2_EUNSUPPORTED as above.
 */
T2_MUST_CHECK enum t2_status xch_write_marian(const struct xch_model *m, const char *dir,
                                              struct t2_err *err);

/*
 * A folder for Hugging Face's transformers: config.json, generation_config.json, model.safetensors,
 * and of T2T's subwords tokenizer.json, tokenizer_config.json.  Norms before sub-layers become a
 * PegasusForConditionalGeneration, norms behind them a MarianMTModel.  T2_EUNSUPPORTED names the
 * hparam that they have no place for.
 */
T2_MUST_CHECK enum t2_status xch_write_hugging_face(const struct xch_model *m, const char *dir,
                                                    struct t2_err *err);

#endif
