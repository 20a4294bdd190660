/*
 * train/serve/request_queue.c - see the header.
 */
#include "train/serve/request_queue.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/alloc.h"

struct srv_queue {
    pthread_mutex_t lock;
    pthread_cond_t pushed; /* by the monotonic clock */
    struct srv_job *first, **last;
    int64_t n_waiting, most_waiting;
    bool closed;
};

struct srv_queue *srv_queue_new(int64_t most_waiting)
{
    struct srv_queue *q = t2_alloc(1, sizeof *q);
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&q->pushed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&q->lock, NULL);
    q->last = &q->first;
    q->most_waiting = most_waiting;
    return q;
}

void srv_queue_free(struct srv_queue *q)
{
    if (!q)
        return;
    T2_ASSERT(!q->first && q->n_waiting == 0);
    pthread_cond_destroy(&q->pushed);
    pthread_mutex_destroy(&q->lock);
    t2_free(q);
}

enum srv_admission srv_queue_admit(struct srv_queue *q, size_t n)
{
    enum srv_admission a = SRV_ADMITTED;

    pthread_mutex_lock(&q->lock);
    if (q->closed)
        a = SRV_CLOSED;
    else if ((uint64_t) n > (uint64_t) (q->most_waiting - q->n_waiting))
        a = SRV_FULL;
    else
        q->n_waiting += (int64_t) n;
    pthread_mutex_unlock(&q->lock);
    return a;
}

void srv_queue_push(struct srv_queue *q, struct srv_job *job)
{
    pthread_mutex_lock(&q->lock);
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
    pthread_cond_signal(&q->pushed);
    pthread_mutex_unlock(&q->lock);
}

static struct timespec in_future(double seconds)
{
    struct timespec t;
    double whole = floor(seconds);

    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t) whole;
    t.tv_nsec += (long) ((seconds - whole) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

struct srv_job *srv_queue_take(struct srv_queue *q, double timeout_s)
{
    struct timespec until = in_future(timeout_s);
    struct srv_job *jobs;
    int rc = 0;

    pthread_mutex_lock(&q->lock);
    while (!q->first && timeout_s > 0 && rc == 0)
        rc = pthread_cond_timedwait(&q->pushed, &q->lock, &until);
    jobs = q->first;
    q->first = NULL;
    q->last = &q->first;
    pthread_mutex_unlock(&q->lock);
    return jobs;
}

void srv_queue_finish(struct srv_queue *q, struct srv_job *job)
{
    size_t n = job->request.n;

    /* the job may be gone when done returns, and the queue too once nothing waits */
    job->done(job);
    pthread_mutex_lock(&q->lock);
    q->n_waiting -= (int64_t) n;
    pthread_mutex_unlock(&q->lock);
}

void srv_queue_close(struct srv_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_mutex_unlock(&q->lock);
}

int64_t srv_queue_waiting(struct srv_queue *q)
{
    int64_t n;

    pthread_mutex_lock(&q->lock);
    n = q->n_waiting;
    pthread_mutex_unlock(&q->lock);
    return n;
}
