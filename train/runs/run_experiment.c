/*
 * train/runs/run_experiment.c - the configuration of an experiment: read, checked, and turned into
 * the options of a run.
 */
#include "train/runs/run_experiment.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "train/runs/best_export.h"
#include "train/runs/experiment_hparams.h"
#include "train/runs/experiment_paths.h"

enum mode { MODE_TRAIN, MODE_EVAL, MODE_TRAIN_AND_EVAL, MODE_TRAIN_AND_POST_EVAL, MODE_CONTINUOUS };

struct tr_experiment {
    const struct exp_experiment *experiment;
    struct exp_config *config;
    enum mode mode;
    char *hparams, *problem, *data_dir;
};

/* ---- modes ---- */

static enum t2_status read_mode(const char *name, enum mode *mode, struct t2_err *err)
{
    static const struct {
        const char *name;
        enum mode mode;
    } modes[] = {{"train", MODE_TRAIN},
                 {"eval", MODE_EVAL},
                 {"train_and_eval", MODE_TRAIN_AND_EVAL},
                 {"train_and_post_eval", MODE_TRAIN_AND_POST_EVAL},
                 {"continuous_eval", MODE_CONTINUOUS}};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(name, modes[i].name) == 0) {
            *mode = modes[i].mode;
            return T2_OK;
        }
    if (strcmp(name, "continuous_train_and_eval") == 0 || strcmp(name, "train_and_validate") == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--mode=%s is not implemented, nor is it in the original; there are train, "
                       "eval, train_and_eval, train_and_post_eval, continuous_eval",
                       name);
    return t2_fail(err, T2_EUSAGE,
                   "unknown --mode '%s'; there are train, eval, train_and_eval, "
                   "train_and_post_eval, continuous_eval",
                   name);
}

static bool trains(const struct tr_experiment *x)
{
    return x->mode != MODE_EVAL && x->mode != MODE_CONTINUOUS;
}

static bool is_tpu(const struct tr_experiment *x)
{
    return x->experiment->task == EXP_TPU_RESNET;
}

bool tr_experiment_is_continuous(const struct tr_experiment *x, double *timeout_s)
{
    /* resnet_main's eval goes on until the last step, with no limit of its own */
    if (is_tpu(x))
        return x->mode == MODE_EVAL;
    *timeout_s = (double) exp_config_int(x->config, "trainer.continuous_eval_timeout");
    return x->mode == MODE_CONTINUOUS;
}

/* ---- checks ---- */

static enum t2_status at_least(const struct exp_config *c, const char *path, int64_t least,
                               struct t2_err *err)
{
    if (exp_config_int(c, path) >= least)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "%s must be at least %" PRId64 ", not %" PRId64, path, least,
                   exp_config_int(c, path));
}

/* A folder below that of the run: checkpoints of the two must not meet. */
static enum t2_status check_folder(const struct exp_config *c, const char *path, struct t2_err *err)
{
    const char *name = exp_config_string(c, path);

    if (name[0] != '\0' && name[0] != '.' && !strchr(name, '/'))
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "%s must be the name of a folder in --model_dir, not '%s'", path,
                   name);
}

/* As in the original, nothing is exported where the folder or the metric is ''. */
static bool exports_best(const struct exp_config *c)
{
    return exp_config_string(c, "trainer.best_checkpoint_export_subdir")[0] != '\0' &&
           exp_config_string(c, "trainer.best_checkpoint_eval_metric")[0] != '\0';
}

static enum t2_status check_best(const struct exp_config *c, struct t2_err *err)
{
    const char *metric = exp_config_string(c, "trainer.best_checkpoint_eval_metric");
    const char *comp = exp_config_string(c, "trainer.best_checkpoint_metric_comp");

    if (strcmp(comp, "higher") != 0 && strcmp(comp, "lower") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "trainer.best_checkpoint_metric_comp is higher or lower, not '%s'", comp);
    if (!exports_best(c))
        return T2_OK;
    if (!tr_garden_metric_key(metric))
        return t2_fail(err, T2_EUSAGE,
                       "trainer.best_checkpoint_eval_metric is validation_loss, accuracy, "
                       "top_5_accuracy or sacrebleu_score here, not '%s'",
                       metric);
    return check_folder(c, "trainer.best_checkpoint_export_subdir", err);
}

