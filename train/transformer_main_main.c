/*
 * train/transformer_main_main.c - transformer_main: the official Transformer's program of this
 * name, over the trainer's library.
 *
 * official/nlp/transformer/transformer_main.py; spec official-transformer.md §6, §8.  A train
 * iteration is tr_train until the next evaluation; BLEU is of the checkpoint that it leaves.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "base/str.h"
#include "train/ckpt/checkpoint.h"
#include "train/eval/python_text.h"
#include "train/runs/foreign_flags.h"
#include "train/runs/loop.h"
#include "train/runs/run.h"
#include "train/trained/official_eval.h"

static struct {
    const char *data_dir, *model_dir, *problem, *param_set, *vocab_file, *bleu_source, *bleu_ref;
    const char *mode, *dtype, *hparams, *device;
    int64_t batch_size, train_steps, steps_between_evals, max_length, validation_steps, log_steps;
    int64_t decode_batch_size, decode_max_length, random_seed, keep_checkpoint_max;
    uint64_t max_memory;
    bool static_batch, use_ctl, enable_metrics_in_training, seed_given;
} flags = {
    .data_dir = "/tmp/translate_ende",
    .model_dir = "/tmp/transformer_model",
    .problem = "wmt32k",
    .param_set = "big",
    .mode = "train",
    .dtype = "fp32",
    .device = "auto",
    .train_steps = 300000,
    .steps_between_evals = 5000,
    .max_length = 256,
    .validation_steps = 64,
    .log_steps = 100,
    .decode_batch_size = 32,
    .decode_max_length = 97,
    .random_seed = 1,
    .keep_checkpoint_max = CKPT_KEEP_DEFAULT,
};

/* clang-format off */
static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Data and model", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR", "What data_download made. Also -dd.", NULL},
    {"dd", T2_FLAG_STRING, &flags.data_dir, "DIR", "The same as --data_dir.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME",
     "Another data set of that folder: one of t2t-datagen --layout=official --name=NAME.", NULL},
    {"vocab_file", T2_FLAG_STRING, &flags.vocab_file, "FILE",
     "The vocabulary; compared with the one in --data_dir. Also -vf.", NULL},
    {"vf", T2_FLAG_STRING, &flags.vocab_file, "FILE", "The same as --vocab_file.", NULL},
    {"model_dir", T2_FLAG_STRING, &flags.model_dir, "DIR",
     "Folder of the run: checkpoints, metrics.jsonl. A run that is there is continued. Also -md.", NULL},
    {"md", T2_FLAG_STRING, &flags.model_dir, "DIR", "The same as --model_dir.", NULL},
    {"param_set", T2_FLAG_STRING, &flags.param_set, "tiny|base|big", "Parameters of the model. Also -mp.", NULL},
    {"mp", T2_FLAG_STRING, &flags.param_set, "NAME", "The same as --param_set.", NULL},
    {"hparams", T2_FLAG_STRING, &flags.hparams, "LIST",
     "Over the set, 'name=value,...' as t2t-trainer takes them: vocab_size=0 is the size of the vocabulary.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The run", NULL},
    {"mode", T2_FLAG_STRING, &flags.mode, "train|eval|predict",
     "eval: BLEU of the newest checkpoint; predict: translate the first dev samples.", NULL},
    {"train_steps", T2_FLAG_INT, &flags.train_steps, "N", "The step to stop at. Also -ts.", NULL},
    {"ts", T2_FLAG_INT, &flags.train_steps, "N", "The same as --train_steps.", NULL},
    {"steps_between_evals", T2_FLAG_INT, &flags.steps_between_evals, "N",
     "Steps from one checkpoint and evaluation to the next. Also -sbe.", NULL},
    {"sbe", T2_FLAG_INT, &flags.steps_between_evals, "N", "The same as --steps_between_evals.", NULL},
    {"batch_size", T2_FLAG_INT, &flags.batch_size, "N",
     "Tokens of a batch; 0: as the set says. Also -bs.", NULL},
    {"bs", T2_FLAG_INT, &flags.batch_size, "N", "The same as --batch_size.", NULL},
    {"max_length", T2_FLAG_INT, &flags.max_length, "N", "Longer samples are not trained on. Also -ml.", NULL},
    {"ml", T2_FLAG_INT, &flags.max_length, "N", "The same as --max_length.", NULL},
    {"static_batch", T2_FLAG_BOOL, &flags.static_batch, NULL,
     "Batches of --batch_size / --max_length rows of --max_length. Also -sb.", NULL},
    {"sb", T2_FLAG_BOOL, &flags.static_batch, NULL, "The same as --static_batch.", NULL},
    {"use_ctl", T2_FLAG_BOOL, &flags.use_ctl, NULL,
     "Rates and bias corrections are counted as in the custom training loop, not as Keras' fit counts.", NULL},
    {"dtype", T2_FLAG_STRING, &flags.dtype, "fp32|fp16|bf16",
     "What lies between operators; fp16 with a dynamic loss scale. Also -dt.", NULL},
    {"dt", T2_FLAG_STRING, &flags.dtype, "TYPE", "The same as --dtype.", NULL},
    {"log_steps", T2_FLAG_INT, &flags.log_steps, "N", "Steps from one report line to the next.", NULL},
    {"keep_checkpoint_max", T2_FLAG_INT, &flags.keep_checkpoint_max, "N",
     "Checkpoints that are kept, the newest; 0 keeps all, as the original does.", NULL},
    {"random_seed", T2_FLAG_INT, &flags.random_seed, "N",
     "Initial values, dropout and sample order follow from it.", &flags.seed_given},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Evaluation", NULL},
    {"bleu_source", T2_FLAG_STRING, &flags.bleu_source, "FILE", "Text to translate at each evaluation. Also -bls.", NULL},
    {"bls", T2_FLAG_STRING, &flags.bleu_source, "FILE", "The same as --bleu_source.", NULL},
    {"bleu_ref", T2_FLAG_STRING, &flags.bleu_ref, "FILE", "What it is scored against. Also -blr.", NULL},
    {"blr", T2_FLAG_STRING, &flags.bleu_ref, "FILE", "The same as --bleu_ref.", NULL},
    {"decode_batch_size", T2_FLAG_INT, &flags.decode_batch_size, "N", "Lines that are translated at once.", NULL},
    {"decode_max_length", T2_FLAG_INT, &flags.decode_max_length, "N",
     "Ids of a source: of longer ones the last stay. Translations may have 50 more.", NULL},
    {"enable_metrics_in_training", T2_FLAG_BOOL, &flags.enable_metrics_in_training, NULL,
     "Also loss and accuracies at each evaluation; of the dev data, where the original takes training batches.", NULL},
    {"validation_steps", T2_FLAG_INT, &flags.validation_steps, "N",
     "Batches of them, with --enable_metrics_in_training. Also -vs.", NULL},
    {"vs", T2_FLAG_INT, &flags.validation_steps, "N", "The same as --validation_steps.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Running", NULL},
    {"device", T2_FLAG_STRING, &flags.device, "NAME", "auto: a GPU where there is one, else cpu; cuda, cuda:1, cpu, reference.", NULL},
    {"max_memory", T2_FLAG_SIZE, &flags.max_memory, "SIZE",
     "Refuse a plan that needs more; what is available when not given.", NULL},
};

