/*
 * train/serve/http_service.c - see the header.
 *
 * libmicrohttpd calls on_request several times for a request: first with its head, then with each
 * piece of the body, at last with nothing.  To answer later, the connection is suspended; when it
 * is resumed, on_request is called once more.  A body that is too long is read and left out up to
 * some length, since an answer amid the upload would often not reach the client; beyond that the
 * answer comes at once, or the connection ends.
 */
#include "train/serve/http_service.h"

#ifdef T2_HAVE_MICROHTTPD

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <microhttpd.h>

#include "base/alloc.h"
#include "base/library.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/str.h"
#include "train/serve/predict_request.h"

#define FUNCTIONS(X)                                                                               \
    X(MHD_add_response_header)                                                                     \
    X(MHD_create_response_from_buffer)                                                             \
    X(MHD_destroy_response)                                                                        \
    X(MHD_get_daemon_info)                                                                         \
    X(MHD_lookup_connection_value)                                                                 \
    X(MHD_queue_response)                                                                          \
    X(MHD_resume_connection)                                                                       \
    X(MHD_start_daemon)                                                                            \
    X(MHD_stop_daemon)                                                                             \
    X(MHD_suspend_connection)

#define DECLARE(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(DECLARE)
} lib;

static enum t2_status open_library(struct t2_err *err)
{
#define SYMBOL(name) {#name, &lib.name},
    const struct t2_symbol symbols[] = {FUNCTIONS(SYMBOL)};
    char why[256];

    if (t2_library_open(&t2_libmicrohttpd, symbols, sizeof symbols / sizeof *symbols, why,
                        sizeof why))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED, "--serve: %s", why);
}

enum {
    HEAD_BYTES = 32768,   /* of a connection: its head and the pieces of its body */
    SWALLOWED_BODIES = 8, /* so many times the limit are read before the connection ends */
    KEPT_BODIES = 64,     /* so many of the largest bodies are held at one time */
    BACKLOG = 256
};

struct srv_http {
    struct srv_http_options o;
    struct MHD_Daemon *daemon;
    char *url;
    pthread_mutex_t lock;
    int64_t n_open;
    uint64_t n_kept_bytes; /* of bodies; of the thread of HTTP */
};

/* ---- one request ---- */

