/*
 * train/tune/study_worker.c - claims, processes, results.
 *
 * One thread.  It sleeps until a child ends (SIGCHLD is blocked and waited for, so none is missed)
 * or it is time to look whether other processes have appended to the study's file.  Results and
 * claims are appended under the lock of the file; processes are started without it.
 */
#include "train/tune/study_worker.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/ckpt/checkpoint.h"
#include "train/tune/gp_draw.h"
#include "train/tune/next_trial.h"
#include "train/tune/tpe.h"
#include "train/tune/trial_metrics.h"
#include "train/tune/trial_process.h"

enum { MOST_DEATHS = 3 };

/* A trial that is trained here. */
struct slot {
    pid_t pid; /* 0: free */
    int64_t trial;
    int rung;
    double began_s;
    int lock_fd; /* holds the trial's lock while it is claimed */
    bool is_claimed, has_ended, was_signalled;
    int wait_status; /* when it has ended */
};

struct worker {
    struct tune_log *log;
    struct tune_trials *t;
    const struct tune_work_options *options;
    char *study_dir; /* absolute */
    struct slot *slots;
    char by[320]; /* host/process */
    int threads;  /* of each trial */
    double synced_s;
    bool nothing_left;
};

/* ---- whether somebody works on a trial ---- */

static bool is_here(const struct worker *w, int64_t trial)
{
    for (int i = 0; i < w->options->parallel; i++)
        if (w->slots[i].is_claimed && w->slots[i].trial == trial)
            return true;
    return false;
}

/* Here; in another worker; or a trainer whose worker was killed, and that is still saving. */
static enum tune_life life_of(void *context, int64_t trial)
{
    const struct worker *w = context;

    if (!tune_log_is_held(w->log, trial))
        return TUNE_GONE;
    return is_here(w, trial) || tune_log_is_attended(w->log, trial) ? TUNE_ALIVE : TUNE_ENDING;
}

/* ---- results ---- */

static int64_t newest_checkpoint(const char *dir)
{
    struct t2_err ignored = T2_ERR_INIT;
    int64_t *steps = NULL, newest = -1;
    size_t n = 0;

    if (ckpt_list(dir, &steps, &n, &ignored) == T2_OK && n > 0)
        newest = steps[n - 1];
    t2_free(steps);
    return newest;
}

/* It ended by itself: the objective, or that it is no number. */
static enum t2_status add_value(struct worker *w, const struct slot *s, const char *dir,
                                struct t2_err *err)
{
    const struct tune_study *study = &w->t->study;
    double value, seconds = t2_now_s() - s->began_s;
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st =
        tune_metric_at(dir, tune_study_metric(study), study->rungs[s->rung], &value, &why);

    if (st == T2_EUSAGE) {
        *err = why;
        return st; /* all trials would say the same */
    }
    if (st == T2_OK && isnan(value))
        st = t2_fail(&why, T2_EFORMAT, "%s is not a finite number at step %" PRId64,
                     tune_study_metric(study), study->rungs[s->rung]);
    if (st != T2_OK) {
        tune_say_failed(w->log, s->trial, s->rung, why.message);
        t2_warn("trial %" PRId64 " failed: %s", s->trial, why.message);
        return T2_OK;
    }
    tune_say_done(w->log, s->trial, s->rung, value, seconds);
    t2_info("trial %" PRId64 ": %s %.6g at step %" PRId64 "  (%s)", s->trial,
            tune_study_metric(study), value, study->rungs[s->rung], w->t->items[s->trial].hparams);
    return T2_OK;
}

static void add_death(struct worker *w, const struct slot *s, const char *dir)
{
    const struct tune_trial *trial = &w->t->items[s->trial];
    int64_t step = newest_checkpoint(dir);
    int deaths = step > trial->death_step ? 1 : trial->n_deaths + 1;
    char reason[160];

    snprintf(reason, sizeof reason, "killed by signal %d%s", WTERMSIG(s->wait_status),
             WTERMSIG(s->wait_status) == SIGKILL ? " (was memory short?)" : "");
    tune_say_died(w->log, s->trial, s->rung, reason, step);
    if (deaths < MOST_DEATHS) {
        t2_warn("trial %" PRId64 " was %s; it goes on from its last checkpoint", s->trial, reason);
        return;
    }
    snprintf(reason, sizeof reason, "killed by signal %d, %d times without a new checkpoint",
             WTERMSIG(s->wait_status), MOST_DEATHS);
    tune_say_failed(w->log, s->trial, s->rung, reason);
    t2_warn("trial %" PRId64 " failed: %s", s->trial, reason);
}

