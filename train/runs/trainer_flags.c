/*
 * train/runs/trainer_flags.c - the table of t2t-trainer's flags.
 */
#include "train/runs/trainer_flags.h"

#include "train/ckpt/checkpoint.h"
#include "train/runs/registry_names.h"

enum { DEFAULT_SEED = 1 };

struct tr_trainer_flags tr_flags = {
    .schedule = "continuous_train_and_eval",
    .device = "cpu",
    .remat = "none",
    .train_steps = 250000,
    .eval_steps = 100,
    .local_eval_frequency = 1000,
    .log_step_count_steps = 100,
    .keep_checkpoint_max = CKPT_KEEP_DEFAULT,
    .eval_timeout_mins = 240,
    .random_seed = DEFAULT_SEED,
    .resume = true,
};

static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to train on", NULL},
    {"problem", T2_FLAG_STRING, &tr_flags.problem, "NAME",
     "The data set, as t2t-datagen named it; NAME_rev swaps inputs and targets, NAME_copy makes "
     "the targets a copy of "
     "the inputs.",
     NULL},
    {"data_dir", T2_FLAG_STRING, &tr_flags.data_dir, "DIR",
     "Folder of the shards and the vocabulary.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to train", NULL},
    {"model", T2_FLAG_STRING, &tr_flags.model, "NAME",
     "Registered model; transformer when not given.", NULL},
    {"hparams_set", T2_FLAG_STRING, &tr_flags.hparams_set, "NAME",
     "Registered hyperparameters: transformer_tiny, transformer_base, resnet_cifar_15 and more.",
     NULL},
    {"hparams", T2_FLAG_STRING, &tr_flags.hparams, "LIST",
     "Overrides, for example 'batch_size=1024,learning_rate_constant=0.5'.", NULL},
    {"batch_size", T2_FLAG_STRING, &tr_flags.batch_size, "N|auto",
     "In place of the hparam: tokens or images in a batch; auto: the largest whose memory plan "
     "fits.",
     NULL},
    {"random_seed", T2_FLAG_INT, &tr_flags.random_seed, "N",
     "Initial values, dropout and sample order follow from it; a run that is continued keeps its "
     "own.",
     &tr_flags.seed_given},
    {"order", T2_FLAG_STRING, &tr_flags.order, "shuffled|reference",
     "Of the samples; shuffled: every epoch a new permutation of all; reference: the original's "
     "interleaved files and "
     "shuffle buffers; shuffled when not given.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The run", NULL},
    {"output_dir", T2_FLAG_STRING, &tr_flags.output_dir, "DIR",
     "Folder of the run: checkpoints, metrics.jsonl, hparams.json.", NULL},
    {"schedule", T2_FLAG_STRING, &tr_flags.schedule, "NAME",
     "train, continuous_train_and_eval, train_and_evaluate (the same), evaluate, continuous_eval "
     "(every checkpoint "
     "that appears, until that of --train_steps).",
     &tr_flags.given_schedule},
    {"train_steps", T2_FLAG_INT, &tr_flags.train_steps, "N",
     "The step to stop at, counted from the beginning of the run.", &tr_flags.given_train_steps},
    {"local_eval_frequency", T2_FLAG_INT, &tr_flags.local_eval_frequency, "N",
     "Steps from one checkpoint and evaluation to the next.", &tr_flags.given_frequency},
    {"eval_steps", T2_FLAG_INT, &tr_flags.eval_steps, "N",
     "Batches of an evaluation at most; it also ends with the data; 0 evaluates nothing.  When not "
     "given, images "
     "are evaluated all.",
     &tr_flags.eval_steps_given},
    {"eval_use_test_set", T2_FLAG_BOOL, &tr_flags.eval_use_test_set, NULL,
     "Evaluate on the test shards instead of dev.", NULL},
    {"resume", T2_FLAG_BOOL, &tr_flags.resume, NULL,
     "Continue the run in --output_dir when there is one; --noresume refuses to touch it.", NULL},
    {"allow_hparams_change", T2_FLAG_BOOL, &tr_flags.allow_hparams_change, NULL,
     "Let a run that is continued change its learning rate, dropout, clipping and the like.", NULL},
    {"keep_checkpoint_max", T2_FLAG_INT, &tr_flags.keep_checkpoint_max, "N",
     "Checkpoints that are kept, the newest; 0 keeps all.", &tr_flags.given_keep},
    {"save_checkpoints_secs", T2_FLAG_INT, &tr_flags.save_checkpoints_secs, "N",
     "When not 0: save by the clock instead of every --local_eval_frequency steps.",
     &tr_flags.given_secs},
    {"save_checkpoints_steps", T2_FLAG_INT, &tr_flags.save_checkpoints_steps, "N",
     "When not 0: save every N steps instead of every --local_eval_frequency steps.",
     &tr_flags.given_steps},
    {"eval_timeout_mins", T2_FLAG_INT, &tr_flags.eval_timeout_mins, "N",
     "How long continuous_eval waits for the next checkpoint.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Experiments of Model Garden, in place of the flags above",
     NULL},
    {"experiment", T2_FLAG_STRING, &tr_flags.experiment, "NAME",
     "resnet_imagenet, image_classification, wmt_transformer/large, tpu_resnet.", NULL},
    {"config_file", T2_FLAG_LIST, &tr_flags.config_files, "FILE",
     "YAML over the experiment's defaults; several are applied in order.", NULL},
    {"params_override", T2_FLAG_STRING, &tr_flags.params_override, "TEXT",
     "Over the files: 'a.b=1,c=[2, 3]', or YAML, or the name of a YAML file.", NULL},
    {"mode", T2_FLAG_STRING, &tr_flags.mode, "NAME",
     "train, eval, train_and_eval, train_and_post_eval, continuous_eval; train_and_eval when not "
     "given.",
     NULL},
    {"model_dir", T2_FLAG_STRING, &tr_flags.model_dir, "DIR",
     "The same as --output_dir; also gets params.yaml.", NULL},
    {"describe", T2_FLAG_OPTION, &tr_flags.describe, "fields|yaml",
     "Print every field with what it becomes here, or what params.yaml will be, and stop.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Running", NULL},
    {"device", T2_FLAG_STRING, &tr_flags.device, "NAME",
     "cpu, or reference: one thread of plain C, to compare with.", NULL},
    {"precision", T2_FLAG_STRING, &tr_flags.precision, "NAME",
     "float32, or bfloat16 for the factors of matrix products; variables and sums are float32 "
     "always. float32 when not "
     "given; a run that is continued keeps its own.",
     NULL},
    {"max_memory", T2_FLAG_SIZE, &tr_flags.max_memory, "SIZE",
     "Refuse a plan that needs more; what is available when not given.", NULL},
    {"remat", T2_FLAG_STRING, &tr_flags.remat, "none|layer",
     "layer: compute layers again in the backward pass; less memory, more time, the same bits.",
     NULL},
    {"log_step_count_steps", T2_FLAG_INT, &tr_flags.log_step_count_steps, "N",
     "Steps from one report line to the next.", &tr_flags.given_log_steps},
    {"json", T2_FLAG_BOOL, &tr_flags.json, NULL,
     "Print what the run is, and the lines of metrics.jsonl, to stdout.", NULL},
    {"dry_run", T2_FLAG_BOOL, &tr_flags.dry_run, NULL,
     "Check everything, time some steps, print the plan and stop; writes nothing.", NULL},
    {"profile", T2_FLAG_BOOL, &tr_flags.profile, NULL,
     "At the end, say where the time of the steps went: share per operator, GFLOP/s per shape of a "
     "product.",
     NULL},
    {"registry_help", T2_FLAG_BOOL, &tr_flags.registry_help, NULL,
     "List models, hyperparameter sets and problems, and stop.", NULL},
};
static const struct t2_flag_values values[] = {
    {"problem", NULL, tr_list_problems},
    {"model", NULL, tr_list_models},
    {"hparams_set", NULL, tr_list_hparams_sets},
    {"schedule", "train continuous_train_and_eval train_and_evaluate evaluate continuous_eval",
     NULL},
    {"experiment", NULL, tr_list_experiments},
    {"mode", "train eval train_and_eval train_and_post_eval continuous_eval", NULL},
    {"device", "cpu reference", NULL},
    {"precision", "float32 bfloat16", NULL},
    {NULL, NULL, NULL},
};

const struct t2_tool tr_trainer_tool = {
    .name = "t2t-trainer",
    .usage = "--problem=NAME --data_dir=DIR --output_dir=DIR --hparams_set=NAME [flags]",
    .summary = "Trains and evaluates a model from TFRecord shards.  A run that was stopped is "
               "continued by the same command.",
    .examples = "t2t-trainer --problem=translate_ende_numbers --data_dir=data \\\n"
                "    --output_dir=run --hparams_set=transformer_tiny --train_steps=1000\n"
                "t2t-trainer --data_dir=data --output_dir=run --schedule=evaluate",
    .flags = rows,
    .n_flags = sizeof rows / sizeof *rows,
    .values = values,
};
