/*
 * datagen/problems/translate_files.h - public files that several language pairs are made from.
 */
#ifndef DG_PROBLEMS_TRANSLATE_FILES_H
#define DG_PROBLEMS_TRANSLATE_FILES_H

#include "datagen/fetch/fetch_files.h"

/* The terms of the organisers of the WMT tasks. */
#define DG_LICENCE_WMT "free for research; cite the WMT task (statmt.org)"
#define DG_LICENCE_PARACRAWL "CC0 of the packaging; the texts are their authors' (paracrawl.eu)"

extern const struct dg_source_file dg_file_nc_v9;
extern const struct dg_source_file dg_file_nc_v13;
extern const struct dg_source_file dg_file_commoncrawl;
extern const struct dg_source_file dg_file_europarl_v7;
extern const struct dg_source_file dg_file_un;
extern const struct dg_source_file dg_file_rapid2016;
extern const struct dg_source_file dg_file_wmt17_dev;

#endif