static void add_failure(struct worker *w, const struct slot *s, const char *dir)
{
    char *words = tune_last_words(dir);

    t2_warn("trial %" PRId64 " failed: %s", s->trial, words);
    tune_say_failed(w->log, s->trial, s->rung, words[0] ? words : "no reason was given");
    t2_free(words);
}

static enum t2_status add_result(struct worker *w, const struct slot *s, struct t2_err *err)
{
    enum { INTERRUPTED = 130 };
    char *dir = tune_trial_dir(w->study_dir, s->trial);
    bool was_asked = s->was_signalled || t2_interrupted();
    enum t2_status st = T2_OK;

    if (WIFEXITED(s->wait_status) && WEXITSTATUS(s->wait_status) == 0) {
        st = add_value(w, s, dir, err);
    } else if (was_asked) {
        ; /* the claim stays without a result: whoever continues the study continues the trial */
    } else if (WIFSIGNALED(s->wait_status)) {
        add_death(w, s, dir);
    } else if (WEXITSTATUS(s->wait_status) == INTERRUPTED) {
        tune_say_stop(w->log, s->trial);
        t2_warn("trial %" PRId64 " was stopped by a signal; `t2t-tune continue` goes on with it",
                s->trial);
    } else {
        add_failure(w, s, dir);
    }
    t2_free(dir);
    return st;
}

/* ---- under the lock ---- */

static void let_go(struct worker *w, const struct slot *s)
{
    tune_log_unattend(w->log, s->trial);
    tune_log_let_go(s->lock_fd);
}

/* A result that a machine loses with its power is found again in the folder of the trial, whose
 * checkpoint is on the disk; many in a second need not wait for it each. */
static bool is_sync_due(struct worker *w)
{
    const double every_s = 1;
    double now = t2_now_s();

    if (now - w->synced_s < every_s)
        return false;
    w->synced_s = now;
    return true;
}

static enum t2_status log_results(struct worker *w, struct t2_err *err)
{
    enum t2_status st = T2_OK, flushed;
    struct t2_err why = T2_ERR_INIT;

    for (int i = 0; i < w->options->parallel && st == T2_OK; i++)
        if (w->slots[i].has_ended)
            st = add_result(w, &w->slots[i], err);
    flushed = tune_log_flush(w->log, is_sync_due(w), &why);
    for (int i = 0; i < w->options->parallel; i++) {
        if (!w->slots[i].has_ended)
            continue;
        let_go(w, &w->slots[i]);
        w->slots[i] = (struct slot){0};
    }
    if (st != T2_OK || flushed == T2_OK)
        return st == T2_OK ? tune_trials_read(w->t, w->log, err) : st;
    *err = why;
    return flushed;
}

static void draw_trial(const struct tune_trials *t, struct t2_buf *hparams)
{
    struct tune_drawing d = tune_study_drawing(&t->study);

    if (t->study.sampler == TUNE_DRAW_TPE)
        tune_tpe_draw(t, hparams);
    else if (t->study.sampler == TUNE_DRAW_GP)
        tune_gp_draw(t, hparams);
    else
        tune_draw(&d, (uint64_t) t->n, hparams);
}

static enum t2_status claim(struct worker *w, struct slot *slot, const struct tune_job *job,
                            struct t2_err *err)
{
    struct t2_buf hparams = {0};
    enum t2_status st;
    int lock_fd = -1;

