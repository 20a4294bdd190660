/*
 * train/exchange/model_file.h - a model in one file that needs nothing beside it: variables,
 * vocabularies, hparams, settings of decoding.
 *
 * A safetensors file (layout in model_file.c).  Numbers may be kept in bfloat16, or matrices in
 * int8 with a scale for each column (of tables of symbols: for each row); they are float32 again
 * when they are read.  A checksum of all data is in the header.
 */
#ifndef XCH_MODEL_FILE_H
#define XCH_MODEL_FILE_H

#include "train/exchange/exchange.h"
#include "train/exchange/model_file_sides.h"

/* T2_EUNSUPPORTED: the model is of images, or its vocabulary is more than a file says. */
T2_MUST_CHECK enum t2_status xch_write_model_file(const struct xch_model *m, const char *path,
                                                  enum xch_storage storage, struct t2_err *err);

/* Does --model name such a file, and no model?  A name has neither a folder nor an ending. */
bool xch_is_model_file(const char *model);

struct xch_model_file {
    struct ckpt_file *file;
    struct ckpt_state state;
    struct mdl_hparams *hp;
    struct mdl_problem problem;
    struct xch_sides sides;               /* being read */
    struct tok_encoder *inputs, *targets; /* inputs NULL without, both before they are settled */
    char *path;
    int context_separator;
    char *decode_hparams;
};

/* T2_EFORMAT names the file and what it lacks.  *f stays where it is, as a thread reads the
 * vocabularies.  Released with xch_model_file_close, also on failure. */
T2_MUST_CHECK enum t2_status xch_model_file_open(const char *path, struct xch_model_file *f,
                                                 struct t2_err *err);
void xch_model_file_close(struct xch_model_file *f);
/* The vocabularies are there, or T2_EFORMAT: one of them is none, or not what was said. */
T2_MUST_CHECK enum t2_status xch_model_file_settle(struct xch_model_file *f, struct t2_err *err);
/* Fills the variables of a model that was made by the file's hparams and problem; they may be used
 * where they lie in the file, or made from it when they are read (graph/late_values.h): it can only
 * be closed then.  The vocabularies are settled, too.  T2_EFORMAT: it is damaged. */
T2_MUST_CHECK enum t2_status xch_model_file_restore(struct xch_model_file *f,
                                                    struct gr_params *params, struct t2_err *err);

#endif
