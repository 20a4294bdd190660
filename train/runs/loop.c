/*
 * train/runs/loop.c - the training loop: only the order of things.
 *
 * One step: the next batch, forward and backward pass, check of the loss, update.  After it, as
 * they are due: a report line, a checkpoint, an evaluation.  A signal is answered after the step in
 * which it came, by a checkpoint; a loss, gradient or variable that is not finite ends the run
 * before anything is updated or written over.
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
#include "train/runs/run_profile.h"

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
    double saved_s; /* when the last checkpoint was written */
    bool said_something, live_line;
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

/* Results of one step. */
struct step {
    double loss, tokens;
    struct opt_report update;
};

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
        .target_tokens = m->tokens,
        .target_tokens_per_s = m->tokens / fmax(train_s, 1e-9),
        .steps_per_s = (double) m->n_steps / fmax(train_s, 1e-9),
        .stall = fmin(1.0, (in.wait_s - m->line_wait_s) / fmax(train_s, 1e-9)),
        .save_s = m->save_s,
        .eval_s = m->eval_s,
        .samples = r->state.samples,
        .epoch = (double) r->state.samples / (double) in.n_kept,
        .wall_s = r->state.wall_seconds,
        .images = r->data.problem.image.height > 0,
        .eta_s = (now - m->began_s) / (double) (r->state.step - m->began_step) * (double) left,
    };
}

static enum t2_status report(struct tr_run *r, struct meter *m, const struct step *s,
                             struct t2_err *err)
{
    struct ev_train_line line = line_of(r, m, s);

    m->said_something = true;
    meter_line(m, r->train);
    return ev_report_train(r->report, &line, err);
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

/* ---- what is not finite ---- */

static void put_ids(struct t2_json *j, const char *key, const int32_t *ids, int32_t rows,
                    int32_t width)
{
    t2_json_key(j, key);
    t2_json_array(j);
    for (int32_t i = 0; i < rows; i++) {
        t2_json_array(j);
        for (int32_t k = 0; k < width; k++)
            t2_json_i64(j, ids[i * width + k]);
        t2_json_end_array(j);
    }
    t2_json_end_array(j);
}

/* Keeps the batch for whoever looks for the reason. */
static enum t2_status dump_batch(const struct tr_run *r, const struct mdl_batch *b, char **path,
                                 struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st;
    struct t2_json j;

    *path = t2_asprintf("%s/not-finite-%" PRId64 ".json", r->output_dir, r->state.step + 1);
    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_kv_i64(&j, "step", r->state.step + 1);
    if (b->inputs)
        put_ids(&j, "inputs", b->inputs, b->batch, b->inputs_length);
    put_ids(&j, "targets", b->targets, b->batch, b->targets_length);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    st = t2_write_file(*path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

static const char *saved_text(const struct tr_run *r, char *out, size_t n)
{
    if (r->saved_step < 0)
        snprintf(out, n, "no checkpoint was written yet");
    else
        snprintf(out, n, "the checkpoint of step %" PRId64 " is intact", r->saved_step);
    return out;
}

/*
 * `what` names the number that is not finite; the batch is kept for whoever looks for the reason.
 */
static enum t2_status stop_not_finite(const struct tr_run *r, const char *what,
                                      const struct mdl_batch *batch, struct t2_err *err)
{
    struct t2_err dump_err = T2_ERR_INIT;
    char saved[80];
    char *path = NULL;
    bool dumped = dump_batch(r, batch, &path, &dump_err) == T2_OK;

    (void) t2_fail(err, T2_EFORMAT,
                   "step %" PRId64 ": %s; %s; %s%s%s; to go on, lower the learning rate, for "
                   "example --hparams=learning_rate_constant=... --allow_hparams_change",
                   r->state.step + 1, what, saved_text(r, saved, sizeof saved),
                   dumped ? "the batch is in '" : dump_err.message, dumped ? path : "",
                   dumped ? "'" : "");
    t2_free(path);
    return T2_EFORMAT;
}

/* The first that is not finite, or n.  With `squares` also one so large that its square is not: the
 * next step would find that out, but a checkpoint is written before it. */
static int64_t first_out_of_range(const float *x, int64_t n, bool squares)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(squares ? x[i] * x[i] : x[i]))
            return i;
    return n;
}

/* A variable, or a slot of the optimizer. */
struct values {
    const char *what, *name;
    const float *values; /* device memory */
    int64_t n;
    bool squares;
};

static enum t2_status check_values(const struct tr_run *r, const struct values *v, float *piece,
                                   int64_t piece_floats, struct t2_err *err)
{
    char saved[80];

    for (int64_t at = 0; at < v->n; at += piece_floats) {
        int64_t n = v->n - at < piece_floats ? v->n - at : piece_floats, bad;

        r->dev->download(r->dev, piece, v->values + at, (size_t) n * sizeof *piece);
        bad = first_out_of_range(piece, n, v->squares);
        if (bad < n)
            return t2_fail(err, T2_EFORMAT,
                           "element %" PRId64 " of %s '%s' is not finite%s, after step %" PRId64
                           ": nothing was saved; %s",
                           at + bad, v->what, v->name, v->squares ? ", or beyond 10^19" : "",
                           r->state.step, saved_text(r, saved, sizeof saved));
    }
    return T2_OK;
}

/* Before a save: numbers that are not finite must not replace a checkpoint whose numbers are. */
static enum t2_status check_finite(struct tr_run *r, struct t2_err *err)
{
    enum { PIECE = 1 << 16 };
    const struct gr_params *p = mdl_params(r->model);
    float *piece = t2_alloc(PIECE, sizeof *piece);
    enum t2_status st = T2_OK;