    if (job->trial == w->t->n)
        draw_trial(w->t, &hparams);
    else
        t2_buf_puts(&hparams, w->t->items[job->trial].hparams);
    st = tune_log_hold(w->log, job->trial, &lock_fd, err);
    if (st == T2_OK)
        st = tune_log_attend(w->log, job->trial, err);
    if (st == T2_OK) {
        tune_say_claim(w->log, job->trial, job->rung, t2_buf_cstr(&hparams), w->by);
        st = tune_log_flush(w->log, false, err);
    }
    t2_buf_release(&hparams);
    if (st != T2_OK) {
        tune_log_unattend(w->log, job->trial);
        if (lock_fd >= 0)
            tune_log_let_go(lock_fd);
        return st;
    }
    *slot = (struct slot){.trial = job->trial,
                          .rung = job->rung,
                          .lock_fd = lock_fd,
                          .is_claimed = true};
    return tune_trials_read(w->t, w->log, err);
}

static enum t2_status claim_trials(struct worker *w, struct t2_err *err)
{
    enum tune_turn turn = TUNE_JOB;

    for (int i = 0; i < w->options->parallel && turn == TUNE_JOB; i++) {
        struct tune_job job;

        if (w->slots[i].is_claimed)
            continue;
        turn = tune_next(w->t, life_of, w, &job);
        if (turn == TUNE_JOB)
            T2_TRY(claim(w, &w->slots[i], &job, err));
    }
    w->nothing_left = turn == TUNE_OVER;
    return T2_OK;
}

static enum t2_status log_and_claim(struct worker *w, struct t2_err *err)
{
    enum t2_status st;

    T2_TRY(tune_log_lock(w->log, err));
    st = tune_trials_read(w->t, w->log, err);
    if (st == T2_OK)
        st = log_results(w, err);
    if (st == T2_OK && !t2_interrupted())
        st = claim_trials(w, err);
    tune_log_unlock(w->log);
    return st;
}

/* ---- processes ---- */

static enum t2_status start_claimed(struct worker *w, struct t2_err *err)
{
    const struct tune_work_options *o = w->options;
    uint64_t share = o->parallel > 1 ? t2_memory_available() / (uint64_t) o->parallel : 0;

    for (int i = 0; i < o->parallel; i++) {
        struct slot *s = &w->slots[i];
        const struct tune_start start = {
            .study = &w->t->study,
            .study_dir = w->study_dir,
            .trainer = o->trainer,
            .hparams = s->is_claimed ? w->t->items[s->trial].hparams : "",
            .trial = s->trial,
            .rung = s->rung,
            .slot = i,
            .lock_fd = s->lock_fd,
            .num_threads = w->threads,
            .max_memory = o->max_memory > 0 ? o->max_memory : share,
        };

        if (!s->is_claimed || s->pid != 0)
            continue;
        s->began_s = t2_now_s();
        T2_TRY(tune_process_start(&start, &s->pid, err));
        t2_info("trial %" PRId64 " to step %" PRId64 ": %s", s->trial, w->t->study.rungs[s->rung],
                start.hparams);
    }
    return T2_OK;
}

static bool reap(struct worker *w)
{
    bool any = false;

    for (int i = 0; i < w->options->parallel; i++) {
        struct slot *s = &w->slots[i];

        if (s->pid > 0 && !s->has_ended && waitpid(s->pid, &s->wait_status, WNOHANG) == s->pid)
            s->has_ended = any = true;
    }
    return any;
}

static void ask_to_stop(struct slot *s)
{
    if (s->pid <= 0 || s->has_ended || s->was_signalled)
        return;
    (void) kill(s->pid, SIGTERM);
    s->was_signalled = true;
}

static void stop_all(struct worker *w)
{
    for (int i = 0; i < w->options->parallel; i++)
        ask_to_stop(&w->slots[i]);
}

static int count_running(const struct worker *w)
{
    int n = 0;

    for (int i = 0; i < w->options->parallel; i++)
        n += w->slots[i].pid > 0 && !w->slots[i].has_ended;
    return n;
}

static int count_claimed(const struct worker *w)
{
    int n = 0;

    for (int i = 0; i < w->options->parallel; i++)
        n += w->slots[i].is_claimed;
    return n;
}

/* Until a child ends, a signal comes, or some time is over. */
static void wait_a_while(void)
{
    const struct timespec at_most = {0, 500000000};
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    (void) sigtimedwait(&ends, NULL, &at_most);
}

