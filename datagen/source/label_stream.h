/*
 * datagen/source/label_stream.h - targets that are labels become their numbers.
 */
#ifndef DG_LABEL_STREAM_H
#define DG_LABEL_STREAM_H

#include "datagen/stream.h"

enum { DG_MAX_CLASSES = 100000 };

/*
 * Takes ownership of from.  classes: names of the labels 0, 1, ..., borrowed; empty: labels are
 * numbers from 0 to n_classes - 1.  T2_EFORMAT of a label that is none of them names file and line.
 */
struct dg_stream *dg_label_stream_new(struct dg_stream *from, const struct t2_strs *classes,
                                      size_t n_classes);

/*
 * Reads a stream to its end and finds out what its labels are: names, sorted as bytes, or, when all
 * of them are numbers, none, and *n_classes one more than the greatest.  T2_EFORMAT names file and
 * line of an empty label, or what is wrong with the numbers.
 */
T2_MUST_CHECK enum t2_status dg_find_classes(struct dg_stream *s, struct t2_strs *classes,
                                             size_t *n_classes, struct t2_err *err);

#endif
