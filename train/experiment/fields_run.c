/*
 * train/experiment/fields_run.c - runtime, trainer, and what all tasks and data have.
 */
#include "train/experiment/fields.h"

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))

static const char tensorflow[] = "of TensorFlow's run time";
static const char one_machine[] = "mpirun or srun says how many processes there are";

/* clang-format off */
static const struct exp_field runtime[] = {
    {"all_reduce_alg", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, one_machine},
    {"batchnorm_spatial_persistent", EXP_T_BOOL, "false", EXP_PASSED, tensorflow},
    {"dataset_num_private_threads", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_PASSED, "--num_threads says how many"},
    {"default_shard_dim", EXP_T_INT, "-1", EXP_PASSED, one_machine},
    {"distribution_strategy", EXP_T_STRING, "mirrored", EXP_PASSED, one_machine},
    {"enable_xla", EXP_T_BOOL, "false", EXP_PASSED, tensorflow},
    {"gpu_thread_mode", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, tensorflow},
    {"loss_scale", EXP_T_SCALE | EXP_T_OR_NULL, "null", EXP_READ, "null or dynamic, of float16; others need none"},
    {"mixed_precision_dtype", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_READ, "--precision; null is float32"},
    {"num_cores_per_replica", EXP_T_INT, "1", EXP_PASSED, one_machine},
    {"num_gpus", EXP_T_INT, "0", EXP_PASSED, "--device says what computes"},
    {"num_packs", EXP_T_INT, "1", EXP_PASSED, one_machine},
    {"per_gpu_thread_count", EXP_T_INT, "0", EXP_PASSED, tensorflow},
    {"run_eagerly", EXP_T_BOOL, "false", EXP_PASSED, tensorflow},
    {"task_index", EXP_T_INT, "-1", EXP_PASSED, one_machine},
    {"tpu", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, "there is no TPU"},
    {"tpu_enable_xla_dynamic_padder", EXP_T_BOOL | EXP_T_OR_NULL, "null", EXP_PASSED, "there is no TPU"},
    {"use_tpu_mp_strategy", EXP_T_BOOL, "false", EXP_PASSED, "there is no TPU"},
    {"worker_hosts", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, one_machine},
};

static const struct exp_field trainer[] = {
    {"allow_tpu_summary", EXP_T_BOOL, "false", EXP_PASSED, "there is no TPU"},
    {"best_checkpoint_eval_metric", EXP_T_STRING, "''", EXP_READ, "validation_loss, accuracy, top_5_accuracy or sacrebleu_score"},
    {"best_checkpoint_export_subdir", EXP_T_STRING, "''", EXP_READ, "folder of the best checkpoint and of info.json"},
    {"best_checkpoint_metric_comp", EXP_T_STRING, "higher", EXP_READ, "higher or lower is better"},
    {"checkpoint_interval", EXP_T_INT, "1000", EXP_READ, "--save_checkpoints_steps"},
    {"continuous_eval_timeout", EXP_T_INT, "3600", EXP_READ, "seconds that --mode=continuous_eval waits for a checkpoint"},
    {"eval_tf_function", EXP_T_BOOL, "true", EXP_PASSED, tensorflow},
    {"eval_tf_while_loop", EXP_T_BOOL, "false", EXP_PASSED, tensorflow},
    {"loss_upper_bound", EXP_T_NUMBER, "1000000.0", EXP_READ, "a mean loss of steps_per_loop above it stops the run, or goes back"},
    {"max_to_keep", EXP_T_INT, "5", EXP_READ, "--keep_checkpoint_max"},
    {"preemption_on_demand_checkpoint", EXP_T_BOOL, "true", EXP_PASSED, "SIGTERM saves always"},
    {"recovery_begin_steps", EXP_T_INT, "0", EXP_READ, "the step from which loss_upper_bound counts"},
    {"recovery_max_trials", EXP_T_INT, "0", EXP_READ, "--on_nan=rollback, so many times; 0: stop; below: there is no loss_upper_bound"},
    {"steps_per_loop", EXP_T_INT, "1000", EXP_READ, "--log_step_count_steps: a report line with the mean loss"},
    {"summary_interval", EXP_T_INT, "1000", EXP_READ, "a multiple of steps_per_loop; events and metrics.jsonl have every loop"},
    {"train_steps", EXP_T_INT, "0", EXP_READ, "--train_steps"},
    {"train_tf_function", EXP_T_BOOL, "true", EXP_PASSED, tensorflow},
    {"train_tf_while_loop", EXP_T_BOOL, "true", EXP_PASSED, tensorflow},
    {"validation_interval", EXP_T_INT, "1000", EXP_READ, "--local_eval_frequency"},
    {"validation_steps", EXP_T_INT, "-1", EXP_READ, "--eval_steps, of as many samples in batches of training; -1: all"},
    {"validation_summary_subdir", EXP_T_STRING, "validation", EXP_READ, "folder of the events of evaluations"},
};

