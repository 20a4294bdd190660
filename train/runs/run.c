/*
 * train/runs/run.c - opening a run, in the order in which things can be refused: options,
 * checkpoint, names, hparams, data, inputs, device, model, memory.
 *
 * What costs little comes first, and nothing is written before all of it is accepted
 * (tr_run_begin).
 */
#include "train/runs/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/signals.h"
#include "base/str.h"
#include "train/ckpt/warm_start.h"
#include "train/input/task_mix.h"
#include "train/optim/schedule.h"
#include "train/runs/corrupt_bill.h"
#include "train/runs/memory_plan.h"
#include "train/runs/milestones.h"
#include "train/runs/model_text.h"
#include "train/runs/next_batch.h"
#include "train/runs/problem_metrics.h"
#include "train/runs/ranks.h"
#include "train/runs/run_hparams.h"
#include "train/runs/run_profile.h"
#include "train/runs/run_tasks.h"
#include "train/runs/sample_images.h"
#include "train/runs/saves.h"
#include "train/runs/shared_optimizer.h"
#include "train/runs/summaries.h"

/* ---- the checkpoint that is there ---- */

/* The newest checkpoint, or, to replay a step, the newest before it; false: there is none. */
static bool choose_step(const struct tr_run *r, int64_t *step, struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n = 0;
    bool found;

    if (r->options.replay_step == 0)
        return true; /* -1, the newest, if there is one */
    if (ckpt_list(r->output_dir, &steps, &n, err) != T2_OK)
        n = 0;
    while (n > 0 && steps[n - 1] >= r->options.replay_step)
        n--;
    found = n > 0;
    if (found)
        *step = steps[n - 1];
    t2_free(steps);
    return found;
}

/* Fills the state from the newest checkpoint, if there is one; *old: the hparams of that run. */
static enum t2_status find_checkpoint(struct tr_run *r, struct mdl_hparams **old,
                                      struct t2_err *err)
{
    struct t2_err none = T2_ERR_INIT;
    char *metrics = t2_path_join(r->output_dir, "metrics.jsonl");
    bool used = t2_exists(metrics);
    enum t2_status st = T2_ENOTFOUND;
    int64_t step = -1;

    t2_free(metrics);
    *old = NULL;
    if (t2_exists(r->output_dir) && choose_step(r, &step, err))
        st = ckpt_load_state(r->output_dir, step, &r->state, old, &none);
    if (st == T2_OK) {
        r->restored = true;
        r->saved_step = r->state.step;
        r->saved_wall_seconds = r->state.wall_seconds;
    } else if (st != T2_ENOTFOUND) {
        *err = none;
        return st;
    }
    if (r->restored && !r->options.resume)
        return t2_fail(err, T2_EUSAGE,
                       "'%s' holds a run (its newest checkpoint is of step %" PRId64
                       "): leave --noresume out to continue it, or give another --output_dir",
                       r->output_dir, r->state.step);
    if (used && !r->restored && !r->options.resume)
        return t2_fail(err, T2_EUSAGE,
                       "'%s' holds a run that was stopped before its first checkpoint: leave "
                       "--noresume out to begin it again, or give another --output_dir",
                       r->output_dir);
    if (!r->restored && !r->options.train)
        return t2_fail(err, T2_ENOTFOUND, "there is no checkpoint in '%s' to evaluate",
                       r->output_dir);
    return T2_OK;
}

/* What the files of a run of TensorFlow's do not tell comes from the flags, which users of the
 * originals repeat. */
static enum t2_status adopt_names(struct tr_run *r, struct t2_err *err)
{
    struct tr_options *o = &r->options;
    struct ckpt_state *s = &r->state;

