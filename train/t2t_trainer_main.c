/*
 * train/t2t_trainer_main.c - t2t-trainer: from shards to checkpoints.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "base/signals.h"
#include "base/version.h"
#include "datagen/problem.h"
#include "train/decode/decode_hparams.h"
#include "train/dist/comm.h"
#include "train/dist/dist.h"
#include "train/eval/scores_text.h"
#include "train/experiment/experiments.h"
#include "train/models/layer_file.h"
#include "train/runs/card_ranks.h"
#include "train/runs/continuous_eval.h"
#include "train/runs/corrupt_bill.h"
#include "train/runs/describe_model.h"
#include "train/runs/evaluate.h"
#include "train/runs/generate_data.h"
#include "train/runs/hp_flags.h"
#include "train/runs/launch.h"
#include "train/runs/loop.h"
#include "train/runs/own_set.h"
#include "train/runs/plugins.h"
#include "train/runs/ranks.h"
#include "train/runs/registry_names.h"
#include "train/runs/run.h"
#include "train/runs/run_experiment.h"
#include "train/runs/run_flags.h"
#include "train/runs/run_page.h"
#include "train/runs/run_profile.h"
#include "train/runs/run_study.h"
#include "train/runs/schedules.h"
#include "train/runs/step_replay.h"
#include "train/runs/trainer_flags.h"
#include "train/tune/hparam_range.h"

/* ---- schedules ---- */

static const struct tr_schedule *schedule; /* of set_options */

/* Translations are scored beside what --eval_metrics asks for. */
static const char *metrics_with_bleu(const char *asked)
{
    static const char bleu[] = "sacrebleu_score";
    static char *joined;

    if (!asked || strstr(asked, bleu))
        return asked ? asked : bleu;
    t2_free(joined);
    joined = t2_asprintf("%s,%s", asked, bleu);
    return joined;
}

static struct dec_hparams decodes; /* of --decode_hparams; for the life of the program */

/* How evaluations translate, and where to. */
static enum t2_status read_decodes(struct tr_options *o, struct t2_err *err)
{
    const char *keys = tr_flags.decode_hparams ? tr_flags.decode_hparams : "";
    const char *to = tr_flags.decode_to_file ? tr_flags.decode_to_file : "";

    if (!schedule->translates) {
        if (keys[0] != '\0' || to[0] != '\0')
            t2_warn("--decode_hparams and --decode_to_file mean nothing with --schedule=%s",
                    schedule->name);
        return T2_OK;
    }
    T2_TRY(dec_hparams_parse(keys, &decodes, err));
    if (strlen(to) >= sizeof decodes.decode_to_file)
        return t2_fail(err, T2_EUSAGE, "--decode_to_file is longer than %d bytes",
                       (int) sizeof decodes.decode_to_file - 1);
    dec_hparams_name_unread(&decodes, DEC_USE_SET);
    decodes = dec_hparams_of_set(&decodes);
    if (to[0] != '\0')
        snprintf(decodes.decode_to_file, sizeof decodes.decode_to_file, "%s", to);
    o->decodes = &decodes;
    o->eval_metrics = metrics_with_bleu(o->eval_metrics);
    return T2_OK;
}

static enum t2_status read_schedule(struct tr_options *o, struct t2_err *err)
{
    T2_TRY(tr_schedule_find(tr_flags.schedule, &schedule, err));
    o->schedule = schedule->name;
    o->train = schedule->train;
    o->evaluate = schedule->evaluate;
    o->eval_on_train_data = schedule->of_train_data;
    if (schedule->of_train_data || schedule->one_step)
        o->eval_all = false;
    if (schedule->of_train_data && o->eval_use_test_set)
        return t2_fail(err, T2_EUSAGE,
                       "--schedule=%s is not of the test set: leave "
                       "--eval_use_test_set out",
                       schedule->name);
    if (schedule->one_step)
        o->train_steps = o->eval_steps = 1;
    return read_decodes(o, err);
}

/* ---- what is printed ---- */

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