static const struct exp_field task[] = {
    {"allow_image_summary", EXP_T_BOOL, "false", EXP_PASSED, "events have the first images of an evaluation"},
    {"differential_privacy_config", EXP_T_NULL, "null", EXP_FIXED, "differential privacy is not built"},
    {"name", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, "a name only"},
};

static const char service[] = "of tf.data's service";
static const char tfds[] = "TensorFlow Datasets' files are not read: t2t-datagen makes shards";

static const struct exp_field data[] = {
    {"apply_tf_data_service_before_batching", EXP_T_BOOL, "false", EXP_PASSED, service},
    {"autotune_algorithm", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, tensorflow},
    {"block_length", EXP_T_INT, "1", EXP_PASSED, "every epoch is a permutation of all samples"},
    {"cache", EXP_T_BOOL, "false", EXP_PASSED, "the samples are the same"},
    {"cycle_length", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_PASSED, "every epoch is a permutation of all samples"},
    {"deterministic", EXP_T_BOOL | EXP_T_OR_NULL, "null", EXP_PASSED, "the order is a function of the seed always"},
    {"enable_shared_tf_data_service_between_parallel_trainers", EXP_T_BOOL, "false", EXP_PASSED, service},
    {"enable_tf_data_service", EXP_T_BOOL, "false", EXP_PASSED, service},
    {"input_path", EXP_T_PATHS, "''", EXP_READ, "--data_dir and --problem: DIR/PROBLEM-train*"},
    {"prefetch_buffer_size", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_PASSED, "the samples are the same"},
    {"ram_budget", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_PASSED, "--max_memory says how much"},
    {"seed", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_READ, "--random_seed, of train_data"},
    {"sharding", EXP_T_BOOL, "true", EXP_PASSED, one_machine},
    {"shuffle_buffer_size", EXP_T_INT, "100", EXP_PASSED, "every epoch is a permutation of all samples"},
    {"tf_data_service_address", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, service},
    {"tf_data_service_job_name", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, service},
    {"tfds_as_supervised", EXP_T_BOOL, "false", EXP_PASSED, tfds},
    {"tfds_data_dir", EXP_T_STRING, "''", EXP_PASSED, tfds},
    {"tfds_name", EXP_T_STRING, "''", EXP_PASSED, tfds},
    {"tfds_skip_decoding_feature", EXP_T_STRING, "''", EXP_PASSED, tfds},
    {"tfds_split", EXP_T_STRING, "''", EXP_PASSED, tfds},
    {"trainer_id", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_PASSED, service},
};
/* Which data train is said by their place. */
#define IS_TRAINING(use, why) {{"is_training", EXP_T_BOOL | EXP_T_OR_NULL, "null", use, why}}
static const struct exp_field trains[] = IS_TRAINING(EXP_FIXED, "train_data trains");
static const struct exp_field validates[] = IS_TRAINING(EXP_FIXED, "validation_data does not train");
static const struct exp_field validates_anyhow[] = IS_TRAINING(EXP_PASSED, "validation_data does not train, whatever its default says");
/* clang-format on */

const struct exp_fields exp_training_fields = {trains, N(trains)};
const struct exp_fields exp_validation_fields = {validates, N(validates)};
const struct exp_fields exp_any_validation_fields = {validates_anyhow, N(validates_anyhow)};
const struct exp_fields exp_runtime_fields = {runtime, N(runtime)};
const struct exp_fields exp_trainer_fields = {trainer, N(trainer)};
const struct exp_fields exp_task_fields = {task, N(task)};
const struct exp_fields exp_data_fields = {data, N(data)};