/* Trials that somebody asked to stop (tune_say_stop). */
static void stop_asked(struct worker *w)
{
    for (int i = 0; i < w->options->parallel; i++)
        if (w->slots[i].is_claimed && w->t->items[w->slots[i].trial].is_stopped)
            ask_to_stop(&w->slots[i]);
}

/* ---- the loop ---- */

static enum t2_status one_turn(struct worker *w, struct t2_err *err)
{
    bool has_free = count_running(w) < w->options->parallel;

    if (reap(w) || (has_free && !t2_interrupted())) {
        T2_TRY(log_and_claim(w, err));
        T2_TRY(start_claimed(w, err));
    } else {
        T2_TRY(tune_trials_read(w->t, w->log, err));
    }
    if (t2_interrupted())
        stop_all(w);
    else
        stop_asked(w);
    if (count_running(w) > 0 || !(w->nothing_left || t2_interrupted()))
        wait_a_while();
    return T2_OK;
}

static enum t2_status say_interrupted(const struct worker *w, struct t2_err *err)
{
    const struct tune_trials *t = w->t;
    int64_t ended = 0;

    for (int64_t i = 0; i < t->n; i++)
        ended += t->items[i].is_failed || t->items[i].n_values > t->items[i].entered;
    return t2_fail(err, T2_EINTERRUPTED,
                   "interrupted: %" PRId64 " of %" PRId64
                   " trials have ended, the others are saved; run the same command again to "
                   "continue",
                   ended, tune_study_trials(&t->study));
}

static enum t2_status work(struct worker *w, struct t2_err *err)
{
    do {
        T2_TRY(one_turn(w, err));
    } while (count_claimed(w) > 0 || !(t2_interrupted() || w->nothing_left));
    return t2_interrupted() ? say_interrupted(w, err) : T2_OK;
}

/* After a failure of the study itself. */
static void end_children(struct worker *w)
{
    stop_all(w);
    for (int i = 0; i < w->options->parallel; i++)
        if (w->slots[i].pid > 0 && !w->slots[i].has_ended)
            while (waitpid(w->slots[i].pid, NULL, 0) < 0 && t2_interrupted())
                ;
}

/* What is_sync_due left for later. */
static enum t2_status sync_log(struct worker *w, struct t2_err *err)
{
    enum t2_status st;

    T2_TRY(tune_log_lock(w->log, err));
    st = tune_log_flush(w->log, true, err);
    tune_log_unlock(w->log);
    return st;
}

static enum t2_status find_place(struct worker *w, struct t2_err *err)
{
    char host[256] = "", *real = realpath(w->log->dir, NULL);

    if (!real)
        return t2_fail(err, T2_EIO, "'%s': cannot find where this folder lies", w->log->dir);
    w->study_dir = t2_strdup(real);
    free(real);
    (void) gethostname(host, sizeof host - 1);
    snprintf(w->by, sizeof w->by, "%s/%ld", host, (long) getpid());
    return T2_OK;
}

enum t2_status tune_work(struct tune_log *log, struct tune_trials *t,
                         const struct tune_work_options *options, struct t2_err *err)
{
    struct worker w = {.log = log, .t = t, .options = options};
    sigset_t ends, before;
    enum t2_status st;

    T2_TRY(find_place(&w, err));
    w.threads =
        options->num_threads > 0 ? options->num_threads : t2_cpu_count() / options->parallel;
    if (w.threads < 1)
        w.threads = 1;
    w.slots = t2_alloc((size_t) options->parallel, sizeof *w.slots);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    (void) signal(SIGCHLD, SIG_DFL); /* ignored, it would reap the children itself */
    (void) sigprocmask(SIG_BLOCK, &ends, &before);
    st = work(&w, err);
    if (st != T2_OK)
        end_children(&w);
    else
        st = sync_log(&w, err);
    (void) sigprocmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < options->parallel; i++)
        if (w.slots[i].is_claimed)
            let_go(&w, &w.slots[i]);
    t2_free(w.slots);
    t2_free(w.study_dir);
    return st;
}