    for (int i = 0; i < p->n_variables && st == T2_OK; i++) {
        const struct gr_variable *v = &p->variables[i];

        st = check_values(r,
                          &(struct values){"variable", v->name, p->values + v->offset, v->n, true},
                          piece, PIECE, err);
    }
    for (size_t i = 0; i < opt_slot_count(r->opt) && st == T2_OK; i++) {
        struct opt_slot s = opt_slot_at(r->opt, i);

        st = check_values(r, &(struct values){"slot", s.name, s.values, s.n, false}, piece, PIECE,
                          err);
    }
    t2_free(piece);
    return st;
}

/* ---- parts of the loop ---- */

static enum t2_status one_step(struct tr_run *r, struct step *s, struct t2_err *err)
{
    struct mdl_batch batch;
    struct mdl_loss loss;
    struct t2_err update_err = T2_ERR_INIT;
    uint64_t samples;
    double at_s[4];
    enum t2_status st;

    at_s[0] = t2_now_s();
    T2_TRY(in_next(r->train, &batch, &samples, err));
    at_s[1] = t2_now_s();
    T2_TRY(mdl_train_step(r->model, &batch, r->state.seed, (uint64_t) r->state.step, &loss, err));
    at_s[2] = t2_now_s();
    if (loss.denominator == 0.0 && !r->said_padding) {
        r->said_padding = true;
        t2_warn("step %" PRId64 ": all targets of the batch are padding, its gradients are 0",
                r->state.step + 1);
    }
    s->tokens = loss.denominator;
    s->loss = loss.numerator / fmax(1.0, loss.denominator);
    if (!isfinite(s->loss))
        return stop_not_finite(r,
                               isnan(s->loss) ? "the loss is not a number" : "the loss is infinite",
                               &batch, err);
    s->update = (struct opt_report){0};
    st = opt_step(r->opt, r->state.step, r->options.train_steps, &s->update, &update_err);
    if (st == T2_EFORMAT)
        return stop_not_finite(r, update_err.message, &batch, err);
    if (st != T2_OK) {
        *err = update_err;
        return st;
    }
    at_s[3] = t2_now_s();
    tr_profile_step(r, at_s);
    s->loss += s->update.weight_decay_loss;
    r->state.step++;
    r->state.samples = samples;
    return T2_OK;
}

static enum t2_status save(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    double since = t2_now_s();
    char saved[80];

    if (r->saved_step == r->state.step)
        return T2_OK;
    T2_TRY(check_finite(r, err));
    if (ckpt_save(r->output_dir, &r->state, r->hp, mdl_params(r->model), r->opt,
                  r->options.keep_checkpoint_max, err) != T2_OK)
        return t2_wrap(err,
                       "step %" PRId64 " could not be saved (%s; run the same command again "
                       "to continue)",
                       r->state.step, saved_text(r, saved, sizeof saved));
    r->saved_step = r->state.step;
    m->saved_s = t2_now_s();
    m->save_s += m->saved_s - since;
    t2_info("step %" PRId64 "  saved to '%s'", r->state.step, r->output_dir);
    return T2_OK;
}

static bool save_is_due(const struct tr_run *r, const struct meter *m)
{
    if (r->state.step == r->options.train_steps)
        return true;
    if (r->options.save_checkpoints_secs > 0)
        return t2_now_s() - m->saved_s >= (double) r->options.save_checkpoints_secs;
    if (r->options.save_checkpoints_steps > 0)
        return r->state.step % r->options.save_checkpoints_steps == 0;
    return r->state.step % r->options.local_eval_frequency == 0;
}

static bool eval_is_due(const struct tr_run *r)
{
    return r->eval && (r->state.step == r->options.train_steps ||
                       r->state.step % r->options.local_eval_frequency == 0);
}

static enum t2_status evaluate_timed(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    double since = t2_now_s();
    struct ev_scores scores;

    T2_TRY(tr_evaluate(r, &scores, err));
    m->eval_s += t2_now_s() - since;
    return T2_OK;
}

/* Saves the step before the run ends; an interrupted evaluation comes here, too, as its step need
 * not have been saved. */
static enum t2_status stop_interrupted(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    T2_TRY(save(r, m, err));
    return t2_fail(err, T2_EINTERRUPTED,
                   "interrupted after step %" PRId64
                   ", which is saved in '%s'; run the same command again to continue",
                   r->state.step, r->output_dir);
}

/* After a step: report, save, evaluate, as it is due. */
static enum t2_status after_step(struct tr_run *r, struct meter *m, const struct step *s,
                                 struct t2_err *err)
{
    enum t2_status st = T2_OK;

