/*
 * datagen/images/image_record.h - an image file becomes a record: the fields of
 * jpeg_to_tf_record.py and imagenet_to_gcs.py, and with boxes those of Inception's
 * build_imagenet_data.py.
 */
#ifndef DG_IMAGE_RECORD_H
#define DG_IMAGE_RECORD_H

#include "augment/admit.h"
#include "base/buf.h"
#include "datagen/images/image_list.h"

struct dg_image_policy {
    struct aug_admit_policy admit; /* header_only is not looked at */
    /* Every image is decoded.  Else only those that are made anew and those whose last bytes are
     * not the end of a JPEG or PNG file: so files that were cut are found, at the speed of the
     * disk. */
    bool decode_all;
};

/* As aug_admit, by that policy. */
T2_MUST_CHECK enum t2_status dg_image_admit(const char *path, struct t2_slice file,
                                            const struct dg_image_policy *policy,
                                            struct aug_image *scratch, struct aug_admission *a,
                                            struct t2_err *err);

/* Reused from one image to the next; zero-initialise. */
struct dg_image_scratch {
    struct aug_image pixels;
    struct t2_buf jpeg;
};
void dg_image_scratch_release(struct dg_image_scratch *s);

/*
 * Appends the Example of an image that was admitted (kept or made anew).  Its bytes are the file's,
 * or those of the JPEG that takes its place; *height and *width are theirs.
 */
T2_MUST_CHECK enum t2_status dg_image_record(const struct dg_images *l, const struct dg_image *p,
                                             struct t2_slice file, const struct aug_admission *a,
                                             const struct dg_image_policy *policy,
                                             struct dg_image_scratch *scratch, int64_t *height,
                                             int64_t *width, struct t2_buf *out,
                                             struct t2_err *err);

#endif