static enum t2_status print_run_json(const struct tr_run *run, const char *kind,
                                     double seconds_per_step, double target_tokens_per_s,
                                     struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = T2_OK;
    struct t2_json j;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", kind);
    tr_run_json(run, &j);
    if (seconds_per_step > 0) {
        st = tr_forecast_json(run, &j, err);
        t2_json_key(&j, "seconds_per_step");
        t2_json_float9(&j, seconds_per_step);
        t2_json_key(&j, "target_tokens_per_s");
        t2_json_float9(&j, target_tokens_per_s);
    }
    t2_json_end_object(&j);
    if (st == T2_OK)
        print_line(NULL, t2_buf_cstr(&text));
    t2_buf_release(&text);
    return st;
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
    enum t2_status st;
    char left[32];

    if (run->train)
        T2_TRY(tr_estimate(run, &seconds, &tokens, err));
    if (!tr_ranks_writes(run))
        return T2_OK;
    if (tr_flags.json) {
        T2_TRY(print_run_json(run, "dry_run", seconds, tokens, err));
        if (run->profile)
            print_profile_json(run);
        return T2_OK;
    }
    tr_run_text(run, &text);
    st = tr_forecast_text(run, &text, err);
    if (run->profile)
        tr_profile_text(run, &text);
    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
    T2_TRY(st);
    if (run->train)
        printf("estimate: %.3f s per step, %.0f %s/s, %s until step %" PRId64 "\n", seconds, tokens,
               run->data.view->is_images ? "images" : "target tokens",
               t2_human_seconds(seconds *
                                    fmax(0, (double) (tr_flags.train_steps - run->state.step)),
                                left, sizeof left),
               tr_flags.train_steps);
    return T2_OK;
}

static void print_scores(const struct tr_run *run, const struct ev_scores *s)
{
    struct t2_buf text = {0};

    ev_scores_text(s, run->state.step, dg_split_name(run->eval_split), run->data.view->is_images,
                   &text);
    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
}

static void print_names(const char *heading, void (*list)(struct t2_strs *names))
{
    struct t2_strs names = {0};

    printf("%s:\n", heading);
    list(&names);
    for (size_t i = 0; i < names.n; i++)
        printf("  * %s\n", names.items[i]);
    t2_strs_release(&names);
}

static enum t2_status print_registry(struct t2_err *err)
{
    struct t2_strs own = {0};

    if (tr_flags.t2t_usr_dir)
        T2_TRY(tr_list_own_sets(tr_flags.t2t_usr_dir, &own, err));
    print_names("Models", tr_list_models);
    print_names("\nHParams", tr_list_hparams_sets);
    for (size_t i = 0; i < own.n; i++)
        printf("  * %s (of %s)\n", own.items[i], tr_flags.t2t_usr_dir);
    t2_strs_release(&own);
    print_names("\nRangedHParams", tune_list_ranges);
    print_names("\nExperiments", tr_list_experiments);
    print_names("\nProblems", tr_list_problems);
    return T2_OK;
}

/* ---- main ---- */

static enum t2_status read_batch_size(int64_t *batch_size, struct t2_err *err)
{
    if (!tr_flags.batch_size)
        return T2_OK;
    if (strcmp(tr_flags.batch_size, "auto") == 0) {
        *batch_size = TR_BATCH_SIZE_AUTO;
        return T2_OK;
    }
    if (!t2_parse_i64(tr_flags.batch_size, batch_size) || *batch_size < 1)
        return t2_fail(err, T2_EUSAGE, "--batch_size is a number above 0 or auto, not '%s'",
                       tr_flags.batch_size);
    return T2_OK;
}

/* Flags of the original that ours have another name for. */
static enum t2_status read_other_names(struct tr_options *o, struct t2_err *err)
{
    if (tr_flags.job_dir)
        o->output_dir = tr_flags.output_dir = tr_flags.job_dir;
    if (!tr_flags.gpu_automatic_mixed_precision)
        return T2_OK;
    if (o->precision && strcmp(o->precision, "float16") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--gpu_automatic_mixed_precision is --precision=float16, not %s",
                       o->precision);
    o->precision = tr_flags.precision = "float16";
    return T2_OK;
}

static bool has_plugins; /* the folder of --t2t_usr_dir */

