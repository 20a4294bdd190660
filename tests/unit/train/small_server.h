/*
 * tests/unit/train/small_server.h - requests for a small translator, without HTTP.
 */
#ifndef TESTS_SMALL_SERVER_H
#define TESTS_SMALL_SERVER_H

#include <string.h>

#include "base/alloc.h"
#include "tests/unit/train/small_translator.h"
#include "train/serve/row_batches.h"

enum { MOST_RUNS = 240 };

struct asked {
    struct srv_job job;
    int n_done;
};

static inline void note(struct srv_job *job)
{
    struct asked *a = job->owner;

    a->n_done++;
}

/* A job of n texts of the letter c, the first of so many. */
static inline void ask(struct srv_queue *q, struct asked *a, size_t n, char c, size_t length)
{
    memset(a, 0, sizeof *a);
    a->job.request.instances = t2_alloc(n, sizeof *a->job.request.instances);
    a->job.request.n = n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < length + i; k++)
            t2_buf_push(&a->job.request.instances[i].text, (uint8_t) (c + (char) (k % 3)));
    a->job.deadline_s = 10;
    a->job.done = note;
    a->job.owner = a;
    assert_int_equal(srv_queue_admit(q, n), SRV_ADMITTED);
    srv_queue_push(q, &a->job);
}

static inline void forget(struct asked *a)
{
    srv_request_release(&a->job.request);
    t2_buf_release(&a->job.body);
}

struct small_server {
    struct small_translator s;
    struct srv_batches b;
};

static inline void open_server(struct small_server *x, const char *decode_hparams)
{
    struct t2_err err = T2_ERR_INIT;

    memset(x, 0, sizeof *x);
    small_open(&x->s, decode_hparams, 0, 1);
    dec_translator_free(x->s.t);
    if (dec_translator_new(&(struct dec_parts){.m = x->s.m,
                                               .inputs = x->s.bytes,
                                               .targets = x->s.bytes,
                                               .hp = &x->s.hp,
                                               .keep_ids = true},
                           &x->s.t, &err) != T2_OK)
        fail_msg("%s", err.message);
    x->b = (struct srv_batches){.t = x->s.t,
                                .hp = &x->s.hp,
                                .queue = srv_queue_new(1000),
                                .metrics = srv_metrics_new(),
                                .most_ids = 100};
}

static inline void close_server(struct small_server *x)
{
    srv_batches_release(&x->b);
    srv_queue_free(x->b.queue);
    srv_metrics_free(x->b.metrics);
    small_close(&x->s);
}

static inline void take_all(struct small_server *x)
{
    struct srv_job *job = srv_queue_take(x->b.queue, 0);

    while (job) {
        struct srv_job *next = job->next;

        srv_batches_add(&x->b, job);
        job = next;
    }
}

static inline void run_all(struct small_server *x)
{
    struct t2_err err = T2_ERR_INIT;

    take_all(x);
    for (int n = 0; x->b.n > 0; n++) {
        assert_int_equal(srv_batches_run(&x->b, &err), T2_OK);
        assert_true(n < MOST_RUNS);
    }
}

#endif
