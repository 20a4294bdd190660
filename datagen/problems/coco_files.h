/*
 * datagen/problems/coco_files.h - the archives of Microsoft COCO 2014, which several problems are
 * made from.
 */
#ifndef DG_COCO_FILES_H
#define DG_COCO_FILES_H

#include "datagen/source/source_files.h"

extern const struct dg_source_file dg_coco_captions, dg_coco_images[2]; /* train, dev */
/* The images as T2T unpacks them: train2014/<name>.jpg, val2014/<name>.jpg in tmp_dir. */
extern const struct dg_source dg_coco_sources[2];

#endif
