/*
 * tests/support/comm_threads.c - messages are copied into a list for each pair of ranks.
 */
#include "tests/support/comm_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

struct message {
    struct message *next;
    size_t bytes;
    char data[];
};

struct list {
    struct message *first, **end;
};

struct world {
    int size;
    pthread_mutex_t lock;
    pthread_cond_t sent;
    struct list *lists; /* (size, size): from, to */
};

/* What a rank waits for. */
struct pending {
    uint64_t number;
    struct dist_piece *receive;
    int n;
};

enum { MOST_PENDING = 16 };

struct rank {
    struct world *world;
    int rank;
    uint64_t n_started, n_finished;
    struct pending pending[MOST_PENDING];
    t_rank_fn fn;
    void *arg;
    struct t_rank_result *result;
};

static struct list *list_of(struct world *w, int from, int to)
{
    return &w->lists[from * w->size + to];
}

static void put(struct world *w, int from, const struct dist_piece *p)
{
    struct message *m = t2_alloc(1, sizeof *m + p->bytes);
    struct list *list = list_of(w, from, p->rank);

    m->bytes = p->bytes;
    if (p->bytes > 0)
        memcpy(m->data, p->data, p->bytes);
    *list->end = m;
    list->end = &m->next;
}

static void take(struct world *w, int to, const struct dist_piece *p)
{
    struct list *list = list_of(w, p->rank, to);
    struct message *m;

    while (!list->first)
        pthread_cond_wait(&w->sent, &w->lock);
    m = list->first;
    T2_ASSERT(m->bytes == p->bytes);
    if (p->bytes > 0)
        memcpy(p->data, m->data, p->bytes);
    list->first = m->next;
    if (!list->first)
        list->end = &list->first;
    t2_free(m);
}

static enum t2_status start(void *state, const struct dist_transfer *t, uint64_t *number,
                            struct t2_err *err)
{
    struct rank *r = state;
    struct pending *p = &r->pending[r->n_started % MOST_PENDING];

    (void) err;
    T2_ASSERT(r->n_started - r->n_finished < MOST_PENDING);
    *number = ++r->n_started;
    *p = (struct pending){.number = *number, .n = t->n_receive};
    p->receive = t2_alloc((size_t) t->n_receive, sizeof *p->receive);
    if (t->n_receive > 0)
        memcpy(p->receive, t->receive, (size_t) t->n_receive * sizeof *p->receive);
    pthread_mutex_lock(&r->world->lock);
    for (int i = 0; i < t->n_send; i++)
        put(r->world, r->rank, &t->send[i]);
    pthread_cond_broadcast(&r->world->sent);
    pthread_mutex_unlock(&r->world->lock);
    return T2_OK;
}

static enum t2_status finish(void *state, uint64_t number, struct t2_err *err)
{
    struct rank *r = state;

    (void) err;
    pthread_mutex_lock(&r->world->lock);
    while (r->n_finished < number) {
        struct pending *p = &r->pending[r->n_finished++ % MOST_PENDING];

        for (int i = 0; i < p->n; i++)
            take(r->world, r->rank, &p->receive[i]);
        t2_free(p->receive);
    }
    pthread_mutex_unlock(&r->world->lock);
    return T2_OK;
}

/* Messages from a rank for the transfers up to `number`. */
static int n_wanted(const struct rank *r, int from, uint64_t number)
{
    int n = 0;

    for (uint64_t k = r->n_finished; k < number; k++) {
        const struct pending *p = &r->pending[k % MOST_PENDING];

        for (int i = 0; i < p->n; i++)
            n += p->receive[i].rank == from;
    }
    return n;
}

static bool is_done(void *state, uint64_t number)
{
    struct rank *r = state;
    bool done = true;

    pthread_mutex_lock(&r->world->lock);
    for (int from = 0; from < r->world->size && done; from++) {
        const struct message *m = list_of(r->world, from, r->rank)->first;
        int n = n_wanted(r, from, number);

        for (; n > 0 && m; n--)
            m = m->next;
        done = n == 0;
    }
    pthread_mutex_unlock(&r->world->lock);
    return done;
}

static void nothing(void *state)
{
    (void) state;
}

static void *run(void *arg)
{
    struct rank *r = arg;
    const struct dist_comm comm = {.name = "threads",
                                   .rank = r->rank,
                                   .size = r->world->size,
                                   .state = r,
                                   .start = start,
                                   .finish = finish,
                                   .is_done = is_done,
                                   .abort = nothing,
                                   .close = nothing};
    struct t_rank_result *result = r->result;
    struct dist *dist = NULL;
    char host[16];

    snprintf(host, sizeof host, "host%d", r->rank / 2);
    result->status = dist_new(&comm, host, &dist, &result->err);
    if (result->status == T2_OK)
        result->status = r->fn(dist, r->arg, &result->err);
    dist_close(dist);
    return NULL;
}

void t_run_ranks(int size, t_rank_fn fn, void *arg, struct t_rank_result *results)
{
    size_t n = (size_t) size;
    struct world w = {.size = size, .lists = t2_alloc(n * n, sizeof *w.lists)};
    struct rank *ranks = t2_alloc(n, sizeof *ranks);
    pthread_t *threads = t2_alloc(n, sizeof *threads);

    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.sent, NULL);
    for (size_t i = 0; i < n * n; i++)
        w.lists[i].end = &w.lists[i].first;
    for (int i = 0; i < size; i++) {
        results[i] = (struct t_rank_result){0};
        ranks[i] =
            (struct rank){.world = &w, .rank = i, .fn = fn, .arg = arg, .result = &results[i]};
        T2_ASSERT(pthread_create(&threads[i], NULL, run, &ranks[i]) == 0);
    }
    for (int i = 0; i < size; i++)
        T2_ASSERT(pthread_join(threads[i], NULL) == 0);
    for (size_t i = 0; i < n * n; i++)
        T2_ASSERT(!w.lists[i].first);
    pthread_cond_destroy(&w.sent);
    pthread_mutex_destroy(&w.lock);
    t2_free(w.lists);
    t2_free(ranks);
    t2_free(threads);
}

void t_assert_ranks(int size, const struct t_rank_result *results)
{
    for (int r = 0; r < size; r++)
        if (results[r].status != T2_OK)
            fail_msg("rank %d: %s", r, results[r].err.message);
}
