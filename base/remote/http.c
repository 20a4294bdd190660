/*
 * base/remote/http.c - one HTTP request, by libcurl, which is opened at the first one.
 *
 * A request is a loop over redirects (t2_http_session_get); libcurl follows none itself, so that
 * each address can be checked: http and https only, no way from https to http, at most 10 hops, at
 * most 64 KiB of headers in all and of text per chain.
 *
 * libcurl calls back into one session, in this order for each head it receives:
 *
 *   on_header   "HTTP/1.1 ..."     a new head: the answer is cleared (100 Continue, a proxy's)
 *   on_header   "Name: value"      the few headers of struct t2_http_answer are kept
 *   on_header   blank line         end_of_head: the caller's start() takes or refuses the body
 *   on_header   later              trailers, passed over
 *   on_body                        bytes to the caller's body()
 *   on_progress                    about once a second: pace, interrupt
 *
 * A callback that returns less than it got, or not 0 from on_progress, ends the request; the
 * reason is then in refused, too_long, redirect_bytes or pace, and outcome_of() looks at these
 * before curl's own code.
 *
 * libcurl is opened by dlopen at the first request: without a download the program needs neither
 * the library nor the time to load it.
 */
#include "base/remote/http.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#ifdef T2_HAVE_CURL
/* Its checks of types are macros of the same names as ours below. */
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#endif

#include "base/alloc.h"
#include "base/hash.h"
#include "base/library.h"
#include "base/progress.h"
#include "base/remote/http_headers.h"
#include "base/signals.h"
#include "base/str.h"
#include "base/version.h"

void t2_http_answer_release(struct t2_http_answer *a)
{
    t2_free(a->url);
    a->url = NULL;
}

#ifdef T2_HAVE_CURL

/* ---- the library ---- */

#define FUNCTIONS(X)                                                                               \
    X(easy_cleanup)                                                                                \
    X(easy_getinfo)                                                                                \
    X(easy_init)                                                                                   \
    X(easy_perform)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_strerror)                                                                               \
    X(free)                                                                                        \
    X(global_init_mem)                                                                             \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(url)                                                                                         \
    X(url_cleanup)                                                                                 \
    X(url_get)                                                                                     \
    X(url_set)

#define DECLARE(name) __typeof__(&curl_##name) name;
static struct {
    FUNCTIONS(DECLARE)
} lib;
static char missing[256]; /* why it could not be opened; empty: it is here */

/* Below, libcurl's functions go by their own names. */
#define curl_easy_cleanup lib.easy_cleanup
#define curl_easy_getinfo lib.easy_getinfo
#define curl_easy_init lib.easy_init
#define curl_easy_perform lib.easy_perform
#define curl_easy_setopt lib.easy_setopt
#define curl_easy_strerror lib.easy_strerror
#define curl_free lib.free
#define curl_slist_append lib.slist_append
#define curl_slist_free_all lib.slist_free_all
#define curl_url lib.url
#define curl_url_cleanup lib.url_cleanup
#define curl_url_get lib.url_get
#define curl_url_set lib.url_set

static void load(void)
{
#define SYMBOL(name) {"curl_" #name, &lib.name},
    const struct t2_symbol symbols[] = {FUNCTIONS(SYMBOL)};
    int (*init)(uint64_t, const void *) = NULL; /* of the libcrypto behind it, if there is one */
    const struct t2_symbol behind = {"OPENSSL_init_crypto", &init};

    t2_libcrypto_begin();
    if (t2_library_open(&t2_libcurl, &behind, 1, missing, sizeof missing))
        (void) init(T2_LIBCRYPTO_STAY, NULL);
    missing[0] = '\0';
    if (t2_library_open(&t2_libcurl, symbols, sizeof symbols / sizeof *symbols, missing,
                        sizeof missing))
        (void) lib.global_init_mem(CURL_GLOBAL_DEFAULT, t2_library_malloc, t2_free,
                                   t2_library_realloc, t2_strdup, t2_library_calloc);
}

const char *t2_http_missing(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return missing[0] != '\0' ? missing : NULL;
}

/* ---- sessions ---- */

static const long BUFFER_BYTES = 256 << 10; /* curl's, of a session */

