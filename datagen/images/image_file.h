/*
 * datagen/images/image_file.h - the bytes of an image of a list, from its file or from the archive
 * that has it; and what archives of images hold.
 */
#ifndef DG_IMAGE_FILE_H
#define DG_IMAGE_FILE_H

#include "base/buf.h"
#include "base/file.h"
#include "datagen/images/image_list.h"

/* -> file (replaced).  T2_ENOTFOUND, T2_EIO, T2_EFORMAT for what is larger than 1 GiB. */
T2_MUST_CHECK enum t2_status dg_image_load(const struct dg_image *p, struct t2_buf *file,
                                           struct t2_err *err);

/* t2_look_at of an image; in an archive: its own size, the archive's time. */
T2_MUST_CHECK enum t2_status dg_image_look(const struct dg_image *p, struct t2_file_info *seen,
                                           struct t2_err *err);

/* An image in an archive: "n01440764/n01440764_10026.JPEG", or "ILSVRC2012_val_00000001.JPEG". */
struct dg_packed_image {
    char *name;
    struct dg_place place;
};
/* Zero-initialise. */
struct dg_packed_images {
    struct dg_packed_image *items;
    size_t n, capacity;
};
void dg_packed_images_release(struct dg_packed_images *l);

/*
 * The images of a tar archive, sorted by name; other files are passed over.  by_class: the archive
 * is one of archives, as ILSVRC2012_img_train.tar: each member is called <class>.tar and holds the
 * images of the class.
 *
 * T2_EFORMAT, by name: two members of one name, a member that is no archive where one is needed, an
 * archive in an archive in an archive, and what source/archive_in_place.h refuses.
 */
T2_MUST_CHECK enum t2_status dg_packed_images_find(const char *path, bool by_class,
                                                   struct dg_packed_images *l, struct t2_err *err);

#endif
