/*
 * train/eval/ter.h - TER as sacreBLEU 2.6 computes it (metrics/ter.py): edits, shifts among them,
 * by words of the reference.
 *
 * Statistics of a segment: edits against the reference that needs fewest, mean length of the
 * references.
 */
#ifndef EV_TER_H
#define EV_TER_H

#include "train/eval/metric.h"
#include "train/eval/ter_tokenize.h"

struct ev_metric *ev_ter_new(const struct ev_ter_options *options);

#endif