static enum MHD_Result send_answer(struct srv_exchange *x, struct MHD_Connection *c)
{
    /* x is there until on_completed */
    struct MHD_Response *r =
        lib.MHD_create_response_from_buffer(x->answer.len_bytes, x->answer.data,
                                            MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result;
    char seconds[16];

    if (!r)
        return MHD_NO;
    (void) lib.MHD_add_response_header(r, "Content-Type", x->content_type);
    (void) lib.MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    (void) lib.MHD_add_response_header(r, "Cache-Control", "no-store");
    if (x->retry_after_s > 0) {
        snprintf(seconds, sizeof seconds, "%d", x->retry_after_s);
        (void) lib.MHD_add_response_header(r, "Retry-After", seconds);
    }
    if (x->allow)
        (void) lib.MHD_add_response_header(r, "Allow", x->allow);
    result = lib.MHD_queue_response(c, (unsigned) x->status, r);
    lib.MHD_destroy_response(r);
    return result;
}

void srv_http_refuse(struct srv_exchange *x, int status, const char *message)
{
    x->status = status;
    x->content_type = "application/json";
    t2_buf_clear(&x->answer);
    srv_put_error(message, &x->answer);
}

static void refuse_length(const struct srv_http *s, struct srv_exchange *x)
{
    char message[96];

    snprintf(message, sizeof message, "the body is longer than %" PRIu64 " bytes",
             s->o.max_body_bytes);
    srv_http_refuse(x, MHD_HTTP_CONTENT_TOO_LARGE, message);
}

static struct srv_exchange *new_exchange(struct srv_http *s, struct MHD_Connection *c,
                                         const char *method, const char *path)
{
    struct srv_exchange *x = t2_alloc(1, sizeof *x);

    x->method = method;
    x->path = path;
    x->connection = c;
    x->started_s = t2_now_s();
    pthread_mutex_lock(&s->lock);
    s->n_open++;
    pthread_mutex_unlock(&s->lock);
    return x;
}

/* The head alone tells that the body is not to be read. */
static bool is_hopeless(const struct srv_http *s, struct MHD_Connection *c)
{
    const char *length = lib.MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");
    bool waits = lib.MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Expect") != NULL;
    uint64_t n;

    if (!length || !t2_parse_u64(length, &n))
        return false;
    return n > s->o.max_body_bytes * (waits ? 1 : SWALLOWED_BODIES);
}

/* A piece of the body. */
static enum MHD_Result read_piece(struct srv_http *s, struct srv_exchange *x, const char *data,
                                  size_t n_bytes)
{
    x->n_read += n_bytes;
    if (x->n_read > s->o.max_body_bytes * SWALLOWED_BODIES ||
        t2_now_s() - x->started_s > s->o.idle_timeout_s)
        return MHD_NO;
    if (x->status)
        return MHD_YES; /* refused, read to its end all the same */
    if (x->n_read > s->o.max_body_bytes) {
        refuse_length(s, x);
    } else if (s->n_kept_bytes + n_bytes > s->o.max_body_bytes * KEPT_BODIES) {
        srv_http_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests are being read");
        x->retry_after_s = 1;
    } else {
        s->n_kept_bytes += n_bytes;
        t2_buf_append(&x->body, data, n_bytes);
    }
    return MHD_YES;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *c, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *n_bytes, void **memory)
{
    struct srv_http *s = context;
    struct srv_exchange *x = *memory;

    (void) version;
    if (!x) {
        *memory = x = new_exchange(s, c, method, path);
        if (!is_hopeless(s, c))
            return MHD_YES;
        refuse_length(s, x);
        return send_answer(x, c);
    }
    if (*n_bytes > 0) {
        size_t n = *n_bytes;

        *n_bytes = 0;
        return read_piece(s, x, data, n);
    }
    if (x->status == 0 && !x->told) {
        x->told = true;
        if (!s->o.hooks.begin(s->o.hooks.context, x)) {
            lib.MHD_suspend_connection(c);
            s->o.hooks.later(s->o.hooks.context, x);
            return MHD_YES;
        }
    }
    return send_answer(x, c);
}

void srv_http_answer(struct srv_exchange *x)
{
    lib.MHD_resume_connection(x->connection);
}

static void on_completed(void *context, struct MHD_Connection *c, void **memory,
                         enum MHD_RequestTerminationCode why)
{
    struct srv_http *s = context;
    struct srv_exchange *x = *memory;

    (void) c, (void) why;
    if (!x)
        return;
    *memory = NULL;
    s->n_kept_bytes -= x->body.len_bytes;
    s->o.hooks.end(s->o.hooks.context, x);
    t2_buf_release(&x->body);
    t2_buf_release(&x->answer);
    t2_free(x);
    pthread_mutex_lock(&s->lock);
    s->n_open--;
    pthread_mutex_unlock(&s->lock);
}

/* Paths stay as they came. */
static size_t keep_escapes(void *context, struct MHD_Connection *c, char *text)
{
    (void) context, (void) c;
    return strlen(text);
}

__attribute__((format(printf, 2, 0))) static void on_message(void *context, const char *format,
                                                             va_list args)
{
    char line[512];

    (void) context;
    vsnprintf(line, sizeof line, format, args);
    line[strcspn(line, "\r\n")] = '\0';
    t2_debug("http: %s", line);
}

/* ---- life ---- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* "HOST:PORT"; host is owned by the caller. */
static enum t2_status parse_address(const char *text, union address *a, char **host,
                                    struct t2_err *err)
{
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t) (colon - text) : 0;
    bool brackets = n > 2 && text[0] == '[' && text[n - 1] == ']';
    const char *numeric;
    uint64_t port;
    bool ok = colon && t2_parse_u64(colon + 1, &port) && port <= UINT16_MAX;