static enum t2_status check_trainer(const struct tr_experiment *x, struct t2_err *err)
{
    const struct exp_config *c = x->config;
    int64_t loop = exp_config_int(c, "trainer.steps_per_loop");
    int64_t summary = exp_config_int(c, "trainer.summary_interval");
    int64_t validation = exp_config_int(c, "trainer.validation_steps");

    T2_TRY(at_least(c, "trainer.steps_per_loop", 1, err));
    T2_TRY(at_least(c, "trainer.summary_interval", 1, err));
    T2_TRY(at_least(c, "trainer.checkpoint_interval", 1, err));
    T2_TRY(at_least(c, "trainer.validation_interval", 1, err));
    T2_TRY(at_least(c, "trainer.max_to_keep", 0, err));
    T2_TRY(at_least(c, "trainer.continuous_eval_timeout", 0, err));
    T2_TRY(at_least(c, "trainer.recovery_begin_steps", 0, err));
    T2_TRY(check_folder(c, "trainer.validation_summary_subdir", err));
    T2_TRY(check_best(c, err));
    if (summary % loop != 0)
        return t2_fail(err, T2_EUSAGE,
                       "trainer.summary_interval (%" PRId64
                       ") must be a multiple of trainer.steps_per_loop (%" PRId64 ")",
                       summary, loop);
    if (validation < -1 || (validation == 0 && x->mode != MODE_TRAIN))
        return t2_fail(err, T2_EUSAGE,
                       "trainer.validation_steps is -1 (all) or above 0, not %" PRId64, validation);
    if (trains(x))
        T2_TRY(at_least(c, "trainer.train_steps", 1, err));
    return T2_OK;
}

/* Of float16; where the factor is a number it never changes in the original. */
static enum t2_status check_loss_scale(const struct exp_config *c, struct t2_err *err)
{
    const struct exp_value *v = exp_config_get(c, "runtime.loss_scale");

    if (v->kind == EXP_NULL || v->kind == EXP_STRING)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "runtime.loss_scale of float16 is null or dynamic here: "
                   "--params_override=runtime.loss_scale=dynamic, with "
                   "--hparams=mixed_precision_optimizer_init_loss_scale=N for its first value");
}

/* more: than float32, as the message says it. */
static enum t2_status check_precision(const char *field, const char *dtype, const char *more,
                                      struct t2_err *err)
{
    if (!dtype || strcmp(dtype, "float32") == 0 || strcmp(dtype, "bfloat16") == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "%s is float32%s here, not '%s': --params_override=%s=bfloat16",
                   field, more, dtype, field);
}

static enum t2_status check_runtime(const struct exp_config *c, struct t2_err *err)
{
    static const char *const strategies[] = {
        "off", "default", "one_device", "mirrored", "multi_worker_mirrored", "parameter_server",
        "tpu"};
    const char *dtype = exp_config_string(c, "runtime.mixed_precision_dtype");
    const char *strategy = exp_config_string(c, "runtime.distribution_strategy");
    bool known = false;

    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        known = known || strcmp(strategy, strategies[i]) == 0;
    if (!known)
        return t2_fail(err, T2_EUSAGE,
                       "runtime.distribution_strategy is off, default, one_device, mirrored, "
                       "multi_worker_mirrored, parameter_server or tpu, not '%s'",
                       strategy);
    if (dtype && strcmp(dtype, "float16") == 0)
        return check_loss_scale(c, err);
    return check_precision("runtime.mixed_precision_dtype", dtype, ", bfloat16 or float16", err);
}

static enum t2_status check_tpu(const struct tr_experiment *x, struct t2_err *err)
{
    T2_TRY(at_least(x->config, "train_steps", 1, err));
    T2_TRY(at_least(x->config, "train_batch_size", 1, err));
    T2_TRY(at_least(x->config, "iterations_per_loop", 1, err));
    return check_precision("precision", exp_config_string(x->config, "precision"), " or bfloat16",
                           err);
}

