/*
 * datagen/fetch/download.c - one HTTP request, by libcurl, which is opened at the first one.
 *
 * A request is a loop over redirects (dg_session_get); libcurl follows none itself, so that each
 * address can be checked: http and https only, no way from https to http, at most 10 hops, at most
 * 64 KiB of headers in all and of text per chain.
 *
 * libcurl calls back into one session, in this order for each head it receives:
 *
 *   on_header   "HTTP/1.1 ..."     a new head: the answer is cleared (100 Continue, a proxy's)
 *   on_header   "Name: value"      the few headers of struct dg_answer are kept
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
#include "datagen/fetch/download.h"

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
#include "base/library.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/str.h"
#include "base/version.h"
#include "datagen/fetch/http_headers.h"

void dg_answer_release(struct dg_answer *a)
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

    if (t2_library_open(&t2_libcurl, symbols, sizeof symbols / sizeof *symbols, missing,
                        sizeof missing))
        (void) lib.global_init_mem(CURL_GLOBAL_DEFAULT, t2_library_malloc, t2_free,
                                   t2_library_realloc, t2_strdup, t2_library_calloc);
}

const char *dg_download_missing(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return missing[0] != '\0' ? missing : NULL;
}

/* ---- sessions ---- */

enum { MOST_REDIRECTS = 10, MOST_HEADER_BYTES = 65536, MOST_REDIRECT_BYTES = 65536 };

enum pace { FAST_ENOUGH, SILENT, SLOW_HEAD, SLOW_BODY };

struct dg_session {
    CURL *curl;
    char error[CURL_ERROR_SIZE];
    /* of the request that runs */
    const struct dg_request *request;
    struct dg_answer *answer;
    size_t header_bytes;
    bool has_location, started, refused, too_long;
    size_t redirect_bytes; /* of the body of a redirect, which is discarded */
    curl_off_t body_bytes;
    double asked_s;         /* when the request began */
    double came_s;          /* when the last byte came */
    double rated_s;         /* since when bytes are counted for the lowest rate */
    curl_off_t rated_bytes; /* body_bytes at that time */
    enum pace pace;
};

struct dg_session *dg_session_new(void)
{
    struct dg_session *s;

    if (dg_download_missing())
        return NULL;
    s = t2_alloc(1, sizeof *s);
    s->curl = curl_easy_init();
    if (!s->curl)
        t2_out_of_memory("libcurl cannot begin");
    curl_easy_setopt(s->curl, CURLOPT_COOKIEFILE, ""); /* in memory only; once, else 7.88 leaks */
    return s;
}

void dg_session_free(struct dg_session *s)
{
    if (!s)
        return;
    curl_easy_cleanup(s->curl);
    t2_free(s);
}

char *dg_url_resolve(const char *base, const char *reference)
{
    CURLU *u = !dg_download_missing() ? curl_url() : NULL;
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

static void take_header(struct dg_session *s, struct line l)
{
    struct dg_answer *a = s->answer;
    char value[64];

    if (take(l, "Location", value, sizeof value))
        s->has_location = true;
    else if (take(l, "Content-Length", value, sizeof value))
        a->is_framed |= a->has_length = t2_parse_u64(value, &a->length_bytes);
    else if (take(l, "Transfer-Encoding", value, sizeof value))
        a->is_framed = true;
    else if (!take(l, "ETag", a->etag, sizeof a->etag) &&
             !take(l, "Last-Modified", a->last_modified, sizeof a->last_modified) &&
             !take(l, "Content-Range", a->content_range, sizeof a->content_range) &&
             !take(l, "Content-Type", a->content_type, sizeof a->content_type) &&
             !take(l, "Content-Encoding", a->content_encoding, sizeof a->content_encoding))
        (void) take(l, "Retry-After", a->retry_after, sizeof a->retry_after);
}

static bool is_redirect(const struct dg_session *s)
{
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
static bool end_of_head(struct dg_session *s)
{
    struct dg_answer *a = s->answer;
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

static void clear_head(struct dg_session *s)
{
    dg_answer_release(s->answer);
    memset(s->answer, 0, sizeof *s->answer);
    s->has_location = s->started = s->refused = s->too_long = false;
}

static size_t on_header(char *data, size_t size, size_t n, void *context)
{
    struct dg_session *s = context;
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
    struct dg_session *s = context;

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
static enum pace pace_at(struct dg_session *s, double now_s)
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

/* Called once a second and more often.  CURLOPT_LOW_SPEED_LIMIT is not used: it looks at an average
 * of five seconds, and does not distinguish a silent server from a slow one. */
static int on_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now)
{
    struct dg_session *s = context;

    (void) total, (void) up_total, (void) up_now;
    if (now != s->body_bytes)
        s->came_s = t2_now_s();
    s->body_bytes = now;
    s->pace = pace_at(s, t2_now_s());
    return s->pace != FAST_ENOUGH || t2_interrupted();
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

static void set_options(struct dg_session *s, const struct dg_request *r)
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
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, s);
    curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long) r->connect_timeout_s);
    curl_easy_setopt(c, CURLOPT_NOBODY, (long) r->head_only);
    if (r->proxy)
        curl_easy_setopt(c, CURLOPT_PROXY, r->proxy);
}

static struct curl_slist *append(struct curl_slist *list, const char *header)
{
    struct curl_slist *longer = curl_slist_append(list, header);

    if (!longer)
        t2_out_of_memory("libcurl cannot take '%s'", header);
    return longer;
}