    if (!o->model && s->model[0] == '\0')
        return t2_fail(err, T2_EUSAGE,
                       "--model is needed: the files of the run in '%s' do not name it",
                       r->output_dir);
    if (o->model && s->model[0] != '\0' && strcmp(o->model, s->model) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "the run in '%s' trains model '%s', not '%s': give another --output_dir",
                       r->output_dir, s->model, o->model);
    if (o->model)
        snprintf(s->model, sizeof s->model, "%s", o->model);
    if (o->seed_given || s->seed == 0)
        s->seed = o->random_seed;
    t2_info("'%s' holds a run of TensorFlow's, which continues from step %" PRId64, r->output_dir,
            s->step);
    return T2_OK;
}

/* Settles model, problem and seed: those of the flags, those of the run, or the default. */
static enum t2_status settle_names(struct tr_run *r, struct t2_err *err)
{
    struct tr_options *o = &r->options;

    if (!o->problem && r->restored)
        o->problem = r->state.problem[0] ? r->state.problem : NULL;
    if (!o->problem)
        return t2_fail(err, T2_EUSAGE, "--problem is missing; t2t-datagen lists what there is");
    if (r->restored && r->state.of_tensorflow)
        return adopt_names(r, err);
    if (r->restored && o->model && strcmp(o->model, r->state.model) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "the run in '%s' trains model '%s', not '%s': give another --output_dir",
                       r->output_dir, r->state.model, o->model);
    if (!o->model && !r->restored)
        o->model = "transformer";
    if (r->restored && o->seed_given && o->random_seed != r->state.seed)
        return t2_fail(err, T2_EUSAGE,
                       "the run in '%s' has --random_seed=%" PRIu64 ", not %" PRIu64
                       ": leave the flag out, or give another --output_dir",
                       r->output_dir, r->state.seed, o->random_seed);
    if (!r->restored) {
        r->state.seed = o->random_seed;
        snprintf(r->state.model, sizeof r->state.model, "%s", o->model);
    }
    return T2_OK;
}

static enum t2_status settle_hparams(struct tr_run *r, const struct mdl_hparams *old,
                                     struct t2_err *err)
{
    const struct tr_options *o = &r->options;
    bool of_tensorflow = r->state.of_tensorflow && old;
    bool only_evaluates = !o->train && old; /* any batches: they change no score */
    struct t2_buf overrides = {0};
    enum t2_status st;

    if (o->hparams)
        t2_buf_puts(&overrides, o->hparams);
    if (o->batch_size > 0 && !only_evaluates)
        t2_buf_printf(&overrides, "%sbatch_size=%" PRId64, overrides.len_bytes > 0 ? "," : "",
                      o->batch_size);
    if (o->freeze)
        t2_buf_printf(&overrides, "%sfrozen_variables=%s", overrides.len_bytes > 0 ? "," : "",
                      o->freeze);
    /* shuffled is what a run without the hparam has */
    if (o->order && (strcmp(o->order, "shuffled") != 0 || (old && mdl_hp_has(old, "sample_order"))))
        t2_buf_printf(&overrides, "%ssample_order=%s", overrides.len_bytes > 0 ? "," : "",
                      o->order);
    /* as with Tensor2Tensor, the set alone does not change a run of its */
    st = tr_hparams_choose(of_tensorflow && overrides.len_bytes == 0 ? NULL : o->hparams_set,
                           r->model_text, t2_buf_cstr(&overrides), old, o->allow_hparams_change,
                           &r->hp, err);
    t2_buf_release(&overrides);
    T2_TRY(st);
    if (o->batch_size > 0 && only_evaluates)
        mdl_hp_set_int(r->hp, "batch_size", o->batch_size);
    snprintf(r->state.hparams_set, sizeof r->state.hparams_set, "%s", mdl_hparams_set_name(r->hp));
    return T2_OK;
}

/* ---- parts ---- */

bool tr_is_language_model(const struct tr_run *r)
{
    const struct mdl_problem *p = &r->data.problem;

    return r->data.view && !p->has_inputs && !p->class_labels && p->image.height == 0;
}

