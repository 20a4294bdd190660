/*
 * train/runs/trainer_flags.h - the flags of t2t-trainer: values, defaults, table.
 */
#ifndef TR_TRAINER_FLAGS_H
#define TR_TRAINER_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/flags.h"

struct tr_trainer_flags {
    const char *problem, *data_dir, *output_dir, *model, *hparams_set, *hparams, *schedule, *device;
    const char *batch_size, *remat, *precision, *order;
    const char *experiment, *params_override, *mode, *model_dir, *describe;
    struct t2_strs config_files;
    uint64_t max_memory;
    int64_t train_steps, eval_steps, local_eval_frequency, log_step_count_steps;
    int64_t keep_checkpoint_max, save_checkpoints_secs, save_checkpoints_steps, random_seed;
    int64_t eval_timeout_mins;
    bool eval_use_test_set, resume, allow_hparams_change, dry_run, json, profile, registry_help,
        seed_given, eval_steps_given;
    /* on the command line: what an experiment says itself */
    bool given_schedule, given_train_steps, given_frequency, given_log_steps, given_keep,
        given_secs, given_steps;
};

extern struct tr_trainer_flags tr_flags;
extern const struct t2_tool tr_trainer_tool;

#endif
