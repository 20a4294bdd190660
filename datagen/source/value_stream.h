/*
 * datagen/source/value_stream.h - texts that are numbers, or sets of labels, become values.
 */
#ifndef DG_VALUE_STREAM_H
#define DG_VALUE_STREAM_H

#include "datagen/stream.h"

/* A side is numbers between blanks, tabs, commas or semicolons, or labels between '|' and tabs. */
enum { DG_MOST_VALUES = 1 << 16 };

/* What the sides of a sample are. */
struct dg_value_rule {
    size_t n_numbers[DG_N_SIDES]; /* so many; 0: the side is something else */
    const struct t2_strs *labels; /* targets are sets of these; NULL: they are not.  Borrowed */
};

/*
 * Takes ownership of from.  Numbers become dg_sample.reals, sets dg_sample.numbers: the labels'
 * numbers in ascending order, each once.  T2_EFORMAT names file and line, and what is no finite
 * number or no label, or how many there are where another number of them is wanted.
 */
struct dg_stream *dg_value_stream_new(struct dg_stream *from, const struct dg_value_rule *rule);

/* How many numbers the sides of the first sample of a stream have, 0 where `wanted` is false.
 * T2_EFORMAT: what is there is no number; there is none, or there are too many. */
T2_MUST_CHECK enum t2_status dg_count_values(struct dg_stream *s, const bool wanted[DG_N_SIDES],
                                             size_t n[DG_N_SIDES], struct t2_err *err);

/* Reads a stream to its end and lists the labels of its targets, sorted as bytes. */
T2_MUST_CHECK enum t2_status dg_find_labels(struct dg_stream *s, struct t2_strs *labels,
                                            struct t2_err *err);

#endif
