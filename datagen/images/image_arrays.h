/*
 * datagen/images/image_arrays.h - images that come as arrays of bytes, and become PNG files in
 * records: T2T's image_utils.image_generator.
 */
#ifndef DG_IMAGE_ARRAYS_H
#define DG_IMAGE_ARRAYS_H

#include "base/buf.h"
#include "datagen/feature_list.h"
#include "datagen/stream.h"

/* One file of them.  Zero-initialise. */
struct dg_image_arrays {
    struct t2_buf pixels; /* one after the other */
    int64_t *labels;
    size_t n, n_labels; /* both the same */
};
void dg_image_arrays_release(struct dg_image_arrays *a);

struct dg_array_stream {
    struct dg_stream base;
    const struct dg_problem *problem;
    const struct dg_options *options;
    enum dg_split split;
    size_t n_parts; /* files */
    /* Reads a part into s->arrays, notes its files when s->base.hash_on; s->origin names it. */
    enum t2_status (*load)(struct dg_array_stream *s, size_t part, struct t2_err *err);
    const char *origin;
    size_t first, end; /* which of all images are given; end 0: all */
    uint32_t *order;   /* of the only part; owned; NULL: as they are */

    struct dg_image_arrays arrays;
    size_t part, at, passed;
    bool is_loaded;
};
/* Fills in s->base; s is allocated by the caller, owned by the stream. */
void dg_array_stream_init(struct dg_array_stream *s);

/* For dg_problem.record.finish: the text of the inputs are pixels, `channels` planes (or one) of
 * height x width. */
T2_MUST_CHECK enum t2_status dg_finish_png(int32_t height, int32_t width, int32_t channels,
                                           const struct dg_texts *texts, struct dg_record *r,
                                           struct t2_err *err);
/* Features of such records, for dg_problem.record.more_fields. */
extern const char *const dg_image_fields[];
/* Puts an image's file, its format and label in place of the targets. */
void dg_record_image(struct dg_record *r, struct t2_slice file, struct t2_slice *format,
                     int64_t height, int64_t width);

#endif