static struct curl_slist *headers_of(const struct dg_session *s, const struct dg_request *r)
{
    struct curl_slist *list = NULL;
    char *agent = t2_asprintf("User-Agent: t2t.c/%s", t2_version());
    char *if_range = t2_asprintf("If-Range: %s", r->if_range ? r->if_range : "");
    char *range = t2_asprintf("%" PRIu64 "-", r->offset_bytes);

    agent[strcspn(agent, "(")] = '\0';
    list = append(list, agent);
    list = append(list, "Accept-Encoding: identity");
    if (r->offset_bytes && r->if_range)
        list = append(list, if_range);
    curl_easy_setopt(s->curl, CURLOPT_RANGE, r->offset_bytes ? range : NULL); /* copied */
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

static void report_pace(const struct dg_session *s, struct dg_answer *a)
{
    const struct dg_request *r = s->request;

    if (s->pace == SILENT)
        snprintf(a->text, sizeof a->text, "nothing of the file came for %d s", r->stall_timeout_s);
    else if (s->pace == SLOW_HEAD)
        snprintf(a->text, sizeof a->text, "after %d s the head of the answer was not complete",
                 r->stall_timeout_s);
    else
        snprintf(a->text, sizeof a->text, "for %d s fewer than %" PRIu64 " bytes a second came",
                 r->stall_timeout_s, r->min_rate);
}

static enum dg_get outcome_of(struct dg_session *s, CURLcode code)
{
    struct dg_answer *a = s->answer;

    if (s->too_long) {
        snprintf(a->text, sizeof a->text, "the answer has more than %d bytes of headers",
                 MOST_HEADER_BYTES);
        return DG_GET_HOPELESS;
    }
    if (s->redirect_bytes > MOST_REDIRECT_BYTES) {
        snprintf(a->text, sizeof a->text, "the server redirects with more than %d bytes of text",
                 MOST_REDIRECT_BYTES);
        return DG_GET_HOPELESS;
    }
    if (s->refused)
        return DG_GET_REFUSED;
    if (code == CURLE_OK)
        return DG_GET_WHOLE;
    if (s->pace != FAST_ENOUGH && !t2_interrupted()) {
        report_pace(s, a);
        return DG_GET_CUT;
    }
    if (code == CURLE_OUT_OF_MEMORY)
        t2_out_of_memory("libcurl has none");
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return DG_GET_STOPPED;
    snprintf(a->text, sizeof a->text, "%.250s", s->error[0] ? s->error : curl_easy_strerror(code));
    return may_pass(code) ? DG_GET_CUT : DG_GET_HOPELESS;
}

static enum dg_get get_once(struct dg_session *s, const struct dg_request *r, const char *url)
{
    struct curl_slist *list;
    CURLcode code;

    clear_head(s);
    s->header_bytes = s->redirect_bytes = 0;
    s->body_bytes = s->rated_bytes = 0;
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

static enum dg_get refuse(struct dg_answer *a, const char *what, const char *to)
{
    snprintf(a->text, sizeof a->text, "%s%.200s", what, to);
    return DG_GET_HOPELESS;
}

/* The target of a redirect; NULL, with a text in the answer, when it must not be followed. */
static char *next_url(struct dg_session *s, const char *from)
{
    char *to = NULL, old_scheme[16], new_scheme[16];

    curl_easy_getinfo(s->curl, CURLINFO_REDIRECT_URL, &to);
    if (!s->has_location || !to) {
        refuse(s->answer, "the server redirects without saying where to", "");
        return NULL;
    }
    dg_url_scheme(from, old_scheme);
    dg_url_scheme(to, new_scheme);
    if (!dg_is_http_url(to)) {
        refuse(s->answer, "the server redirects to another protocol: ", to);
        return NULL;
    }
    if (strcmp(old_scheme, "https") == 0 && strcmp(new_scheme, "http") == 0) {
        refuse(s->answer, "the server redirects from https to http: ", to);
        return NULL;
    }
    return t2_strdup(to);
}

enum dg_get dg_session_get(struct dg_session *s, const struct dg_request *r, struct dg_answer *a)
{
    char *url = t2_strdup(r->url), *to;
    enum dg_get outcome;

    memset(a, 0, sizeof *a);
    if (!s) {
        t2_free(url);
        return refuse(a, dg_download_missing(), "");
    }
    s->request = r;
    s->answer = a;
    set_options(s, r);
    for (int hop = 0;; hop++) {
        outcome = get_once(s, r, url);
        if (outcome != DG_GET_WHOLE || !is_redirect(s))
            break;
        if (hop == MOST_REDIRECTS) {
            outcome = refuse(a, "more than 10 redirects, the last to ", url);
            break;
        }
        to = next_url(s, url);
        if (!to) {
            outcome = DG_GET_HOPELESS;
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

struct dg_session *dg_session_new(void)
{
    return NULL;
}

void dg_session_free(struct dg_session *s)
{
    (void) s;
}

const char *dg_download_missing(void)
{
    return "this build has no libcurl";
}

char *dg_url_resolve(const char *base, const char *reference)
{
    (void) base, (void) reference;
    return NULL;
}

enum dg_get dg_session_get(struct dg_session *s, const struct dg_request *r, struct dg_answer *a)
{
    (void) s, (void) r;
    memset(a, 0, sizeof *a);
    snprintf(a->text, sizeof a->text, "%s", dg_download_missing());
    return DG_GET_HOPELESS;
}

#endif