enum { MOST_REDIRECTS = 10, MOST_HEADER_BYTES = 65536, MOST_REDIRECT_BYTES = 65536 };

enum pace { FAST_ENOUGH, SILENT, SLOW_HEAD, SLOW_BODY };

struct t2_http_session {
    CURL *curl;
    char error[CURL_ERROR_SIZE];
    /* of the request that runs */
    const struct t2_http_request *request;
    struct t2_http_answer *answer;
    size_t header_bytes;
    bool has_location, started, refused, too_long;
    size_t redirect_bytes; /* of the body of a redirect, which is discarded */
    curl_off_t body_bytes, sent_bytes;
    uint64_t read_bytes;    /* of the body to send */
    double asked_s;         /* when the request began */
    double came_s;          /* when the last byte came */
    double rated_s;         /* since when bytes are counted for the lowest rate */
    curl_off_t rated_bytes; /* body_bytes at that time */
    enum pace pace;
};

struct t2_http_session *t2_http_session_new(void)
{
    struct t2_http_session *s;

    if (t2_http_missing())
        return NULL;
    s = t2_alloc(1, sizeof *s);
    s->curl = curl_easy_init();
    if (!s->curl)
        t2_out_of_memory("libcurl cannot begin");
    curl_easy_setopt(s->curl, CURLOPT_COOKIEFILE, ""); /* in memory only; once, else 7.88 leaks */
    return s;
}

void t2_http_session_free(struct t2_http_session *s)
{
    if (!s)
        return;
    curl_easy_cleanup(s->curl);
    t2_free(s);
}

char *t2_url_resolve(const char *base, const char *reference)
{
    CURLU *u = !t2_http_missing() ? curl_url() : NULL;
    char *text = NULL, *result = NULL;

    if (!u)
        return NULL;
    if (curl_url_set(u, CURLUPART_URL, base, 0) == CURLUE_OK &&
        (*reference == '\0' || curl_url_set(u, CURLUPART_URL, reference, 0) == CURLUE_OK) &&
        curl_url_get(u, CURLUPART_URL, &text, 0) == CURLUE_OK)
        result = t2_strdup(text);
    if (!u)
        t2_out_of_memory("libcurl cannot read an address");
    curl_free(text);
    curl_url_cleanup(u);
    return result;
}

/* ---- the head ---- */

struct line {
    const char *text;
    size_t len_bytes;
};

/* Copies the value of a header line "Name: value" when the name is this one, without regard to
 * case; a value that does not fit or has a NUL is taken as empty. */
static bool take(struct line l, const char *name, char *out, size_t out_bytes)
{
    size_t n = strlen(name), i = n + 1, end = l.len_bytes;

    if (l.len_bytes <= n || l.text[n] != ':' || strncasecmp(l.text, name, n) != 0)
        return false;
    while (i < end && (l.text[i] == ' ' || l.text[i] == '\t'))
        i++;
    while (end > i && strchr(" \t\r\n", l.text[end - 1]))
        end--;
    out[0] = '\0';
    if (end - i < out_bytes && !memchr(l.text + i, '\0', end - i)) {
        memcpy(out, l.text + i, end - i);
        out[end - i] = '\0';
    }
    return true;
}

/* What only object stores send.  Google's hashes may come in several headers. */
static void take_store_header(struct t2_http_answer *a, struct line l)
{
    char value[64];
    size_t n = strlen(a->goog_hash);

    if (take(l, "x-goog-hash", value, sizeof value))
        snprintf(a->goog_hash + n, sizeof a->goog_hash - n, "%s%s", n > 0 ? "," : "", value);
    else if (!take(l, "Date", a->date, sizeof a->date) &&
             !take(l, "Range", a->range, sizeof a->range) &&
             !take(l, "Accept-Ranges", a->accept_ranges, sizeof a->accept_ranges) &&
             !take(l, "x-amz-checksum-crc32c", a->amz_crc32c, sizeof a->amz_crc32c) &&
             !take(l, "x-amz-checksum-algorithm", a->amz_checksum, sizeof a->amz_checksum) &&
             !take(l, "x-amz-meta-t2-crc32c", a->t2_crc32c, sizeof a->t2_crc32c) &&
             !take(l, "x-amz-server-side-encryption", a->amz_encryption,
                   sizeof a->amz_encryption) &&
             !take(l, "x-amz-server-side-encryption-customer-algorithm", a->amz_customer_key,
                   sizeof a->amz_customer_key))
        (void) take(l, "x-amz-bucket-region", a->amz_bucket_region, sizeof a->amz_bucket_region);
}