static enum t2_status open_data(struct tr_run *r, struct t2_err *err)
{
    T2_TRY(tr_data_set_open(r->options.problem, r->data_dir, &r->data, err));
    T2_TRY(tr_data_set_images(&r->data, r->hp, err));
    T2_TRY(tr_tasks_settle(&r->data, r->hp, err));
    if (r->options.eval_all && (tr_counts_rows(r) || tr_is_language_model(r)))
        r->options.eval_steps = INT64_MAX;
    if (r->restored && !r->state.of_tensorflow)
        T2_TRY(tr_data_set_check_state(&r->data, &r->state, r->output_dir, err));
    tr_data_set_to_state(&r->data, &r->state);
    return T2_OK;
}

static int host_threads(const struct tr_run *r)
{
    return r->options.host_threads > 0 ? r->options.host_threads : r->options.num_threads;
}

/* What a problem has in a split is what its manifest says. */
static enum t2_status check_split(const struct tr_run *r, enum dg_split split,
                                  const struct in_input *in, uint64_t max_lost, struct t2_err *err)
{
    const struct in_stats all = in_stats_of(in);
    const int n = in_n_tasks(in), first = n == 1 ? 1 : 0;

    if (n == 0)
        return tr_data_set_check_split(r->data.view, split, &all, max_lost, err);
    for (int i = 0; i < n; i++) {
        const struct in_stats s = in_task_stats(in, i);

        T2_TRY(
            tr_data_set_check_split(tr_task_view(&r->data, first + i), split, &s, max_lost, err));
    }
    return T2_OK;
}

static enum t2_status open_input(struct tr_run *r, enum dg_split split, bool training,
                                 struct in_input **in, struct t2_err *err)
{
    const struct dg_view *v = r->data.view;
    const struct dist_span here = tr_ranks_shards(r);
    const bool pixels = r->data.problem.pixels.height > 0;
    const bool described = r->data.problem.describes;
    const char *stem, *part = dg_view_shards(v, split, &stem);
    struct in_options o = {
        .data_dir = r->data_dir,
        .dataset = stem,
        .split = part,
        .inputs_feature = v->has_inputs && !v->is_speech && !described ? v->inputs.feature : NULL,
        .context_separator = v->context_separator,
        .targets_feature = described ? r->data.text_feature : v->targets.feature,
        .inputs_vocab = r->data.problem.inputs_vocab,
        .targets_vocab = pixels ? (int32_t) v->targets.size : r->data.problem.targets_vocab,
        .pixels = pixels,
        .n_numbers = r->data.problem.table ? r->data.problem.image.channels : 0,
        .target = r->data.problem.target,
        .sentences = r->data.problem.sentences,
        .types_vocab = r->data.problem.types_vocab,
        .sentence_label = r->data.problem.sentence_label,
        .images = v->is_images || described ? &r->data.images : NULL,
        .describes = described,
        .first_label = r->data.first_label,
        .targets_mask = r->data.problem.targets_mask,
        .speech = v->is_speech,
        .training = training,
        .seed = r->state.seed,
        .first_sample = r->state.samples,
        .num_threads = host_threads(r),
        .rank = here.end > here.first ? here.first : 0,
        .n_ranks = r->n_shards,
        .n_here = here.end > here.first ? here.end - here.first : IN_NONE_HERE,
        .replicas = r->n_shards,
        .global_batch_size = r->state.global_batch_size,
        .memory = &r->batch_memory,
        .image_bytes = true,
        .max_corrupt = (uint64_t) r->options.max_corrupt};
    struct in_task tasks[IN_MOST_TASKS];
    struct in_stats s;

