/*
 * train/runs/loop.c - the training loop: only the order of things.
 *
 * One step: the next batch, forward and backward pass, update.  Then, as they are due: a report
 * line, a checkpoint, which is written beside the next steps (saves.h), an evaluation.  A signal is
 * answered after the step in which it came, by a checkpoint; a loss, gradient or variable that is
 * not finite ends the run, and nothing was updated by it or written over.
 */
#include "train/runs/loop.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/progress.h"
#include "base/signals.h"
#include "datagen/problem.h"
#include "train/device/kernels.h"
#include "train/graph/layouts.h"
#include "train/input/chunks.h"
#include "train/runs/evaluate.h"
#include "train/runs/milestones.h"
#include "train/runs/next_batch.h"
#include "train/runs/not_finite.h"
#include "train/runs/ranks.h"
#include "train/runs/run_profile.h"
#include "train/runs/saves.h"
#include "train/runs/shared_optimizer.h"
#include "train/runs/summaries.h"
#include "train/runs/trend.h"

/* ---- where time and loss went since the last report line ---- */

struct meter {
    double began_s; /* of this process's training */
    int64_t began_step;
    double began_wall_s;   /* training time of the run before */
    double line_s;         /* when the last line was written */
    double line_wait_s;    /* what in_stats said then */
    double save_s, eval_s; /* since then */
    double loss_sum, tokens;
    int64_t n_steps;
    double last_loss; /* of the last step that was settled */
    struct opt_report last_update;
    double saved_s; /* when the last checkpoint was written */
    bool said_something, live_line;
    struct tr_trend trend;
    struct t2_progress live; /* the line that is redrawn on a terminal */
};

static void meter_line(struct meter *m, const struct in_input *train)
{
    m->line_s = t2_now_s();
    m->line_wait_s = in_stats_of(train).wait_s;
    m->save_s = m->eval_s = m->loss_sum = m->tokens = 0;
    m->n_steps = 0;
}

static void meter_begin(struct meter *m, const struct tr_run *r)
{
    *m = (struct meter){0};
    m->began_s = m->saved_s = t2_now_s();
    m->began_step = r->state.step;
    m->began_wall_s = r->state.wall_seconds;
    meter_line(m, r->train);
}

/* One step and, when it is settled, its results. */
struct step {
    int64_t number;        /* from 1 */
    uint64_t first_sample; /* state.samples before it */
    double at_s[4];        /* tr_profile_step */
    bool not_finite;       /* of settle_step, which then failed */
    bool skipped;          /* its gradients were too large for float16: nothing was updated */
    double loss, tokens;
    struct opt_report update;
    /* The ids of its batch, for whoever looks for the reason of what is not finite. */
    int32_t batch, inputs_length, targets_length;
    int32_t *ids; /* (batch, inputs_length), then (batch, targets_length) */
    size_t ids_capacity;
};

static size_t n_inputs(const struct step *s)
{
    return (size_t) s->batch * (size_t) s->inputs_length;
}

static void keep_ids(struct step *s, const struct mdl_batch *b)
{
    size_t n_targets = b->targets ? (size_t) b->batch * (size_t) b->targets_length : 0;

    s->batch = b->batch;
    s->inputs_length = b->inputs ? b->inputs_length : 0;
    s->targets_length = b->targets ? b->targets_length : 0;
    if (!s->ids || s->ids_capacity < n_inputs(s) + n_targets) {
        t2_free(s->ids);
        s->ids_capacity = n_inputs(s) + n_targets;
        s->ids = t2_alloc(s->ids_capacity, sizeof *s->ids);
    }
    if (n_inputs(s) > 0)
        memcpy(s->ids, b->inputs, n_inputs(s) * sizeof *s->ids);
    if (n_targets > 0)
        memcpy(s->ids + n_inputs(s), b->targets, n_targets * sizeof *s->ids);
}

