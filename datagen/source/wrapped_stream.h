/*
 * datagen/source/wrapped_stream.h - a stream that changes what another one gives.
 */
#ifndef DG_WRAPPED_STREAM_H
#define DG_WRAPPED_STREAM_H

#include "datagen/stream.h"

/* First member of the stream that wraps. */
struct dg_wrapped {
    struct dg_stream base;
    struct dg_stream *from; /* owned */
};

/* Sets base but for next and free, and takes ownership of `from`. */
void dg_wrapped_init(struct dg_wrapped *w, struct dg_stream *from);
void dg_wrapped_release(struct dg_wrapped *w);
/* The next sample of `from`; what is known of its files and texts is handed on. */
T2_MUST_CHECK enum t2_status dg_wrapped_next(struct dg_wrapped *w, struct dg_sample *sample,
                                             struct t2_err *err);
/* Moves the files noted by `from` to the end of the list of `to`. */
void dg_input_files_move(struct dg_input_files *from, struct dg_input_files *to);

#endif