    o.tasks = tasks;
    o.n_tasks = tr_tasks_of(&r->data, split, tasks);
    T2_TRY(in_new(&o, r->hp, in, err));
    s = in_stats_of(*in);
    T2_TRY(check_split(r, split, *in, in_corrupt_of(*in)->n_records > 0 ? o.max_corrupt : 0, err));
    if (s.n_kept == 0)
        return t2_fail(err, T2_EFORMAT, "there is no %s in the %s shards of '%s/%s'",
                       v->is_images ? "image" : "sample", dg_split_name(split), r->data_dir, stem);
    if (training && !s.has_targets && !r->data.problem.class_labels && !pixels)
        return t2_fail(err, T2_EFORMAT,
                       "all targets in the %s shards of '%s/%s' are padding (id 0): there is "
                       "nothing to learn from",
                       dg_split_name(split), r->data_dir, stem);
    return t2_check_interrupt(err);
}

static enum t2_status open_inputs(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st;

    if (r->options.train)
        T2_TRY(open_input(r, DG_TRAIN, true, &r->train, err));
    if (r->train)
        tr_compare_corrupt(r);
    if (!r->options.evaluate || r->options.eval_steps == 0)
        return T2_OK;
    r->eval_split = r->options.eval_use_test_set    ? DG_TEST
                    : r->options.eval_on_train_data ? DG_TRAIN
                                                    : DG_DEV;
    st = open_input(r, r->eval_split, false, &r->eval, err);
    if (st == T2_ENOTFOUND && r->options.train)
        return t2_wrap(err, "evaluation needs %s shards (%s--schedule=train does without)",
                       dg_split_name(r->eval_split),
                       r->eval_split == DG_DEV ? "--eval_use_test_set takes those of test, " : "");
    return st;
}

static enum t2_status plan(struct tr_run *r, struct t2_err *err)
{
    T2_TRY(tr_plan_batches(r, r->hp, &r->plan, err));
    T2_TRY(tr_check_memory(r, err));
    r->saves_aside = tr_saves_fit_aside(r);
    return T2_OK;
}

/* What was planned, in this order: variables, slots, arena, batches. */
static enum t2_status place(struct tr_run *r, struct t2_err *err)
{
    T2_TRY(mdl_place(r->model, err));
    if (r->options.train) {
        T2_TRY(opt_new_share(r->hp, mdl_params(r->model), tr_share(r), &r->opt, err));
        opt_set_seed(r->opt, r->state.seed);
        T2_TRY(tr_saves_open(r, err));
    }
    if (r->shards)
        T2_TRY(tr_shards_place(r->shards, err));
    T2_TRY(mdl_reserve(r->model, r->plan.arena, err));
    T2_TRY(mdl_reserve_positions(r->model, r->plan.positions, err));
    return mdl_reserve_sent(r->model, r->plan.sent, err);
}

/* --batch_size=auto of a new run.  The inputs are opened again, as their buckets depend on the
 * size. */
static enum t2_status choose_batch_size(struct tr_run *r, struct t2_err *err)
{
    int64_t batch_size;

    if (r->options.batch_size != TR_BATCH_SIZE_AUTO || r->restored || !r->train)
        return T2_OK;
    T2_TRY(tr_fit_batch_size(r, &batch_size, err));
    T2_TRY(dist_least(r->dist, batch_size, &batch_size, err));
    if (batch_size == 0)
        batch_size = tr_batch_size_step(r); /* which plan() will refuse, saying why */
    mdl_hp_set_int(r->hp, "batch_size", batch_size);
    t2_info("batch_size=%" PRId64 " is the largest that fits and helps; an epoch has %" PRIu64
            " %s",
            batch_size,
            tr_counts_rows(r) ? in_stats_of(r->train).n_kept
                              : in_stats_of(r->train).n_longer_tokens,
            r->data.view->is_images ? "images"
            : r->data.problem.table ? "rows"
                                    : "tokens");
    in_free(r->train);
    in_free(r->eval);
    r->train = r->eval = NULL;
    return open_inputs(r, err);
}

