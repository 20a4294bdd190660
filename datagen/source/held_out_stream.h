/*
 * datagen/source/held_out_stream.h - samples of one file shared among the splits: a part of the
 * training text for evaluation.
 */
#ifndef DG_HELD_OUT_STREAM_H
#define DG_HELD_OUT_STREAM_H

#include "datagen/stream.h"

/* Of 100 training samples; 0: none. */
struct dg_held_out {
    double dev_percent, test_percent;
};

/* T2_EUSAGE: not 0 to below 100 together. */
T2_MUST_CHECK enum t2_status dg_held_out_check(const struct dg_held_out *h, struct t2_err *err);

/*
 * The samples of `from`, which is opened for each split, that belong to `split`.  Which one a
 * sample belongs to follows from a hash of its texts alone: equal samples are in one split, and
 * neither other samples nor the order matter.  Takes ownership of from, and returns it where
 * nothing is held out; h is copied.
 */
struct dg_stream *dg_held_out_stream_new(struct dg_stream *from, const struct dg_held_out *h,
                                         enum dg_split split);

#endif