static enum t2_status check(const struct tr_experiment *x, struct t2_err *err)
{
    if (is_tpu(x))
        return check_tpu(x, err);
    T2_TRY(check_trainer(x, err));
    return check_runtime(x->config, err);
}

/* ---- life ---- */

static enum t2_status read_all(const struct tr_experiment_flags *flags, struct tr_experiment *x,
                               struct t2_err *err)
{
    T2_TRY(read_mode(flags->mode ? flags->mode : "train_and_eval", &x->mode, err));
    T2_TRY(exp_find(flags->experiment, &x->experiment, err));
    T2_TRY(exp_new(x->experiment, &x->config, err));
    for (size_t i = 0; i < flags->config_files->n; i++)
        T2_TRY(exp_override_file(x->config, flags->config_files->items[i], err));
    if (flags->params_override)
        T2_TRY(exp_override(x->config, flags->params_override, err));
    for (size_t i = 0; flags->fields && i < flags->fields->n; i++)
        T2_TRY(exp_override(x->config, flags->fields->items[i], err));
    return T2_OK;
}

enum t2_status tr_experiment_new(const struct tr_experiment_flags *flags, struct tr_experiment **x,
                                 struct t2_err *err)
{
    struct tr_experiment *made = t2_alloc(1, sizeof *made);
    enum t2_status st = read_all(flags, made, err);

    *x = NULL;
    if (st != T2_OK)
        tr_experiment_free(made);
    else
        *x = made;
    return st;
}

void tr_experiment_free(struct tr_experiment *x)
{
    if (!x)
        return;
    exp_config_free(x->config);
    t2_free(x->hparams);
    t2_free(x->problem);
    t2_free(x->data_dir);
    t2_free(x);
}

/* ---- options ---- */

/* Problem and folder out of input_path, where flags do not say. */
static enum t2_status set_data(struct tr_experiment *x, struct tr_options *o, struct t2_err *err)
{
    bool needs_train = trains(x), needs_eval = x->mode != MODE_TRAIN;

    if (is_tpu(x))
        return o->data_dir
                   ? T2_OK
                   : t2_fail(err, T2_EUSAGE, "--data_dir is missing: the folder of the shards");
    if (x->experiment->task == EXP_TRANSLATION &&
        exp_config_is_null(x->config, "task.sentencepiece_model_path"))
        return t2_fail(err, T2_EUSAGE,
                       "task.sentencepiece_model_path is missing: the vocabulary of the shards, "
                       "--params_override=\"task.sentencepiece_model_path='DIR/FILE'\"");
    T2_TRY(tr_experiment_paths(x->config, needs_train, needs_eval, &x->problem, &x->data_dir,
                               &o->eval_use_test_set, err));
    if (!o->problem)
        o->problem = x->problem;
    if (!o->data_dir)
        o->data_dir = x->data_dir;
    if (o->data_dir)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "no data: TensorFlow Datasets' are not read; give --data_dir and --problem, or "
                   "task.train_data.input_path='DIR/PROBLEM-train*' with tfds_name=''");
}

/* trainer.recovery_*, loss_upper_bound, best_checkpoint_*. */
static void set_recovery_and_best(const struct exp_config *c, struct tr_options *o)
{
    int64_t trials = exp_config_int(c, "trainer.recovery_max_trials");
    double bound = exp_config_number(c, "trainer.loss_upper_bound");

    o->bound_begin_steps = exp_config_int(c, "trainer.recovery_begin_steps");
    o->loss_bound = trials < 0 ? 0.0 : bound;
    if (trials > 0) {
        o->on_nan = TR_NAN_ROLLBACK;
        o->max_recoveries = trials;
    }
    o->validation_subdir = exp_config_string(c, "trainer.validation_summary_subdir");
    o->best_is_lower =
        strcmp(exp_config_string(c, "trainer.best_checkpoint_metric_comp"), "lower") == 0;
    if (!exports_best(c))
        return;
    o->best_subdir = exp_config_string(c, "trainer.best_checkpoint_export_subdir");
    o->best_metric = exp_config_string(c, "trainer.best_checkpoint_eval_metric");
    if (strcmp(o->best_metric, "sacrebleu_score") == 0)
        o->eval_metrics = o->best_metric;
}