    m->loss_sum += s->loss;
    m->tokens += s->tokens;
    m->n_steps++;
    r->state.wall_seconds = m->began_wall_s + (t2_now_s() - m->began_s);
    if (r->state.step % r->options.log_step_count_steps == 0 ||
        r->state.step == r->options.train_steps)
        T2_TRY(report(r, m, s, err));
    else
        show_signs_of_life(r, m, s);
    if (t2_interrupted())
        return stop_interrupted(r, m, err);
    if (save_is_due(r, m))
        T2_TRY(save(r, m, err));
    if (eval_is_due(r))
        st = evaluate_timed(r, m, err);
    return st == T2_EINTERRUPTED ? stop_interrupted(r, m, err) : st;
}

static enum t2_status train_steps(struct tr_run *r, struct meter *m, struct t2_err *err)
{
    struct step s;
    char text[64];

    snprintf(text, sizeof text, "step %" PRId64 "/%" PRId64, r->state.step, r->options.train_steps);
    t2_progress_live_draw(&m->live, text);
    while (r->state.step < r->options.train_steps) {
        enum t2_status st = one_step(r, &s, err);
        if (st == T2_EINTERRUPTED) /* while the batch was read: nothing has changed */
            return stop_interrupted(r, m, err);
        T2_TRY(st);
        T2_TRY(after_step(r, m, &s, err));
    }
    return T2_OK;
}

enum t2_status tr_train(struct tr_run *r, struct t2_err *err)
{
    struct meter m;
    enum t2_status st;

