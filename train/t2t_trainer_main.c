/*
 * train/t2t_trainer_main.c - t2t-trainer: from shards to checkpoints.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/flags.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/version.h"
#include "datagen/problem.h"
#include "train/continuous_eval.h"
#include "train/experiment/experiments.h"
#include "train/loop.h"
#include "train/run.h"
#include "train/run_experiment.h"
#include "train/run_flags.h"
#include "train/run_profile.h"

enum { DEFAULT_SEED = 1 };

static struct {
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
} flags = {
    .schedule = "continuous_train_and_eval",
    .device = "cpu",
    .remat = "none",
    .train_steps = 250000,
    .eval_steps = 100,
    .local_eval_frequency = 1000,
    .log_step_count_steps = 100,
    .keep_checkpoint_max = 5,
    .eval_timeout_mins = 240,
    .random_seed = DEFAULT_SEED,
    .resume = true,
};

/* What an experiment says itself. */
static bool given_schedule, given_train_steps, given_frequency, given_log_steps, given_keep,
    given_secs, given_steps;

/* clang-format off */
static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to train on", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME",
     "The data set, as t2t-datagen named it; NAME_rev swaps inputs and targets, NAME_copy makes the targets a copy of "
     "the inputs.", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR", "Folder of the shards and the vocabulary.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to train", NULL},
    {"model", T2_FLAG_STRING, &flags.model, "NAME", "Registered model; transformer when not given.", NULL},
    {"hparams_set", T2_FLAG_STRING, &flags.hparams_set, "NAME",
     "Registered hyperparameters: transformer_tiny, transformer_base, resnet_cifar_15 and more.", NULL},
    {"hparams", T2_FLAG_STRING, &flags.hparams, "LIST",
     "Overrides, for example 'batch_size=1024,learning_rate_constant=0.5'.", NULL},
    {"batch_size", T2_FLAG_STRING, &flags.batch_size, "N|auto",
     "In place of the hparam: tokens or pictures in a batch; auto: the largest whose memory plan fits.", NULL},
    {"random_seed", T2_FLAG_INT, &flags.random_seed, "N",
     "Initial values, dropout and sample order follow from it; a run that is continued keeps its own.",
     &flags.seed_given},
    {"order", T2_FLAG_STRING, &flags.order, "shuffled|reference",
     "Of the samples; shuffled: every epoch a new permutation of all; reference: the original's interleaved files and "
     "shuffle buffers; shuffled when not given.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The run", NULL},
    {"output_dir", T2_FLAG_STRING, &flags.output_dir, "DIR", "Folder of the run: checkpoints, metrics.jsonl, hparams.json.", NULL},
    {"schedule", T2_FLAG_STRING, &flags.schedule, "NAME",
     "train, continuous_train_and_eval, train_and_evaluate (the same), evaluate, continuous_eval (every checkpoint "
     "that appears, until that of --train_steps).", &given_schedule},
    {"train_steps", T2_FLAG_INT, &flags.train_steps, "N", "The step to stop at, counted from the beginning of the run.", &given_train_steps},
    {"local_eval_frequency", T2_FLAG_INT, &flags.local_eval_frequency, "N", "Steps from one checkpoint and evaluation to the next.", &given_frequency},
    {"eval_steps", T2_FLAG_INT, &flags.eval_steps, "N",
     "Batches of an evaluation at most; it also ends with the data; 0 evaluates nothing.  When not given, pictures "
     "are evaluated all.", &flags.eval_steps_given},
    {"eval_use_test_set", T2_FLAG_BOOL, &flags.eval_use_test_set, NULL, "Evaluate on the test shards instead of dev.", NULL},
    {"resume", T2_FLAG_BOOL, &flags.resume, NULL,
     "Continue the run in --output_dir when there is one; --noresume refuses to touch it.", NULL},
    {"allow_hparams_change", T2_FLAG_BOOL, &flags.allow_hparams_change, NULL,
     "Let a run that is continued change its learning rate, dropout, clipping and the like.", NULL},
    {"keep_checkpoint_max", T2_FLAG_INT, &flags.keep_checkpoint_max, "N", "Checkpoints that are kept, the newest; 0 keeps all.", &given_keep},
    {"save_checkpoints_secs", T2_FLAG_INT, &flags.save_checkpoints_secs, "N",
     "When not 0: save by the clock instead of every --local_eval_frequency steps.", &given_secs},
    {"save_checkpoints_steps", T2_FLAG_INT, &flags.save_checkpoints_steps, "N",
     "When not 0: save every N steps instead of every --local_eval_frequency steps.", &given_steps},
    {"eval_timeout_mins", T2_FLAG_INT, &flags.eval_timeout_mins, "N", "How long continuous_eval waits for the next checkpoint.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Experiments of Model Garden, in place of the flags above", NULL},
    {"experiment", T2_FLAG_STRING, &flags.experiment, "NAME", "resnet_imagenet, image_classification, wmt_transformer/large, tpu_resnet.", NULL},
    {"config_file", T2_FLAG_LIST, &flags.config_files, "FILE",
     "YAML over the experiment's defaults; several are applied in order.", NULL},
    {"params_override", T2_FLAG_STRING, &flags.params_override, "TEXT",
     "Over the files: 'a.b=1,c=[2, 3]', or YAML, or the name of a YAML file.", NULL},
    {"mode", T2_FLAG_STRING, &flags.mode, "NAME",
     "train, eval, train_and_eval, train_and_post_eval, continuous_eval; train_and_eval when not given.", NULL},
    {"model_dir", T2_FLAG_STRING, &flags.model_dir, "DIR", "The same as --output_dir; also gets params.yaml.", NULL},
    {"describe", T2_FLAG_OPTION, &flags.describe, "fields|yaml",
     "Print every field with what it becomes here, or what params.yaml will be, and stop.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Running", NULL},
    {"device", T2_FLAG_STRING, &flags.device, "NAME", "cpu, or plain: one thread of plain C, to compare with.", NULL},
    {"precision", T2_FLAG_STRING, &flags.precision, "NAME",
     "float32, or bfloat16 for the factors of matrix products; variables and sums are float32 always. float32 when not "
     "given; a run that is continued keeps its own.", NULL},
    {"max_memory", T2_FLAG_SIZE, &flags.max_memory, "SIZE", "Refuse a plan that needs more; what is available when not given.", NULL},
    {"remat", T2_FLAG_STRING, &flags.remat, "none|layer",
     "layer: compute layers again in the backward pass; less memory, more time, the same bits.", NULL},
    {"log_step_count_steps", T2_FLAG_INT, &flags.log_step_count_steps, "N", "Steps from one report line to the next.", &given_log_steps},
    {"json", T2_FLAG_BOOL, &flags.json, NULL, "Print what the run is, and the lines of metrics.jsonl, to stdout.", NULL},
    {"dry_run", T2_FLAG_BOOL, &flags.dry_run, NULL,
     "Check everything, time some steps, print the plan and stop; writes nothing.", NULL},
    {"profile", T2_FLAG_BOOL, &flags.profile, NULL,
     "At the end, say where the time of the steps went: share per operator, GFLOP/s per shape of a product.", NULL},
    {"registry_help", T2_FLAG_BOOL, &flags.registry_help, NULL, "List models, hyperparameter sets and problems, and stop.", NULL},
};
/* clang-format on */

enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct t2_tool tool = {
    .name = "t2t-trainer",
    .usage = "--problem=NAME --data_dir=DIR --output_dir=DIR --hparams_set=NAME [flags]",
    .summary = "Trains and evaluates a model from TFRecord shards.  A run that was stopped is "
               "continued by the same command.",
    .examples = "t2t-trainer --problem=translate_ende_numbers --data_dir=data \\\n"
                "    --output_dir=run --hparams_set=transformer_tiny --train_steps=1000\n"
                "t2t-trainer --data_dir=data --output_dir=run --schedule=evaluate",
    .flags = rows,
    .n_flags = N_ROWS,
};

/* ---- schedules ---------------------------------------------------------------------------------- */

/* T2T's names (spec t2t-trainer.md §1.4). */
static enum t2_status read_schedule(struct tr_options *o, struct t2_err *err)
{
    static const char *const later[] = {"train_eval_and_decode",
                                        "evaluate_on_train_data",
                                        "continuous_eval_on_train_data",
                                        "test",
                                        "decode",
                                        "continuous_decode",
                                        "continuous_decode_on_train_data",
                                        "continuous_decode_on_eval_data",
                                        "continuous_decode_from_file",
                                        "run_std_server"};
    const char *s = flags.schedule;

    o->schedule = s;
    o->train = strcmp(s, "evaluate") != 0 && strcmp(s, "continuous_eval") != 0;
    o->evaluate = strcmp(s, "train") != 0;
    if (strcmp(s, "train") == 0 || strcmp(s, "continuous_train_and_eval") == 0 ||
        strcmp(s, "train_and_evaluate") == 0 || strcmp(s, "evaluate") == 0 ||
        strcmp(s, "continuous_eval") == 0)
        return T2_OK;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(s, later[i]) == 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "--schedule=%s is not supported yet; there are train, "
                           "continuous_train_and_eval, train_and_evaluate, evaluate, "
                           "continuous_eval",
                           s);
    return t2_fail(err, T2_EUSAGE,
                   "unknown --schedule '%s'; there are train, continuous_train_and_eval, "
                   "train_and_evaluate, evaluate, continuous_eval",
                   s);
}

