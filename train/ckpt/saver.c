/*
 * train/ckpt/saver.c - a thread for each checkpoint: it is started with copies, and joined.
 */
#include "train/ckpt/saver.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/str.h"

enum { LOW_PRIORITY = 5 };

struct ckpt_saver {
    char *output_dir;
    int keep;
    struct ckpt_draft *draft;     /* the thread's while busy */
    const struct ckpt_runs *runs; /* of all writers, when the thread is to commit */
    pthread_t thread;
    void (*work)(struct ckpt_saver *); /* the thread's */
    bool busy, warming;                /* there is a thread; its work is `warm`, not a checkpoint */
    atomic_bool done;
    enum t2_status status; /* of what was done last; read behind the thread's end */
    struct t2_err err;
};

/* Of this thread only (Linux).  When it does not work, nothing is lost. */
static void lower_priority(void)
{
    (void) setpriority(PRIO_PROCESS, (id_t) gettid(), LOW_PRIORITY);
}

/* ---- what is done ---- */

static void warm(struct ckpt_saver *s)
{
    ckpt_draft_warm(s->draft);
}

static void write_part(struct ckpt_saver *s)
{
    s->status = ckpt_draft_write(s->draft, &s->err);
}

static void commit(struct ckpt_saver *s)
{
    s->status = ckpt_draft_commit(s->draft, s->runs, s->keep, &s->err);
}

static void write_and_commit(struct ckpt_saver *s)
{
    write_part(s);
    if (s->status == T2_OK)
        commit(s);
    else
        ckpt_draft_drop(s->draft);
}

/* ---- by a thread ---- */

static void *run_thread(void *arg)
{
    struct ckpt_saver *s = arg;

    lower_priority();
    t2_progress_mute();
    s->work(s);
    atomic_store(&s->done, true);
    return NULL;
}

/* By a thread where values are copied, else, or when there is none, by this one. */
static void start(struct ckpt_saver *s, void (*work)(struct ckpt_saver *))
{
    sigset_t all, before;

    T2_ASSERT(!s->busy);
    s->err = (struct t2_err) T2_ERR_INIT;
    s->status = T2_OK;
    if (!ckpt_draft_copies(s->draft)) {
        work(s);
        return;
    }
    s->work = work;
    atomic_store(&s->done, false);
    /* signals are the training thread's */
    sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &before);
    s->busy = pthread_create(&s->thread, NULL, run_thread, s) == 0;
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!s->busy && work != warm)
        work(s);
}

enum t2_status ckpt_saver_new(const char *output_dir, int keep, const struct gr_params *params,
                              const struct opt_optimizer *opt, struct opt_share writer, bool aside,
                              struct ckpt_saver **saver, struct t2_err *err)
{
    struct ckpt_draft *draft;

    *saver = NULL;
    T2_TRY(ckpt_draft_new(params, opt, writer, aside, &draft, err));
    *saver = t2_alloc(1, sizeof **saver);
    (*saver)->output_dir = t2_strdup(output_dir);
    (*saver)->keep = keep;
    (*saver)->draft = draft;
    if (aside)
        start(*saver, warm);
    (*saver)->warming = (*saver)->busy;
    return T2_OK;
}

void ckpt_saver_free(struct ckpt_saver *s)
{
    struct t2_err ignored = T2_ERR_INIT; /* who wanted to know has waited */
    enum t2_status st;

    if (!s)
        return;
    st = ckpt_saver_wait(s, &ignored);
    (void) st;
    ckpt_draft_free(s->draft);
    t2_free(s->output_dir);
    t2_free(s);
}

void ckpt_saver_settle(struct ckpt_saver *s)
{
    if (s->warming)
        (void) pthread_join(s->thread, NULL);
    if (s->warming)
        s->busy = s->warming = false;
}

void ckpt_saver_begin(struct ckpt_saver *s, const struct ckpt_state *state,
                      const struct mdl_hparams *hp)
{
    ckpt_saver_settle(s);
    s->err = (struct t2_err) T2_ERR_INIT;
    s->status = ckpt_draft_create(s->draft, s->output_dir, state, hp, &s->err);
    if (s->status != T2_OK)
        return;
    ckpt_draft_copy(s->draft);
    s->runs = ckpt_draft_runs(s->draft);
    start(s, write_and_commit);
}

struct ckpt_draft *ckpt_saver_draft(struct ckpt_saver *s)
{
    return s->draft;
}

void ckpt_saver_write(struct ckpt_saver *s)
{
    ckpt_draft_copy(s->draft);
    start(s, write_part);
}

void ckpt_saver_commit(struct ckpt_saver *s, const struct ckpt_runs *runs)
{
    s->runs = runs;
    start(s, commit);
}

bool ckpt_saver_done(struct ckpt_saver *s)
{
    return !s->busy || s->warming || atomic_load(&s->done);
}

enum t2_status ckpt_saver_wait(struct ckpt_saver *s, struct t2_err *err)
{
    ckpt_saver_settle(s);
    if (s->busy)
        (void) pthread_join(s->thread, NULL);
    s->busy = false;
    if (s->status != T2_OK)
        *err = s->err;
    return s->status;
}