/* validation_steps are batches of validation_data, ours are of training's size: so many that the
 * last one has the last of those samples.  Batches of texts are of tokens, which is no number of
 * samples. */
static int64_t eval_batches(const struct tr_experiment *x)
{
    const struct exp_config *c = x->config;
    int64_t n = exp_config_int(c, "trainer.validation_steps"), wanted, batch;

    if (n < 0)
        return INT64_MAX;
    if (x->experiment->task == EXP_TRANSLATION)
        return n;
    wanted = exp_config_int(c, "task.validation_data.global_batch_size");
    batch = exp_config_int(c, "task.train_data.global_batch_size");
    if (wanted < 1 || batch < 1)
        return n;
    return n > (INT64_MAX - batch) / wanted ? INT64_MAX : (n * wanted + batch - 1) / batch;
}

static void set_trainer(const struct tr_experiment *x, struct tr_options *o)
{
    const struct exp_config *c = x->config;
    const struct exp_value *seed = exp_config_get(c, "task.train_data.seed");
    const char *dtype = exp_config_string(c, "runtime.mixed_precision_dtype");

    o->train = trains(x);
    o->evaluate = x->mode != MODE_TRAIN;
    o->schedule = !o->train                        ? "evaluate"
                  : x->mode == MODE_TRAIN_AND_EVAL ? "train_and_evaluate"
                                                   : "train";
    o->train_steps = exp_config_int(c, "trainer.train_steps");
    o->eval_steps = eval_batches(x);
    o->eval_all = false;
    o->local_eval_frequency = x->mode == MODE_TRAIN_AND_POST_EVAL
                                  ? o->train_steps
                                  : exp_config_int(c, "trainer.validation_interval");
    o->save_checkpoints_steps = exp_config_int(c, "trainer.checkpoint_interval");
    o->log_step_count_steps = exp_config_int(c, "trainer.steps_per_loop");
    o->keep_checkpoint_max = (int) exp_config_int(c, "trainer.max_to_keep");
    o->tags = TR_TAGS_GARDEN;
    set_recovery_and_best(c, o);
    if (!o->precision)
        o->precision = dtype;
    if (seed->kind == EXP_INT && !o->seed_given) {
        o->random_seed = (uint64_t) seed->i;
        o->seed_given = true;
    }
}

/* Flags of resnet_main keep its defaults: --steps_per_eval=1251, --log_step_count_steps=64. */
static void set_tpu(const struct tr_experiment *x, struct tr_options *o)
{
    enum { STEPS_PER_EVAL = 1251, LOG_STEPS = 64, MIN_SAVE = 5000 };
    const struct exp_config *c = x->config;
    int64_t loop = exp_config_int(c, "iterations_per_loop");

    o->train = trains(x);
    o->evaluate = x->mode != MODE_TRAIN;
    o->schedule = !o->train ? "evaluate" : o->evaluate ? "train_and_evaluate" : "train";
    o->train_steps = exp_config_int(c, "train_steps");
    o->eval_steps = INT64_MAX;
    o->eval_all = false;
    o->local_eval_frequency = STEPS_PER_EVAL;
    o->save_checkpoints_steps = loop > MIN_SAVE ? loop : MIN_SAVE;
    o->log_step_count_steps = LOG_STEPS;
    o->tags = TR_TAGS_TPU_RESNET;
    if (!o->problem)
        o->problem = "pictures";
    if (!o->precision)
        o->precision = exp_config_string(c, "precision");
}

struct unread {
    const struct exp_config *c;
    struct t2_buf names;
};

static void add_unread(void *context, int depth, const char *name, const char *path,
                       const struct exp_field *field, const struct exp_value *value, bool changed)
{
    struct unread *u = context;

    (void) depth, (void) name, (void) value;
    if (changed && field && (field->use == EXP_HPARAM || field->use == EXP_READ) &&
        !exp_config_was_read(u->c, path))
        t2_buf_printf(&u->names, "%s%s", u->names.len_bytes > 0 ? ", " : "", path);
}

