/*
 * train/resnet_main_main.c - resnet_main: tensorflow/tpu's program of this name, over the trainer's
 * library.
 *
 * models/official/resnet/resnet_main.py; spec image-pipelines.md §2.5, §2.6.  It is experiment
 * tpu_resnet with a flag for each field of the configuration: their rows are made of its table
 * (train/experiment/fields_tpu_resnet.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/str.h"
#include "train/ckpt/checkpoint.h"
#include "train/experiment/fields.h"
#include "train/runs/continuous_eval.h"
#include "train/runs/foreign_flags.h"
#include "train/runs/loop.h"
#include "train/runs/run.h"
#include "train/runs/run_experiment.h"

static struct {
    const char *data_dir, *model_dir, *problem, *mode, *params_override, *hparams, *device;
    struct t2_strs config_files;
    int64_t steps_per_eval, log_step_count_steps, eval_timeout, random_seed, keep_checkpoint_max;
    int64_t host_threads;
    uint64_t max_memory;
    bool seed_given, describe;
} flags = {
    .mode = "train_and_eval",
    .device = "auto",
    .steps_per_eval = 1251,
    .log_step_count_steps = 64,
    .random_seed = 1,
    .keep_checkpoint_max = CKPT_KEEP_DEFAULT,
};

/* clang-format off */
static const struct t2_flag fixed[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Data and model", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR",
     "Folder of the shards that jpeg-to-tfrecord made: train-*, validation-*.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME", "Another data set of images in that folder.", NULL},
    {"model_dir", T2_FLAG_STRING, &flags.model_dir, "DIR",
     "Folder of the run: checkpoints, metrics.jsonl, params.yaml. A run that is there is continued.", NULL},
    {"config_file", T2_FLAG_LIST, &flags.config_files, "FILE",
     "YAML over the defaults: configs/cloud/v3-8.yaml.", NULL},
    {"params_override", T2_FLAG_STRING, &flags.params_override, "TEXT",
     "Over the files: 'a=1,b=2', or YAML, or the name of a YAML file.", NULL},
    {"hparams", T2_FLAG_STRING, &flags.hparams, "LIST", "Over all, as t2t-trainer takes them: 'name=value,...'.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The run", NULL},
    {"mode", T2_FLAG_STRING, &flags.mode, "train|eval|train_and_eval", "eval: checkpoints as they appear.", NULL},
    {"steps_per_eval", T2_FLAG_INT, &flags.steps_per_eval, "N", "Steps from one evaluation to the next.", NULL},
    {"eval_timeout", T2_FLAG_INT, &flags.eval_timeout, "N", "Seconds that --mode=eval waits for the next checkpoint; 0: as long as it takes.", NULL},
    {"log_step_count_steps", T2_FLAG_INT, &flags.log_step_count_steps, "N", "Steps from one report line to the next.", NULL},
    {"keep_checkpoint_max", T2_FLAG_INT, &flags.keep_checkpoint_max, "N",
     "Checkpoints that are kept, the newest; 0 keeps all.", NULL},
    {"random_seed", T2_FLAG_INT, &flags.random_seed, "N",
     "Initial values, crops and sample order follow from it.", &flags.seed_given},
    {"describe", T2_FLAG_BOOL, &flags.describe, NULL,
     "Print every field with what it becomes here, and stop.", NULL},
    {"device", T2_FLAG_STRING, &flags.device, "NAME", "auto: a GPU where there is one, else cpu; cuda, cuda:1, cpu, reference.", NULL},
    {"host_threads", T2_FLAG_INT, &flags.host_threads, "N", "Threads that decode images; as --num_threads when not given.", NULL},
    {"max_memory", T2_FLAG_SIZE, &flags.max_memory, "SIZE",
     "Refuse a plan that needs more; what is available when not given.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Fields of the configuration, over --params_override", NULL},
};

static const char no_tpu[] = "there is no TPU", no_export[] = "nothing is exported for a server",
                  no_bigtable[] = "shards lie in --data_dir";