/* float16 begins with the hparam's loss scale, or goes on with the run's. */
static void settle_loss_scale(struct tr_run *r)
{
    struct opt_loss_scale *l = &r->state.loss_scale;
    const char *hparam = "mixed_precision_optimizer_init_loss_scale";
    int64_t first = mdl_hp_has(r->hp, hparam) ? mdl_hp_int(r->hp, hparam) : 32768;

    if (r->dev->precision != DEV_FLOAT16)
        *l = (struct opt_loss_scale){0};
    else if (l->scale <= 0.0)
        *l = (struct opt_loss_scale){.scale = first > 1 ? (double) first : 1.0};
}

/* A run keeps its precision, at first that of the hparam activation_dtype; what is only evaluated
 * may have another. */
static enum t2_status settle_precision(struct tr_run *r, struct t2_err *err)
{
    const char *old = r->state.precision, *now = r->options.precision;

    if (!now && old[0] != '\0')
        now = old;
    if (!now && mdl_hp_has(r->hp, "activation_dtype"))
        now = mdl_hp_string(r->hp, "activation_dtype");
    now = now ? now : "float32";
    T2_TRY(dev_set_precision(r->dev, now, err));
    if (r->dev->tf32 && !r->dev->tf32_products)
        t2_warn("--precision=tf32: device %s has no such products, it computes as with float32",
                r->dev->name);
    now = dev_precision_name(r->dev);
    if (r->options.train && old[0] != '\0' && strcmp(now, old) != 0) {
        if (!r->options.allow_hparams_change)
            return t2_fail(err, T2_EUSAGE,
                           "the run in '%s' has --precision=%s, not %s: leave the flag out, say "
                           "--allow_hparams_change, or give another --output_dir",
                           r->output_dir, old, now);
        t2_warn("--precision=%s from step %" PRId64 " on; it was %s", now, r->state.step, old);
    }
    snprintf(r->state.precision, sizeof r->state.precision, "%s", now);
    settle_loss_scale(r);
    return T2_OK;
}

/* Says what was taken, and of what was not, each. */
static enum t2_status warm_start(struct tr_run *r, struct t2_err *err)
{
    struct ckpt_warm_start w;
    enum t2_status st = ckpt_warm_start(r->options.warm_start_from, mdl_params(r->model), &w, err);

    if (st == T2_OK) {
        t2_info("--warm_start_from '%s': %d variables taken, %d have another shape, %d are not "
                "there",
                r->options.warm_start_from, w.n_taken, w.n_other_shape, w.n_absent);
        for (const char *at = t2_buf_cstr(&w.text); *at != '\0'; at += strcspn(at, "\n") + 1)
            t2_info("  initial values: %.*s", (int) strcspn(at, "\n"), at);
    } else {
        t2_wrap(err, "--warm_start_from");
    }
    t2_buf_release(&w.text);
    return st;
}

static enum t2_status choose_metrics(struct tr_run *r, struct t2_err *err)
{
    const struct mdl_problem *p = &r->data.problem;
    bool pixels = p->pixels.height > 0;
    const struct tr_metric_target target = {
        .values = tr_value_kind(p->target),
        .n_values = p->targets_vocab,
        .class_labels = p->class_labels,
        .images = mdl_classifies_images(p),
        .pixels = pixels,
        .mixtures = pixels && mdl_hp_has(r->hp, "likelihood") &&
                    strcmp(mdl_hp_string(r->hp, "likelihood"), "dmol") == 0,
        .has_inputs = !pixels && !tr_is_language_model(r) && !r->data.view->is_speech &&
                      !p->describes && r->data.n_others == 0,
        .masked = p->targets_mask,
    };

    if (!r->eval)
        return T2_OK;
    r->id_scores = tr_problem_metrics(r->data.view);
    if (!target.mixtures)
        r->id_scores &= ~(unsigned) EV_DMOL_PERPLEXITY;
    return r->options.eval_metrics ? tr_ask_metrics(r->options.eval_metrics, &target, &r->id_scores,
                                                    &r->value_scores, err)
                                   : T2_OK;
}

