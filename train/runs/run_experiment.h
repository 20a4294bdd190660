/*
 * train/runs/run_experiment.h - an experiment of Model Garden as a run of this trainer:
 * --experiment,
 * --config_file, --params_override, --mode.
 *
 * official/core/train_utils.py, parse_configuration, and official/vision/train.py; spec
 * formats-and-experiments.md D1-D6.  What each field becomes stands in the tables of
 * train/experiment/.
 */
#ifndef TR_RUN_EXPERIMENT_H
#define TR_RUN_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "train/runs/run.h"

/* As on the command line; NULL: not given.  Borrowed. */
struct tr_experiment_flags {
    const char *experiment;
    const struct t2_strs *config_files;
    const char *params_override, *mode;
    const struct t2_strs *fields; /* over params_override, "name=value" each; may be NULL */
};

struct tr_experiment;

/*
 * Defaults, then every file, then the override.  T2_EUSAGE naming file, line and field;
 * T2_ENOTFOUND; T2_EFORMAT; T2_EUNSUPPORTED for modes and experiments that are not built.  Owned by
 * the caller.
 */
T2_MUST_CHECK enum t2_status tr_experiment_new(const struct tr_experiment_flags *flags,
                                               struct tr_experiment **x, struct t2_err *err);
void tr_experiment_free(struct tr_experiment *x);

/*
 * Fills model, hparams_set, hparams (those in o come last), steps, intervals, precision, seed and
 * schedule; problem and data_dir where o has none; without need_data they may stay NULL. T2_EUSAGE:
 * what the original refuses, or what cannot be had here.  What it points to lives as long as x.
 */
T2_MUST_CHECK enum t2_status tr_experiment_options(struct tr_experiment *x, bool need_data,
                                                   struct tr_options *o, struct t2_err *err);

/* --mode=continuous_eval: evaluate checkpoints as they appear; seconds to wait for the next. */
bool tr_experiment_is_continuous(const struct tr_experiment *x, double *timeout_s);

/* After tr_run_open: is the vocabulary that the configuration names the one of the shards? */
T2_MUST_CHECK enum t2_status tr_experiment_check_run(const struct tr_experiment *x,
                                                     const struct tr_run *run, struct t2_err *err);

/*
 * The content of params.yaml, byte for byte what the original writes; and the file, in output_dir.
 */
void tr_experiment_yaml(const struct tr_experiment *x, struct t2_buf *out);
T2_MUST_CHECK enum t2_status tr_experiment_save(const struct tr_experiment *x,
                                                const char *output_dir, struct t2_err *err);
/* All fields and what they became, then the flags and hparams of the run. */
void tr_experiment_describe(const struct tr_experiment *x, const struct tr_options *o,
                            struct t2_buf *out);

#endif
