/*
 * tests/unit/train/small_study.h - a study on made-up trials: what flags would make of one.
 */
#ifndef T2_TESTS_UNIT_TRAIN_SMALL_STUDY_H
#define T2_TESTS_UNIT_TRAIN_SMALL_STUDY_H

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/tune/study.h"
#include "train/tune/trials.h"

#define STUDY_OK(expression)                                                                       \
    do {                                                                                           \
        struct t2_err study_err = T2_ERR_INIT;                                                     \
        struct t2_err *err = &study_err;                                                           \
                                                                                                   \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err->message);                                                          \
    } while (0)

/* Trials of one float `x` in [0, 1]; the loss is to be minimized; released by the caller. */
static inline struct tune_study small_study(enum tune_algorithm algorithm, int64_t max_trials,
                                            int64_t reduction, int64_t train_steps,
                                            int64_t min_steps)
{
    static const char yaml[] = "x: {float: [0, 1]}";
    struct tune_study s = {.algorithm = algorithm,
                           .seed = 1,
                           .max_trials = max_trials,
                           .grid_points = 3,
                           .reduction = reduction};

    s.objective = t2_strdup("metrics-ids/loss");
    s.cwd = t2_strdup("/");
    s.hparams = t2_strdup("batch_size=7");
    t2_strs_push(&s.args, "--problem=ids");
    STUDY_OK(tune_range_parse(yaml, strlen(yaml), "x.yaml", &s.range, err));
    STUDY_OK(tune_study_set_sampler(&s, NULL, err));
    STUDY_OK(tune_study_set_rungs(&s, train_steps, min_steps, err));
    return s;
}

/* Writes it into a new folder of its own; *log is open and read into *t. */
static inline void begin_study(const char *dir, struct tune_study *s, struct tune_log *log,
                               struct tune_trials *t)
{
    *t = (struct tune_trials){0};
    STUDY_OK(tune_log_open(dir, true, log, err));
    STUDY_OK(tune_log_lock(log, err));
    tune_say_study(log, s);
    STUDY_OK(tune_log_flush(log, false, err));
    tune_log_unlock(log);
    STUDY_OK(tune_trials_read(t, log, err));
    tune_study_release(s);
}

/* Appends what tune_say_* added since tune_log_lock, and reads it. */
static inline void flush_study(struct tune_log *log, struct tune_trials *t)
{
    STUDY_OK(tune_log_flush(log, false, err));
    STUDY_OK(tune_trials_read(t, log, err));
}

#endif