static void take_header(struct t2_http_session *s, struct line l)
{
    struct t2_http_answer *a = s->answer;
    char value[64];

    if (take(l, "Location", a->location, sizeof a->location))
        s->has_location = true;
    else if (take(l, "Content-Length", value, sizeof value))
        a->is_framed |= a->has_length = t2_parse_u64(value, &a->length_bytes);
    else if (take(l, "Transfer-Encoding", value, sizeof value))
        a->is_framed = true;
    else if (!take(l, "ETag", a->etag, sizeof a->etag) &&
             !take(l, "Last-Modified", a->last_modified, sizeof a->last_modified) &&
             !take(l, "Content-Range", a->content_range, sizeof a->content_range) &&
             !take(l, "Content-Type", a->content_type, sizeof a->content_type) &&
             !take(l, "Content-Encoding", a->content_encoding, sizeof a->content_encoding) &&
             !take(l, "Retry-After", a->retry_after, sizeof a->retry_after))
        take_store_header(a, l);
}

static bool is_redirect(const struct t2_http_session *s)
{
    if (s->request->keep_redirect)
        return false;
    switch (s->answer->status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return true;
    default:
        return false;
    }
}

/* The blank line behind a head; what comes later are trailers. */
static bool end_of_head(struct t2_http_session *s)
{
    struct t2_http_answer *a = s->answer;
    long status = 0, version = 0;

    curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(s->curl, CURLINFO_HTTP_VERSION, &version);
    a->status = (int) status;
    if (status < 200)
        return true; /* 100 Continue: another head follows */
    s->started = true;
    s->rated_s = t2_now_s();
    a->is_framed |= version >= CURL_HTTP_VERSION_2_0;
    if (is_redirect(s))
        return true;
    s->refused = !s->request->start(s->request->context, a);
    return !s->refused;
}

static void clear_head(struct t2_http_session *s)
{
    t2_http_answer_release(s->answer);
    memset(s->answer, 0, sizeof *s->answer);
    s->has_location = s->started = s->refused = s->too_long = false;
}

static size_t on_header(char *data, size_t size, size_t n, void *context)
{
    struct t2_http_session *s = context;
    struct line l = {data, size * n};

    s->came_s = t2_now_s();
    s->header_bytes += l.len_bytes;
    s->too_long |= s->header_bytes > MOST_HEADER_BYTES;
    if (s->too_long)
        return 0;
    if (s->started)
        return l.len_bytes;
    if (l.len_bytes >= 5 && memcmp(l.text, "HTTP/", 5) == 0)
        clear_head(s);
    else if (l.len_bytes <= 2 && strspn(l.text, "\r\n") >= l.len_bytes)
        return end_of_head(s) ? l.len_bytes : 0;
    else
        take_header(s, l);
    return l.len_bytes;
}

static size_t on_body(char *data, size_t size, size_t n, void *context)
{
    struct t2_http_session *s = context;

    if (is_redirect(s)) {
        s->redirect_bytes += size * n;
        return s->redirect_bytes > MOST_REDIRECT_BYTES ? 0 : size * n;
    }
    s->refused = !s->request->body(s->request->context, data, size * n);
    return s->refused ? 0 : size * n;
}

/*
 * Three limits, all over stall_timeout_s: no byte for that long is SILENT; a head (or the body of a
 * redirect) that takes longer in all is SLOW_HEAD, as a server could send one byte now and then for
 * ever; a body of fewer than min_rate bytes a second over each such span is SLOW_BODY.
 */
static enum pace pace_at(struct t2_http_session *s, double now_s)
{
    double limit_s = (double) s->request->stall_timeout_s, rated_s = now_s - s->rated_s;

