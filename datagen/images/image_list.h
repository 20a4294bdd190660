/*
 * datagen/images/image_list.h - which images become records: path, split, label, boxes.
 *
 * Lists come from CSV files (image_csv.c) or from folders (image_folders.c); nothing is decoded
 * here. Equal inputs give equal lists, in the same order, on every machine.
 */
#ifndef DG_IMAGE_LIST_H
#define DG_IMAGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "datagen/source/archive_in_place.h"

enum dg_image_split { DG_IMAGES_TRAIN, DG_IMAGES_VALIDATION, DG_IMAGES_TEST };
enum { DG_N_IMAGE_SPLITS = 3 };
/* "train", "validation", "test": as in file names. */
const char *dg_image_split_name(enum dg_image_split split);

/* Parts of the image, 0 ... 1, or pixels when the list says so. */
struct dg_image_box {
    float xmin, ymin, xmax, ymax;
};

struct dg_image {
    char *path; /* to open; of one in an archive its name for messages, image_file.h reads both */
    const char *archive;   /* the file that has it; NULL: path is a file.  Borrowed from the list */
    struct dg_place place; /* in the archive */
    enum dg_image_split split;
    uint32_t label; /* index into the labels */
    size_t first_box, n_boxes;
};

/* What was listed but is no image of the set. */
struct dg_image_drop {
    char *path;
    const char *why; /* static text */
};

/* Zero-initialise; dg_images_release. */
struct dg_images {
    struct dg_image *items;
    size_t n, capacity;
    struct t2_strs labels; /* in the order of their numbers */
    struct dg_image_box *boxes;
    size_t n_boxes, boxes_capacity;
    bool has_boxes, boxes_are_pixels;
    struct dg_image_drop *drops;
    size_t n_drops, drops_capacity;
    struct t2_strs archives;
};
void dg_images_release(struct dg_images *l);
/* Takes ownership of path. */
struct dg_image *dg_images_add(struct dg_images *l, char *path, enum dg_image_split split,
                               uint32_t label);
/* why: static text. */
void dg_images_drop(struct dg_images *l, const char *path, const char *why);
/* Adds one to the last image that was added. */
void dg_images_add_box(struct dg_images *l, struct dg_image_box box);
size_t dg_images_count(const struct dg_images *l, enum dg_image_split split);

/* One label a line, right-stripped; their order gives the numbers.  Fewer than two: T2_EUSAGE,
 * "Require at least two labels"; twice the same: T2_EFORMAT. */
T2_MUST_CHECK enum t2_status dg_images_read_labels(const char *path, struct t2_strs *labels,
                                                   struct t2_err *err);

/*
 * jpeg_to_tf_record.py's lists, one for each split ("": none): rows `path,label` without a header;
 * quotes as RFC 4180, CR LF allowed.  dir (may be "") stands before paths that are not absolute.
 * With no labels read before, they are the sorted labels of the files.  A label that is not known
 * drops its row.
 */
T2_MUST_CHECK enum t2_status dg_images_read_csv(const char *const lists[DG_N_IMAGE_SPLITS],
                                                const char *dir, struct dg_images *l,
                                                struct t2_err *err);

enum dg_folder_layout {
    DG_FOLDERS_AUTO,    /* by what is there */
    DG_FOLDERS_CLASSES, /* <class>/..., or {train,validation,val,dev,test}/<class>/... */
    /* train/<synset>/..., validation/..., synset_labels.txt; the archives ILSVRC2012_img_train.tar
     * and ILSVRC2012_img_val.tar in place of folders that are not there */
    DG_FOLDERS_IMAGENET,
    DG_FOLDERS_TINY /* Tiny ImageNet: wnids.txt, val/val_annotations.txt */
};
/* "auto", "classes", "imagenet", "tiny_imagenet". */
bool dg_parse_folder_layout(const char *name, enum dg_folder_layout *layout);

/*
 * Folders whose names are the classes, files sorted by bytes.  With labels read before, a folder
 * that is not among them is dropped.  validation_percent of TRAIN go to VALIDATION when there is no
 * folder for it: by a hash of the file's name, so that an image stays where it is when others come.
 */
T2_MUST_CHECK enum t2_status dg_images_read_folders(const char *dir, enum dg_folder_layout layout,
                                                    double validation_percent, struct dg_images *l,
                                                    struct t2_err *err);
/* Does this file name go to VALIDATION? */
bool dg_is_held_out(const char *name, double percent);

/* Boxes of images by file name: rows `file,xmin,ymin,xmax,ymax`, parts of 1, as
 * process_bounding_boxes.py makes them.  Boxes of other images are passed over; after all images
 * were added. */
T2_MUST_CHECK enum t2_status dg_images_read_boxes(const char *path, struct dg_images *l,
                                                  struct t2_err *err);

#endif
