/*
 * base/pool.c - the one thread pool.  The ordered pipeline on top of it is in pipeline.c, the
 * number of CPUs in cpu_count.c.
 *
 * How a call is shared out: `left` holds the number of pieces not yet taken.  One fetch_sub takes a
 * piece; a result of 0 or less means that nothing is left, and overdrawing is harmless.  The call's
 * description (fn, arg, n_pieces) is read only after a piece was taken, and the caller waits until
 * all taken pieces are reported in `done`; so the description cannot change under a reader, and a
 * worker that is late by a whole call just takes pieces of the next one.
 *
 * Idle threads spin for some microseconds, because a training step makes thousands of short calls,
 * then sleep on a condition.  A thread that is about to sleep announces it (`sleepers`,
 * `caller_sleeps`) and checks the state once more; a thread that changes the state checks for
 * announcements afterwards.  Both sides use sequentially consistent operations, so that at least
 * one of the two sees the other.  Both write by an exchange or an addition, not by a store: it
 * costs the same on x86-64, and qemu-aarch64 7.2 lets a load pass the store in front of it.
 */
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/log.h"

enum { CACHE_LINE_BYTES = 64, MAX_THREADS = 1024, SPIN_US = 30, SPIN_US_FEW_CPUS = 15 };

struct worker {
    struct t2_pool *pool;
    pthread_t thread;
    int index; /* 1 .. n_threads - 1; the caller is 0 */
};

struct t2_pool {
    int n_threads;
    int64_t spin_ns;
    struct worker *workers;

    /* the call in progress; may be read only after a piece was taken, see the top of this file */
    t2_pool_fn fn;
    void *arg;
    int64_t n_pieces;

    _Alignas(CACHE_LINE_BYTES) _Atomic int64_t left;
    _Alignas(CACHE_LINE_BYTES) _Atomic int64_t done;
    _Atomic bool caller_sleeps;
    _Alignas(CACHE_LINE_BYTES) _Atomic int sleepers;
    _Atomic bool stop;
    _Atomic bool busy; /* only to catch a nested call */

    pthread_mutex_t lock;
    pthread_cond_t work_there; /* left > 0 or stop */
    pthread_cond_t all_done;
};

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Takes pieces until none is left and reports them. */
static void work(struct t2_pool *p, int worker)
{
    int64_t n_done = 0, n_pieces = 0;

    for (;;) {
        int64_t left = atomic_fetch_sub_explicit(&p->left, 1, memory_order_acquire);

        if (left <= 0)
            break;
        n_pieces = p->n_pieces;
        p->fn(p->arg, n_pieces - left, worker);
        n_done++;
    }
    if (n_done == 0)
        return;
    if (atomic_fetch_add(&p->done, n_done) + n_done == n_pieces && atomic_load(&p->caller_sleeps)) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_signal(&p->all_done);
        pthread_mutex_unlock(&p->lock);
    }
}

/* True when there is something to do before the time is over. */
static bool spin_for_work(struct t2_pool *p)
{
    int64_t until;

    if (p->spin_ns == 0)
        return false;
    until = now_ns() + p->spin_ns;
    do {
        for (int i = 0; i < 32; i++) {
            if (atomic_load_explicit(&p->left, memory_order_relaxed) > 0 ||
                atomic_load_explicit(&p->stop, memory_order_relaxed))
                return true;
            relax();
        }
    } while (now_ns() < until);
    return false;
}

static void sleep_for_work(struct t2_pool *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (atomic_load(&p->left) <= 0 && !atomic_load(&p->stop))
        pthread_cond_wait(&p->work_there, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->lock);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct t2_pool *p = w->pool;

    while (!atomic_load(&p->stop)) {
        if (atomic_load_explicit(&p->left, memory_order_relaxed) <= 0 && !spin_for_work(p))
            sleep_for_work(p);
        work(p, w->index);
    }
    return NULL;
}