/* A set of the user's own is a registered one with changes, from here on. */
static enum t2_status open_own_set(struct tr_own_set *own, struct t2_err *err)
{
    T2_TRY(tr_own_set_read(tr_flags.hparams_set, tr_flags.t2t_usr_dir, tr_flags.hparams,
                           tr_flags.hparams_range != NULL, own, err));
    if (!own->base)
        return T2_OK;
    if (!mdl_is_layer_file(tr_flags.hparams_set) && !tr_flags.generate_data && !has_plugins)
        tr_flags.t2t_usr_dir = NULL; /* it has had its meaning */
    tr_flags.hparams_set = own->base;
    tr_flags.hparams = own->hparams;
    return T2_OK;
}

/* --text: where nothing else is said, the problem and its folder have fixed names. */
static void read_text(struct tr_options *o)
{
    static char *data_dir; /* as long as flags live */

    if (!tr_flags.text)
        return;
    if (!o->problem)
        o->problem = tr_flags.problem = "text";
    if (o->data_dir || !o->output_dir)
        return;
    data_dir = t2_path_join(o->output_dir, "data");
    o->data_dir = tr_flags.data_dir = data_dir;
}

static enum t2_status set_options(struct tr_options *o, struct t2_err *err)
{
    enum { MAX_HOST_THREADS = 1024 };