    meter_begin(&m, r);
    if (r->state.step >= r->options.train_steps) {
        t2_info("step %" PRId64 " is reached already (--train_steps=%" PRId64 ")", r->state.step,
                r->options.train_steps);
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

/* ---- evaluation and estimate ---- */

static enum t2_status evaluate_batches(struct tr_run *r, struct ev_sums *sums,
                                       struct t2_progress *progress, struct t2_err *err)
{
    while ((int64_t) sums->n_batches < r->options.eval_steps) {
        struct mdl_batch batch;
        struct mdl_loss loss;
        uint64_t samples;
        enum t2_status st;

        T2_TRY(t2_check_interrupt(err));
        st = in_next(r->eval, &batch, &samples, err);
        if (st == T2_EOF)
            break;
        if (st != T2_OK)
            return st;
        T2_TRY(mdl_evaluate(r->model, &batch, &loss, err));
        ev_sums_add(sums, &loss, &batch);
        t2_progress_update(progress, sums->n_batches);
    }
    return T2_OK;
}

/*
 * With moving averages these are evaluated: they change places with the variables and back again.
 */
enum t2_status tr_evaluate(struct tr_run *r, struct ev_scores *scores, struct t2_err *err)
{
    double since = t2_now_s();
    struct ev_sums sums = {0};
    struct t2_progress progress;
    enum t2_status st;

    T2_ASSERT(r->eval);
    T2_TRY(in_rewind(r->eval, 0, err));
    if (r->opt)
        opt_swap_averages(r->opt);
    t2_progress_start(&progress, "evaluating", "batches",
                      (uint64_t) fmin((double) r->options.eval_steps,
                                      ceil(in_stats_of(r->eval).batches_per_epoch)));
    st = evaluate_batches(r, &sums, &progress, err);
    t2_progress_end(&progress);
    if (r->opt)
        opt_swap_averages(r->opt);
    if (st != T2_OK)
        return st;
    *scores = ev_sums_scores(&sums);
    return ev_report_eval(r->report,
                          &(struct ev_eval_line){.step = r->state.step,
                                                 .split = dg_split_name(r->eval_split),
                                                 .scores = *scores,
                                                 .images = r->data.problem.image.height > 0,
                                                 .seconds = t2_now_s() - since},
                          err);
}

/*
 * Batches are cut to their first rows until a step is long enough to be measured: of batches that
 * take minutes the first would not end before somebody gives up.
 */
struct estimate {
    int32_t rows;           /* of a batch that are taken; all are when it has not more */
    bool settled;           /* no longer growing: what follows is measured */
    double seconds, tokens; /* of the steps that are */
};

static enum t2_status estimate_step(struct tr_run *r, struct estimate *e, uint64_t step,
                                    struct t2_err *err)
{
    const double long_enough_s = 0.5;
    struct mdl_batch batch;
    struct mdl_loss loss;
    uint64_t samples;
    double at_s[4];
    bool whole;

    T2_TRY(t2_check_interrupt(err));
    at_s[0] = t2_now_s();
    T2_TRY(in_next(r->train, &batch, &samples, err));
    at_s[1] = t2_now_s();
    whole = batch.batch <= e->rows;
    if (!whole)
        batch.batch = e->rows;
    T2_TRY(mdl_train_step(r->model, &batch, r->state.seed, step, &loss, err));
    at_s[2] = at_s[3] = t2_now_s();
    tr_profile_step(r, at_s);
    if (e->settled) {
        e->tokens += loss.denominator;
        e->seconds += at_s[2] - at_s[0];
    } else if (whole || at_s[2] - at_s[1] > long_enough_s) {
        e->settled = true; /* the first of its shape is also the slowest */
    } else {
        e->rows = e->rows < INT32_MAX / 4 ? 4 * e->rows : INT32_MAX;
    }
    return T2_OK;
}

enum t2_status tr_estimate(struct tr_run *r, double *seconds_per_step, double *target_tokens_per_s,
                           struct t2_err *err)
{
    enum { MOST = 40 };
    const double enough_s = 3.0;
    struct in_stats in = in_stats_of(r->train);
    struct estimate e = {.rows = 1};

    for (uint64_t i = 0; (i < MOST && e.seconds < enough_s) || e.seconds == 0; i++)
        T2_TRY(estimate_step(r, &e, i, err));
    *target_tokens_per_s = e.tokens / e.seconds;
    *seconds_per_step = (double) in.n_target_tokens / in.batches_per_epoch / *target_tokens_per_s;
    return T2_OK;
}