static const char no_tpu[] = "there is no TPU", no_benchmark[] = "no benchmark is logged",
                  one_device[] = "train on one device, with a --batch_size of all together",
                  no_tensorflow[] = "it is about TensorFlow's runtime";
static const struct t2_foreign foreign[] = {
    {"tpu", false, NULL, no_tpu},
    {"tpu_zone", false, NULL, no_tpu},
    {"tpu_gcp_project", false, NULL, no_tpu},
    {"num_tpu_shards", false, NULL, no_tpu},
    {"num_gpus", false, "0 1 -1", one_device},
    {"ng", false, "0 1 -1", one_device},
    {"distribution_strategy", false, "off one_device mirrored tpu", one_device},
    {"ds", false, "off one_device mirrored tpu", one_device},
    {"all_reduce_alg", false, NULL, "one device has nothing to reduce"},
    {"ara", false, NULL, "one device has nothing to reduce"},
    {"num_packs", false, NULL, "one device has nothing to reduce"},
    {"padded_decode", true, NULL, "translations are the same either way"},
    {"num_parallel_calls", false, NULL, "--num_threads says how many"},
    {"npc", false, NULL, "--num_threads says how many"},
    {"datasets_num_private_threads", false, NULL, "--num_threads says how many"},
    {"tf_gpu_thread_mode", false, NULL, no_tensorflow},
    {"gt_mode", false, NULL, no_tensorflow},
    {"per_gpu_thread_count", false, NULL, no_tensorflow},
    {"pgtc", false, NULL, no_tensorflow},
    {"enable_xla", true, NULL, "kernels are compiled already"},
    {"enable_mlir_bridge", true, NULL, no_tensorflow},
    {"enable_grappler_layout_optimizer", true, NULL, no_tensorflow},
    {"fp16_implementation", false, NULL, "there is one"},
    {"benchmark_logger_type", false, NULL, no_benchmark},
    {"benchmark_test_id", false, NULL, no_benchmark},
    {"bti", false, NULL, no_benchmark},
    {"benchmark_log_dir", false, NULL, no_benchmark},
    {"bld", false, NULL, no_benchmark},
    {"gcp_project", false, NULL, no_benchmark},
    {"gp", false, NULL, no_benchmark},
    {"bigquery_data_set", false, NULL, no_benchmark},
    {"bds", false, NULL, no_benchmark},
    {"bigquery_run_table", false, NULL, no_benchmark},
    {"brt", false, NULL, no_benchmark},
    {"bigquery_run_status_table", false, NULL, no_benchmark},
    {"brst", false, NULL, no_benchmark},
    {"bigquery_metric_table", false, NULL, no_benchmark},
    {"bmt", false, NULL, no_benchmark},
    {"enable_time_history", true, NULL, "each report line has the speed"},
    {"enable_tensorboard", true, NULL, "event files are always written"},
    {"profile_steps", false, NULL, "t2t-trainer's profile says where the time goes"},
    {"save_weights_only", true, NULL, "a checkpoint always has the optimizer, too"},
    {"enable_checkpointing", true, "true", "an evaluation is of a checkpoint; --keep_checkpoint_max=1 keeps one"},
    {"use_synthetic_data", true, "false", "t2t-datagen --layout=official makes a data set of any text"},
    {"synth", true, "false", "t2t-datagen --layout=official makes a data set of any text"},
    {"loss_scale", false, "dynamic", "--dtype=fp16 has a dynamic one, which is the original's default; the others need none"},
    {"ls", false, "dynamic", "--dtype=fp16 has a dynamic one, which is the original's default; the others need none"},
    {NULL, false, NULL, NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "transformer_main",
    .usage = "--data_dir=DIR --model_dir=DIR [flags]",
    .summary = "Trains the official Transformer on what data_download made, and says its BLEU.",
    .examples = "transformer_main --data_dir=data --model_dir=run --param_set=base \\\n"
                "    --vocab_file=data/vocab.ende.32768 --bleu_source=data/newstest2014.en \\\n"
                "    --bleu_ref=data/newstest2014.de --steps_between_evals=2000",
    .flags = rows,
    .n_flags = sizeof rows / sizeof *rows,
    .foreign = {foreign, tr_absl_flags},
};

/* ---- flags ---- */

/* Found out before the first step, not at the first evaluation. */
static enum t2_status check_file(const char *flag, const char *path, struct t2_err *err)
{
    char *expanded = t2_path_expand(path);
    enum t2_status st =
        t2_exists(expanded)
            ? T2_OK
            : t2_fail(err, T2_ENOTFOUND, "--%s='%s': there is no such file", flag, path);

    t2_free(expanded);
    return st;
}

static enum t2_status check_bleu(struct t2_err *err)
{
    if ((flags.bleu_source != NULL) != (flags.bleu_ref != NULL))
        return t2_fail(err, T2_EUSAGE,
                       "both or neither --bleu_source and --bleu_ref must be defined");
    if (flags.bleu_source && !flags.vocab_file)
        return t2_fail(err, T2_EUSAGE,
                       "--vocab_file must be defined if --bleu_source and --bleu_ref are defined");
    if (flags.bleu_source)
        T2_TRY(check_file("bleu_source", flags.bleu_source, err));
    return flags.bleu_ref ? check_file("bleu_ref", flags.bleu_ref, err) : T2_OK;
}

static enum t2_status check_counts(struct t2_err *err)
{
    const struct {
        const char *name;
        int64_t value, least;
    } counts[] = {{"train_steps", flags.train_steps, 1},
                  {"steps_between_evals", flags.steps_between_evals, 1},
                  {"batch_size", flags.batch_size, 0},
                  {"max_length", flags.max_length, 1},
                  {"validation_steps", flags.validation_steps, 1},
                  {"log_steps", flags.log_steps, 1},
                  {"decode_batch_size", flags.decode_batch_size, 1},
                  {"decode_max_length", flags.decode_max_length, 1},
                  {"keep_checkpoint_max", flags.keep_checkpoint_max, 0},
                  {"random_seed", flags.random_seed, 0}};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bool is_seed = strcmp(counts[i].name, "random_seed") == 0;

        if (counts[i].value < counts[i].least || (!is_seed && counts[i].value > INT32_MAX))
            return t2_fail(err, T2_EUSAGE, "--%s must be between %" PRId64 " and %d",
                           counts[i].name, counts[i].least, INT32_MAX);
    }
    return T2_OK;
}

