/*
 * train/tune/trial_process.h - a trial as a process: t2t-trainer in a folder of its own.
 */
#ifndef TUNE_TRIAL_PROCESS_H
#define TUNE_TRIAL_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "train/tune/study.h"

/* <study_dir>/trials/0007.  Owned by the caller. */
char *tune_trial_dir(const char *study_dir, int64_t trial);

struct tune_start {
    const struct tune_study *study;
    const char *study_dir; /* absolute: the process works in study->cwd */
    const char *trainer;   /* the program; without '/' it is looked for in PATH */
    const char *hparams;   /* of the trial */
    int64_t trial;
    int rung;
    int slot;            /* of those that run at once here, from 0 */
    int lock_fd;         /* holds the trial's lock, which the process keeps until it ends */
    int num_threads;     /* 0: not said */
    uint64_t max_memory; /* bytes; 0: not said */
};

/*
 * Starts the trainer until the steps of the rung; what it prints is added to log.txt in the folder
 * of the trial.  It finds T2_TUNE_TRIAL and T2_TUNE_SLOT in its environment, and nothing there by
 * which MPI or Slurm would make it one of several ranks.  When this process dies, it gets SIGTERM:
 * it saves and ends.
 */
T2_MUST_CHECK enum t2_status tune_process_start(const struct tune_start *s, pid_t *pid,
                                                struct t2_err *err);

/* What the log of a trial says last: the text of the error, or its last line, or "".  Owned by the
 * caller. */
char *tune_last_words(const char *trial_dir);

#endif
