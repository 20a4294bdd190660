/*
 * base/remote/remote_call.h - a request to an object store, asked again while that may help.
 *
 * What passes (a cut connection, 408, 429, 500, 502, 503, 504) is tried up to T2_REMOTE_TRIES times
 * (6), after pauses of T2_REMOTE_WAIT seconds (0.5) that double, or as long as the server asks;
 * bytes of a body that came are not asked for again.  What does not pass is a sentence with the way
 * out.
 */
#ifndef T2_BASE_REMOTE_REMOTE_CALL_H
#define T2_BASE_REMOTE_REMOTE_CALL_H

#include "base/remote/http.h"
#include "base/remote/store.h"

enum { T2_REMOTE_MOST = 256 };
/* How many requests may run at once, to read and to write each (T2_REMOTE_PARALLEL, 64). */
T2_MUST_CHECK enum t2_status t2_remote_parallel(int *n, struct t2_err *err);

struct t2_call {
    const struct t2_location *l; /* for messages */
    const char *what;            /* "read", "write", "list", "remove": for messages */
    struct t2_http_request request;
    struct t2_strs headers;        /* of the request; owned by the call */
    struct t2_strs secret_headers; /* made anew by authorize */
    /* Headers or a signature for the next try; NULL: none.  is_afresh: the last were refused. */
    enum t2_status (*authorize)(struct t2_call *c, bool is_afresh, struct t2_err *err);
    const char *who; /* where the credentials are from, for messages; NULL: there are none */
    bool single_try; /* the caller decides what to ask after a failure */
    bool ok_absent;  /* 404 of an object is no failure: answer.status says it */
    /* Where the body goes: to sink, of which range_bytes from range_from on are asked for and no
     * others taken; or to text, at most 64 MiB. */
    t2_store_sink sink;
    /* Where the body of the request comes from, unless request.upload has it; false: T2_EIO. */
    bool (*source)(void *context, uint64_t offset, void *to, size_t n);
    void *context; /* of both */
    uint64_t range_from, range_bytes, total_bytes;
    bool is_ranged;
    bool sink_refused;
    /* What came. */
    struct t2_http_answer answer; /* of the last try */
    struct t2_buf text;           /* of an answer that is no success, too */
    uint64_t n_came;
};

/* Sends c->request, whose callbacks and headers are set here, until an answer counts: T2_OK for
 * 2xx, 308, and what ok_absent allows.  T2_ENOTFOUND, T2_EIO, T2_EFORMAT, T2_EUNSUPPORTED (no
 * libcurl), T2_EINTERRUPTED. */
T2_MUST_CHECK enum t2_status t2_call_run(struct t2_call *c, struct t2_err *err);
void t2_call_release(struct t2_call *c);

#endif