static struct ev_train_line line_of(const struct tr_run *r, const struct meter *m,
                                    const struct step *s)
{
    double now = t2_now_s(), train_s = now - m->line_s - m->save_s - m->eval_s;
    struct in_stats in = in_stats_of(r->train);
    int64_t left = r->options.train_steps - r->state.step;

    return (struct ev_train_line){
        .step = r->state.step,
        .train_steps = r->options.train_steps,
        .loss = s->loss,
        .loss_mean = m->loss_sum / (double) m->n_steps,
        .n_steps = m->n_steps,
        .learning_rate = s->update.learning_rate,
        .gradient_norm = s->update.gradient_norm,
        .weight_decay_loss = s->update.weight_decay_loss,
        .target_tokens = m->tokens,
        .target_tokens_per_s = m->tokens / fmax(train_s, 1e-9),
        .steps_per_s = (double) m->n_steps / fmax(train_s, 1e-9),
        .stall = fmin(1.0, (in.wait_s - m->line_wait_s) / fmax(train_s, 1e-9)),
        .save_s = m->save_s,
        .eval_s = m->eval_s,
        .samples = in_position_samples(r->state.samples),
        .epoch = (double) in_position_samples(r->state.samples) / (double) in.n_kept,
        .wall_s = r->state.wall_seconds,
        .memory = t2_memory_peak(),
        .images = mdl_classifies_images(&r->data.problem),
        .pixels = r->data.problem.pixels.height > 0,
        .bits_per_dim = ev_bits((m->loss_sum / (double) m->n_steps - s->update.weight_decay_loss) /
                                r->data.problem.loss_multiplier),
        .eta_s = (now - m->began_s) / (double) (r->state.step - m->began_step) * (double) left,
    };
}

static void warn_of_trend(struct meter *m, const struct ev_train_line *line)
{
    struct t2_buf warnings = {0}, notes = {0};

    tr_trend_line(&m->trend, line, &warnings, &notes);
    for (const char *at = t2_buf_cstr(&warnings); *at != '\0'; at += strcspn(at, "\n") + 1)
        t2_warn("%.*s", (int) strcspn(at, "\n"), at);
    if (notes.len_bytes > 0)
        t2_info("%.*s", (int) notes.len_bytes - 1, t2_buf_cstr(&notes));
    t2_buf_release(&warnings);
    t2_buf_release(&notes);
}

static enum t2_status report(struct tr_run *r, struct meter *m, const struct step *s,
                             struct t2_err *err)
{
    struct ev_train_line line = line_of(r, m, s);
    const struct mdl_batch batch = {.batch = s->batch,
                                    .inputs_length = s->inputs_length,
                                    .targets_length = s->targets_length,
                                    .inputs = s->ids,
                                    .targets = s->ids + n_inputs(s)};

    m->said_something = true;
    meter_line(m, r->train);
    warn_of_trend(m, &line);
    if (!tr_ranks_writes(r))
        return T2_OK;
    T2_TRY(ev_report_train(r->report, &line, err));
    return tr_summaries_train(r->summaries, r, &line, &batch, err);
}

/* What a run did since its last line, when it ends between two of them; s: its last step. */
static enum t2_status report_rest(struct tr_run *r, struct meter *m, const struct step *s,
                                  struct t2_err *err)
{
    return m->n_steps > 0 ? report(r, m, s, err) : T2_OK;
}

/* A run that ends before its first line; with others the rest is the next process's. */
static bool has_no_line(const struct meter *m)
{
    return m->trend.n_lines == 0 && m->began_step == 0;
}

/* What such a run did before a step that is not finite.  Ids and gradients are those of that step,
 * so the line is of no batch. */
static enum t2_status report_before(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    const struct step last = {.loss = m->last_loss, .update = m->last_update};

    return has_no_line(m) ? report_rest(r, m, &last, err) : T2_OK;
}

/* Between the lines of --log_step_count_steps: on a terminal one that is redrawn, elsewhere a first
 * one when some steps, or some seconds, are over. */
