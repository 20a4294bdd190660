/*
 * base/pipeline.c - the ordered pipeline of pool.h.
 *
 * Every thread of the pool runs the same loop under one lock: consume if the next item is ready,
 * else produce if workers could run dry, else work on the oldest item that waits, else wait.  Items
 * are coarse (a block of a file), so one lock is enough.
 *
 * Item i lives in slot i % n_slots from its production to its consumption.  A failure of item i
 * lowers `stop_at` to i: nothing at or after it is started any more, all before it are finished, so
 * what has been consumed and which failure is reported do not depend on the timing.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/pool.h"

enum { SLOTS_PER_THREAD = 4 };

struct line {
    const struct t2_pipeline *steps;
    uint8_t *items;
    bool *worked; /* per slot */
    int64_t n_slots;
    int n_threads;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t produced, started, consumed; /* numbers of items; consumed <= started <= produced */
    int64_t stop_at;                     /* first failed item, or the number of items at the end */
    bool producing, consuming;
    struct t2_err failure; /* of stop_at; status T2_OK when there is none */
};

static void *item_at(const struct line *l, int64_t i)
{
    return l->items + (size_t) (i % l->n_slots) * l->steps->item_bytes;
}

/* With the lock held. */
static void fail_at(struct line *l, int64_t i, enum t2_status st, const struct t2_err *err)
{
    if (i >= l->stop_at)
        return;
    l->stop_at = i;
    l->failure = *err;
    l->failure.status = st;
}

/* The three steps are called with the lock held, and release it while they call the user's code. */

static void consume_one(struct line *l)
{
    struct t2_err err = T2_ERR_INIT;
    int64_t i = l->consumed;
    enum t2_status st;

    l->consuming = true;
    pthread_mutex_unlock(&l->lock);
    st = l->steps->consume(l->steps->context, item_at(l, i), &err);
    pthread_mutex_lock(&l->lock);
    l->consuming = false;
    if (st != T2_OK) {
        fail_at(l, i, st, &err);
    } else {
        l->worked[i % l->n_slots] = false;
        l->consumed++;
    }
}

static void produce_one(struct line *l)
{
    struct t2_err err = T2_ERR_INIT;
    int64_t i = l->produced;
    enum t2_status st;

    l->producing = true;
    pthread_mutex_unlock(&l->lock);
    st = l->steps->produce(l->steps->context, item_at(l, i), &err);
    pthread_mutex_lock(&l->lock);
    l->producing = false;
    if (st == T2_OK)
        l->produced++;
    else if (st != T2_EOF)
        fail_at(l, i, st, &err);
    else if (i < l->stop_at)
        l->stop_at = i;
}

static void work_on_one(struct line *l, int worker)
{
    struct t2_err err = T2_ERR_INIT;
    int64_t i = l->started++;
    enum t2_status st;

    pthread_mutex_unlock(&l->lock);
    st = l->steps->work(l->steps->context, item_at(l, i), worker, &err);
    pthread_mutex_lock(&l->lock);
    if (st != T2_OK)
        fail_at(l, i, st, &err);
    else
        l->worked[i % l->n_slots] = true;
}

/*
 * The order of the branches is the policy.  Consuming first frees a slot and keeps memory low;
 * producing while fewer items wait than there are threads keeps workers busy; `produced - consumed
 * < n_slots` bounds what is held.  `consuming` and `producing` admit one thread each, so both see
 * the items in order and need no lock of their own.
 */
static void run_thread(void *arg, int64_t piece, int worker)
{
    struct line *l = arg;

    (void) piece;
    pthread_mutex_lock(&l->lock);
    while (l->consumed < l->stop_at) {
        int64_t waiting = l->produced - l->started;
        bool may_produce = !l->producing && l->produced < l->stop_at &&
                           l->produced - l->consumed < l->n_slots && l->stop_at == INT64_MAX;

        if (!l->consuming && l->consumed < l->started && l->worked[l->consumed % l->n_slots])
            consume_one(l);
        else if (may_produce && waiting < l->n_threads)
            produce_one(l);
        else if (waiting > 0 && l->started < l->stop_at)
            work_on_one(l, worker);
        else {
            pthread_cond_wait(&l->changed, &l->lock);
            continue;
        }
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->lock);
}

enum t2_status t2_pool_pipeline(struct t2_pool *p, const struct t2_pipeline *pipeline,
                                struct t2_err *err)
{
    struct line l = {.steps = pipeline, .stop_at = INT64_MAX};

    T2_ASSERT(pipeline->item_bytes > 0 && pipeline->n_slots >= 0);
    l.n_threads = t2_pool_threads(p);
    l.n_slots = pipeline->n_slots ? pipeline->n_slots : SLOTS_PER_THREAD * l.n_threads;
    l.items = t2_alloc((size_t) l.n_slots, pipeline->item_bytes);
    l.worked = t2_alloc((size_t) l.n_slots, sizeof *l.worked);
    pthread_mutex_init(&l.lock, NULL);
    pthread_cond_init(&l.changed, NULL);

    t2_pool_run(p, l.n_threads, run_thread, &l);

    if (pipeline->release) {
        for (int64_t i = 0; i < l.n_slots; i++)
            pipeline->release(pipeline->context, item_at(&l, i));
    }
    pthread_cond_destroy(&l.changed);
    pthread_mutex_destroy(&l.lock);
    t2_free(l.worked);
    t2_free(l.items);
    if (l.failure.status != T2_OK)
        *err = l.failure;
    return l.failure.status;
}