static enum t2_status read_set(char set[64], struct t2_err *err)
{
    if (strcmp(flags.param_set, "tiny") != 0 && strcmp(flags.param_set, "base") != 0 &&
        strcmp(flags.param_set, "big") != 0)
        return t2_fail(err, T2_EUSAGE, "--param_set is tiny, base or big, not '%s'",
                       flags.param_set);
    snprintf(set, 64, "official_transformer_%s", flags.param_set);
    return T2_OK;
}

static enum t2_status read_precision(const char **precision, struct t2_err *err)
{
    static const char *const names[][2] = {{"fp32", "float32"},
                                           {"fp16", "float16"},
                                           {"bf16", "bfloat16"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(flags.dtype, names[i][0]) == 0) {
            *precision = names[i][1];
            return T2_OK;
        }
    return t2_fail(err, T2_EUSAGE, "--dtype is fp32, fp16 or bf16, not '%s'", flags.dtype);
}

static void put_hparams(struct t2_buf *text)
{
    t2_buf_printf(text, "max_length=%" PRId64 ",static_batch=%s,use_ctl=%s", flags.max_length,
                  flags.static_batch ? "true" : "false", flags.use_ctl ? "true" : "false");
    if (flags.hparams && flags.hparams[0])
        t2_buf_printf(text, ",%s", flags.hparams);
}

/* ---- evaluation ---- */

static struct tr_official_options official_options(void)
{
    return (struct tr_official_options){.data_dir = flags.data_dir,
                                        .model_dir = flags.model_dir,
                                        .problem = flags.problem,
                                        .device = flags.device,
                                        .bleu_source = flags.bleu_source,
                                        .bleu_ref = flags.bleu_ref,
                                        .decode_batch_size = flags.decode_batch_size,
                                        .decode_max_length = flags.decode_max_length,
                                        .num_threads = t2_flags_num_threads()};
}

static enum t2_status evaluate(struct t2_err *err)
{
    static const char *const names[] = {"uncased", "cased"};
    const struct tr_official_options o = official_options();
    double scores[2];

