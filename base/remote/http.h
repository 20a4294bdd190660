/*
 * base/remote/http.h - one HTTP request, by libcurl (only http.c includes it).
 *
 * Redirects are followed here: at most 10, of at most 64 KiB each, never away from http and https,
 * never from https back to http.  However little a server sends, and however slowly: a request
 * ends.  What to ask and what to do with the answer is decided in fetch_one.c.
 */
#ifndef T2_BASE_REMOTE_HTTP_H
#define T2_BASE_REMOTE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The head of the answer that is not a redirect; of headers that are absent or too long, "". */
struct t2_http_answer {
    int status;
    bool has_length, is_framed; /* is_framed: an early end of the body is noticed */
    uint64_t length_bytes;      /* of this body */
    char etag[256], last_modified[64], content_range[128], content_type[128];
    char content_encoding[32], retry_after[64], date[64], accept_ranges[16];
    char location[1024], range[64]; /* of an upload in pieces */
    char goog_hash[128], amz_crc32c[16], amz_bucket_region[64];
    char amz_checksum[16];     /* x-amz-checksum-algorithm: "CRC32C" */
    char amz_encryption[32];   /* "AES256", "aws:kms" */
    char amz_customer_key[16]; /* the algorithm of a key that the customer sends */
    char t2_crc32c[16];        /* x-amz-meta-t2-crc32c */
    char *url;                 /* where the redirects led; owned by the answer */
    char text[300];            /* T2_HTTP_CUT, T2_HTTP_HOPELESS: what went wrong, for a message */
};
void t2_http_answer_release(struct t2_http_answer *a);

struct t2_http_request {
    const char *url;
    uint64_t offset_bytes; /* > 0: Range: bytes=<offset>- */
    const char *if_range;  /* ETag or date; NULL: none */
    bool head_only;        /* HEAD */
    const char *range;     /* "0-99", instead of offset_bytes; NULL: none */
    const char *method;    /* NULL: GET, or POST with a body */
    const void *upload;    /* a body to send; borrowed.  NULL: upload_read gives its bytes */
    uint64_t upload_bytes;
    /* n bytes of the body, from offset on; false ends the request (T2_HTTP_REFUSED). */
    bool (*upload_read)(void *context, uint64_t offset, void *to, size_t n);
    bool has_upload;
    const struct t2_strs *headers; /* "Name: value" each; NULL: none */
    const char *sign_for;          /* "REGION:s3": AWS's signature version 4; NULL: not signed */
    const char *user, *secret;     /* that sign */
    bool accept_gzip;              /* bytes as they are stored, encoded so or not */
    bool keep_redirect;            /* an answer 3xx is the caller's */
    bool ignore_interrupt;         /* a run that was told to stop still saves */
    bool send_cookies;             /* those of the last answer of this session; otherwise none */
    const char *proxy;             /* NULL: by the environment */
    int connect_timeout_s;
    int stall_timeout_s; /* the longest silence, and the longest head or redirect */
    uint64_t min_rate;   /* of a body: bytes a second over stall_timeout_s; 0: any */
    void *context;
    /* The head is complete.  false: the body is not wanted (T2_HTTP_REFUSED). */
    bool (*start)(void *context, const struct t2_http_answer *a);
    bool (*body)(void *context, const void *data, size_t len_bytes);
};

enum t2_http_outcome {
    T2_HTTP_WHOLE,    /* the whole body, judged by its framing */
    T2_HTTP_CUT,      /* the network or the server failed; asking again may help */
    T2_HTTP_REFUSED,  /* start or body returned false */
    T2_HTTP_HOPELESS, /* asking again is of no use */
    T2_HTTP_STOPPED   /* SIGINT or SIGTERM */
};

/* A connection with its cookies; used by one thread at a time. */
struct t2_http_session;
struct t2_http_session *t2_http_session_new(void);
void t2_http_session_free(struct t2_http_session *s);
/* *a is owned by the caller (t2_http_answer_release), whatever the outcome. */
enum t2_http_outcome t2_http_session_get(struct t2_http_session *s, const struct t2_http_request *r,
                                         struct t2_http_answer *a);

/* NULL with libcurl, which it opens; else what to say of its absence, with the way out. */
const char *t2_http_missing(void);
/* "../x" seen from "http://h/a/b"; NULL when it makes no sense.  Owned by the caller. */
char *t2_url_resolve(const char *base, const char *reference);

#endif
