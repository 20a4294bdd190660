/*
 * train/serve/request_queue.h - requests on their way from the threads of HTTP to the one thread
 * that translates.
 *
 * What is counted is instances: those admitted and not yet answered.  An instance is admitted
 * before its request is pushed, so that a queue that was closed and has nothing waiting stays
 * empty.
 */
#ifndef SRV_REQUEST_QUEUE_H
#define SRV_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "train/serve/predict_request.h"

/* A request and its answer.  Belongs to whoever made it; the queue and the translating thread have
 * it from srv_queue_push until they call `done`, and touch it no more afterwards. */
struct srv_job {
    struct srv_request request;
    double deadline_s; /* t2_now_s(): what has not begun then is given up */
    void (*done)(struct srv_job *job);
    void *owner; /* for done */
    /* The answer, for done. */
    int status; /* of HTTP */
    struct t2_buf body;
    int retry_after_s; /* 0: none */
    /* Of the translating thread. */
    struct dec_hypothesis *outputs; /* (request.n, n_best), of texts */
    double *probabilities;          /* (request.n, classes), of images */
    char *wrong;                    /* what the first instance that cannot be read is refused for */
    size_t n_left;                  /* instances that are to have one, and have none yet */
    bool begun;                     /* one of them is in the model, or was */
    struct srv_job *next;
};

struct srv_queue;

struct srv_queue *srv_queue_new(int64_t most_waiting);
void srv_queue_free(struct srv_queue *q); /* nothing may be waiting */

enum srv_admission { SRV_ADMITTED, SRV_FULL, SRV_CLOSED };
/* Asks for n places; SRV_ADMITTED must be followed by srv_queue_push of n instances. */
enum srv_admission srv_queue_admit(struct srv_queue *q, size_t n);
void srv_queue_push(struct srv_queue *q, struct srv_job *job);
/* All that was pushed, the oldest first, linked by next; NULL when nothing came in so much time. */
struct srv_job *srv_queue_take(struct srv_queue *q, double timeout_s);
/* The job has its answer: gives its places back and calls done. */
void srv_queue_finish(struct srv_queue *q, struct srv_job *job);
/* Nothing more is admitted. */
void srv_queue_close(struct srv_queue *q);
int64_t srv_queue_waiting(struct srv_queue *q);

#endif
