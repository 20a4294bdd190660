/*
 * train/tune/study_worker.h - a process that works on a study: it claims trials, trains them, and
 * says what came of it, until nothing is left to do.
 *
 * Any number of them work on one study: those of a pool are children of one worker, those of a job
 * array or of mpirun are workers of their own, which meet only in the study's file.
 */
#ifndef TUNE_STUDY_WORKER_H
#define TUNE_STUDY_WORKER_H

#include "train/tune/trials.h"

struct tune_work_options {
    const char *trainer; /* the program that trains */
    int parallel;        /* trials at once */
    int num_threads;     /* of each; 0: the machine's, divided by parallel */
    uint64_t max_memory; /* of each; 0: what is available, divided by parallel when that is not 1 */
};

/*
 * Works until no trial is left that may be trained.  The log is open, the study is in it, and *t
 * has been read from it.
 *
 * A trial that fails is noted, and the others go on; one whose process is killed is tried again
 * where its last checkpoint is, up to three times without a new one.  T2_EINTERRUPTED: a signal
 * came, all trials have saved and ended.  T2_EUSAGE when evaluations have no such metric, T2_EIO
 * when the file of the study cannot be written; then trials have been stopped, too.
 */
T2_MUST_CHECK enum t2_status tune_work(struct tune_log *log, struct tune_trials *t,
                                       const struct tune_work_options *options, struct t2_err *err);

#endif
