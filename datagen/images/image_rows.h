/*
 * datagen/images/image_rows.h - samples of one image file each, unchanged, and facts about it:
 * labels, sizes, a caption.  The file is the context of the sample.
 *
 * A family lists the rows of a split; this reads the files, of a source or by their paths, checks
 * that they are images, and hashes them.  Rows lie on disk until their turn comes: their number
 * takes no memory.
 */
#ifndef DG_IMAGE_ROWS_H
#define DG_IMAGE_ROWS_H

#include "augment/image.h"
#include "base/spool.h"
#include "datagen/feature_list.h"
#include "datagen/images/image_arrays.h"
#include "datagen/source/source_files.h"

struct dg_image_rows;
struct dg_image_policy;

/* What a family says of its splits; the context of its problems.  Constant. */
struct dg_image_spec {
    const struct dg_source *source[DG_N_SPLITS]; /* of the images */
    const char *pattern[DG_N_SPLITS]; /* of the files that are wanted; NULL: `list` adds paths */
    /* Adds the rows, once the files are known.  NULL: each file by itself, label 0. */
    enum t2_status (*list)(struct dg_image_rows *s, struct t2_err *err);
    /* Brings image i of those that `list` counted; borrowed until the next call.  NULL: file i. */
    enum t2_status (*read)(struct dg_image_rows *s, size_t i, struct t2_slice *image,
                           struct t2_err *err);
    size_t first[DG_N_SPLITS], end[DG_N_SPLITS]; /* of the sorted files, for `list` */
    const struct dg_image_policy *policy;        /* of finish; NULL: images stay as they are */
    int32_t side;                           /* of its images in pixels; 0: not known, or not one */
    const struct dg_source *const *sources; /* all that prepare brings, NULL-ended */
    const void *more;                       /* the family's */
};

struct dg_image_rows {
    struct dg_stream base;
    const struct dg_image_spec *spec;
    const struct dg_problem *problem;
    const struct dg_options *options;
    enum dg_split split;
    struct dg_file_set *files; /* NULL: paths */
    struct t2_strs paths;
    void *state; /* the family's */
    void (*release)(void *state);

    /* inside */
    struct t2_spool *rows; /* as they were added, one behind the other */
    struct dg_image_row {
        size_t file; /* of the set, of the paths, or what `read` is asked for */
        struct t2_buf text[DG_N_SIDES], numbers[DG_N_SIDES];
    } row; /* that is added, or was read back */
    uint64_t n_rows, at;
    size_t last_file;
    bool is_listed, has_image;
    struct t2_slice image;
    struct t2_buf content;
    struct aug_image pixels;
    struct t2_sha256 *hash;
    uint64_t n_hashed, bytes_hashed;
    const char *bad; /* why the image is left out; NULL: it is not */
};

/* Functions of struct dg_problem whose context is a struct dg_image_spec. */
T2_MUST_CHECK enum t2_status dg_image_rows_open(const struct dg_problem *p,
                                                const struct dg_options *options,
                                                enum dg_split split, struct dg_stream **stream,
                                                struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_image_rows_prepare(const struct dg_problem *p,
                                                   const struct dg_options *options,
                                                   struct t2_err *err);

/* For `list`: a row of the file, then its texts, which are copied, and its numbers, in their
 * order. */
void dg_image_rows_add(struct dg_image_rows *s, size_t file);
void dg_image_rows_text(struct dg_image_rows *s, enum dg_side_index side, struct t2_slice text);
void dg_image_rows_push(struct dg_image_rows *s, enum dg_side_index side, int64_t number);
/* The name of a file as messages give it; borrowed. */
const char *dg_image_rows_name(const struct dg_image_rows *s, size_t file);
/* The file called `name` in the set.  T2_ENOTFOUND. */
T2_MUST_CHECK enum t2_status dg_image_rows_find(const struct dg_image_rows *s, const char *name,
                                                size_t *file, struct t2_err *err);

/* For finish: image/encoded, image/format, image/class/label, image/height and image/width of the
 * context, and of the targets' number.  T2_EFORMAT when a side is known and is another. */
T2_MUST_CHECK enum t2_status dg_finish_image(const struct dg_problem *p,
                                             const struct dg_texts *texts, struct dg_record *r,
                                             struct t2_err *err);
/* "jpeg", "png", ... by content; static. */
struct t2_slice dg_image_format(struct t2_slice file);

#endif
