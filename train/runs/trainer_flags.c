/*
 * train/runs/trainer_flags.c - the table of t2t-trainer's flags.
 */
#include "train/runs/trainer_flags.h"

#include "train/ckpt/checkpoint.h"
#include "train/models/hparams.h"
#include "train/runs/foreign_flags.h"
#include "train/runs/registry_names.h"
#include "train/runs/schedules.h"
#include "train/tune/hparam_range.h"

enum { DEFAULT_SEED = 1 };

struct tr_trainer_flags tr_flags = {
    .schedule = "continuous_train_and_eval",
    .device = "auto",
    .remat = "none",
    .train_steps = 250000,
    .eval_steps = 100,
    .local_eval_frequency = 1000,
    .log_step_count_steps = 100,
    .keep_checkpoint_max = CKPT_KEEP_DEFAULT,
    .eval_timeout_mins = 240,
    .random_seed = DEFAULT_SEED,
    .resume = true,
    .on_nan = "stop",
    .exchange = "float32",
    .keep_every_n_hours = 10000,
    .early_stopping_metric = "loss",
    .early_stopping_delta = 0.1,
    .early_stopping_minimize = true,
    .tensorboard = true,
    .rank_timeout = 20,
    .autotune_algorithm = "random",
    .autotune_maximize = true,
    .autotune_max_trials = 10,
    .autotune_parallel_trials = 1,
    .autotune_reduction = 3,
    .autotune_grid_points = 3,
    .autotune_seed = 1,
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
    {"generate_data", T2_FLAG_BOOL, &tr_flags.generate_data, NULL,
     "Run t2t-datagen for --problem first, unless its manifest is in --data_dir.", NULL},
    {"text", T2_FLAG_STRING, &tr_flags.text, "FILE",
     "Train a language model on the lines of this file: t2t-datagen makes a problem of it first, "
     "called --problem or text, in --data_dir or the folder data of --output_dir "
     "(docs/language-models.md).",
     NULL},
    {"tmp_dir", T2_FLAG_STRING, &tr_flags.tmp_dir, "DIR",
     "With --generate_data: folder of downloads and input files; t2t-datagen's when not given.",
     NULL},
    {"t2t_usr_dir", T2_FLAG_STRING, &tr_flags.t2t_usr_dir, "DIR",
     "Models of your own, plug-ins in C (.so); hparams sets of your own, NAME.hparams.yaml; with "
     "--generate_data: problems of your own, as t2t-datagen takes them. --data_dir alone tells "
     "what "
     "the data are.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to train", NULL},
    {"model", T2_FLAG_STRING, &tr_flags.model, "NAME|FILE.yaml",
     "Registered model, or a file with the layers of your own; transformer when not given.", NULL},
    {"hparams_set", T2_FLAG_STRING, &tr_flags.hparams_set, "NAME|FILE.yaml",
     "Registered hyperparameters: transformer_tiny, transformer_base, resnet_cifar_15 and more; or "
     "a file with a set of your own.",
     NULL},
    {"hparams", T2_FLAG_STRING, &tr_flags.hparams, "LIST",
     "Overrides, for example 'batch_size=1024,learning_rate_constant=0.5'.", NULL},
    {"batch_size", T2_FLAG_STRING, &tr_flags.batch_size, "N|auto",
     "In place of the hparam: tokens or images in a batch; auto: the largest whose memory plan "
     "fits, of up to 32768 tokens or 8192 images.  With --schedule=evaluate it may be another one "
     "than the run's.",
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
    {"job_dir", T2_FLAG_STRING, &tr_flags.job_dir, "DIR", "In place of --output_dir.", NULL},
    {"schedule", T2_FLAG_STRING, &tr_flags.schedule, "NAME",
     "train, continuous_train_and_eval, train_and_evaluate (the same), train_eval_and_decode (the "
     "same, and translations are scored and written), test (a step and a batch of evaluation), "
     "evaluate, "
     "continuous_eval (every checkpoint that appears, until that of --train_steps), "
     "evaluate_on_train_data, continuous_eval_on_train_data.",
     &tr_flags.given_schedule},
    {"train_steps", T2_FLAG_INT, &tr_flags.train_steps, "N",
     "The step to stop at, counted from the beginning of the run.", &tr_flags.given_train_steps},
    {"pause_at_step", T2_FLAG_INT, &tr_flags.pause_at_step, "N",
     "Save, evaluate and stop at this step already; the learning rate still follows --train_steps. "
     "0: not.",
     NULL},
    {"local_eval_frequency", T2_FLAG_INT, &tr_flags.local_eval_frequency, "N",
     "Steps from one checkpoint and evaluation to the next.", &tr_flags.given_frequency},
    {"eval_steps", T2_FLAG_INT, &tr_flags.eval_steps, "N",
     "Batches of an evaluation at most; it also ends with the data; 0 evaluates nothing.  When not "
     "given, images "
     "are evaluated all, and so is the text of language models.",
     &tr_flags.eval_steps_given},
    {"eval_samples", T2_FLAG_INT, &tr_flags.eval_samples, "N",
     "Sentences that every evaluation translates and reports, or images that it draws from a model "
     "that makes them (samples-STEP.png), beside the planned memory.",
     NULL},
    {"decode_hparams", T2_FLAG_STRING, &tr_flags.decode_hparams, "LIST",
     "With --schedule=train_eval_and_decode: how evaluations translate: "
     "'beam_size=4,num_samples=100'.",
     NULL},
    {"decode_to_file", T2_FLAG_STRING, &tr_flags.decode_to_file, "FILE",
     "With --schedule=train_eval_and_decode: the begin of the names of their translations, in "
     "place "
     "of decode_00000/PROBLEM-STEP in --output_dir.",
     NULL},
    {"eval_use_test_set", T2_FLAG_BOOL, &tr_flags.eval_use_test_set, NULL,
     "Evaluate on the test shards instead of dev.", NULL},
    {"resume", T2_FLAG_BOOL, &tr_flags.resume, NULL,
     "Continue the run in --output_dir when there is one; --noresume refuses to touch it.", NULL},
    {"warm_start_from", T2_FLAG_STRING, &tr_flags.warm_start_from, "PATH",
     "A new run begins with the variables of this checkpoint that have the same name and shape; "
     "the "
     "others are named.  A folder of a run, a file such as run/state-1000.json or "
     "x.safetensors, or TensorFlow's run/model.ckpt-1000.",
     NULL},
    {"freeze", T2_FLAG_STRING, &tr_flags.freeze, "NAMES",
     "Variables that are not trained, patterns joined by +, such as "
     "'transformer/body/encoder/*+*embedding*'; becomes hparam frozen_variables.",
     NULL},
    {"allow_hparams_change", T2_FLAG_BOOL, &tr_flags.allow_hparams_change, NULL,
     "Let a run that is continued change its learning rate, dropout, clipping and the like.", NULL},
    {"keep_checkpoint_max", T2_FLAG_INT, &tr_flags.keep_checkpoint_max, "N",
     "Checkpoints that are kept, the newest; 0 keeps all.", &tr_flags.given_keep},
    {"keep_checkpoint_every_n_hours", T2_FLAG_INT, &tr_flags.keep_every_n_hours, "N",
     "One more of every N hours of training is kept for good; 0: none.", NULL},
    {"keep_checkpoint_best", T2_FLAG_INT, &tr_flags.keep_checkpoint_best, "N",
     "So many more are kept, the best by --eval_early_stopping_metric.", NULL},
    {"eval_metrics", T2_FLAG_STRING, &tr_flags.eval_metrics, "NAMES",
     "Scores that evaluations say beside those of the problem, with commas between: names of "
     "Tensor2Tensor's metrics, such as approx_sari_score,edit_distance; of any other name those "
     "that fit are listed.",
     NULL},
    {"eval_early_stopping_steps", T2_FLAG_INT, &tr_flags.early_stopping_steps, "N",
     "Stop when no evaluation of the last N steps is better than the one before them; 0: never.",
     NULL},
    {"eval_early_stopping_metric", T2_FLAG_STRING, &tr_flags.early_stopping_metric, "NAME",
     "What evaluations are compared by: loss, accuracy, metrics-x/targets/neg_log_perplexity; "
     "what stands before the last / is not read.",
     NULL},
    {"eval_early_stopping_metric_delta", T2_FLAG_DOUBLE, &tr_flags.early_stopping_delta, "X",
     "Better by less is not better.", NULL},
    {"eval_early_stopping_metric_minimize", T2_FLAG_BOOL, &tr_flags.early_stopping_minimize, NULL,
     "Less is better.", NULL},
    {"save_checkpoints_secs", T2_FLAG_INT, &tr_flags.save_checkpoints_secs, "N",
     "When not 0: save by the clock instead of every --local_eval_frequency steps.",
     &tr_flags.given_secs},
    {"save_checkpoints_steps", T2_FLAG_INT, &tr_flags.save_checkpoints_steps, "N",
     "When not 0: save every N steps instead of every --local_eval_frequency steps.",
     &tr_flags.given_steps},
    {"eval_timeout_mins", T2_FLAG_INT, &tr_flags.eval_timeout_mins, "N",
     "How long continuous_eval and continuous_eval_on_train_data wait for the next checkpoint.",
     NULL},
    {"on_nan", T2_FLAG_STRING, &tr_flags.on_nan, "stop|skip|rollback",
     "What follows a step whose loss or gradients are not finite: stop; go on without its batch; "
     "go on without it from the newest checkpoint.  The first operator, layer and tensor are "
     "named, and the batch is kept, in any case.",
     NULL},
    {"max_corrupt", T2_FLAG_INT, &tr_flags.max_corrupt, "N",
     "Pass over up to N damaged records of the training shards, and of those of evaluation, and "
     "name them at the end; 0: the first one ends the run.",
     NULL},
    {"replay_step", T2_FLAG_INT, &tr_flags.replay_step, "N",
     "Run step N of the run in --output_dir alone, print the range of all that its operators "
     "write, and stop; writes nothing.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Searching for hyperparameters, in place of one run", NULL},
    {"autotune", T2_FLAG_BOOL, &tr_flags.autotune, NULL,
     "Search in --hparams_range, which alone asks for it, too; --output_dir gets the study and its "
     "trials.",
     NULL},
    {"hparams_range", T2_FLAG_STRING, &tr_flags.hparams_range, "NAME",
     "Which hparams vary, and where: a registered range, or a file whose name ends in .yaml.",
     NULL},
    {"autotune_objective", T2_FLAG_STRING, &tr_flags.autotune_objective, "NAME",
     "What an evaluation says of a trial: metrics-x/neg_log_perplexity, loss, accuracy; what "
     "stands "
     "before the last / is not read.",
     NULL},
    {"autotune_maximize", T2_FLAG_BOOL, &tr_flags.autotune_maximize, NULL,
     "More is better; when not given, of everything but losses and errors.",
     &tr_flags.given_maximize},
    {"autotune_max_trials", T2_FLAG_INT, &tr_flags.autotune_max_trials, "N", "Trials at most.",
     NULL},
    {"autotune_parallel_trials", T2_FLAG_INT, &tr_flags.autotune_parallel_trials, "N",
     "Trials at once, which share the machine's cores and memory.", NULL},
    {"autotune_algorithm", T2_FLAG_STRING, &tr_flags.autotune_algorithm,
     "random|grid|tpe|gp|asha|halving",
     "How: drawn at random; all combinations; where the trials before were good (Bergstra et al. "
     "2011); where a Gaussian process through them expects the most; at random, and only the best "
     "go on to more steps, each as soon as it is known (asha) or when all are compared (halving).",
     NULL},
    {"autotune_sampler", T2_FLAG_STRING, &tr_flags.autotune_sampler, "random|tpe|gp",
     "asha, halving: how new trials are drawn; random when not given.", NULL},
    {"autotune_min_steps", T2_FLAG_INT, &tr_flags.autotune_min_steps, "N",
     "asha, halving: steps at which trials are compared first; 0: so that there are three "
     "comparisons, the last at --train_steps.",
     NULL},
    {"autotune_reduction", T2_FLAG_INT, &tr_flags.autotune_reduction, "N",
     "asha, halving: one of N goes on, to N times as many steps.", NULL},
    {"autotune_grid_points", T2_FLAG_INT, &tr_flags.autotune_grid_points, "N",
     "grid: points of a range of numbers.", NULL},
    {"autotune_seed", T2_FLAG_INT, &tr_flags.autotune_seed, "N",
     "What is drawn follows from it; --random_seed is of the trials.", NULL},
    {"autotune_trainer", T2_FLAG_STRING, &tr_flags.autotune_trainer, "FILE",
     "Program that trains a trial, such as a script that calls this one by srun; this one when not "
     "given.",
     NULL},
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
    {"describe", T2_FLAG_OPTION, &tr_flags.describe, "fields|yaml|FILE.svg",
     "Of an experiment: print every field with what it becomes here, or what params.yaml will be, "
     "and stop. Of a model: print its layers with shapes, parameters and operations, or draw them.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Running", NULL},
    {"device", T2_FLAG_STRING, &tr_flags.device, "NAME",
     "auto: a GPU where there is one, else cpu; cuda, cuda:1, cpu; reference: one thread of plain "
     "C, "
     "to compare with.",
     NULL},
    {"worker_gpu", T2_FLAG_INT, &tr_flags.worker_gpu, "N",
     "Data shards: batches are N times as large, and computed in N parts, on as many GPUs of this "
     "machine as share them evenly (mpirun starts a process for each), else one after the other; "
     "same bits.  Under mpirun or srun each process has so many.  0: 1, or as many as the run has "
     "that is continued.",
     &tr_flags.given_worker_gpu},
    {"gradient_accumulation", T2_FLAG_INT, &tr_flags.gradient_accumulation, "N",
     "Micro-batches of a step, with any optimizer: so many data shards for each of --worker_gpu, "
     "one after the other.",
     NULL},
    {"shard_optimizer", T2_FLAG_BOOL, &tr_flags.shard_optimizer, NULL,
     "Under mpirun or srun: each process keeps a part of the optimizer's state, and all have the "
     "whole model; same bits, same checkpoints.",
     NULL},
    {"exchange", T2_FLAG_STRING, &tr_flags.exchange, "float32|bfloat16",
     "Under mpirun or srun: how gradients travel.  bfloat16 halves the bytes; the bits of a run "
     "then "
     "depend on the number of processes.",
     NULL},
    {"rank_timeout", T2_FLAG_INT, &tr_flags.rank_timeout, "SECONDS",
     "Under mpirun or srun: a process that is not heard of for so long is lost, and all end.",
     NULL},
    {"host_threads", T2_FLAG_INT, &tr_flags.host_threads, "N",
     "Threads for what is done beside the device, images above all; as --num_threads, which is the "
     "device's own, when not given.",
     NULL},
    {"precision", T2_FLAG_STRING, &tr_flags.precision, "NAME",
     "float32, bfloat16 or float16 for what lies between operators, and for the factors of matrix "
     "products; variables, statistics and sums are float32 always. tf32: float32, but a GPU rounds "
     "the factors of products to 10 bits of fraction. The hparam activation_dtype when not given; "
     "a run that is continued keeps its own.",
     NULL},
    {"gpu_automatic_mixed_precision", T2_FLAG_BOOL, &tr_flags.gpu_automatic_mixed_precision, NULL,
     "The same as --precision=float16.", NULL},
    {"max_memory", T2_FLAG_SIZE, &tr_flags.max_memory, "SIZE",
     "Refuse a plan that needs more; what is available when not given.", NULL},
    {"remat", T2_FLAG_STRING, &tr_flags.remat, "none|layer",
     "layer: compute layers again in the backward pass; less memory, more time, the same bits.",
     NULL},
    {"log_step_count_steps", T2_FLAG_INT, &tr_flags.log_step_count_steps, "N",
     "Steps from one report line to the next.", &tr_flags.given_log_steps},
    {"tensorboard", T2_FLAG_BOOL, &tr_flags.tensorboard, NULL,
     "Write event files for TensorBoard, in the original's places.", NULL},
    {"summary_histograms", T2_FLAG_BOOL, &tr_flags.summary_histograms, NULL,
     "With histograms of variables and gradients, as of every report line.", NULL},
    {"json", T2_FLAG_BOOL, &tr_flags.json, NULL,
     "Print what the run is, and the lines of metrics.jsonl, to stdout.", NULL},
    {"dry_run", T2_FLAG_BOOL, &tr_flags.dry_run, NULL,
     "Check everything, time some steps, print the plan and stop; writes nothing.", NULL},
    {"profile", T2_FLAG_BOOL, &tr_flags.profile, NULL,
     "At the end, say where the time of the steps went: share per operator, GFLOP/s per shape of a "
     "product; the tenth step, operator by operator, becomes trace-STEP.json, for Chrome's viewer.",
     NULL},
    {"registry_help", T2_FLAG_BOOL, &tr_flags.registry_help, NULL,
     "List models, hyperparameter sets and problems, and stop.", NULL},
};
static const struct t2_flag_values values[] = {
    {"problem", NULL, tr_list_problems},
    {"model", NULL, tr_list_models},
    {"hparams_set", NULL, tr_list_hparams_sets},
    {"hparams_range", NULL, tune_list_ranges},
    {"schedule", tr_schedule_names, NULL},
    {"experiment", NULL, tr_list_experiments},
    {"mode", "train eval train_and_eval train_and_post_eval continuous_eval", NULL},
    {"on_nan", "stop skip rollback", NULL},
    {"exchange", "float32 bfloat16", NULL},
    {"device", "auto cpu cuda reference", NULL},
    {"precision", "float32 tf32 bfloat16 float16", NULL},
    {NULL, NULL, NULL},
};

const struct t2_tool tr_trainer_tool = {
    .name = "t2t-trainer",
    .usage = "--problem=NAME --data_dir=DIR --output_dir=DIR --hparams_set=NAME [flags]",
    .summary = "Trains and evaluates a model from TFRecord shards.  A run that was stopped is "
               "continued by the same command.",
    .examples = "t2t-trainer --problem=translate_ende_numbers --data_dir=data \\\n"
                "    --output_dir=run --hparams_set=transformer_tiny --train_steps=1000\n"
                "t2t-trainer --data_dir=data --output_dir=run --schedule=evaluate\n"
                "t2t-trainer report run -o run.html",
    .flags = rows,
    .n_flags = sizeof rows / sizeof *rows,
    .local_flags = "t2t_usr_dir",
    .values = values,
    .foreign = {tr_foreign_flags, tr_absl_flags},
    .more = mdl_hparams_markdown,
};

enum t2_status tr_read_on_nan(enum tr_on_nan *on_nan, struct t2_err *err)
{
    static const char *const names[] = {"stop", "skip", "rollback"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(tr_flags.on_nan, names[i]) == 0) {
            *on_nan = (enum tr_on_nan) i;
            return T2_OK;
        }
    return t2_fail(err, T2_EUSAGE, "--on_nan is stop, skip or rollback, not '%s'", tr_flags.on_nan);
}

enum t2_status tr_read_exchange(enum dist_number *number, struct t2_err *err)
{
    *number = strcmp(tr_flags.exchange, "bfloat16") == 0 ? DIST_BFLOAT16 : DIST_FLOAT32;
    if (*number == DIST_BFLOAT16 || strcmp(tr_flags.exchange, "float32") == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--exchange is float32 or bfloat16, not '%s'",
                   tr_flags.exchange);
}

static enum t2_status check_no_experiment(struct t2_err *err)
{
    if (tr_flags.config_files.n > 0 || tr_flags.params_override || tr_flags.mode)
        return t2_fail(err, T2_EUSAGE,
                       "the flag --experiment must be specified with --config_file, "
                       "--params_override and --mode");
    return T2_OK;
}

/* Refuses flags for what a configuration already says. */
static enum t2_status check_flags_of_experiment(struct t2_err *err)
{
    const struct {
        bool given;
        const char *flag, *field;
    } said[] = {
        {tr_flags.model != NULL, "model", "task.model"},
        {tr_flags.hparams_set != NULL, "hparams_set", "task.model"},
        {tr_flags.batch_size != NULL, "batch_size", "task.train_data.global_batch_size"},
        {tr_flags.given_schedule, "schedule", "--mode"},
        {tr_flags.given_train_steps, "train_steps", "trainer.train_steps"},
        {tr_flags.given_frequency, "local_eval_frequency", "trainer.validation_interval"},
        {tr_flags.eval_steps_given, "eval_steps", "trainer.validation_steps"},
        {tr_flags.given_log_steps, "log_step_count_steps", "trainer.steps_per_loop"},
        {tr_flags.given_keep, "keep_checkpoint_max", "trainer.max_to_keep"},
        {tr_flags.given_secs, "save_checkpoints_secs", "trainer.checkpoint_interval"},
        {tr_flags.given_steps, "save_checkpoints_steps", "trainer.checkpoint_interval"},
    };

    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].given)
            return t2_fail(err, T2_EUSAGE, "--%s with --experiment: say it with %s instead",
                           said[i].flag, said[i].field);
    return T2_OK;
}

enum t2_status tr_check_experiment_flags(struct t2_err *err)
{
    return tr_flags.experiment ? check_flags_of_experiment(err) : check_no_experiment(err);
}

void tr_flags_from_options(const struct tr_options *o)
{
    tr_flags.problem = o->problem;
    tr_flags.data_dir = o->data_dir;
    tr_flags.hparams = o->hparams;
    tr_flags.schedule = o->schedule;
    tr_flags.train_steps = o->train_steps;
    tr_flags.eval_steps = o->eval_steps;
    tr_flags.local_eval_frequency = o->local_eval_frequency;
    tr_flags.log_step_count_steps = o->log_step_count_steps;
    tr_flags.save_checkpoints_steps = o->save_checkpoints_steps;
    tr_flags.keep_checkpoint_max = o->keep_checkpoint_max;
    /* params.yaml has these */
    tr_flags.experiment = tr_flags.params_override = tr_flags.mode = tr_flags.model_dir = NULL;
    t2_strs_release(&tr_flags.config_files);
}
