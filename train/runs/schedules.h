/*
 * train/runs/schedules.h - --schedule, by Tensor2Tensor's names (spec t2t-trainer.md §1.4): which
 * of training and evaluation runs.
 */
#ifndef TR_SCHEDULES_H
#define TR_SCHEDULES_H

#include <stdbool.h>

#include "base/err.h"

struct tr_schedule {
    const char *name;
    bool train, evaluate;
    bool of_train_data;  /* evaluations are of the training split */
    bool continuous;     /* of every checkpoint that appears */
    bool translates;     /* evaluations also score translations of their sentences */
    bool one_step;       /* of training, and one batch of evaluation */
    const char *instead; /* of a schedule that is refused: the way out */
};

/* T2_EUSAGE: there is none of that name; T2_EUNSUPPORTED: it is refused. */
T2_MUST_CHECK enum t2_status tr_schedule_find(const char *name, const struct tr_schedule **schedule,
                                              struct t2_err *err);

/* Names of those that run, with blanks between. */
extern const char tr_schedule_names[];

#endif