/* Everything that is read has been read. */
static void name_unread(const struct tr_experiment *x)
{
    struct unread u = {x->config, {0}};

    exp_config_visit(x->config, add_unread, &u);
    if (u.names.len_bytes > 0)
        t2_warn("given fields that have no meaning for this run: %s", t2_buf_cstr(&u.names));
    t2_buf_release(&u.names);
}

enum t2_status tr_experiment_options(struct tr_experiment *x, bool need_data, struct tr_options *o,
                                     struct t2_err *err)
{
    struct t2_err no_data = T2_ERR_INIT;
    struct t2_buf hparams = {0};
    enum t2_status st;

    T2_TRY(check(x, err));
    if (set_data(x, o, &no_data) != T2_OK && need_data) {
        *err = no_data;
        return err->status;
    }
    if (is_tpu(x))
        set_tpu(x, o);
    else
        set_trainer(x, o);
    st = tr_experiment_hparams(x->config, x->experiment->task, &o->model, &o->hparams_set, &hparams,
                               err);
    if (st == T2_OK && o->hparams)
        t2_buf_printf(&hparams, ",%s", o->hparams);
    o->global_batch_size = true;
    x->hparams = t2_buf_detach(&hparams);
    o->hparams = x->hparams;
    if (st == T2_OK)
        name_unread(x);
    return st;
}

/* ---- with the run ---- */

enum t2_status tr_experiment_check_run(const struct tr_experiment *x, const struct tr_run *run,
                                       struct t2_err *err)
{
    const char *path;
    char *expanded;
    char hex[T2_SHA256_HEX];
    enum t2_status st;

    if (x->experiment->task != EXP_TRANSLATION)
        return T2_OK;
    path = exp_config_string(x->config, "task.sentencepiece_model_path");
    expanded = t2_path_expand(path);
    st = t2_sha256_file(expanded, hex, NULL, err);
    t2_free(expanded);
    if (st != T2_OK)
        return t2_wrap(err, "task.sentencepiece_model_path");
    if (strcmp(hex, run->data.targets_vocab_sha256) == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "task.sentencepiece_model_path '%s' is not the vocabulary that the shards of "
                   "problem '%s' were made with, '%s'",
                   path, run->data.view->name,
                   run->data.view->targets.vocab_file ? run->data.view->targets.vocab_file
                                                      : "(none)");
}

void tr_experiment_yaml(const struct tr_experiment *x, struct t2_buf *out)
{
    exp_config_dump(x->config, out);
}

enum t2_status tr_experiment_save(const struct tr_experiment *x, const char *output_dir,
                                  struct t2_err *err)
{
    char *path = t2_path_join(output_dir, "params.yaml");
    struct t2_buf text = {0};
    enum t2_status st;

    tr_experiment_yaml(x, &text);
    t2_info("Saving experiment configuration to %s", path);
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

void tr_experiment_describe(const struct tr_experiment *x, const struct tr_options *o,
                            struct t2_buf *out)
{
    t2_buf_printf(out, "experiment %s: %s\n", x->experiment->name, x->experiment->summary);
    t2_buf_puts(out, "fields; * is not the experiment's default:\n");
    exp_config_describe(x->config, out);
    t2_buf_printf(out, "the same run in flags:\n  --problem=%s --data_dir=%s\n",
                  o->problem ? o->problem : "?", o->data_dir ? o->data_dir : "?");
    t2_buf_printf(out, "  --model=%s --hparams_set=%s\n  --hparams='%s'\n", o->model,
                  o->hparams_set, o->hparams);
    t2_buf_printf(out,
                  "  --schedule=%s --train_steps=%" PRId64 " --local_eval_frequency=%" PRId64 "\n",
                  o->schedule, o->train_steps, o->local_eval_frequency);
    t2_buf_printf(out,
                  "  --save_checkpoints_steps=%" PRId64 " --log_step_count_steps=%" PRId64
                  " --keep_checkpoint_max=%d",
                  o->save_checkpoints_steps, o->log_step_count_steps, o->keep_checkpoint_max);
    if (o->eval_steps == INT64_MAX)
        t2_buf_puts(out, "\n  (all batches of an evaluation)\n");
    else
        t2_buf_printf(out, " --eval_steps=%" PRId64 "\n", o->eval_steps);
}