/* The memory is known before any of it is allocated. */
static enum t2_status open_model(struct tr_run *r, struct t2_err *err)
{
    struct gr_params *params;

    T2_TRY(dev_open_nth(r->options.device, dist_index_here(r->dist), r->options.num_threads,
                        &r->dev, err));
    if (r->options.host_threads > 0)
        dev_set_host_threads(r->dev, r->options.host_threads);
    T2_TRY(settle_precision(r, err));
    tr_measure_program(r);
    T2_TRY(mdl_describe(r->state.model, r->dev, r->hp, &r->data.problem,
                        r->options.train ? MDL_TRAIN : MDL_EVAL, &r->model, err));
    mdl_set_remat(r->model, r->options.remat);
    T2_TRY(choose_metrics(r, err));
    T2_TRY(tr_check_sample_images(r, err));
    mdl_set_predicts(r->model, (r->id_scores & ~(unsigned) EV_OF_CALLER) != 0);
    if (r->options.profile)
        tr_profile_start(r);
    params = mdl_params(r->model);
    if (r->options.train)
        T2_TRY(opt_plan_share(r->hp, params, tr_share(r), &r->optimizer_bytes, err));
    tr_ranks_make_shards(r);
    r->limit.device = dev_memory_left(r->dev); /* of which connected cards have taken some */
    T2_TRY(tr_check_model(r, err));
    T2_TRY(choose_batch_size(r, err));
    T2_TRY(plan(r, err));
    T2_TRY(place(r, err));
    if (r->restored && !r->opt)
        return ckpt_restore_for_use(r->output_dir, r->state.step, r->hp, params, err);
    if (r->restored)
        return ckpt_restore(r->output_dir, r->state.step, params, r->opt, err);
    params->repeats = r->options.dry_run;
    T2_TRY(mdl_initialise(r->model, r->state.seed, err));
    if (r->options.warm_start_from)
        T2_TRY(warm_start(r, err));
    if (r->opt)
        opt_start_averages(r->opt);
    return T2_OK;
}

/* Names, once, the hparams that were set and mean nothing for this run. */
static enum t2_status name_unread(const struct tr_run *r, struct t2_err *err)
{
    double rate;

    if (!r->options.train)
        return T2_OK;
    /* also finds what is wrong with the schedule before step 0 */
    T2_TRY(opt_learning_rate(r->hp, r->state.step, r->options.train_steps, &rate, err));
    return mdl_hparams_name_unread(r->hp, NULL, err);
}

/* ---- life ---- */