static void show_signs_of_life(const struct tr_run *r, struct meter *m, const struct step *s)
{
    enum { FIRST_STEPS = 10 };
    const double first_s = 10;
    struct ev_train_line line;
    char text[160];

    if (t2_progress_live_due(&m->live)) {
        line = line_of(r, m, s);
        t2_progress_live_draw(&m->live, ev_report_live(&line, text, sizeof text));
    } else if (!m->live_line && !m->said_something &&
               (r->state.step - m->began_step >= FIRST_STEPS ||
                t2_now_s() - m->began_s >= first_s)) {
        line = line_of(r, m, s);
        ev_report_first(&line);
        m->said_something = true;
    }
}

/* ---- parts of the loop ---- */

/* Where this process stops: the last step of the run, or one before it. */
static int64_t stop_step(const struct tr_run *r)
{
    int64_t pause = r->options.pause_at_step;

    return pause > 0 && pause < r->options.train_steps ? pause : r->options.train_steps;
}

/* Gradients of float16 that are too large are no failure: the update is left out, and the loss
 * scale falls until they fit.  At 1 it is no longer the scale that makes them so. */
static bool overflowed(struct tr_run *r, const struct step *s, const struct t2_err *why)
{
    struct opt_loss_scale *l = &r->state.loss_scale;
    double before = l->scale;

    if (before <= 1.0)
        return false;
    opt_loss_scale_update(l, false);
    t2_info("step %" PRId64 ": %s, with the loss times %g; the next batch has %g", s->number,
            why->message, before, l->scale);
    return true;
}

static bool clock_asks_for_save(const struct tr_run *r, const struct meter *m)
{
    return t2_save_asked() ||
           (r->options.save_checkpoints_secs > 0 &&
            t2_now_s() - m->saved_s >= (double) r->options.save_checkpoints_secs);
}

/* A step is one recording of the device, but where its gradients are sums over shards, or a profile
 * wants to know about its parts. */
static enum t2_status queue_passes(struct tr_run *r, const struct mdl_batch *batch,
                                   int64_t n_targets, struct step *s, struct t2_err *err)
{
    const uint64_t step = (uint64_t) r->state.step;

    if (!r->shards && !r->profile) {
        T2_TRY(opt_queue_whole_step(r->opt, r->model, batch, r->state.seed, r->state.step,
                                    r->options.train_steps, err));
        s->at_s[2] = t2_now_s();
        return T2_OK;
    }
    if (r->shards)
        T2_TRY(tr_shards_queue_step(r->shards, batch, n_targets, r->state.seed, step, err));
    else
        T2_TRY(mdl_queue_step(r->model, batch, r->state.seed, step, err));
    if (r->profile) /* whose times are those of the work, not of its queueing */
        r->dev->sync(r->dev);
    s->at_s[2] = t2_now_s();
    return opt_queue_step(r->opt, r->state.step, r->options.train_steps, err);
}

/* Queues the step behind those of the run, and says what it was about. */
static enum t2_status queue_step(struct tr_run *r, const struct meter *m, struct step *s,
                                 struct t2_err *err)
{
    struct mdl_batch batch;
    int64_t n_targets;
    uint64_t samples;

    s->number = r->state.step + 1;
    s->first_sample = r->state.samples;
    tr_profile_begin_step(r, s->number, s->number == stop_step(r));
    s->at_s[0] = t2_now_s();
    T2_TRY(tr_ranks_next_batch(r, clock_asks_for_save(r, m), &batch, &samples, &n_targets, err));
    s->at_s[1] = t2_now_s();
    if (r->state.loss_scale.scale > 0.0)
        mdl_set_loss_scale(r->model, r->state.loss_scale.scale);
    tr_plant(r, s->number, s->first_sample);
    T2_TRY(queue_passes(r, &batch, n_targets, s, err));
    tr_plant_end(r);
    keep_ids(s, &batch);
    T2_TRY(tr_share_gather_values(r, err));
    r->state.step++;
    r->state.samples = samples;
    return T2_OK;
}

static enum t2_status not_finite(struct step *s, const char *what, struct t2_err *err)
{
    s->not_finite = true;
    return t2_fail(err, T2_EFORMAT, "%s", what);
}