static const struct t2_foreign foreign[] = {
    {"tpu", false, NULL, no_tpu},
    {"gcp_project", false, NULL, no_tpu},
    {"tpu_zone", false, NULL, no_tpu},
    {"profile_every_n_steps", false, NULL, "t2t-trainer's profile says where the time goes"},
    {"export_to_tpu", true, NULL, no_export},
    {"export_moving_average", true, NULL, no_export},
    {"add_warmup_requests", true, NULL, no_export},
    {"model_name", false, NULL, no_export},
    {"inference_batch_sizes", false, NULL, no_export},
    {"export_dir", false, "", "checkpoints are safetensors files; docs/formats.md has them"},
    {"bigtable_project", false, "", no_bigtable},
    {"bigtable_instance", false, "", no_bigtable},
    {"bigtable_table", false, "", no_bigtable},
    {"bigtable_train_prefix", false, NULL, no_bigtable},
    {"bigtable_eval_prefix", false, NULL, no_bigtable},
    {"bigtable_column_family", false, NULL, no_bigtable},
    {"bigtable_column_qualifier", false, NULL, no_bigtable},
    {NULL, false, NULL, NULL},
};
/* clang-format on */

/* ---- a flag for each field ---- */

enum { N_FIXED = sizeof fixed / sizeof *fixed, MOST_FIELDS = 64 };

static struct t2_flag rows[N_FIXED + MOST_FIELDS];
static struct {
    const char *text;
    bool truth, given;
} values[MOST_FIELDS];

/* What becomes of a field; lives as long as the program. */
static const char *help_of(const struct exp_field *f)
{
    static char *texts[MOST_FIELDS];
    static size_t n;

    bool is_bool = (f->type & EXP_T_MASK) == EXP_T_BOOL; /* --help says its default */
    const char *open = is_bool ? "" : " [", *value = is_bool ? "" : f->value;

    T2_ASSERT(n < MOST_FIELDS);
    switch (f->use) {
    case EXP_HPARAM:
        texts[n] = t2_asprintf("Hparam %s.%s%s%s", f->note, open, value, is_bool ? "" : "]");
        break;
    case EXP_READ:
        texts[n] = t2_asprintf("Becomes %s.%s%s%s", f->note, open, value, is_bool ? "" : "]");
        break;
    case EXP_PASSED:
        texts[n] = t2_asprintf("Passed over: %s.", f->note);
        break;
    case EXP_FIXED:
        texts[n] = t2_asprintf("Only %s: another one is %s.", f->value, f->note);
        break;
    }
    return texts[n++];
}

static size_t make_rows(void)
{
    const struct exp_fields *f = &exp_tpu_resnet_fields;

    T2_ASSERT(f->n <= MOST_FIELDS);
    memcpy(rows, fixed, sizeof fixed);
    for (size_t i = 0; i < f->n; i++) {
        bool is_bool = (f->fields[i].type & EXP_T_MASK) == EXP_T_BOOL;

        rows[N_FIXED + i] = (struct t2_flag){
            .name = f->fields[i].path,
            .type = is_bool ? T2_FLAG_BOOL : T2_FLAG_STRING,
            .value = is_bool ? (void *) &values[i].truth : (void *) &values[i].text,
            .meta = "VALUE",
            .help = help_of(&f->fields[i]),
            .given = &values[i].given,
        };
        if (is_bool)
            values[i].truth = strcmp(f->fields[i].value, "true") == 0;
    }
    return N_FIXED + f->n;
}

/* "train_batch_size=8" for each that was given. */
static void put_fields(struct t2_strs *fields)
{
    const struct exp_fields *f = &exp_tpu_resnet_fields;

    for (size_t i = 0; i < f->n; i++) {
        const struct exp_field *field = &f->fields[i];

        if (!values[i].given)
            continue;
        if ((field->type & EXP_T_MASK) == EXP_T_BOOL)
            t2_strs_printf(fields, "%s=%s", field->path, values[i].truth ? "true" : "false");
        else if ((field->type & EXP_T_MASK) == EXP_T_STRING)
            t2_strs_printf(fields, "%s='%s'", field->path, values[i].text);
        else
            t2_strs_printf(fields, "%s=%s", field->path, values[i].text);
    }
}

/* ---- the run ---- */