static enum t2_status check_options(const struct tr_options *o, struct t2_err *err)
{
    if (!o->output_dir || o->output_dir[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--output_dir is missing: the folder of the run");
    if (!o->data_dir || o->data_dir[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--data_dir is missing: the folder of the shards");
    if (o->train_steps < 0 || o->eval_steps < 0)
        return t2_fail(err, T2_EUSAGE, "--train_steps and --eval_steps must not be negative");
    if (o->replay_step < 0 || o->replay_step > o->train_steps)
        return t2_fail(err, T2_EUSAGE, "--replay_step is one of --train_steps, not %" PRId64,
                       o->replay_step);
    if (o->replay_step > 0 && !o->train)
        return t2_fail(err, T2_EUSAGE, "--replay_step is about a training step");
    if (o->max_corrupt < 0)
        return t2_fail(err, T2_EUSAGE, "--max_corrupt must not be negative");
    if (o->pause_at_step < 0)
        return t2_fail(err, T2_EUSAGE, "--pause_at_step must not be negative");
    if (o->local_eval_frequency < 1 || o->log_step_count_steps < 1)
        return t2_fail(err, T2_EUSAGE,
                       "--local_eval_frequency and --log_step_count_steps must be at least 1");
    if (o->profile && !o->train)
        return t2_fail(err, T2_EUSAGE, "--profile is about training steps: no --schedule=evaluate");
    if (o->save_checkpoints_secs < 0 || o->save_checkpoints_steps < 0 || o->keep_checkpoint_max < 0)
        return t2_fail(err, T2_EUSAGE,
                       "--save_checkpoints_secs, --save_checkpoints_steps and "
                       "--keep_checkpoint_max must not be negative");
    T2_TRY(tr_check_milestones(o, err));
    if (o->save_checkpoints_secs > 0 && o->save_checkpoints_steps > 0)
        return t2_fail(err, T2_EUSAGE,
                       "--save_checkpoints_secs and --save_checkpoints_steps are both given");
    return T2_OK;
}

static enum t2_status open_run(struct tr_run *r, struct t2_err *err)
{
    struct mdl_hparams *old = NULL;
    struct t2_file_info at;
    enum t2_status st;

    T2_TRY(check_options(&r->options, err));
    r->output_dir = t2_path_expand(r->options.output_dir);
    r->data_dir = t2_path_expand(r->options.data_dir);
    r->limit.host = r->options.max_memory ? r->options.max_memory
                                          : t2_memory_available() / (uint64_t) r->dist->n_here;
    T2_TRY(t2_look_at(r->data_dir, &at, err));
    if (at.kind != T2_FILE_DIR)
        return t2_fail(err, T2_ENOTFOUND, "--data_dir '%s' is not a folder", r->data_dir);
    T2_TRY(tr_model_text_read(&r->options.model, &r->model_text, err));
    T2_GOTO(st, out, find_checkpoint(r, &old, err));
    T2_GOTO(st, out, settle_names(r, err));
    T2_GOTO(st, out, tr_model_text_check(r->model_text, r->options.model, old, r->output_dir, err));
    T2_GOTO(st, out, tr_ranks_settle_shards(r, err));
    if (r->restored && !old && r->options.hparams_set)
        T2_GOTO(st, out, ckpt_tf_hparams(r->output_dir, r->options.hparams_set, &old, err));
    T2_GOTO(st, out, settle_hparams(r, old, err));
    T2_GOTO(st, out, open_data(r, err));
    T2_GOTO(st, out, open_inputs(r, err));
    T2_GOTO(st, out, open_model(r, err));
    st = name_unread(r, err);
out:
    mdl_hparams_free(old);
    return st;
}

enum t2_status tr_run_open(const struct tr_options *options, struct tr_run **run,
                           struct t2_err *err)
{
    struct tr_run *r = t2_alloc(1, sizeof *r);
    enum t2_status st;

    *run = NULL;
    r->options = *options;
    r->saved_step = r->saving_step = -1;
    r->batch_memory = tr_batch_memory(&r->dev);
    st = tr_ranks_open(r, err);
    if (st == T2_OK)
        st = open_run(r, err);
    if (st == T2_OK)
        st = tr_ranks_check_alike(r, err);
    if (st != T2_OK)
        tr_run_free(r);
    else
        *run = r;
    return st;
}

void tr_run_free(struct tr_run *r)
{
    if (!r)
        return;
    tr_profile_stop(r);
    ev_report_close(r->report);
    tr_summaries_close(r->summaries);
    t2_lock_give(&r->lock);
    if (r->model)
        mdl_forget_sent(r->model);
    in_free(r->train);
    in_free(r->eval);
    tr_saves_close(r);
    opt_free(r->opt);
    tr_shards_free(r->shards);
    mdl_free(r->model);
    if (r->dev)
        dev_close(r->dev);
    tr_data_set_release(&r->data);
    mdl_hparams_free(r->hp);
    t2_free(r->output_dir);
    t2_free(r->data_dir);
    t2_free(r->model_text);
    dist_close(r->alone);
    t2_free(r);
}

/* ---- files of the run ---- */

/* The text as a JSON string; owned by the caller. */
static char *quoted(const char *text)
{
    struct t2_buf b = {0};
    struct t2_json j;

    t2_json_init(&j, &b, 0);
    t2_json_string(&j, text);
    return t2_buf_detach(&b);
}

/* hparams.json with T2T's run-time entries (spec t2t-trainer.md §1.2). */
static enum t2_status write_hparams(const struct tr_run *r, struct t2_err *err)
{
    const char *from = r->options.warm_start_from;
    char *strings[] = {quoted(r->data_dir), quoted(r->output_dir), quoted(r->options.schedule),
                       from ? quoted(from) : t2_strdup("null")};
    char train_steps[32], eval_steps[32], frequency[32];
    enum t2_status st;

    snprintf(train_steps, sizeof train_steps, "%" PRId64, r->options.train_steps);
    snprintf(eval_steps, sizeof eval_steps, "%" PRId64, r->options.eval_steps);
    snprintf(frequency, sizeof frequency, "%" PRId64, r->options.local_eval_frequency);
    {
        const struct tr_runtime_entry entries[] = {
            {"data_dir", strings[0]},
            {"eval_freq_in_steps", frequency},
            {"eval_steps", eval_steps},
            {"eval_timeout_mins", "240"},
            {"model_dir", strings[1]},
            {"schedule", strings[2]},
            {"std_server_protocol", "\"grpc\""},
            {"train_steps", train_steps},
            {"warm_start_from", strings[3]},
        };

        st = tr_hparams_write(r->output_dir, r->hp, entries, sizeof entries / sizeof *entries, err);
    }
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        t2_free(strings[i]);
    return st;
}

/* run.json: the plan above all, to be compared with what the run took. */
static enum t2_status write_description(const struct tr_run *r, struct t2_err *err)
{
    char *path = t2_path_join(r->output_dir, "run.json");
    struct t2_buf text = {0};
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &text, 1);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", "run");
    tr_run_json(r, &j);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* Between reading the checkpoint and taking the lock another run may have gone on. */
static enum t2_status check_still_newest(const struct tr_run *r, struct t2_err *err)
{
    int64_t *steps = NULL, newest = -1;
    size_t n;

    T2_TRY(ckpt_list(r->output_dir, &steps, &n, err));
    if (n > 0)
        newest = steps[n - 1];
    t2_free(steps);
    if (newest != r->saved_step)
        return t2_fail(err, T2_EUSAGE,
                       "another run has saved step %" PRId64
                       " in '%s' meanwhile: run the same command again",
                       newest, r->output_dir);
    return T2_OK;
}

static enum t2_status begin(struct tr_run *r, struct t2_err *err)
{
    int64_t n_removed = 0;

    T2_TRY(t2_make_dirs(r->output_dir, err));
    if (r->options.train) {
        T2_TRY(t2_lock_take(r->output_dir, "training", "training", &r->lock, err));
        T2_TRY(check_still_newest(r, err));
        T2_TRY(ckpt_remove_unfinished(r->output_dir, &n_removed, err));
        if (n_removed > 0)
            t2_info("removed %" PRId64 " files of checkpoints that an earlier run did not finish",
                    n_removed);
        T2_TRY(write_hparams(r, err));
        T2_TRY(tr_model_text_keep(r->output_dir, r->state.model, r->hp, err));
        T2_TRY(write_description(r, err));
    }
    T2_TRY(ev_report_open(r->output_dir, r->options.train ? r->state.step : INT64_MAX,
                          r->options.emit, r->options.emit_context, &r->report, err));
    return r->options.tensorboard ? tr_summaries_open(r, &r->summaries, err) : T2_OK;
}

/* Folders and reports are rank 0's. */
enum t2_status tr_run_begin(struct tr_run *r, struct t2_err *err)
{
    return dist_agree(r->dist, tr_ranks_writes(r) ? begin(r, err) : T2_OK, err);
}