/* Waits for what a step gave. */
static enum t2_status settle_step(struct tr_run *r, struct step *s, struct t2_err *err)
{
    struct t2_err update_err = T2_ERR_INIT;
    struct mdl_loss loss;
    enum t2_status st;

    s->skipped = s->not_finite = false;
    T2_TRY(mdl_take_loss(r->model, &loss, err));
    if (loss.denominator == 0.0 && !r->said_padding) {
        r->said_padding = true;
        t2_warn("step %" PRId64 ": all targets of the batch are padding, its gradients are 0",
                s->number);
    }
    s->tokens = loss.denominator;
    s->loss = loss.numerator / fmax(1.0, loss.denominator);
    if (!isfinite(s->loss)) {
        st = opt_take_step(r->opt, &s->update, &update_err);
        T2_ASSERT(st != T2_OK); /* it watches the loss */
        return not_finite(s, isnan(s->loss) ? "the loss is not a number" : "the loss is infinite",
                          err);
    }
    st = opt_take_step(r->opt, &s->update, &update_err);
    if (st == T2_EFORMAT && overflowed(r, s, &update_err)) {
        s->skipped = true;
        return T2_OK;
    }
    if (st == T2_EFORMAT)
        return not_finite(s, update_err.message, err);
    if (st != T2_OK) {
        *err = update_err;
        return st;
    }
    s->at_s[3] = t2_now_s();
    tr_profile_step(r, s->at_s);
    s->loss += s->update.weight_decay_loss;
    if (r->state.loss_scale.scale > 0.0)
        opt_loss_scale_update(&r->state.loss_scale, true);
    return T2_OK;
}

/* The step goes on when variables are copied. */
static enum t2_status save(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    double since = t2_now_s();

    T2_TRY(tr_save_begin(r, err));
    m->saved_s = t2_now_s();
    m->save_s += m->saved_s - since;
    return T2_OK;
}

static enum t2_status save_and_wait(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    T2_TRY(save(r, m, err));
    return tr_save_end(r, err);
}

static bool save_is_due(const struct tr_run *r, const struct meter *m)
{
    if (r->state.step == stop_step(r) || (r->shards ? r->saves_now : t2_save_asked()))
        return true;
    if (r->options.save_checkpoints_secs > 0)
        return r->shards ? r->saves_now : clock_asks_for_save(r, m);
    if (r->options.save_checkpoints_steps > 0)
        return r->state.step % r->options.save_checkpoints_steps == 0;
    return r->state.step % r->options.local_eval_frequency == 0;
}

static bool eval_is_due(const struct tr_run *r)
{
    return r->eval &&
           (r->state.step == stop_step(r) || r->state.step % r->options.local_eval_frequency == 0);
}

static enum t2_status evaluate_timed(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    double since = t2_now_s();
    struct ev_scores scores;
    bool stop;

    T2_TRY(tr_evaluate(r, &scores, err));
    m->eval_s += t2_now_s() - since;
    if (!r->options.train)
        return T2_OK;
    if (r->options.keep_checkpoint_best > 0)
        T2_TRY(tr_save_end(r, err));
    T2_TRY(tr_after_evaluation(r, &stop, err));
    if (stop && r->state.step > 0)
        r->options.pause_at_step = r->state.step;
    return T2_OK;
}

/* Saves the step before the run ends; an interrupted evaluation comes here, too, as its step need
 * not have been saved. */
static enum t2_status stop_interrupted(struct tr_run *r, struct meter *m, const struct step *s,
                                       struct t2_err *err)
{
    T2_TRY(save_and_wait(r, m, err));
    if (has_no_line(m))
        T2_TRY(report_rest(r, m, s, err));
    dist_all_know(r->dist);
    return t2_fail(err, T2_EINTERRUPTED,
                   "interrupted after step %" PRId64
                   ", which is saved in '%s'; run the same command again to continue",
                   r->state.step, r->output_dir);
}

static bool line_is_due(const struct tr_run *r)
{
    return r->state.step % r->options.log_step_count_steps == 0 || r->state.step == stop_step(r);
}

