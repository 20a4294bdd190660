/*
 * datagen/fetch/fetch_defaults.h - what zero means in struct dg_fetch_options.
 */
#ifndef DG_FETCH_DEFAULTS_H
#define DG_FETCH_DEFAULTS_H

#include "datagen/fetch/fetch_files.h"

/* options may be NULL; empty strings count as NULL.  The rate is left as it is: of all files
 * together. */
struct dg_fetch_options dg_fetch_defaults(const struct dg_fetch_options *options);

#endif
