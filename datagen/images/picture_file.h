/*
 * datagen/images/picture_file.h - the bytes of a picture of a list, from its file or from the archive that has it; and
 * what archives of pictures hold.
 */
#ifndef DG_PICTURE_FILE_H
#define DG_PICTURE_FILE_H

#include "base/buf.h"
#include "datagen/images/picture_list.h"

/* -> file (replaced).  T2_ENOTFOUND, T2_EIO, T2_EFORMAT for what is larger than 1 GiB. */
T2_MUST_CHECK enum t2_status dg_picture_load(const struct dg_picture *p, struct t2_buf *file,
                                             struct t2_err *err);
/* Its size, and when it was changed (of an archive, that), in ns; false when it is not there. */
bool dg_picture_stat(const struct dg_picture *p, uint64_t *bytes, int64_t *changed);
/* Size and last change of a file, in ns.  T2_ENOTFOUND, T2_EIO. */
T2_MUST_CHECK enum t2_status dg_file_time(const char *path, uint64_t *bytes, int64_t *changed,
                                          struct t2_err *err);

/* A picture in an archive: "n01440764/n01440764_10026.JPEG", or "ILSVRC2012_val_00000001.JPEG". */
struct dg_packed_picture {
    char *name;
    struct dg_place place;
};
/* Zero-initialise. */
struct dg_packed_pictures {
    struct dg_packed_picture *items;
    size_t n, capacity;
};
void dg_packed_pictures_release(struct dg_packed_pictures *l);

/*
 * The pictures of a tar archive, sorted by name; other files are passed over.  by_class: the archive is one of archives, as
 * ILSVRC2012_img_train.tar: each member is called <class>.tar and holds the pictures of the class.
 *
 * T2_EFORMAT, by name: two members of one name, a member that is no archive where one is needed, an archive in an
 * archive in an archive, and what source/archive_in_place.h refuses.
 */
T2_MUST_CHECK enum t2_status dg_packed_pictures_find(const char *path, bool by_class,
                                                     struct dg_packed_pictures *l,
                                                     struct t2_err *err);

#endif
