/*
 * train/runs/plugins.h - --t2t_usr_dir of the trainer, the decoder and the exporter: plug-ins.
 */
#ifndef TR_PLUGINS_H
#define TR_PLUGINS_H

#include <stdbool.h>

#include "base/err.h"

/* Loads what the folder has (models/model_plugin.h); dir: as the user wrote it, "" or NULL for
 * none.  *any: it had a plug-in with models. */
T2_MUST_CHECK enum t2_status tr_load_plugins(const char *dir, bool *any, struct t2_err *err);
/* The same, with a warning where the folder has none, for tools that take nothing else from it. */
T2_MUST_CHECK enum t2_status tr_need_plugins(const char *dir, struct t2_err *err);

#endif
