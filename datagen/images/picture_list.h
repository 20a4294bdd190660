/*
 * datagen/images/picture_list.h - which pictures become records: path, split, label, boxes.
 *
 * Lists come from CSV files (picture_csv.c) or from folders (picture_folders.c); nothing is decoded here.
 * Equal inputs give equal lists, in the same order, on every machine.
 */
#ifndef DG_PICTURE_LIST_H
#define DG_PICTURE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "datagen/source/archive_in_place.h"

enum dg_picture_split { DG_PICTURES_TRAIN, DG_PICTURES_VALIDATION, DG_PICTURES_TEST };
enum { DG_N_PICTURE_SPLITS = 3 };
/* "train", "validation", "test": as in file names. */
const char *dg_picture_split_name(enum dg_picture_split split);

/* Parts of the picture, 0 ... 1, or pixels when the list says so. */
struct dg_picture_box {
    float xmin, ymin, xmax, ymax;
};

struct dg_picture {
    char *path; /* to open; of one in an archive its name for messages, picture_file.h reads both */
    const char *archive;   /* the file that has it; NULL: path is a file.  Borrowed from the list */
    struct dg_place place; /* in the archive */
    enum dg_picture_split split;
    uint32_t label; /* index into the labels */
    size_t first_box, n_boxes;
};

/* What was listed but is no picture of the set. */
struct dg_picture_drop {
    char *path;
    const char *why; /* static text */
};

/* Zero-initialise; dg_pictures_release. */
struct dg_pictures {
    struct dg_picture *items;
    size_t n, capacity;
    struct t2_strs labels; /* in the order of their numbers */
    struct dg_picture_box *boxes;
    size_t n_boxes, boxes_capacity;
    bool has_boxes, boxes_are_pixels;
    struct dg_picture_drop *drops;
    size_t n_drops, drops_capacity;
    struct t2_strs archives;
};
void dg_pictures_release(struct dg_pictures *l);
/* Takes ownership of path. */
struct dg_picture *dg_pictures_add(struct dg_pictures *l, char *path, enum dg_picture_split split,
                                   uint32_t label);
/* why: static text. */
void dg_pictures_drop(struct dg_pictures *l, const char *path, const char *why);
/* Adds one to the last picture that was added. */
void dg_pictures_add_box(struct dg_pictures *l, struct dg_picture_box box);
size_t dg_pictures_count(const struct dg_pictures *l, enum dg_picture_split split);

/* One label a line, right-stripped; their order gives the numbers.  Fewer than two: T2_EUSAGE, "Require at
 * least two labels"; twice the same: T2_EFORMAT. */
T2_MUST_CHECK enum t2_status dg_pictures_read_labels(const char *path, struct t2_strs *labels,
                                                     struct t2_err *err);

/*
 * jpeg_to_tf_record.py's lists, one for each split ("": none): rows `path,label` without a header; quotes as RFC
 * 4180, CR LF allowed.  dir (may be "") stands before paths that are not absolute.  With no labels read before,
 * they are the sorted labels of the files.  A label that is not known drops its row.
 */
T2_MUST_CHECK enum t2_status dg_pictures_read_csv(const char *const lists[DG_N_PICTURE_SPLITS],
                                                  const char *dir, struct dg_pictures *l,
                                                  struct t2_err *err);

enum dg_folder_layout {
    DG_FOLDERS_AUTO,    /* by what is there */
    DG_FOLDERS_CLASSES, /* <class>/..., or {train,validation,val,dev,test}/<class>/... */
    /* train/<synset>/..., validation/..., synset_labels.txt; the archives ILSVRC2012_img_train.tar and
     * ILSVRC2012_img_val.tar in place of folders that are not there */
    DG_FOLDERS_IMAGENET,
    DG_FOLDERS_TINY /* Tiny ImageNet: wnids.txt, val/val_annotations.txt */
};
/* "auto", "classes", "imagenet", "tiny_imagenet". */
bool dg_parse_folder_layout(const char *name, enum dg_folder_layout *layout);

/*
 * Folders whose names are the classes, files sorted by bytes.  With labels read before, a folder that is not
 * among them is dropped.  validation_percent of TRAIN go to VALIDATION when there is no folder for it: by a
 * hash of the file's name, so that a picture stays where it is when others come.
 */
T2_MUST_CHECK enum t2_status dg_pictures_read_folders(const char *dir, enum dg_folder_layout layout,
                                                      double validation_percent,
                                                      struct dg_pictures *l, struct t2_err *err);
/* Does this file name go to VALIDATION? */
bool dg_is_held_out(const char *name, double percent);

/* Boxes of pictures by file name: rows `file,xmin,ymin,xmax,ymax`, parts of 1, as process_bounding_boxes.py
 * makes them.  Boxes of other pictures are passed over; after all pictures were added. */
T2_MUST_CHECK enum t2_status dg_pictures_read_boxes(const char *path, struct dg_pictures *l,
                                                    struct t2_err *err);

#endif