    T2_TRY(tr_official_bleu(&o, scores, err));
    for (int i = 0; i < 2; i++) {
        struct t2_buf number = {0};

        ev_python_repr(scores[i], &number);
        printf("Bleu score (%s): %s\n", names[i], t2_buf_cstr(&number));
        t2_buf_release(&number);
    }
    fflush(stdout);
    return T2_OK;
}

static enum t2_status predict(struct t2_err *err)
{
    const struct tr_official_options o = official_options();
    struct t2_buf text = {0};
    enum t2_status st = tr_official_predict(&o, flags.decode_batch_size, &text, err);
    const char *at = t2_buf_cstr(&text);

    while (st == T2_OK && *at) {
        size_t n = strcspn(at, "\n");

        printf("Translation: \"%.*s\"\n", (int) n, at);
        at += n + (at[n] == '\n');
    }
    t2_buf_release(&text);
    return st;
}

/* ---- training ---- */

static enum t2_status check_vocab(const struct tr_run *run, struct t2_err *err)
{
    char *path, hex[T2_SHA256_HEX];
    enum t2_status st;

    if (!flags.vocab_file)
        return T2_OK;
    path = t2_path_expand(flags.vocab_file);
    st = t2_sha256_file(path, hex, NULL, err);
    t2_free(path);
    if (st != T2_OK)
        return t2_wrap(err, "--vocab_file");
    if (strcmp(hex, run->data.targets_vocab_sha256) == 0)
        return T2_OK;
    return t2_fail(
        err, T2_EUSAGE,
        "--vocab_file='%s' is not the vocabulary that the shards of '%s' were made with, "
        "'%s'",
        flags.vocab_file, flags.problem,
        run->data.view->targets.vocab_file ? run->data.view->targets.vocab_file : "(none)");
}

/* Until the next evaluation; *step: reached. */
static enum t2_status train_some(struct tr_options *o, int64_t *step, struct t2_err *err)
{
    struct tr_run *run = NULL;
    enum t2_status st;

