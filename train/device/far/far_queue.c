/*
 * train/device/far/far_queue.c - the queues of the device "far".
 *
 * One thread serves all of them, so that a run can be repeated.  It begins only when somebody waits
 * or LATE calls stand in line, so calls run as late as they can.  Which queue is next, and for how
 * many calls, is drawn from a seed (T2_FAR_SEED): a queue runs far ahead of another, or far behind,
 * where no event keeps them together.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "train/device/far/far.h"

enum { LATE = 512, LONGEST_STAY = 48 };

/* ---- the program's side ---- */

struct far_call *dev_far_call(far_fn run, const char *what, const void *arguments, size_t bytes)
{
    struct far_call *c = t2_alloc(1, sizeof *c + bytes);

    c->run = run;
    c->what = what;
    c->bytes = bytes;
    if (bytes)
        memcpy(c->arguments, arguments, bytes);
    return c;
}

static uint64_t n_waiting(const struct far_dev *f)
{
    uint64_t n = 0;

    for (int i = 0; i < DEV_N_QUEUES; i++)
        n += f->queues[i].n_queued - f->queues[i].n_done;
    return n;
}

void dev_far_put(struct far_dev *f, enum dev_queue queue, struct far_call *c)
{
    struct far_queue *q = &f->queues[queue];

    pthread_mutex_lock(&f->mutex);
    *q->last = c;
    q->last = &c->next;
    q->n_queued++;
    if (n_waiting(f) >= LATE)
        pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->mutex);
}

void dev_far_queue(struct far_dev *f, far_fn run, const char *what, const void *arguments,
                   size_t bytes)
{
    struct far_call *c = dev_far_call(run, what, arguments, bytes);

    c->node = f->dev.node;
    c->node_index = f->dev.node_index;
    c->precision = f->dev.precision;
    if (f->recording) {
        *f->recording->last = c;
        f->recording->last = &c->next;
    } else {
        dev_far_put(f, DEV_COMPUTE, c);
    }
}

void dev_far_wait_for(struct far_dev *f, enum dev_queue queue, uint64_t n)
{
    struct far_queue *q = &f->queues[queue];

    pthread_mutex_lock(&f->mutex);
    if (q->wanted < n)
        q->wanted = n;
    pthread_cond_signal(&f->wake);
    while (q->n_done < n)
        pthread_cond_wait(&f->idle, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

void dev_far_wait(struct far_dev *f)
{
    T2_ASSERT(!f->recording);
    for (int i = 0; i < DEV_N_QUEUES; i++)
        dev_far_wait_for(f, (enum dev_queue) i, f->queues[i].n_queued);
    dev_far_host_release(f, false);
}

void dev_far_fail(struct far_dev *f, const struct t2_err *e)
{
    pthread_mutex_lock(&f->mutex);
    if (f->error.status == T2_OK)
        f->error = *e;
    pthread_mutex_unlock(&f->mutex);
}

/* ---- the thread's side ---- */

static bool is_wanted(const struct far_dev *f)
{
    for (int i = 0; i < DEV_N_QUEUES; i++)
        if (f->queues[i].n_done < f->queues[i].wanted)
            return true;
    return f->closing || n_waiting(f) >= LATE;
}

static bool may_run(const struct far_dev *f, enum dev_queue queue)
{
    const struct far_call *c = f->queues[queue].first;

    return c && f->queues[c->after_queue].n_done >= c->after;
}

/* Draws a queue that may run.  There is one: a call waits only for calls that were made before. */
static enum dev_queue draw_queue(struct far_dev *f)
{
    enum dev_queue may[DEV_N_QUEUES] = {DEV_COMPUTE};
    uint64_t drawn = t2_hash64(&f->n_drawn, sizeof f->n_drawn, f->seed), n = 0;

    if (f->stays > 0 && may_run(f, f->running)) {
        f->stays--;
        return f->running;
    }
    for (int i = 0; i < DEV_N_QUEUES; i++)
        if (may_run(f, (enum dev_queue) i))
            may[n++] = (enum dev_queue) i;
    T2_ASSERT(n > 0);
    f->n_drawn++;
    f->running = may[drawn % n];
    f->stays = (drawn >> 32) % LONGEST_STAY;
    return f->running;
}

static struct far_call *take(struct far_queue *q)
{
    struct far_call *c = q->first;

    q->first = c->next;
    if (!q->first)
        q->last = &q->first;
    return c;
}

/* After a failure nothing is done any more; the first one is kept. */
static void run_call(struct far_dev *f, struct far_call *c)
{
    bool failed;

    pthread_mutex_lock(&f->mutex);
    failed = f->error.status != T2_OK;
    if (!failed && c->what && ++f->n_kernels == f->fails_at) {
        t2_fail(&f->error, T2_EDEVICE,
                "device far: kernel %s failed at node %d (%s) of the graph; what it computed is "
                "lost, the last checkpoint is sound",
                c->what, c->node_index, c->node ? c->node : "none");
        failed = true;
    }
    pthread_mutex_unlock(&f->mutex);
    if ((failed && c->what) || !c->run)
        return;
    dev_far_near_all(&f->memory, c->arguments, c->bytes);
    f->near->precision = c->precision;
    c->run(f, c->arguments);
}

static void *work(void *arg)
{
    struct far_dev *f = arg;

    pthread_mutex_lock(&f->mutex);
    for (;;) {
        enum dev_queue queue;
        struct far_call *c;

        while (!is_wanted(f))
            pthread_cond_wait(&f->wake, &f->mutex);
        if (n_waiting(f) == 0)
            break;
        queue = draw_queue(f);
        c = take(&f->queues[queue]);
        pthread_mutex_unlock(&f->mutex);
        run_call(f, c);
        t2_free(c);
        pthread_mutex_lock(&f->mutex);
        f->queues[queue].n_done++;
        pthread_cond_broadcast(&f->idle);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

enum t2_status dev_far_queues_start(struct far_dev *f, struct t2_err *err)
{
    int error;

    for (int i = 0; i < DEV_N_QUEUES; i++)
        f->queues[i].last = &f->queues[i].first;
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->wake, NULL);
    pthread_cond_init(&f->idle, NULL);
    error = pthread_create(&f->thread, NULL, work, f);
    if (error == 0)
        return T2_OK;
    pthread_cond_destroy(&f->wake);
    pthread_cond_destroy(&f->idle);
    pthread_mutex_destroy(&f->mutex);
    return t2_fail_errno(err, error, "device far: no thread for its queues");
}

void dev_far_queues_stop(struct far_dev *f)
{
    pthread_mutex_lock(&f->mutex);
    f->closing = true;
    pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->mutex);
    pthread_join(f->thread, NULL);
    pthread_cond_destroy(&f->wake);
    pthread_cond_destroy(&f->idle);
    pthread_mutex_destroy(&f->mutex);
}
