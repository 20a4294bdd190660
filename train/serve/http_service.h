/*
 * train/serve/http_service.h - HTTP for a service: whole requests in, answers out, by libmicrohttpd
 * (opened at run time), whose only user this is.
 *
 * One thread reads and writes for all connections; it must not be kept waiting.  What takes time
 * is answered later, by another thread (srv_http_answer).
 */
#ifndef SRV_HTTP_SERVICE_H
#define SRV_HTTP_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct srv_http;

/* A request and its answer. */
struct srv_exchange {
    const char *method; /* "GET"; "" when nothing was read yet */
    const char *path;   /* as it came, nothing unescaped, without "?..." */
    struct t2_buf body;
    double started_s; /* t2_now_s() */
    /* The answer. */
    int status;
    const char *content_type; /* static */
    struct t2_buf answer;
    int retry_after_s; /* 0: none */
    const char *allow; /* static; NULL: none */
    void *work;        /* of the hooks */
    void *connection;  /* of the server */
    bool told;         /* of the server: begin was called */
    uint64_t n_read;   /* of the server: bytes of the body that came */
};

/* All are called by the thread of HTTP. */
struct srv_http_hooks {
    void *context;
    /* The request is complete: true when x has its answer, false when it will come later. */
    bool (*begin)(void *context, struct srv_exchange *x);
    /* begin said "later": from now on srv_http_answer may be called, once, by any thread. */
    void (*later)(void *context, struct srv_exchange *x);
    /* x is over, answered (status, else 0) or not, and goes away. */
    void (*end)(void *context, struct srv_exchange *x);
};

struct srv_http_options {
    const char *address; /* "127.0.0.1:8501", "[::1]:0", "localhost:80"; port 0: any */
    uint64_t max_body_bytes;
    int idle_timeout_s; /* without a byte, and for all of a body */
    int max_connections;
    struct srv_http_hooks hooks;
};

/* T2_EUSAGE: no such address; T2_EIO: it is taken; T2_EUNSUPPORTED: without libmicrohttpd, of
 * which package the message tells. */
T2_MUST_CHECK enum t2_status srv_http_new(const struct srv_http_options *o, struct srv_http **s,
                                          struct t2_err *err);
/* "http://127.0.0.1:8501/", with the port that it really has; borrowed. */
const char *srv_http_url(const struct srv_http *s);
/* Requests that have begun and are not over. */
int64_t srv_http_n_open(struct srv_http *s);
/* x has its answer now. */
void srv_http_answer(struct srv_exchange *x);
/* Closes all connections; none may wait for its answer. */
void srv_http_free(struct srv_http *s);

/* Makes an error of TensorFlow Serving's shape the answer. */
void srv_http_refuse(struct srv_exchange *x, int status, const char *message);

#endif