    *o = (struct tr_options){
        .problem = tr_flags.problem,
        .data_dir = tr_flags.data_dir,
        .output_dir = tr_flags.output_dir,
        .model = tr_flags.model,
        .hparams_set = tr_flags.hparams_set,
        .hparams = tr_flags.hparams,
        .order = tr_flags.order,
        .device = tr_flags.device,
        .precision = tr_flags.precision,
        .remat = strcmp(tr_flags.remat, "layer") == 0,
        .profile = tr_flags.profile,
        .dry_run = tr_flags.dry_run,
        .max_memory = tr_flags.max_memory,
        .eval_use_test_set = tr_flags.eval_use_test_set,
        .resume = tr_flags.resume,
        .allow_hparams_change = tr_flags.allow_hparams_change,
        .seed_given = tr_flags.seed_given,
        .random_seed = (uint64_t) tr_flags.random_seed,
        .train_steps = tr_flags.train_steps,
        .pause_at_step = tr_flags.pause_at_step,
        .warm_start_from = tr_flags.warm_start_from && tr_flags.warm_start_from[0] != '\0'
                               ? tr_flags.warm_start_from
                               : NULL,
        .max_corrupt = tr_flags.max_corrupt,
        .replay_step = tr_flags.replay_step,
        .eval_steps = tr_flags.eval_steps,
        .eval_samples = tr_flags.eval_samples,
        .eval_all = !tr_flags.eval_steps_given,
        .local_eval_frequency = tr_flags.local_eval_frequency,
        .log_step_count_steps = tr_flags.log_step_count_steps,
        .save_checkpoints_secs = tr_flags.save_checkpoints_secs,
        .save_checkpoints_steps = tr_flags.save_checkpoints_steps,
        .num_threads = t2_flags_num_threads(),
        .host_threads = (int) tr_flags.host_threads,
        .keep_checkpoint_best = tr_flags.keep_checkpoint_best,
        .keep_every_n_hours = tr_flags.keep_every_n_hours,
        .early_stopping_steps = tr_flags.early_stopping_steps,
        .eval_metrics = tr_flags.eval_metrics,
        .early_stopping_metric = tr_flags.early_stopping_metric,
        .early_stopping_delta = tr_flags.early_stopping_delta,
        .early_stopping_maximize = !tr_flags.early_stopping_minimize,
        .tensorboard = tr_flags.tensorboard,
        .summary_histograms = tr_flags.summary_histograms,
        .freeze = tr_flags.freeze,
        .data_shards = tr_flags.worker_gpu,
        .shard_optimizer = tr_flags.shard_optimizer,
        .data_shards_given = tr_flags.given_worker_gpu && tr_flags.worker_gpu > 0,
        .emit = tr_flags.json ? print_line : NULL,
    };
    if (tr_flags.host_threads < 0 || tr_flags.host_threads > MAX_HOST_THREADS)
        return t2_fail(err, T2_EUSAGE, "--host_threads must be between 0 and %d", MAX_HOST_THREADS);
    if (tr_flags.worker_gpu < 0)
        return t2_fail(err, T2_EUSAGE, "--worker_gpu must not be negative");
    if (tr_flags.gradient_accumulation < 0 || tr_flags.gradient_accumulation > CKPT_MOST_SHARDS)
        return t2_fail(err, T2_EUSAGE, "--gradient_accumulation must be between 0 and %d",
                       CKPT_MOST_SHARDS);
    if (tr_flags.gradient_accumulation > 0) {
        o->data_shards = tr_flags.gradient_accumulation *
                         (tr_flags.worker_gpu > 0 && tr_flags.worker_gpu <= CKPT_MOST_SHARDS
                              ? tr_flags.worker_gpu
                              : 1);
        o->data_shards_given = true;
    }
    if (tr_flags.rank_timeout < 2 || tr_flags.rank_timeout > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--rank_timeout must be at least 2 seconds");
    if (tr_flags.random_seed < 0)
        return t2_fail(err, T2_EUSAGE, "--random_seed must not be negative");
    if (tr_flags.keep_checkpoint_max > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--keep_checkpoint_max is too large");
    o->keep_checkpoint_max = (int) tr_flags.keep_checkpoint_max;
    if (strcmp(tr_flags.remat, "none") != 0 && strcmp(tr_flags.remat, "layer") != 0)
        return t2_fail(err, T2_EUSAGE, "--remat is none or layer, not '%s'", tr_flags.remat);
    if (tr_flags.order && strcmp(tr_flags.order, "shuffled") != 0 &&
        strcmp(tr_flags.order, "reference") != 0)
        return t2_fail(err, T2_EUSAGE, "--order is shuffled or reference, not '%s'",
                       tr_flags.order);
    T2_TRY(tr_read_on_nan(&o->on_nan, err));
    T2_TRY(tr_read_exchange(&o->exchange, err));
    T2_TRY(read_batch_size(&o->batch_size, err));
    T2_TRY(read_other_names(o, err));
    read_text(o);
    return read_schedule(o, err);
}

/* Flags that were left out and found in the run go into its flag files. */
static void settle_flags(const struct tr_run *run)
{
    tr_flags.problem = run->state.problem;
    tr_flags.model = run->state.model;
    tr_flags.hparams_set = run->state.hparams_set;
    tr_flags.random_seed = (int64_t) run->state.seed;
    tr_flags.precision = run->state.precision;
}

/* ---- data ---- */

static enum t2_status generate(const struct tr_options *o, int n_ranks, struct t2_err *err)
{
    const struct tr_generate g = {.problem = o->problem,
                                  .data_dir = o->data_dir,
                                  .text = tr_flags.text,
                                  .tmp_dir = tr_flags.tmp_dir,
                                  .t2t_usr_dir = tr_flags.t2t_usr_dir,
                                  .model = o->model,
                                  .hparams_set = o->hparams_set,
                                  .num_threads = t2_flags_num_threads(),
                                  .n_ranks = n_ranks};

    tr_flags.text = NULL; /* what is said from now on is the problem */
    if (!tr_flags.generate_data && !g.text) {
        if (tr_flags.tmp_dir)
            t2_warn("--tmp_dir means nothing here and is passed over: it is for --generate_data");
        if (tr_flags.t2t_usr_dir && !has_plugins)
            t2_warn("--t2t_usr_dir means nothing here and is passed over: it has no plug-in with "
                    "models (.so); what the data are, --data_dir tells");
        return T2_OK;
    }
    if (tr_flags.dry_run) {
        t2_info("%s is left out: --dry_run writes nothing", g.text ? "--text" : "--generate_data");
        return T2_OK;
    }
    return tr_generate_data(&g, err);
}

/* ---- experiments ---- */

/* *x is NULL without --experiment. */
static enum t2_status open_experiment(struct tr_experiment **x, struct tr_options *o,
                                      struct t2_err *err)
{
    const struct tr_experiment_flags f = {.experiment = tr_flags.experiment,
                                          .config_files = &tr_flags.config_files,
                                          .params_override = tr_flags.params_override,
                                          .mode = tr_flags.mode};

    *x = NULL;
    if (tr_flags.model_dir) {
        if (o->output_dir && strcmp(o->output_dir, tr_flags.model_dir) != 0)
            return t2_fail(err, T2_EUSAGE,
                           "--model_dir and --output_dir are the same flag; they "
                           "have two values");
        o->output_dir = tr_flags.output_dir = tr_flags.model_dir;
    }
    T2_TRY(tr_check_experiment_flags(err));
    if (!tr_flags.experiment)
        return T2_OK;
    if (tr_flags.describe && tr_flags.describe[0] != '\0' &&
        strcmp(tr_flags.describe, "fields") != 0 && strcmp(tr_flags.describe, "yaml") != 0)
        return t2_fail(err, T2_EUSAGE, "--describe is fields or yaml, not '%s'", tr_flags.describe);
    T2_TRY(tr_experiment_new(&f, x, err));
    if (tr_flags.describe && strcmp(tr_flags.describe, "yaml") == 0)
        return T2_OK;
    return tr_experiment_options(*x, !tr_flags.describe, o, err);
}

/* A model that is described needs no run. */
static enum t2_status describe_model(const struct tr_options *o, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = tr_describe_model(o, tr_flags.describe, &text, err);

    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
    return st;
}

static void describe(const struct tr_experiment *x, const struct tr_options *o)
{
    struct t2_buf text = {0};

    if (tr_flags.describe && strcmp(tr_flags.describe, "yaml") == 0)
        tr_experiment_yaml(x, &text);
    else
        tr_experiment_describe(x, o, &text);
    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
}

/* ---- running ---- */

static enum t2_status replay(struct tr_run *run, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = tr_replay(run, &text, err);

    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
    return st;
}

static void done_with(void *context, const struct tr_run *run, const struct ev_scores *scores)
{
    (void) context;
    if (!tr_flags.json)
        print_scores(run, scores);
    fflush(stdout);
}

static bool is_continuous(const struct tr_experiment *x, double *timeout_s)
{
    *timeout_s = 60.0 * (double) tr_flags.eval_timeout_mins;
    return x ? tr_experiment_is_continuous(x, timeout_s) : schedule->continuous;
}

static enum t2_status run_schedule(struct tr_run *run, const struct tr_experiment *x,
                                   struct t2_err *err)
{
    struct ev_scores scores;

    T2_TRY(tr_run_begin(run, err));
    if (run->options.train) {
        settle_flags(run);
        if (x && tr_ranks_writes(run))
            T2_TRY(tr_experiment_save(x, run->output_dir, err));
        if (tr_ranks_writes(run))
            T2_TRY(tr_flags_write(run->output_dir, tr_trainer_tool.flags, tr_trainer_tool.n_flags,
                                  err));
        T2_TRY(tr_train(run, err));
        if (!tr_ranks_writes(run))
            return T2_OK;
        T2_TRY(tr_profile_save_trace(run, err));
        if (run->profile && tr_flags.json)
            print_profile_json(run);
        else if (run->profile)
            log_profile(run);
        return T2_OK;
    }
    if (!run->eval)
        return t2_fail(err, T2_EUSAGE, "--eval_steps=0 leaves nothing to evaluate");
    T2_TRY(tr_evaluate(run, &scores, err));
    if (!tr_flags.json && tr_ranks_writes(run))
        print_scores(run, &scores);
    return T2_OK;
}

/* What a search found is printed also when it found that no trial has a result. */
static enum t2_status search(const struct tr_trainer_flags *defaults,
                             const struct tr_options *options, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = tr_study(defaults, options, &text, err);

    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
    return st == T2_EOF ? t2_fail(err, T2_EFORMAT, "no trial of the search has a result") : st;
}

/* The processes that mpirun or srun have started with this one. */
static enum t2_status open_ranks(struct dist **dist, struct tr_options *o, struct t2_buf *lines,
                                 struct t2_err *err)
{
    T2_TRY(tr_launch_open((double) tr_flags.rank_timeout, dist, err));
    o->dist = *dist;
    o->num_threads = tr_launch_threads(*dist, o->num_threads);
    if (dist_size(*dist) == 1)
        return T2_OK;
    if (o->decodes && dist_rank(*dist) == 0)
        t2_warn("--schedule=%s: several processes score translations and do not write them; "
                "t2t-decoder does",
                o->schedule);
    tr_launch_put_flags(&tr_trainer_tool, lines);
    o->flag_lines = t2_buf_cstr(lines);
    if (dist_rank(*dist) > 0)
        o->emit = NULL;
    return T2_OK;
}

static enum t2_status trainer(int argc, char **argv, struct dist **dist, struct t2_err *err)
{
    const struct tr_trainer_flags defaults = tr_flags;
    struct tr_experiment *experiment = NULL;
    struct tr_run *run = NULL;
    struct tr_options options;
    struct t2_strs rest = {0};
    struct tr_own_set own = {0};
    struct t2_buf flag_lines = {0};
    bool is_search;
    double timeout_s;
    enum t2_status st;

    T2_GOTO(st, out, t2_flags_parse(&tr_trainer_tool, argc, argv, &rest, err));
    if (rest.n > 0) {
        st = t2_fail(err, T2_EUSAGE, "unexpected argument '%s'", rest.items[0]);
        goto out;
    }
    T2_GOTO(st, out, tr_load_plugins(tr_flags.t2t_usr_dir, &has_plugins, err));
    if (tr_flags.registry_help) {
        st = print_registry(err);
        goto out;
    }
    T2_GOTO(st, out, open_own_set(&own, err));
    T2_GOTO(st, out, set_options(&options, err));
    T2_GOTO(st, out, open_experiment(&experiment, &options, err));
    if (tr_flags.describe && !experiment) {
        st = describe_model(&options, err);
        goto out;
    }
    T2_GOTO(st, out, tr_study_is_asked(&is_search, err));
    if (is_search)
        T2_GOTO(st, out,
                tr_launch_check_alone("a search", "mpirun -n N t2t-tune worker FOLDER works on one",
                                      err));
    if (is_search) {
        T2_GOTO(st, out, generate(&options, 1, err));
        if (!has_plugins)
            tr_flags.t2t_usr_dir = NULL; /* nothing for the trials */
        st = search(&defaults, &options, err);
        goto out;
    }
    if (tr_flags.describe || (tr_flags.dry_run && experiment && !tr_flags.json))
        describe(experiment, &options);
    if (tr_flags.describe)
        goto out;
    if (experiment)
        tr_flags_from_options(&options);
    if (is_continuous(experiment, &timeout_s) && !tr_flags.dry_run) {
        T2_GOTO(st, out,
                tr_launch_check_alone("continuous evaluation", "start it without mpirun or srun",
                                      err));
        T2_GOTO(st, out, generate(&options, 1, err));
        st = tr_evaluate_continuously(&options, timeout_s, done_with, NULL, err);
        goto out;
    }
    if (!tr_flags.dry_run && tr_flags.replay_step == 0)
        T2_GOTO(st, out, tr_start_card_ranks(options.device, tr_flags.worker_gpu, argc, argv, err));
    T2_GOTO(st, out, open_ranks(dist, &options, &flag_lines, err));
    T2_GOTO(st, out, generate(&options, dist_size(*dist), err));
    T2_GOTO(st, out, tr_run_open(&options, &run, err));
    if (experiment)
        T2_GOTO(st, out, tr_experiment_check_run(experiment, run, err));
    if (tr_flags.dry_run) {
        st = dry_run(run, err);
        goto out;
    }
    if (tr_flags.replay_step > 0) {
        st = replay(run, err);
        goto out;
    }
    banner(run);
    if (tr_flags.json && tr_ranks_writes(run))
        T2_GOTO(st, out, print_run_json(run, "run", 0, 0, err));
    st = run_schedule(run, experiment, err);
    tr_say_corrupt(run);
out:
    tr_run_free(run);
    t2_buf_release(&flag_lines);
    tr_own_set_release(&own);
    tr_experiment_free(experiment);
    t2_strs_release(&tr_flags.config_files);
    t2_strs_release(&rest);
    return st;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;
    struct dist *dist = NULL;
    static struct t2_strs args; /* for the life of the process: flags point into them */

    t2_begin_tool("t2t-trainer");
    t2_signals_install_save();
    if (argc > 1 && strcmp(argv[1], "report") == 0) {
        st = tr_report_main(argc - 1, argv + 1, &err);
        if (st == T2_OK)
            st = t2_flush_stdout(&err);
        return t2_end_tool(st, &err);
    }
    st = tr_join_hp_flags(argc, argv, &args, &err);
    if (st == T2_OK) {
        t2_strs_take(&args, NULL); /* ends argv */
        st = trainer((int) args.n - 1, args.items, &dist, &err);
    }
    if (st == T2_OK)
        st = t2_flush_stdout(&err);
    return tr_launch_end(dist, st, &err);
}