/* ---- what is printed ---------------------------------------------------------------------------- */

static void print_line(void *context, const char *line)
{
    (void) context;
    puts(line);
    fflush(stdout);
}

static void log_lines(const struct t2_buf *text)
{
    const char *at = t2_buf_cstr(text);

    while (*at != '\0') {
        size_t n = strcspn(at, "\n");

        t2_info("%.*s", (int) n, at);
        at += n + (at[n] != '\0');
    }
}

static void banner(const struct tr_run *run)
{
    struct t2_buf text = {0};

    t2_info("t2t.c %s", t2_version());
    tr_run_text(run, &text);
    log_lines(&text);
    t2_buf_release(&text);
}

static void print_run_json(const struct tr_run *run, const char *kind, double seconds_per_step,
                           double target_tokens_per_s)
{
    struct t2_buf text = {0};
    struct t2_json j;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", kind);
    tr_run_json(run, &j);
    if (seconds_per_step > 0) {
        t2_json_key(&j, "seconds_per_step");
        t2_json_float9(&j, seconds_per_step);
        t2_json_key(&j, "target_tokens_per_s");
        t2_json_float9(&j, target_tokens_per_s);
    }
    t2_json_end_object(&j);
    print_line(NULL, t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void print_profile_json(const struct tr_run *run)
{
    struct t2_buf text = {0};
    struct t2_json j;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", "profile");
    tr_profile_json(run, &j);
    t2_json_end_object(&j);
    print_line(NULL, t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void log_profile(const struct tr_run *run)
{
    struct t2_buf text = {0};

    tr_profile_text(run, &text);
    log_lines(&text);
    t2_buf_release(&text);
}

static enum t2_status dry_run(struct tr_run *run, struct t2_err *err)
{
    double seconds = 0, tokens = 0;
    struct t2_buf text = {0};
    char left[32];

    if (run->train != NULL)
        T2_TRY(tr_estimate(run, &seconds, &tokens, err));
    if (flags.json) {
        print_run_json(run, "dry_run", seconds, tokens);
        if (run->profile != NULL)
            print_profile_json(run);
        return T2_OK;
    }
    tr_run_text(run, &text);
    if (run->profile != NULL)
        tr_profile_text(run, &text);
    fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
    if (run->train != NULL)
        printf("estimate: %.3f s per step, %.0f %s/s, %s until step %" PRId64 "\n", seconds, tokens,
               run->data.view->is_pictures ? "pictures" : "target tokens",
               t2_human_seconds(seconds * fmax(0, (double) (flags.train_steps - run->state.step)),
                                left, sizeof left),
               flags.train_steps);
    return T2_OK;
}

static void print_scores(const struct tr_run *run, const struct ev_scores *s)
{
    if (run->data.view->is_pictures) {
        printf("step %" PRId64 " %s: loss = %.6f, accuracy = %.6f, accuracy_top5 = %.6f, "
               "neg_log_perplexity = %.6f, pictures = %" PRIu64 "\n",
               run->state.step, dg_split_name(run->eval_split), s->loss, s->accuracy,
               s->accuracy_top5, s->neg_log_perplexity, s->n_sequences);
        return;
    }
    printf("step %" PRId64 " %s: loss = %.6f, accuracy = %.6f, accuracy_per_sequence = %.6f, "
           "neg_log_perplexity = %.6f, sequences = %" PRIu64 "\n",
           run->state.step, dg_split_name(run->eval_split), s->loss, s->accuracy,
           s->accuracy_per_sequence, s->neg_log_perplexity, s->n_sequences);
}

static void print_registry(void)
{
    struct t2_strs problems = {0};

    printf("Models:\n");
    for (size_t i = 0; i < mdl_count(); i++)
        printf("  * %s\n", mdl_name(i));
    printf("\nHParams:\n");
    for (size_t i = 0; i < mdl_hparams_count(); i++)
        printf("  * %s\n", mdl_hparams_name(i));
    printf("\nExperiments:\n");
    for (size_t i = 0; i < exp_count(); i++)
        printf("  * %s\n", exp_at(i)->name);
    printf("\nProblems:\n");
    dg_names(&problems);
    for (size_t i = 0; i < problems.n; i++)
        printf("  * %s\n", problems.items[i]);
    t2_strs_release(&problems);
}

/* ---- main --------------------------------------------------------------------------------------- */

static enum t2_status read_batch_size(int64_t *batch_size, struct t2_err *err)
{
    if (flags.batch_size == NULL)
        return T2_OK;
    if (strcmp(flags.batch_size, "auto") == 0) {
        *batch_size = TR_BATCH_SIZE_AUTO;
        return T2_OK;
    }
    if (!t2_parse_i64(flags.batch_size, batch_size) || *batch_size < 1)
        return t2_fail(err, T2_EUSAGE, "--batch_size is a number above 0 or auto, not '%s'",
                       flags.batch_size);
    return T2_OK;
}

static enum t2_status set_options(struct tr_options *o, struct t2_err *err)
{
    *o = (struct tr_options){
        .problem = flags.problem,
        .data_dir = flags.data_dir,
        .output_dir = flags.output_dir,
        .model = flags.model,
        .hparams_set = flags.hparams_set,
        .hparams = flags.hparams,
        .order = flags.order,
        .device = flags.device,
        .precision = flags.precision,
        .remat = strcmp(flags.remat, "layer") == 0,
        .profile = flags.profile,
        .max_memory = flags.max_memory,
        .eval_use_test_set = flags.eval_use_test_set,
        .resume = flags.resume,
        .allow_hparams_change = flags.allow_hparams_change,
        .seed_given = flags.seed_given,
        .random_seed = (uint64_t) flags.random_seed,
        .train_steps = flags.train_steps,
        .eval_steps = flags.eval_steps,
        .eval_all_pictures = !flags.eval_steps_given,
        .local_eval_frequency = flags.local_eval_frequency,
        .log_step_count_steps = flags.log_step_count_steps,
        .save_checkpoints_secs = flags.save_checkpoints_secs,
        .save_checkpoints_steps = flags.save_checkpoints_steps,
        .num_threads = t2_flags_num_threads(),
        .emit = flags.json ? print_line : NULL,
    };
    if (flags.random_seed < 0)
        return t2_fail(err, T2_EUSAGE, "--random_seed must not be negative");
    if (flags.keep_checkpoint_max > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--keep_checkpoint_max is too large");
    o->keep_checkpoint_max = (int) flags.keep_checkpoint_max;
    if (strcmp(flags.remat, "none") != 0 && strcmp(flags.remat, "layer") != 0)
        return t2_fail(err, T2_EUSAGE, "--remat is none or layer, not '%s'", flags.remat);
    if (flags.order != NULL && strcmp(flags.order, "shuffled") != 0 &&
        strcmp(flags.order, "reference") != 0)
        return t2_fail(err, T2_EUSAGE, "--order is shuffled or reference, not '%s'", flags.order);
    T2_TRY(read_batch_size(&o->batch_size, err));
    return read_schedule(o, err);
}

/* What was left out and found in the run goes into its flag files. */
static void settle_flags(const struct tr_run *run)
{
    flags.problem = run->state.problem;
    flags.model = run->state.model;
    flags.hparams_set = run->state.hparams_set;
    flags.random_seed = (int64_t) run->state.seed;
    flags.precision = run->state.precision;
}

/* ---- experiments -------------------------------------------------------------------------------- */

static enum t2_status check_no_experiment(struct t2_err *err)
{
    if (flags.config_files.n > 0 || flags.params_override != NULL || flags.mode != NULL)
        return t2_fail(err, T2_EUSAGE,
                       "the flag --experiment must be specified with --config_file, "
                       "--params_override and --mode");
    if (flags.describe != NULL)
        return t2_fail(err, T2_EUSAGE, "--describe is about an --experiment");
    return T2_OK;
}

/* What a configuration says is not said by flags, too. */
static enum t2_status check_flags_of_experiment(struct t2_err *err)
{
    const struct {
        bool given;
        const char *flag, *field;
    } said[] = {
        {flags.model != NULL, "model", "task.model"},
        {flags.hparams_set != NULL, "hparams_set", "task.model"},
        {flags.batch_size != NULL, "batch_size", "task.train_data.global_batch_size"},
        {given_schedule, "schedule", "--mode"},
        {given_train_steps, "train_steps", "trainer.train_steps"},
        {given_frequency, "local_eval_frequency", "trainer.validation_interval"},
        {flags.eval_steps_given, "eval_steps", "trainer.validation_steps"},
        {given_log_steps, "log_step_count_steps", "trainer.steps_per_loop"},
        {given_keep, "keep_checkpoint_max", "trainer.max_to_keep"},
        {given_secs, "save_checkpoints_secs", "trainer.checkpoint_interval"},
        {given_steps, "save_checkpoints_steps", "trainer.checkpoint_interval"},
    };

    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].given)
            return t2_fail(err, T2_EUSAGE, "--%s with --experiment: say it with %s instead",
                           said[i].flag, said[i].field);
    return T2_OK;
}

/* *x is NULL without --experiment. */
static enum t2_status open_experiment(struct tr_experiment **x, struct tr_options *o,
                                      struct t2_err *err)
{
    const struct tr_experiment_flags f = {.experiment = flags.experiment,
                                          .config_files = &flags.config_files,
                                          .params_override = flags.params_override,
                                          .mode = flags.mode};

    *x = NULL;
    if (flags.model_dir != NULL) {
        if (o->output_dir != NULL && strcmp(o->output_dir, flags.model_dir) != 0)
            return t2_fail(err, T2_EUSAGE,
                           "--model_dir and --output_dir are the same flag; they "
                           "have two values");
        o->output_dir = flags.output_dir = flags.model_dir;
    }
    if (flags.experiment == NULL)
        return check_no_experiment(err);
    if (flags.describe != NULL && flags.describe[0] != '\0' &&
        strcmp(flags.describe, "fields") != 0 && strcmp(flags.describe, "yaml") != 0)
        return t2_fail(err, T2_EUSAGE, "--describe is fields or yaml, not '%s'", flags.describe);
    T2_TRY(check_flags_of_experiment(err));
    T2_TRY(tr_experiment_new(&f, x, err));
    if (flags.describe != NULL && strcmp(flags.describe, "yaml") == 0)
        return T2_OK;
    return tr_experiment_options(*x, flags.describe == NULL, o, err);
}

static void describe(const struct tr_experiment *x, const struct tr_options *o)
{
    struct t2_buf text = {0};

    if (flags.describe != NULL && strcmp(flags.describe, "yaml") == 0)
        tr_experiment_yaml(x, &text);
    else
        tr_experiment_describe(x, o, &text);
    fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
}

/* The values that the run has, so that flags.txt is the run without its experiment. */
static void settle_flags_of_experiment(const struct tr_options *o)
{
    flags.problem = o->problem;
    flags.data_dir = o->data_dir;
    flags.hparams = o->hparams;
    flags.schedule = o->schedule;
    flags.train_steps = o->train_steps;
    flags.eval_steps = o->eval_steps;
    flags.local_eval_frequency = o->local_eval_frequency;
    flags.log_step_count_steps = o->log_step_count_steps;
    flags.save_checkpoints_steps = o->save_checkpoints_steps;
    flags.keep_checkpoint_max = o->keep_checkpoint_max;
    /* params.yaml has these */
    flags.experiment = flags.params_override = flags.mode = flags.model_dir = NULL;
    t2_strs_release(&flags.config_files);
}

/* ---- running ------------------------------------------------------------------------------------ */

static void done_with(void *context, const struct tr_run *run, const struct ev_scores *scores)
{
    (void) context;
    if (!flags.json)
        print_scores(run, scores);
    fflush(stdout);
}

static bool is_continuous(const struct tr_experiment *x, double *timeout_s)
{
    *timeout_s = 60.0 * (double) flags.eval_timeout_mins;
    return x != NULL ? tr_experiment_is_continuous(x, timeout_s)
                     : strcmp(flags.schedule, "continuous_eval") == 0;
}

static enum t2_status run_schedule(struct tr_run *run, const struct tr_experiment *x,
                                   struct t2_err *err)
{
    struct ev_scores scores;

    T2_TRY(tr_run_begin(run, err));
    if (run->options.train) {
        settle_flags(run);
        if (x != NULL)
            T2_TRY(tr_experiment_save(x, run->output_dir, err));
        T2_TRY(tr_flags_write(run->output_dir, rows, N_ROWS, err));
        T2_TRY(tr_train(run, err));
        if (run->profile != NULL && flags.json)
            print_profile_json(run);
        else if (run->profile != NULL)
            log_profile(run);
        return T2_OK;
    }
    if (run->eval == NULL)
        return t2_fail(err, T2_EUSAGE, "--eval_steps=0 leaves nothing to evaluate");
    T2_TRY(tr_evaluate(run, &scores, err));
    if (!flags.json)
        print_scores(run, &scores);
    return T2_OK;
}

static enum t2_status trainer(int argc, char **argv, struct t2_err *err)
{
    struct tr_experiment *experiment = NULL;
    struct tr_run *run = NULL;
    struct tr_options options;
    struct t2_strs rest = {0};
    double timeout_s;
    enum t2_status st;

    T2_GOTO(st, out, t2_flags_parse(&tool, argc, argv, &rest, err));
    if (rest.n > 0) {
        st = t2_fail(err, T2_EUSAGE, "unexpected argument '%s'", rest.items[0]);
        goto out;
    }
    if (flags.registry_help) {
        print_registry();
        goto out;
    }
    t2_signals_install();
    T2_GOTO(st, out, set_options(&options, err));
    T2_GOTO(st, out, open_experiment(&experiment, &options, err));
    if (flags.describe != NULL || (flags.dry_run && experiment != NULL && !flags.json))
        describe(experiment, &options);
    if (flags.describe != NULL)
        goto out;
    if (experiment != NULL)
        settle_flags_of_experiment(&options);
    if (is_continuous(experiment, &timeout_s) && !flags.dry_run) {
        st = tr_evaluate_continuously(&options, timeout_s, done_with, NULL, err);
        goto out;
    }
    T2_GOTO(st, out, tr_run_open(&options, &run, err));
    if (experiment != NULL)
        T2_GOTO(st, out, tr_experiment_check_run(experiment, run, err));
    if (flags.dry_run) {
        st = dry_run(run, err);
        goto out;
    }
    banner(run);
    if (flags.json)
        print_run_json(run, "run", 0, 0);
    st = run_schedule(run, experiment, err);
out:
    tr_run_free(run);
    tr_experiment_free(experiment);
    t2_strs_release(&flags.config_files);
    t2_strs_release(&rest);
    return st;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;
    char **kept = NULL;
    int n_kept = 0;

    t2_log_init("t2t-trainer");
    st = tr_flags_take_foreign(argc, argv, &kept, &n_kept, &err);
    if (st == T2_OK)
        st = trainer(n_kept, kept, &err);
    t2_free(kept);
    if (st == T2_OK && (fflush(stdout) != 0 || ferror(stdout)))
        st = t2_fail(&err, T2_EIO, "writing to stdout failed");
    return st == T2_OK ? 0 : t2_report(&err);
}
