/*
 * train/runs/trainer_flags.h - the flags of t2t-trainer: values, defaults, table.
 */
#ifndef TR_TRAINER_FLAGS_H
#define TR_TRAINER_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/flags.h"
#include "train/runs/run.h"

struct tr_trainer_flags {
    const char *problem, *data_dir, *output_dir, *model, *hparams_set, *hparams, *warm_start_from,
        *schedule, *device;
    const char *batch_size, *remat, *precision, *order, *freeze;
    const char *experiment, *params_override, *mode, *model_dir, *describe;
    const char *text, *tmp_dir, *t2t_usr_dir, *job_dir;
    const char *hparams_range, *autotune_objective, *autotune_algorithm, *autotune_sampler;
    const char *autotune_trainer;
    struct t2_strs config_files;
    uint64_t max_memory;
    int64_t train_steps, eval_steps, local_eval_frequency, log_step_count_steps;
    int64_t keep_checkpoint_max, save_checkpoints_secs, save_checkpoints_steps, random_seed;
    int64_t eval_timeout_mins, host_threads, pause_at_step, worker_gpu, rank_timeout;
    int64_t gradient_accumulation;
    int64_t replay_step, eval_samples, keep_checkpoint_best, keep_every_n_hours;
    int64_t early_stopping_steps, max_corrupt;
    const char *on_nan, *exchange, *early_stopping_metric, *eval_metrics;
    const char *decode_hparams, *decode_to_file;
    double early_stopping_delta;
    bool early_stopping_minimize, tensorboard, summary_histograms, shard_optimizer;
    int64_t autotune_max_trials, autotune_parallel_trials, autotune_min_steps, autotune_reduction;
    int64_t autotune_grid_points, autotune_seed;
    bool eval_use_test_set, resume, allow_hparams_change, dry_run, json, profile, registry_help,
        seed_given, given_worker_gpu, eval_steps_given, generate_data,
        gpu_automatic_mixed_precision, autotune, autotune_maximize;
    /* on the command line: what an experiment says itself */
    bool given_schedule, given_train_steps, given_frequency, given_log_steps, given_keep,
        given_secs, given_steps;
    bool given_maximize;
};

extern struct tr_trainer_flags tr_flags;
extern const struct t2_tool tr_trainer_tool;

/* --exchange; T2_EUSAGE names what it may be. */
T2_MUST_CHECK enum t2_status tr_read_exchange(enum dist_number *number, struct t2_err *err);
/* --on_nan; T2_EUSAGE names what it may be. */
T2_MUST_CHECK enum t2_status tr_read_on_nan(enum tr_on_nan *on_nan, struct t2_err *err);

/* T2_EUSAGE: flags that --experiment needs, or that say what its configuration says. */
T2_MUST_CHECK enum t2_status tr_check_experiment_flags(struct t2_err *err);
/* The values of a run that an experiment describes, so that tr_flags.txt is the run without it;
 * what they point to stays the caller's. */
void tr_flags_from_options(const struct tr_options *o);

#endif
