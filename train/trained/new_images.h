/*
 * train/trained/new_images.h - images that a trained model is asked about, one after the other.
 *
 * From a folder (all files below it, in the order of bytes), one image, a list (text, a path a
 * line), or a shard of records.
 */
#ifndef TR_NEW_IMAGES_H
#define TR_NEW_IMAGES_H

#include "base/buf.h"
#include "base/err.h"
#include "train/runs/data_set.h"

struct tr_new_images;

/* T2_ENOTFOUND: no such file; T2_EFORMAT: neither of these.  data is borrowed.  *p is owned by the
 * caller. */
T2_MUST_CHECK enum t2_status tr_new_images_open(const char *from, const struct tr_data_set *data,
                                                struct tr_new_images **p, struct t2_err *err);
void tr_new_images_close(struct tr_new_images *p);

struct tr_new_image {
    const char *name; /* path, or "<shard>:<record>"; borrowed until the next call */
    int32_t truth;    /* its class, when the record or the name of its folder tells it; else -1 */
    struct t2_buf file;
};

/* Fills *image (the file's bytes replaced); T2_EOF at the end.  Files that are no images are passed
 * over, with a warning; T2_EIO, T2_EFORMAT: one that cannot be read, with its name. */
T2_MUST_CHECK enum t2_status tr_new_images_next(struct tr_new_images *p, struct tr_new_image *image,
                                                struct t2_err *err);

#endif
