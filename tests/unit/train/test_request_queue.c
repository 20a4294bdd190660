/*
 * tests/unit/train/test_request_queue.c - places, order, the end; and many threads at once.
 */
#include "train/serve/request_queue.h"

#include <pthread.h>

#include "tests/support/t.h"

static void count(struct srv_job *job)
{
    int *n_done = job->owner;

    ++*n_done;
}

static void test_places(void **state)
{
    struct srv_queue *q = srv_queue_new(5);
    int n_done = 0;
    struct srv_job a = {.request.n = 3, .done = count, .owner = &n_done}, b = a;

    (void) state;
    b.request.n = 2;
    assert_null(srv_queue_take(q, 0));
    assert_null(srv_queue_take(q, 0.001));
    assert_int_equal(srv_queue_admit(q, 6), SRV_FULL);
    assert_int_equal(srv_queue_admit(q, 3), SRV_ADMITTED);
    assert_int_equal(srv_queue_admit(q, 3), SRV_FULL);
    assert_int_equal(srv_queue_admit(q, 2), SRV_ADMITTED);
    assert_int_equal(srv_queue_admit(q, 1), SRV_FULL);
    srv_queue_push(q, &a);
    srv_queue_push(q, &b);
    assert_ptr_equal(srv_queue_take(q, 60), &a);
    assert_ptr_equal(a.next, &b);
    assert_null(b.next);
    assert_int_equal(srv_queue_waiting(q), 5);
    srv_queue_finish(q, &b);
    assert_int_equal(n_done, 1);
    assert_int_equal(srv_queue_waiting(q), 3);
    assert_int_equal(srv_queue_admit(q, 2), SRV_ADMITTED);
    srv_queue_close(q);
    assert_int_equal(srv_queue_admit(q, 1), SRV_CLOSED);
    srv_queue_push(q, &b); /* was admitted before */
    assert_ptr_equal(srv_queue_take(q, 0), &b);
    srv_queue_finish(q, &a);
    srv_queue_finish(q, &b);
    assert_int_equal(srv_queue_waiting(q), 0);
    srv_queue_free(q);
}

/* ---- clients ---- */

enum { CLIENTS = 8, REQUESTS = 200, PLACES = 5 };

struct client {
    struct srv_queue *q;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool done;
    int n_full;
};

static void wake(struct srv_job *job)
{
    struct client *c = job->owner;

    pthread_mutex_lock(&c->lock);
    c->done = true;
    pthread_cond_signal(&c->answered);
    pthread_mutex_unlock(&c->lock);
}

static void *ask(void *arg)
{
    struct client *c = arg;

    for (int i = 0; i < REQUESTS;) {
        struct srv_job job = {.request.n = 1, .done = wake, .owner = c};

        if (srv_queue_admit(c->q, 1) == SRV_FULL) {
            c->n_full++;
            sched_yield();
            continue;
        }
        c->done = false;
        srv_queue_push(c->q, &job);
        pthread_mutex_lock(&c->lock);
        while (!c->done)
            pthread_cond_wait(&c->answered, &c->lock);
        pthread_mutex_unlock(&c->lock);
        i++;
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct srv_queue *q = srv_queue_new(PLACES);
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    int n = 0;

    (void) state;
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.q = q};
        pthread_mutex_init(&clients[i].lock, NULL);
        pthread_cond_init(&clients[i].answered, NULL);
        pthread_create(&threads[i], NULL, ask, &clients[i]);
    }
    while (n < CLIENTS * REQUESTS) {
        struct srv_job *job = srv_queue_take(q, 1);
        int at_once = 0;

        while (job) {
            struct srv_job *next = job->next;

            srv_queue_finish(q, job);
            job = next;
            at_once++;
        }
        n += at_once;
        /* those of finish give their place back only behind the answer */
        assert_true(at_once <= PLACES);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        pthread_cond_destroy(&clients[i].answered);
        pthread_mutex_destroy(&clients[i].lock);
    }
    assert_int_equal(srv_queue_waiting(q), 0);
    srv_queue_free(q);
}

T_MAIN(cmocka_unit_test(test_places), cmocka_unit_test(test_threads))