static void wake_workers(struct t2_pool *p, int64_t n_wanted)
{
    int n_asleep = atomic_load(&p->sleepers);

    if (n_asleep == 0)
        return;
    pthread_mutex_lock(&p->lock);
    if (n_wanted >= n_asleep) {
        pthread_cond_broadcast(&p->work_there);
    } else {
        for (int64_t i = 0; i < n_wanted; i++)
            pthread_cond_signal(&p->work_there);
    }
    pthread_mutex_unlock(&p->lock);
}

static void wait_until_done(struct t2_pool *p, int64_t n_pieces)
{
    int64_t until;

    if (atomic_load(&p->done) == n_pieces)
        return;
    if (p->spin_ns > 0) {
        until = now_ns() + p->spin_ns;
        do {
            for (int i = 0; i < 32; i++) {
                if (atomic_load_explicit(&p->done, memory_order_acquire) == n_pieces)
                    return;
                relax();
            }
        } while (now_ns() < until);
    }
    pthread_mutex_lock(&p->lock);
    (void) atomic_exchange(&p->caller_sleeps, true);
    while (atomic_load(&p->done) != n_pieces)
        pthread_cond_wait(&p->all_done, &p->lock);
    atomic_store(&p->caller_sleeps, false);
    pthread_mutex_unlock(&p->lock);
}

void t2_pool_run(struct t2_pool *p, int64_t n_pieces, t2_pool_fn fn, void *arg)
{
    bool nested;

    if (!p || p->n_threads == 1 || n_pieces <= 1) {
        for (int64_t i = 0; i < n_pieces; i++)
            fn(arg, i, 0);
        return;
    }
    nested = atomic_exchange_explicit(&p->busy, true, memory_order_acquire);
    T2_ASSERT(!nested);
    p->fn = fn;
    p->arg = arg;
    p->n_pieces = n_pieces;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    (void) atomic_exchange(&p->left, n_pieces);
    wake_workers(p, n_pieces - 1);
    work(p, 0);
    wait_until_done(p, n_pieces);
    atomic_store_explicit(&p->busy, false, memory_order_release);
}

/* Signals belong to the main thread, whose slow calls they interrupt. */
static bool start_worker(struct worker *w)
{
    sigset_t all, old;
    bool ok;
    char name[16];

    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* a thread's own fault must reach its handler: see base/mapping.c */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    ok = pthread_create(&w->thread, NULL, worker_main, w) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (ok) {
        snprintf(name, sizeof name, "t2-pool-%d", w->index);
        pthread_setname_np(w->thread, name);
    }
    return ok;
}

struct t2_pool *t2_pool_new(int n_threads)
{
    int n_cpus = t2_cpu_count();
    struct t2_pool *p = t2_alloc_aligned(sizeof *p);

    T2_ASSERT(n_threads >= 0);
    if (!p)
        t2_out_of_memory("cannot allocate %zu bytes", sizeof *p);
    if (n_threads == 0)
        n_threads = n_cpus;
    if (n_threads > MAX_THREADS)
        n_threads = MAX_THREADS;
    p->n_threads = 1;
    /* With fewer CPUs than threads, a spinning thread takes the CPU from a working one. */
    if (n_threads <= n_cpus)
        p->spin_ns = (n_cpus <= 2 ? SPIN_US_FEW_CPUS : SPIN_US) * INT64_C(1000);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work_there, NULL);
    pthread_cond_init(&p->all_done, NULL);
    p->workers = t2_alloc((size_t) n_threads, sizeof *p->workers);
    for (int i = 1; i < n_threads; i++) {
        p->workers[i].pool = p;
        p->workers[i].index = i;
        if (!start_worker(&p->workers[i])) {
            t2_warn("only %d of %d threads could be started", i, n_threads);
            break;
        }
        p->n_threads = i + 1;
    }
    return p;
}

void t2_pool_free(struct t2_pool *p)
{
    if (!p)
        return;
    atomic_store(&p->stop, true);
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->work_there);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->n_threads; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->all_done);
    pthread_cond_destroy(&p->work_there);
    pthread_mutex_destroy(&p->lock);
    t2_free(p->workers);
    t2_free_aligned(p);
}

int t2_pool_threads(const struct t2_pool *p)
{
    return p ? p->n_threads : 1;
}