    /* libcurl shows a line of the head when it is whole: whether the bytes of one drip or none come
     * cannot be seen here, so that a head is late, never silent */
    if (!s->started || is_redirect(s))
        return now_s - s->asked_s > limit_s ? SLOW_HEAD : FAST_ENOUGH;
    if (now_s - s->came_s > limit_s)
        return SILENT;
    if (rated_s <= limit_s)
        return FAST_ENOUGH;
    if ((double) (s->body_bytes - s->rated_bytes) < (double) s->request->min_rate * rated_s)
        return SLOW_BODY;
    s->rated_s = now_s;
    s->rated_bytes = s->body_bytes;
    return FAST_ENOUGH;
}

static size_t on_upload(char *to, size_t size, size_t n, void *context)
{
    struct t2_http_session *s = context;
    uint64_t left = s->request->upload_bytes - s->read_bytes;

    n = size * n < left ? size * n : (size_t) left;
    if (n > 0 && !s->request->upload_read(s->request->context, s->read_bytes, to, n)) {
        s->refused = true;
        return CURL_READFUNC_ABORT;
    }
    s->read_bytes += n;
    return n;
}

/* On a connection that turned out to be closed the body is sent again. */
static int on_upload_seek(void *context, curl_off_t offset, int origin)
{
    struct t2_http_session *s = context;

    if (origin != SEEK_SET || offset < 0 || (uint64_t) offset > s->request->upload_bytes)
        return CURL_SEEKFUNC_CANTSEEK;
    s->read_bytes = (uint64_t) offset;
    return CURL_SEEKFUNC_OK;
}

/* Called once a second and more often.  CURLOPT_LOW_SPEED_LIMIT is not used: it looks at an average
 * of five seconds, and does not distinguish a silent server from a slow one. */
static int on_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now)
{
    struct t2_http_session *s = context;

    (void) total, (void) up_total;
    if (now != s->body_bytes)
        s->came_s = t2_now_s();
    s->body_bytes = now;
    if (s->request->has_upload && up_now != s->sent_bytes) /* no head comes before all is sent */
        s->asked_s = t2_now_s();
    s->sent_bytes = up_now;
    s->pace = pace_at(s, t2_now_s());
    return s->pace != FAST_ENOUGH || (t2_interrupted() && !s->request->ignore_interrupt);
}

/* ---- the request ---- */

static void set_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* Another list of certificates than the system's, as the curl command takes it. */
static void set_authorities(CURL *curl)
{
    const char *file = getenv("CURL_CA_BUNDLE");

    if (!file || !*file)
        file = getenv("SSL_CERT_FILE");
    if (file && *file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, file);
}

/* Every option is set for each request: a session may have had another kind before. */
static void set_method(CURL *c, const struct t2_http_request *r)
{
    /* What is left of the last body would be in the signature of this request. */
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, NULL);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) 0);
    curl_easy_setopt(c, CURLOPT_NOBODY, (long) r->head_only);
    if (r->has_upload) {
        curl_easy_setopt(c, CURLOPT_POST, 1L);
        curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) r->upload_bytes);
        if (r->upload || r->upload_bytes == 0)
            curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->upload_bytes > 0 ? r->upload : "");
        curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_BYTES);
    } else if (!r->head_only) {
        curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
    }
    curl_easy_setopt(c, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
    curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
}

static void set_signature(CURL *c, const struct t2_http_request *r)
{
    char *value = r->sign_for ? t2_asprintf("aws:amz:%s", r->sign_for) : NULL;

    curl_easy_setopt(c, CURLOPT_AWS_SIGV4, value);
    curl_easy_setopt(c, CURLOPT_USERNAME, r->sign_for ? r->user : NULL);
    curl_easy_setopt(c, CURLOPT_PASSWORD, r->sign_for ? r->secret : NULL);
    t2_free(value);
}

static void set_options(struct t2_http_session *s, const struct t2_http_request *r)
{
    CURL *c = s->curl;

    set_protocols(c);
    set_authorities(c);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, s->error);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, s);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(c, CURLOPT_READFUNCTION, on_upload);
    curl_easy_setopt(c, CURLOPT_READDATA, s);
    curl_easy_setopt(c, CURLOPT_SEEKFUNCTION, on_upload_seek);
    curl_easy_setopt(c, CURLOPT_SEEKDATA, s);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, s);
    curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long) r->connect_timeout_s);
    if (r->proxy)
        curl_easy_setopt(c, CURLOPT_PROXY, r->proxy);
    set_method(c, r);
    set_signature(c, r);
}

