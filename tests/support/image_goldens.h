/*
 * tests/support/image_goldens.h - the containers of T2_DATA/goldens/images: safetensors within
 * gzip.
 */
#ifndef T2_TESTS_SUPPORT_IMAGE_GOLDENS_H
#define T2_TESTS_SUPPORT_IMAGE_GOLDENS_H

#include "augment/image.h"
#include "train/ckpt/safetensors.h"

/* By its name below goldens/images; NULL when there is none.  ckpt_close. */
struct ckpt_file *t_golden_open(const char *name);
/* A tensor of bytes (height, width, channels) or (height, width), as a borrowed image. */
struct aug_image t_golden_image(const struct ckpt_tensor *t);
const struct ckpt_tensor *t_golden_find(const struct ckpt_file *f, const char *name);

#endif
