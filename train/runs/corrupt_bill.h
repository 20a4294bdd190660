/*
 * train/runs/corrupt_bill.h - what --max_corrupt has passed over: said at the end of a run.
 */
#ifndef TR_CORRUPT_BILL_H
#define TR_CORRUPT_BILL_H

#include "base/str.h"
#include "train/runs/run.h"

/* The lines for one split; none when nothing was passed over. */
void tr_corrupt_bill(const char *split, const struct in_corrupt *c, uint64_t max_corrupt,
                     struct t2_strs *lines);

/* Those of a run as warnings: one for each split that had damage, and one for each place, up to
 * some; nothing on other ranks than 0. */
void tr_say_corrupt(const struct tr_run *r);

/* Warns when the training shards of a run that is continued have other damage than at its
 * checkpoint, as then other samples follow; puts what they have into the state. */
void tr_compare_corrupt(struct tr_run *r);

#endif
