/*
 * train/runs/model_text.h - the layer file of a run (models/layer_file.h): read where --model names
 * one, compared with that of the run that is continued, kept in its folder.
 *
 * A run's model is called as the file is, without its folder; the text lies in the hparam
 * layer_file, with the hparams of every checkpoint, and once more as a file in the run's folder,
 * for people.
 */
#ifndef TR_MODEL_TEXT_H
#define TR_MODEL_TEXT_H

#include "base/err.h"
#include "base/json.h"
#include "train/models/hparams.h"

/* The text of a file, when *model is a path to one, and *model its name; else NULL.  *text is owned
 * by the caller.  T2_EUSAGE: a name that is too long for a model. */
T2_MUST_CHECK enum t2_status tr_model_text_read(const char **model, char **text,
                                                struct t2_err *err);
/* T2_EUSAGE when the run in dir has another text: names the first line that differs. */
T2_MUST_CHECK enum t2_status tr_model_text_check(const char *text, const char *model,
                                                 const struct mdl_hparams *old, const char *dir,
                                                 struct t2_err *err);
/* Writes <dir>/<model> for a model of a layer file; else nothing. */
T2_MUST_CHECK enum t2_status tr_model_text_keep(const char *dir, const char *model,
                                                const struct mdl_hparams *hp, struct t2_err *err);

#endif
