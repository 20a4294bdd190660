/*
 * datagen/problems/coco_files.c - the archives of Microsoft COCO 2014.
 */
#include "datagen/problems/coco_files.h"

/* clang-format off */
#define T2T_ROOT "http://msvocds.blob.core.windows.net/"
#define COCO_ROOT "http://images.cocodataset.org/"
#define COCO_IMAGES(name_, bytes)                                                                \
    {.name = name_, .licence = "Flickr terms of use (the images)",                               \
     .about_bytes = UINT64_C(bytes), .text_factor = 1,                                             \
     .urls = (const char *const[]){T2T_ROOT "coco2014/" name_, COCO_ROOT "zips/" name_, NULL}}

const struct dg_source_file dg_coco_captions = {
    .name = "captions_train-val2014.zip", .licence = "CC BY 4.0 (the captions)",
    .about_bytes = 252872794, .text_factor = .25, /* other annotations are larger */
    .urls = (const char *const[]){T2T_ROOT "annotations-1-0-3/captions_train-val2014.zip",
                                  COCO_ROOT "annotations/annotations_trainval2014.zip", NULL}};
const struct dg_source_file dg_coco_images[2] = {COCO_IMAGES("train2014.zip", 13510573713),
                                                   COCO_IMAGES("val2014.zip", 6645013297)};
const struct dg_source dg_coco_sources[2] = {
    {.file = &dg_coco_images[0], .sign = "train2014"},
    {.file = &dg_coco_images[1], .sign = "val2014"}};
/* clang-format on */