static struct curl_slist *append(struct curl_slist *list, const char *header)
{
    struct curl_slist *longer = curl_slist_append(list, header);

    if (!longer)
        t2_out_of_memory("libcurl cannot take '%s'", header);
    return longer;
}

static struct curl_slist *headers_of(const struct t2_http_session *s,
                                     const struct t2_http_request *r)
{
    struct curl_slist *list = NULL;
    char *agent = t2_asprintf("User-Agent: t2t.c/%s", t2_version());
    char *if_range = t2_asprintf("If-Range: %s", r->if_range ? r->if_range : "");
    char *range = r->range ? t2_strdup(r->range) : t2_asprintf("%" PRIu64 "-", r->offset_bytes);

    agent[strcspn(agent, "(")] = '\0';
    list = append(list, agent);
    list = append(list, r->accept_gzip ? "Accept-Encoding: gzip" : "Accept-Encoding: identity");
    if (r->has_upload)
        list = append(list, "Expect:"); /* no pause in front of a body */
    for (size_t i = 0; r->headers && i < r->headers->n; i++)
        list = append(list, r->headers->items[i]);
    if (r->offset_bytes && r->if_range)
        list = append(list, if_range);
    curl_easy_setopt(s->curl, CURLOPT_RANGE,
                     r->range || r->offset_bytes ? range : NULL); /* copied */
    curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, list);
    t2_free(agent);
    t2_free(if_range);
    t2_free(range);
    return list;
}

/*
 * OpenSSL may write to a closed socket (the close_notify of TLS), which raises SIGPIPE and would
 * end the program.  The signal is blocked in this thread during the request, and one that arrived
 * is taken from the queue unless it was pending before.
 */
static CURLcode perform_without_sigpipe(CURL *curl)
{
    const struct timespec none = {0, 0};
    sigset_t pipe_only, before, pending;
    bool was_pending;
    CURLcode code;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    (void) sigpending(&pending);
    was_pending = sigismember(&pending, SIGPIPE) == 1;
    (void) pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    code = curl_easy_perform(curl);
    if (!was_pending)
        (void) sigtimedwait(&pipe_only, NULL, &none);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Whether a failure is worth another attempt: of the network or a busy server, not of the address,
 * the certificate or this machine. */
static bool may_pass(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        return true;
    default:
        return false;
    }
}

static void report_pace(const struct t2_http_session *s, struct t2_http_answer *a)
{
    const struct t2_http_request *r = s->request;

    if (s->pace == SILENT)
        snprintf(a->text, sizeof a->text, "nothing of the file came for %d s", r->stall_timeout_s);
    else if (s->pace == SLOW_HEAD)
        snprintf(a->text, sizeof a->text, "after %d s the head of the answer was not complete",
                 r->stall_timeout_s);
    else
        snprintf(a->text, sizeof a->text, "for %d s fewer than %" PRIu64 " bytes a second came",
                 r->stall_timeout_s, r->min_rate);
}

static enum t2_http_outcome outcome_of(struct t2_http_session *s, CURLcode code)
{
    struct t2_http_answer *a = s->answer;

    if (s->too_long) {
        snprintf(a->text, sizeof a->text, "the answer has more than %d bytes of headers",
                 MOST_HEADER_BYTES);
        return T2_HTTP_HOPELESS;
    }
    if (s->redirect_bytes > MOST_REDIRECT_BYTES) {
        snprintf(a->text, sizeof a->text, "the server redirects with more than %d bytes of text",
                 MOST_REDIRECT_BYTES);
        return T2_HTTP_HOPELESS;
    }
    if (s->refused)
        return T2_HTTP_REFUSED;
    if (code == CURLE_OK)
        return T2_HTTP_WHOLE;
    if (s->pace != FAST_ENOUGH && !t2_interrupted()) {
        report_pace(s, a);
        return T2_HTTP_CUT;
    }
    if (code == CURLE_OUT_OF_MEMORY)
        t2_out_of_memory("libcurl has none");
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return T2_HTTP_STOPPED;
    snprintf(a->text, sizeof a->text, "%.250s", s->error[0] ? s->error : curl_easy_strerror(code));
    return may_pass(code) ? T2_HTTP_CUT : T2_HTTP_HOPELESS;
}

