/*
 * train/ckpt/saver.c - a thread for each checkpoint: it is started with a snapshot, and joined.
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
    const struct gr_params *params;
    const struct opt_optimizer *opt;
    struct ckpt_snapshot *snapshot; /* the thread's while busy */
    pthread_t thread;
    bool busy, warming; /* there is a thread; its work is `warm`, not a checkpoint */
    atomic_bool done;
    enum t2_status status; /* of the thread; read behind its end */
    struct t2_err err;
};

/* Of this thread only (Linux).  When it does not work, nothing is lost. */
static void lower_priority(void)
{
    (void) setpriority(PRIO_PROCESS, (id_t) gettid(), LOW_PRIORITY);
}

static void *warm(void *arg)
{
    struct ckpt_saver *s = arg;

    lower_priority();
    ckpt_snapshot_warm(s->snapshot);
    s->status = T2_OK;
    atomic_store(&s->done, true);
    return NULL;
}

static void *write_out(void *arg)
{
    struct ckpt_saver *s = arg;

    lower_priority();
    t2_progress_mute();
    s->status = ckpt_snapshot_write(s->snapshot, s->output_dir, s->keep, &s->err);
    atomic_store(&s->done, true);
    return NULL;
}

/* False: there is no thread. */
static bool start(struct ckpt_saver *s, void *(*work)(void *) )
{
    sigset_t all, before;

    s->err = (struct t2_err) T2_ERR_INIT;
    atomic_store(&s->done, false);
    /* signals are the training thread's */
    sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &before);
    s->busy = pthread_create(&s->thread, NULL, work, s) == 0;
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->busy;
}

enum t2_status ckpt_saver_new(const char *output_dir, int keep, const struct gr_params *params,
                              const struct opt_optimizer *opt, struct ckpt_saver **saver,
                              struct t2_err *err)
{
    struct ckpt_snapshot *snapshot;

    *saver = NULL;
    T2_TRY(ckpt_snapshot_new(params, opt, &snapshot, err));
    *saver = t2_alloc(1, sizeof **saver);
    (*saver)->output_dir = t2_strdup(output_dir);
    (*saver)->keep = keep;
    (*saver)->params = params;
    (*saver)->opt = opt;
    (*saver)->snapshot = snapshot;
    (*saver)->warming = start(*saver, warm);
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
    ckpt_snapshot_free(s->snapshot);
    t2_free(s->output_dir);
    t2_free(s);
}

enum t2_status ckpt_saver_begin(struct ckpt_saver *s, const struct ckpt_state *state,
                                const struct mdl_hparams *hp, struct t2_err *err)
{
    if (s->warming)
        T2_TRY(ckpt_saver_wait(s, err));
    T2_ASSERT(!s->busy);
    T2_TRY(ckpt_snapshot_take(s->snapshot, state, hp, s->params, s->opt, err));
    if (!start(s, write_out)) /* then by this one */
        return ckpt_snapshot_write(s->snapshot, s->output_dir, s->keep, err);
    return T2_OK;
}

bool ckpt_saver_done(struct ckpt_saver *s)
{
    return !s->busy || s->warming || atomic_load(&s->done);
}

enum t2_status ckpt_saver_wait(struct ckpt_saver *s, struct t2_err *err)
{
    if (!s->busy)
        return T2_OK;
    (void) pthread_join(s->thread, NULL);
    s->busy = s->warming = false;
    if (s->status != T2_OK)
        *err = s->err;
    return s->status;
}
