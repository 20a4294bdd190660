/*
 * datagen/sets/preview_set.h - t2t-datagen --preview: a page of images of a data set.
 */
#ifndef DG_PREVIEW_SET_H
#define DG_PREVIEW_SET_H

#include "datagen/images/image_sheet.h"

/* T2_EUSAGE when name is a problem of this program that has no images. */
T2_MUST_CHECK enum t2_status dg_preview_check(const char *name, struct t2_err *err);
/* Are there training shards of this name in data_dir, made by whom ever? */
bool dg_preview_is_there(const char *name, const char *data_dir);
/* Writes the page of its training records: labels as the manifest or the problem names them, with
 * the pipeline that the original trains this problem with unless the spec says another. */
T2_MUST_CHECK enum t2_status dg_preview_set(const char *name, const char *data_dir,
                                            const struct dg_sheet_spec *spec, struct t2_err *err);
/* The pipeline that the original trains the problem of this name with; "" when there is none. */
const char *dg_preview_pipeline(const char *name);

#endif
