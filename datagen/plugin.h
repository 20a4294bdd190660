/*
 * datagen/plugin.h - problems in a shared object, for --t2t_usr_dir: what the author of one
 * includes.
 *
 * The object defines both:
 *
 *     const int dg_plugin_abi = DG_PLUGIN_ABI;
 *     enum t2_status dg_plugin_register(struct t2_err *err)
 *     {
 *         return dg_register(&my_problem, err);
 *     }
 *
 * and is compiled with the headers of the same version: cc -shared -fPIC -I<source> -o my.so my.c.
 * problem.h says what a problem is, stream.h how its samples come, feature_list.h how it changes
 * records.  The same object may have models for t2t-trainer: train/models/model_plugin.h.
 */
#ifndef DG_PLUGIN_H
#define DG_PLUGIN_H

#include "datagen/feature_list.h"
#include "datagen/problem.h"
#include "datagen/stream.h"

/* Raised whenever a structure of these headers changes. */
#define DG_PLUGIN_ABI 2

extern const int dg_plugin_abi;
enum t2_status dg_plugin_register(struct t2_err *err);

/* Loads a shared object and lets it register its problems; it stays loaded.  T2_EFORMAT names the
 * file and what is wrong with it.  One with models alone (train/models/model_plugin.h) is passed
 * over. */
T2_MUST_CHECK enum t2_status dg_plugin_load(const char *path, struct t2_err *err);

#endif