static enum t2_status check(struct t2_err *err)
{
    const struct {
        const char *name;
        int64_t value, least;
    } counts[] = {{"steps_per_eval", flags.steps_per_eval, 1},
                  {"log_step_count_steps", flags.log_step_count_steps, 1},
                  {"eval_timeout", flags.eval_timeout, 0},
                  {"keep_checkpoint_max", flags.keep_checkpoint_max, 0},
                  {"host_threads", flags.host_threads, 0}};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < counts[i].least || counts[i].value > INT32_MAX)
            return t2_fail(err, T2_EUSAGE, "--%s must be between %" PRId64 " and %d",
                           counts[i].name, counts[i].least, INT32_MAX);
    if (flags.random_seed < 0)
        return t2_fail(err, T2_EUSAGE, "--random_seed must not be negative");
    if (strcmp(flags.mode, "train") != 0 && strcmp(flags.mode, "eval") != 0 &&
        strcmp(flags.mode, "train_and_eval") != 0)
        return t2_fail(err, T2_EUSAGE, "--mode is train, eval or train_and_eval, not '%s'",
                       flags.mode);
    if (!flags.model_dir && !flags.describe)
        return t2_fail(err, T2_EUSAGE, "--model_dir is missing: the folder of the run");
    return T2_OK;
}

static void print_scores(void *context, const struct tr_run *run, const struct ev_scores *s)
{
    (void) context;
    printf("Eval results at step %" PRId64
           ": {'loss': %.9g, 'top_1_accuracy': %.9g, 'top_5_accuracy': %.9g}\n",
           run->state.step, s->loss, s->accuracy, s->accuracy_top5);
    fflush(stdout);
}

static enum t2_status train(const struct tr_experiment *x, const struct tr_options *o,
                            struct t2_err *err)
{
    struct tr_run *run = NULL;
    enum t2_status st;

    T2_TRY(tr_run_open(o, &run, err));
    T2_GOTO(st, out, tr_experiment_check_run(x, run, err));
    T2_GOTO(st, out, tr_run_begin(run, err));
    T2_GOTO(st, out, tr_experiment_save(x, run->output_dir, err));
    st = tr_train(run, err);
out:
    tr_run_free(run);
    return st;
}

static enum t2_status run_experiment(struct tr_experiment *x, struct t2_err *err)
{
    struct tr_options o = {.problem = flags.problem,
                           .data_dir = flags.data_dir,
                           .output_dir = flags.model_dir,
                           .hparams = flags.hparams,
                           .device = flags.device,
                           .max_memory = flags.max_memory,
                           .resume = true,
                           .seed_given = flags.seed_given,
                           .random_seed = (uint64_t) flags.random_seed,
                           .keep_checkpoint_max = (int) flags.keep_checkpoint_max,
                           .host_threads = (int) flags.host_threads,
                           .tensorboard = true,
                           .num_threads = t2_flags_num_threads()};
    struct t2_buf text = {0};
    double forever;

    T2_TRY(tr_experiment_options(x, !flags.describe, &o, err));
    o.local_eval_frequency = flags.steps_per_eval;
    o.log_step_count_steps = flags.log_step_count_steps;
    if (flags.describe) {
        tr_experiment_describe(x, &o, &text);
        fwrite(t2_buf_cstr(&text), 1, text.len_bytes, stdout);
        t2_buf_release(&text);
        return T2_OK;
    }
    if (tr_experiment_is_continuous(x, &forever))
        return tr_evaluate_continuously(&o,
                                        flags.eval_timeout > 0 ? (double) flags.eval_timeout
                                                               : forever,
                                        print_scores, NULL, err);
    return train(x, &o, err);
}

static enum t2_status run(struct t2_err *err)
{
    struct t2_strs fields = {0};
    const struct tr_experiment_flags f = {.experiment = "tpu_resnet",
                                          .config_files = &flags.config_files,
                                          .params_override = flags.params_override,
                                          .fields = &fields,
                                          .mode = flags.mode};
    struct tr_experiment *x = NULL;
    enum t2_status st;

    T2_TRY(check(err));
    put_fields(&fields);
    st = tr_experiment_new(&f, &x, err);
    if (st == T2_OK)
        st = run_experiment(x, err);
    tr_experiment_free(x);
    t2_strs_release(&fields);
    t2_strs_release(&flags.config_files);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {
        .name = "resnet_main",
        .usage = "--data_dir=DIR --model_dir=DIR [--config_file=FILE] [flags]",
        .summary = "Trains tensorflow/tpu's ResNet on images, as its configuration files say.",
        .examples = "resnet_main --data_dir=data --model_dir=run \\\n"
                    "    --config_file=configs/cloud/v3-8.yaml --train_batch_size=256",
        .flags = rows,
        .n_flags = make_rows(),
        .foreign = {foreign, tr_absl_flags},
    };

    t2_begin_tool(tool.name);
    return t2_run_tool(&tool, argc, argv, run);
}