/* Waits for the results of a step, which count from now on. */
static enum t2_status settle(struct tr_run *r, struct meter *m, struct step *s, struct t2_err *err)
{
    enum t2_status st = settle_step(r, s, err);

    if (st != T2_OK) { /* it did not happen, nor did what was queued behind it */
        r->state.step = s->number - 1;
        r->state.samples = s->first_sample;
        return st;
    }
    if (s->skipped) { /* another batch has its number */
        r->state.step = s->number - 1;
        return T2_OK;
    }
    m->loss_sum += s->loss;
    m->tokens += s->tokens;
    m->n_steps++;
    m->last_loss = s->loss;
    m->last_update = s->update;
    r->state.wall_seconds = m->began_wall_s + (t2_now_s() - m->began_s);
    return T2_OK;
}

/* Ranks stop together, before a step. */
static bool interrupted_alone(const struct tr_run *r)
{
    return !r->shards && t2_interrupted();
}

/* After the run's last step is settled: report, save, evaluate, as it is due. */
static enum t2_status after_step(struct tr_run *r, struct meter *m, const struct step *s,
                                 struct t2_err *err)
{
    double mean = m->loss_sum / (double) m->n_steps;
    enum t2_status st = T2_OK;

    if (line_is_due(r))
        T2_TRY(report(r, m, s, err));
    else
        show_signs_of_life(r, m, s);
    if (line_is_due(r) && r->options.loss_bound > 0 && mean > r->options.loss_bound &&
        r->state.step >= r->options.bound_begin_steps) {
        T2_TRY(tr_save_end(r, err));
        return tr_above_bound(r, mean, err);
    }
    if (interrupted_alone(r))
        return stop_interrupted(r, m, s, err);
    if (save_is_due(r, m))
        T2_TRY(save(r, m, err));
    if (eval_is_due(r))
        st = evaluate_timed(r, m, err);
    return st == T2_EINTERRUPTED ? stop_interrupted(r, m, s, err) : st;
}

/* Steps of which one may be queued and not settled. */
struct in_flight {
    struct step steps[2]; /* in turn */
    int at;               /* the one that is queued next */
    bool waiting;         /* the other one is not settled */
};

static enum t2_status settle_waiting(struct tr_run *r, struct meter *m, struct in_flight *f,
                                     struct t2_err *err)
{
    struct step *s = &f->steps[1 - f->at];

    if (!f->waiting)
        return T2_OK;
    f->waiting = false;
    T2_TRY(settle(r, m, s, err));
    show_signs_of_life(r, m, s);
    return T2_OK;
}

/* The loss scale of a step follows from the one before it; a profile's times are those of one
 * step. */
static bool may_wait(const struct tr_run *r)
{
    return !r->dev->host_memory && !r->profile && r->state.loss_scale.scale <= 0.0;
}

/* A step that was not finite is looked at, and the run goes on behind it if that is asked for.
 * other_queued: behind it there is a step that changed nothing, whose loss nobody wants. */
static enum t2_status after_failure(struct tr_run *r, struct meter *m, const struct step *s,
                                    enum t2_status st, bool other_queued, struct t2_err *err)
{
    struct tr_bad_step bad = {.number = s->number, .first_sample = s->first_sample};
    struct t2_err what = *err;
    struct mdl_loss unused;

    if (!s->not_finite)
        return st;
    *err = (struct t2_err) T2_ERR_INIT;
    T2_TRY(tr_save_end(r, err));
    if (other_queued)
        T2_TRY(mdl_take_loss(r->model, &unused, err));
    if (r->options.on_nan == TR_NAN_STOP)
        T2_TRY(report_before(r, m, err));
    bad.what = what.message;
    bad.kept = (struct mdl_batch){.batch = s->batch,
                                  .inputs_length = s->inputs_length,
                                  .targets_length = s->targets_length,
                                  .inputs = s->ids,
                                  .targets = s->ids + n_inputs(s)};
    *err = (struct t2_err) T2_ERR_INIT;
    st = tr_not_finite(r, &bad, err);
    if (r->options.on_nan == TR_NAN_STOP)
        return st;
    what = *err;
    *err = (struct t2_err) T2_ERR_INIT;
    return tr_recover(r, &bad, &what, err);
}

