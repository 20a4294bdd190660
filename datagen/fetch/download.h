/*
 * datagen/fetch/download.h - one HTTP request, by libcurl (only download.c includes it).
 *
 * Redirects are followed here: at most 10, of at most 64 KiB each, never away from http and https,
 * never from https back to http.  However little a server sends, and however slowly: a request
 * ends.  What to ask and what to do with the answer is decided in fetch_one.c.
 */
#ifndef DG_DOWNLOAD_H
#define DG_DOWNLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The head of the answer that is not a redirect; of headers that are absent or too long, "". */
struct dg_answer {
    int status;
    bool has_length, is_framed; /* is_framed: an early end of the body is noticed */
    uint64_t length_bytes;      /* of this body */
    char etag[256], last_modified[64], content_range[128], content_type[128];
    char content_encoding[32], retry_after[64];
    char *url;      /* where the redirects led; owned by the answer */
    char text[300]; /* DG_GET_CUT, DG_GET_HOPELESS: what went wrong, for a message */
};
void dg_answer_release(struct dg_answer *a);

struct dg_request {
    const char *url;
    uint64_t offset_bytes; /* > 0: Range: bytes=<offset>- */
    const char *if_range;  /* ETag or date; NULL: none */
    bool head_only;        /* HEAD */
    bool send_cookies;     /* those of the last answer of this session; otherwise none */
    const char *proxy;     /* NULL: by the environment */
    int connect_timeout_s;
    int stall_timeout_s; /* the longest silence, and the longest head or redirect */
    uint64_t min_rate;   /* of a body: bytes a second over stall_timeout_s; 0: any */
    void *context;
    /* The head is complete.  false: the body is not wanted (DG_GET_REFUSED). */
    bool (*start)(void *context, const struct dg_answer *a);
    bool (*body)(void *context, const void *data, size_t len_bytes);
};

enum dg_get {
    DG_GET_WHOLE,    /* the whole body, judged by its framing */
    DG_GET_CUT,      /* the network or the server failed; asking again may help */
    DG_GET_REFUSED,  /* start or body returned false */
    DG_GET_HOPELESS, /* asking again is of no use */
    DG_GET_STOPPED   /* SIGINT or SIGTERM */
};

/* A connection with its cookies; used by one thread at a time.  Either all its requests are HEAD,
 * or none. */
struct dg_session;
struct dg_session *dg_session_new(void);
void dg_session_free(struct dg_session *s);
/* *a is owned by the caller (dg_answer_release), whatever the outcome. */
enum dg_get dg_session_get(struct dg_session *s, const struct dg_request *r, struct dg_answer *a);

/* NULL with libcurl, which it opens; else what to say of its absence, with the way out. */
const char *dg_download_missing(void);
/* "../x" seen from "http://h/a/b"; NULL when it makes no sense.  Owned by the caller. */
char *dg_url_resolve(const char *base, const char *reference);

#endif