static enum t2_http_outcome get_once(struct t2_http_session *s, const struct t2_http_request *r,
                                     const char *url)
{
    struct curl_slist *list;
    CURLcode code;

    clear_head(s);
    s->header_bytes = s->redirect_bytes = 0;
    s->body_bytes = s->rated_bytes = s->sent_bytes = 0;
    s->read_bytes = 0;
    s->pace = FAST_ENOUGH;
    s->asked_s = s->came_s = s->rated_s = t2_now_s();
    s->error[0] = '\0';
    if (!r->send_cookies)
        curl_easy_setopt(s->curl, CURLOPT_COOKIELIST, "ALL");
    curl_easy_setopt(s->curl, CURLOPT_URL, url);
    list = headers_of(s, r);
    code = perform_without_sigpipe(s->curl);
    curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(list);
    return outcome_of(s, code);
}

static enum t2_http_outcome refuse(struct t2_http_answer *a, const char *what, const char *to)
{
    snprintf(a->text, sizeof a->text, "%s%.200s", what, to);
    return T2_HTTP_HOPELESS;
}

/* The target of a redirect; NULL, with a text in the answer, when it must not be followed. */
static char *next_url(struct t2_http_session *s, const char *from)
{
    char *to = NULL, old_scheme[16], new_scheme[16];

    curl_easy_getinfo(s->curl, CURLINFO_REDIRECT_URL, &to);
    if (!s->has_location || !to) {
        refuse(s->answer, "the server redirects without saying where to", "");
        return NULL;
    }
    t2_url_scheme(from, old_scheme);
    t2_url_scheme(to, new_scheme);
    if (!t2_is_http_url(to)) {
        refuse(s->answer, "the server redirects to another protocol: ", to);
        return NULL;
    }
    if (strcmp(old_scheme, "https") == 0 && strcmp(new_scheme, "http") == 0) {
        refuse(s->answer, "the server redirects from https to http: ", to);
        return NULL;
    }
    return t2_strdup(to);
}

enum t2_http_outcome t2_http_session_get(struct t2_http_session *s, const struct t2_http_request *r,
                                         struct t2_http_answer *a)
{
    char *url = t2_strdup(r->url), *to;
    enum t2_http_outcome outcome;

    memset(a, 0, sizeof *a);
    if (!s) {
        t2_free(url);
        return refuse(a, t2_http_missing(), "");
    }
    s->request = r;
    s->answer = a;
    set_options(s, r);
    for (int hop = 0;; hop++) {
        outcome = get_once(s, r, url);
        if (outcome != T2_HTTP_WHOLE || !is_redirect(s))
            break;
        if (hop == MOST_REDIRECTS) {
            outcome = refuse(a, "more than 10 redirects, the last to ", url);
            break;
        }
        to = next_url(s, url);
        if (!to) {
            outcome = T2_HTTP_HOPELESS;
            break;
        }
        t2_free(url);
        url = to;
    }
    t2_free(a->url);
    a->url = url;
    s->request = NULL;
    s->answer = NULL;
    return outcome;
}

#else /* without libcurl */

struct t2_http_session *t2_http_session_new(void)
{
    return NULL;
}

void t2_http_session_free(struct t2_http_session *s)
{
    (void) s;
}

const char *t2_http_missing(void)
{
    return "this build has no libcurl";
}

char *t2_url_resolve(const char *base, const char *reference)
{
    (void) base, (void) reference;
    return NULL;
}

enum t2_http_outcome t2_http_session_get(struct t2_http_session *s, const struct t2_http_request *r,
                                         struct t2_http_answer *a)
{
    (void) s, (void) r;
    memset(a, 0, sizeof *a);
    snprintf(a->text, sizeof a->text, "%s", t2_http_missing());
    return T2_HTTP_HOPELESS;
}

#endif