/* On a device that works beside the host a step is settled behind the queueing of the next one, so
 * that it never waits for the host; but where something is due the host waits. */
static enum t2_status next_step(struct tr_run *r, struct meter *m, struct in_flight *f,
                                struct t2_err *err)
{
    struct step *s = &f->steps[f->at];
    enum t2_status st;

    T2_TRY(tr_save_poll(r, err));
    st = queue_step(r, m, s, err);

    if (st == T2_EINTERRUPTED) { /* while the batch was read: nothing has changed */
        struct t2_err other = T2_ERR_INIT;

        if (settle_waiting(r, m, f, &other) == T2_OK)
            return stop_interrupted(r, m, &f->steps[1 - f->at], err);
        *err = other;
        return other.status;
    }
    T2_TRY(st);
    st = settle_waiting(r, m, f, err);
    if (st != T2_OK)
        return after_failure(r, m, &f->steps[1 - f->at], st, true, err);
    f->at = 1 - f->at;
    f->waiting = may_wait(r) && !line_is_due(r) && !save_is_due(r, m) && !eval_is_due(r) &&
                 !interrupted_alone(r);
    if (f->waiting)
        return T2_OK;
    st = settle(r, m, s, err);
    if (st != T2_OK)
        return after_failure(r, m, s, st, false, err);
    return s->skipped ? T2_OK : after_step(r, m, s, err);
}

static enum t2_status train_steps(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    struct in_flight f = {0};
    enum t2_status st = T2_OK;
    char text[64];

    snprintf(text, sizeof text, "step %" PRId64 "/%" PRId64, r->state.step, r->options.train_steps);
    t2_progress_live_draw(&m->live, text);
    opt_watch_loss(r->opt, mdl_loss_on_device(r->model));
    /* the run was killed between the checkpoint and its evaluation */
    if (r->restored && r->state.step > 0 && eval_is_due(r)) {
        bool done;

        st = tr_is_evaluated(r, &done, err);
        if (st == T2_OK && !done)
            st = evaluate_timed(r, m, err);
    }
    while (st == T2_OK && r->state.step < stop_step(r))
        st = next_step(r, m, &f, err);
    if (st == T2_OK && r->state.step > m->began_step) { /* an early stop is between saves, lines */
        st = save_and_wait(r, m, err);
        if (st == T2_OK)
            st = report_rest(r, m, &f.steps[1 - f.at], err);
    }
    for (int i = 0; i < 2; i++)
        t2_free(f.steps[i].ids);
    return st;
}

/* A run that stopped early does so when it is continued. */
static enum t2_status stop_again(struct tr_run *r, struct t2_err *err)
{
    bool stop = false, done = false;

    if (r->restored && r->eval && r->state.step > 0)
        T2_TRY(tr_is_evaluated(r, &done, err));
    if (done)
        T2_TRY(tr_after_evaluation(r, &stop, err));
    if (stop)
        r->options.pause_at_step = r->state.step;
    return T2_OK;
}

enum t2_status tr_train(struct tr_run *r, struct t2_err *err)
{
    struct meter m;
    enum t2_status st;

    meter_begin(&m, r);
    T2_TRY(tr_check_alone(r, err));
    T2_TRY(stop_again(r, err));
    if (r->state.step >= stop_step(r)) {
        t2_info("step %" PRId64 " is reached already (--%s=%" PRId64 ")", r->state.step,
                stop_step(r) == r->options.train_steps ? "train_steps" : "pause_at_step",
                stop_step(r));
        return r->eval ? evaluate_timed(r, &m, err) : T2_OK;
    }
    t2_progress_start_live(&m.live);
    m.live_line = t2_progress_live_due(&m.live);
    st = train_steps(r, &m, err);
    t2_progress_end(&m.live);
    if (st != T2_OK)
        return st;
    t2_info("memory: at most %.1f MiB were used", (double) t2_memory_peak() / (1024.0 * 1024.0));
    return T2_OK;
}
