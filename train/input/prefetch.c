/*
 * train/input/prefetch.c - one producer, one consumer, a ring of items.
 *
 * Item i lives in place i % n_slots.  The consumer holds the item before `taken`; the producer
 * fills the item `made`, so made - (taken - 1) < n_slots keeps them apart.
 */
#include "train/input/prefetch.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/progress.h"

enum { LOW_PRIORITY = 5 };

struct in_prefetch {
    in_produce_fn produce;
    void *context;
    struct in_item *items; /* (n_slots) */
    uint64_t n_slots;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    uint64_t made;  /* items the producer has finished */
    uint64_t taken; /* items the consumer has been given */
    bool stop;
    enum t2_status ended; /* T2_OK while the producer goes on */
    struct t2_err err;
};

/* Waits for a free place; false when the thread shall end. */
static bool wait_for_place(struct in_prefetch *p)
{
    bool go;

    pthread_mutex_lock(&p->lock);
    while (!p->stop && p->made + 1 - p->taken >= p->n_slots)
        pthread_cond_wait(&p->changed, &p->lock);
    go = !p->stop;
    pthread_mutex_unlock(&p->lock);
    return go;
}

static void *run(void *arg)
{
    struct in_prefetch *p = arg;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = T2_OK;

    /* Of this thread only (Linux).  When it does not work, nothing is lost. */
    (void) setpriority(PRIO_PROCESS, (id_t) gettid(), LOW_PRIORITY);
    while (st == T2_OK && wait_for_place(p)) {
        /* made is only written here, so reading it without the lock is safe */
        st = p->produce(p->context, &p->items[p->made % p->n_slots], &err);
        pthread_mutex_lock(&p->lock);
        if (st == T2_OK)
            p->made++;
        else
            p->err = err;
        p->ended = st;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

enum t2_status in_prefetch_new(int n_ahead, const struct in_memory *memory, in_produce_fn produce,
                               void *context, struct in_prefetch **prefetch, struct t2_err *err)
{
    struct in_prefetch *p = t2_alloc(1, sizeof *p);
    int rc;

    T2_ASSERT(n_ahead > 0);
    *prefetch = NULL;
    p->produce = produce;
    p->context = context;
    p->n_slots = (uint64_t) n_ahead + 1;
    p->items = t2_alloc((size_t) p->n_slots, sizeof *p->items);
    for (uint64_t i = 0; i < p->n_slots; i++)
        p->items[i].memory = memory;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    rc = pthread_create(&p->thread, NULL, run, p);
    if (rc != 0) {
        t2_free(p->items);
        t2_free(p);
        return t2_fail_errno(err, rc, "starting the input thread");
    }
    *prefetch = p;
    return T2_OK;
}

void in_prefetch_free(struct in_prefetch *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    for (uint64_t i = 0; i < p->n_slots; i++)
        in_item_release(&p->items[i]);
    t2_free(p->items);
    t2_free(p);
}

enum t2_status in_prefetch_next(struct in_prefetch *p, const struct in_item **item, double *wait_s,
                                struct t2_err *err)
{
    enum t2_status st = T2_OK;

    pthread_mutex_lock(&p->lock);
    if (p->made == p->taken && p->ended == T2_OK) {
        double since = t2_now_s();

        while (p->made == p->taken && p->ended == T2_OK)
            pthread_cond_wait(&p->changed, &p->lock);
        *wait_s += t2_now_s() - since;
    }
    if (p->made > p->taken) {
        *item = &p->items[p->taken % p->n_slots];
        p->taken++;
        pthread_cond_broadcast(&p->changed); /* the item before is free again */
    } else {
        st = p->ended;
        if (st != T2_EOF)
            *err = p->err;
    }
    pthread_mutex_unlock(&p->lock);
    return st;
}

struct in_item *in_prefetch_peek(struct in_prefetch *p)
{
    struct in_item *item = NULL;

    pthread_mutex_lock(&p->lock);
    if (p->made > p->taken)
        item = &p->items[p->taken % p->n_slots];
    pthread_mutex_unlock(&p->lock);
    return item;
}