    T2_TRY(tr_run_open(o, &run, err));
    T2_GOTO(st, out, check_vocab(run, err));
    *step = run->state.step;
    o->pause_at_step = 0;
    if (flags.bleu_source && o->train_steps - *step > flags.steps_between_evals)
        o->pause_at_step = *step + flags.steps_between_evals;
    run->options.pause_at_step = o->pause_at_step;
    if (*step < o->train_steps) {
        t2_info("Start train iteration at global step:%" PRId64, *step);
        T2_GOTO(st, out, tr_run_begin(run, err));
        T2_GOTO(st, out, tr_train(run, err));
        *step = run->state.step;
        t2_info("End train iteration at global step:%" PRId64, *step);
    } else {
        t2_info("'%s' is at step %" PRId64 " already", flags.model_dir, *step);
    }
out:
    tr_run_free(run);
    return st;
}

static enum t2_status train(struct t2_err *err)
{
    char set[64];
    struct t2_buf hparams = {0};
    struct tr_options o = {.problem = flags.problem,
                           .data_dir = flags.data_dir,
                           .output_dir = flags.model_dir,
                           .model = "official_transformer",
                           .hparams_set = set,
                           .batch_size = flags.batch_size,
                           .max_memory = flags.max_memory,
                           .device = flags.device,
                           .schedule = "train",
                           .train = true,
                           .evaluate = flags.enable_metrics_in_training,
                           .resume = true,
                           .seed_given = flags.seed_given,
                           .random_seed = (uint64_t) flags.random_seed,
                           .train_steps = flags.train_steps,
                           .eval_steps = flags.validation_steps,
                           .local_eval_frequency = flags.steps_between_evals,
                           .log_step_count_steps = flags.log_steps,
                           .keep_checkpoint_max = (int) flags.keep_checkpoint_max,
                           .tensorboard = true,
                           .tags = TR_TAGS_OFFICIAL,
                           .num_threads = t2_flags_num_threads()};
    enum t2_status st;
    int64_t step = 0;

    T2_TRY(read_set(set, err));
    T2_TRY(read_precision(&o.precision, err));
    put_hparams(&hparams);
    o.hparams = t2_buf_cstr(&hparams);
    do {
        T2_GOTO(st, out, train_some(&o, &step, err));
        if (flags.bleu_source)
            T2_GOTO(st, out, evaluate(err));
    } while (step < flags.train_steps);
    st = T2_OK;
out:
    t2_buf_release(&hparams);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    T2_TRY(check_bleu(err));
    T2_TRY(check_counts(err));
    if (strcmp(flags.mode, "train") == 0)
        return train(err);
    if (strcmp(flags.mode, "eval") == 0 && !flags.bleu_source)
        return t2_fail(err, T2_EUSAGE, "--mode=eval needs --bleu_source and --bleu_ref");
    if (strcmp(flags.mode, "eval") == 0)
        return evaluate(err);
    if (strcmp(flags.mode, "predict") == 0)
        return predict(err);
    return t2_fail(err, T2_EUSAGE, "Invalid mode '%s': it is train, eval or predict", flags.mode);
}

int main(int argc, char **argv)
{
    t2_begin_tool(tool.name);
    return t2_run_tool(&tool, argc, argv, run);
}