    *host = brackets ? t2_strndup(text + 1, n - 2) : t2_strndup(text, n);
    numeric = strcmp(*host, "localhost") == 0 ? "127.0.0.1" : *host;
    memset(a, 0, sizeof *a);
    if (ok && brackets) {
        a->v6.sin6_family = AF_INET6;
        a->v6.sin6_port = htons((uint16_t) port);
        ok = inet_pton(AF_INET6, numeric, &a->v6.sin6_addr) == 1;
    } else if (ok) {
        a->v4.sin_family = AF_INET;
        a->v4.sin_port = htons((uint16_t) port);
        ok = inet_pton(AF_INET, numeric, &a->v4.sin_addr) == 1;
    }
    if (ok)
        return T2_OK;
    t2_free(*host);
    *host = NULL;
    return t2_fail(err, T2_EUSAGE,
                   "--serve=%s: expected an address and a port, such as 127.0.0.1:8501, "
                   "localhost:8501, 0.0.0.0:8501 or [::1]:8501",
                   text);
}

static enum t2_status start(struct srv_http *s, const union address *a, struct t2_err *err)
{
    bool v6 = a->any.sa_family == AF_INET6;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_ERROR_LOG | (v6 ? MHD_USE_IPv6 : 0);

    s->daemon =
        lib.MHD_start_daemon(flags, 0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER,
                             on_message, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
                             MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_SOCK_ADDR,
                             &a->any, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u,
                             MHD_OPTION_CONNECTION_LIMIT, (unsigned) s->o.max_connections,
                             MHD_OPTION_CONNECTION_TIMEOUT, (unsigned) s->o.idle_timeout_s,
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) HEAD_BYTES,
                             MHD_OPTION_LISTEN_BACKLOG_SIZE, (unsigned) BACKLOG, MHD_OPTION_END);
    if (s->daemon)
        return T2_OK;
    return t2_fail(err, T2_EIO,
                   "--serve=%s: cannot listen there: the port is taken, the address is not of this "
                   "machine, or it takes more rights (T2_LOG=debug tells more)",
                   s->o.address);
}

enum t2_status srv_http_new(const struct srv_http_options *o, struct srv_http **s,
                            struct t2_err *err)
{
    union address a;
    char *host;
    enum t2_status st;

    *s = NULL;
    T2_TRY(parse_address(o->address, &a, &host, err));
    st = open_library(err);
    if (st != T2_OK) {
        t2_free(host);
        return st;
    }
    *s = t2_alloc(1, sizeof **s);
    (*s)->o = *o;
    pthread_mutex_init(&(*s)->lock, NULL);
    st = start(*s, &a, err);
    if (st == T2_OK) {
        const union MHD_DaemonInfo *info =
            lib.MHD_get_daemon_info((*s)->daemon, MHD_DAEMON_INFO_BIND_PORT);
        bool v6 = a.any.sa_family == AF_INET6;

        (*s)->url = t2_asprintf(v6 ? "http://[%s]:%u/" : "http://%s:%u/", host,
                                info ? (unsigned) info->port : 0);
    } else {
        srv_http_free(*s);
        *s = NULL;
    }
    t2_free(host);
    return st;
}

const char *srv_http_url(const struct srv_http *s)
{
    return s->url;
}

int64_t srv_http_n_open(struct srv_http *s)
{
    int64_t n;

    pthread_mutex_lock(&s->lock);
    n = s->n_open;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void srv_http_free(struct srv_http *s)
{
    if (!s)
        return;
    if (s->daemon)
        lib.MHD_stop_daemon(s->daemon);
    pthread_mutex_destroy(&s->lock);
    t2_free(s->url);
    t2_free(s);
}

#else

enum t2_status srv_http_new(const struct srv_http_options *o, struct srv_http **s,
                            struct t2_err *err)
{
    (void) o;
    *s = NULL;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "--serve: this build is without libmicrohttpd: apt-get install "
                   "libmicrohttpd-dev, and make");
}

const char *srv_http_url(const struct srv_http *s)
{
    (void) s;
    return "";
}

int64_t srv_http_n_open(struct srv_http *s)
{
    (void) s;
    return 0;
}

void srv_http_answer(struct srv_exchange *x)
{
    (void) x;
}

void srv_http_free(struct srv_http *s)
{
    T2_ASSERT(!s); /* there is none */
}

void srv_http_refuse(struct srv_exchange *x, int status, const char *message)
{
    (void) x, (void) status, (void) message;
}

#endif
