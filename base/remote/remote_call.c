/*
 * base/remote/remote_call.c - one request, its tries, and what becomes of its answer.
 */
#include "base/remote/remote_call.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/remote/http_headers.h"
#include "base/remote/remote_refusal.h"
#include "base/signals.h"

enum { MOST_TEXT_BYTES = 64 << 20, MOST_REFUSAL_BYTES = 64 << 10, MOST_SESSIONS = T2_REMOTE_MOST };

static const double longest_wait_s = 32.0;

/* ---- sessions: connections that are open, for whoever asks next ---- */

static struct t2_http_session *idle[MOST_SESSIONS];
static size_t n_idle;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;

static struct t2_http_session *take_session(void)
{
    struct t2_http_session *s = NULL;

    pthread_mutex_lock(&idle_lock);
    if (n_idle > 0)
        s = idle[--n_idle];
    pthread_mutex_unlock(&idle_lock);
    return s ? s : t2_http_session_new();
}

static void give_session(struct t2_http_session *s)
{
    pthread_mutex_lock(&idle_lock);
    if (n_idle < MOST_SESSIONS) {
        idle[n_idle++] = s;
        s = NULL;
    }
    pthread_mutex_unlock(&idle_lock);
    t2_http_session_free(s);
}

/* ---- one try ---- */

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    double value = 0;

    return text && t2_parse_double(text, &value) && value >= 0 ? value : otherwise;
}

enum t2_status t2_remote_parallel(int *n, struct t2_err *err)
{
    const char *text = getenv("T2_REMOTE_PARALLEL");
    int64_t value = 64;

    if (text && *text && (!t2_parse_i64(text, &value) || value < 1 || value > T2_REMOTE_MOST))
        return t2_fail(err, T2_EUSAGE, "T2_REMOTE_PARALLEL is '%s'; 1 to %d is wanted", text,
                       T2_REMOTE_MOST);
    *n = (int) value;
    return T2_OK;
}

static bool is_success(int status)
{
    return (status >= 200 && status < 300) || status == 308;
}

/* The part that was asked for, of the whole that is known; of a server without ranges the whole. */
static bool is_right_range(struct t2_call *c, const struct t2_http_answer *a)
{
    struct t2_http_content_range r;
    uint64_t from = c->range_from + c->n_came;

    if (!c->is_ranged)
        return true;
    if (a->status == 200)
        return from == 0 && (!a->has_length || a->length_bytes == c->total_bytes) &&
               c->range_bytes == c->total_bytes;
    return a->status == 206 && t2_http_content_range(a->content_range, &r) && r.has_bytes &&
           r.first == from && r.last == c->range_from + c->range_bytes - 1 && r.has_total &&
           r.total == c->total_bytes;
}

static bool on_start(void *context, const struct t2_http_answer *a)
{
    struct t2_call *c = context;

    t2_buf_clear(&c->text);
    return !is_success(a->status) || !c->sink || is_right_range(c, a);
}

static bool on_body(void *context, const void *data, size_t len_bytes)
{
    struct t2_call *c = context;

    if (!is_success(c->answer.status)) { /* of a long refusal its begin */
        size_t room = MOST_REFUSAL_BYTES - c->text.len_bytes;
        t2_buf_append(&c->text, data, len_bytes < room ? len_bytes : room);
        return true;
    }
    if (!c->sink) {
        if (len_bytes > MOST_TEXT_BYTES - c->text.len_bytes)
            return false;
        t2_buf_append(&c->text, data, len_bytes);
        return true;
    }
    if (c->is_ranged && len_bytes > c->range_bytes - c->n_came)
        return false; /* more than was asked for */
    c->sink_refused = !c->sink(c->context, data, len_bytes);
    if (c->sink_refused)
        return false;
    c->n_came += len_bytes;
    return true;
}

static bool on_upload(void *context, uint64_t offset, void *to, size_t n)
{
    struct t2_call *c = context;

    return c->source(c->context, offset, to, n);
}

static enum t2_http_outcome try_once(struct t2_call *c)
{
    struct t2_http_session *s = take_session();
    struct t2_strs all = {NULL, 0, 0};
    char range[64];
    enum t2_http_outcome outcome;

    t2_http_answer_release(&c->answer);
    for (size_t i = 0; i < c->headers.n; i++)
        t2_strs_push(&all, c->headers.items[i]);
    for (size_t i = 0; i < c->secret_headers.n; i++)
        t2_strs_push(&all, c->secret_headers.items[i]);
    if (c->is_ranged) {
        snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, c->range_from + c->n_came,
                 c->range_from + c->range_bytes - 1);
        c->request.range = range;
    }
    c->request.headers = &all;
    c->request.context = c;
    c->request.start = on_start;
    c->request.body = on_body;
    c->request.upload_read = c->source ? on_upload : NULL;
    outcome = t2_http_session_get(s, &c->request, &c->answer);
    t2_strs_release(&all);
    if (c->is_ranged)
        c->request.range = NULL;
    if (s)
        give_session(s);
    return outcome;
}

/* ---- tries ---- */

static enum t2_status wait_s(const struct t2_call *c, double seconds, struct t2_err *err)
{
    double until = t2_now_s() + seconds, left;

    while ((left = until - t2_now_s()) > 0) {
        double step = left < 0.1 ? left : 0.1;
        struct timespec pause = {0, (long) (step * 1e9)};

        if (!c->request.ignore_interrupt)
            T2_TRY(t2_check_interrupt(err));
        (void) nanosleep(&pause, NULL);
    }
    return T2_OK;
}

/* Twice as long each time, with a quarter more or less, so that many clients do not come back at
 * once; no result depends on it. */
static double pause_before(const struct t2_call *c, int n_failed)
{
    double s = setting("T2_REMOTE_WAIT", 0.5);
    int64_t asked_s = 0;
    struct timespec now;

    for (int i = 1; i < n_failed && s < longest_wait_s; i++)
        s *= 2;
    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    s *= 0.75 + 0.5 * (double) (now.tv_nsec / 1000 % 1000) / 1000.0;
    if (s > longest_wait_s)
        s = longest_wait_s;
    if (t2_http_retry_after(c->answer.retry_after, (int64_t) time(NULL), &asked_s) &&
        (double) asked_s > s)
        s = (double) asked_s;
    return s < 120 ? s : 120;
}

static enum t2_status cannot(const struct t2_call *c, const char *text, struct t2_err *err)
{
    return t2_fail(err, T2_EIO, "'%s': cannot %s: %s", c->l->path, c->what, text);
}

/* The request was not whole.  T2_OK: asking again may help, *text says why. */
static enum t2_status judge_failure(const struct t2_call *c, enum t2_http_outcome outcome,
                                    const char **text, struct t2_err *err)
{
    *text = c->answer.text;
    switch (outcome) {
    case T2_HTTP_CUT:
        return T2_OK;
    case T2_HTTP_STOPPED:
        T2_TRY(t2_check_interrupt(err));
        return cannot(c, "stopped", err);
    case T2_HTTP_REFUSED:
        if (is_success(c->answer.status) && c->is_ranged && !c->sink_refused)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': the server sends other bytes than those asked for (%d, "
                           "Content-Range '%s')",
                           c->l->path, c->answer.status, c->answer.content_range);
        return cannot(c,
                      c->source ? "the file it comes from cannot be read"
                      : c->sink ? "its bytes could not be taken"
                                : "an answer without end",
                      err);
    default:
        if (t2_http_missing())
            return t2_fail(err, T2_EUNSUPPORTED, "'%s': %s", c->l->path, t2_http_missing());
        return cannot(c, c->answer.text, err);
    }
}

/* Of a whole answer: T2_OK and *is_done, or T2_OK and *text why to ask again. */
static enum t2_status judge_answer(struct t2_call *c, bool *is_afresh, bool *is_done,
                                   const char **text, struct t2_server_words *words,
                                   struct t2_err *err)
{
    int status = c->answer.status;
    bool was_afresh = *is_afresh;

    *is_done = is_success(status) && (!c->is_ranged || c->n_came == c->range_bytes);
    *is_afresh = false;
    *text = "fewer bytes came than the server said";
    if (is_success(status))
        return T2_OK;
    t2_server_words(c, words);
    if (status == 404 && c->ok_absent && strcmp(words->code, "NoSuchBucket") != 0) {
        *is_done = true;
        return T2_OK;
    }
    *text = words->code[0] ? words->code : "the server is busy or failed";
    if (status == 401 && c->authorize && !was_afresh) {
        *is_afresh = true; /* a token may have expired since it was fetched */
        return T2_OK;
    }
    return t2_refusal_may_pass(c, words) ? T2_OK : t2_refusal(c, words, err);
}

enum t2_status t2_call_run(struct t2_call *c, struct t2_err *err)
{
    int n_tries = c->single_try ? 1 : (int) setting("T2_REMOTE_TRIES", 6);
    bool is_afresh = false, is_done = false;

    c->request.connect_timeout_s = 30;
    c->request.stall_timeout_s = (int) setting("T2_REMOTE_STALL", 60);
    c->n_came = 0;
    for (int n_failed = 0;;) {
        struct t2_server_words words = {{0}, {0}};
        uint64_t came_before = c->n_came;
        enum t2_http_outcome outcome;
        const char *text = "";

        if (c->authorize)
            T2_TRY(c->authorize(c, is_afresh, err));
        outcome = try_once(c);
        if (c->is_ranged && c->n_came == c->range_bytes)
            return T2_OK; /* whatever became of the connection behind them */
        if (outcome != T2_HTTP_WHOLE)
            T2_TRY(judge_failure(c, outcome, &text, err));
        else
            T2_TRY(judge_answer(c, &is_afresh, &is_done, &text, &words, err));
        if (is_done)
            return T2_OK;
        if (is_afresh)
            continue;
        if (c->n_came > came_before)
            n_failed = 0;
        if (++n_failed >= n_tries) {
            if (outcome == T2_HTTP_WHOLE && !is_success(c->answer.status))
                return t2_refusal(c, &words, err);
            return t2_fail(err, T2_EIO,
                           "'%s': cannot %s: %s; %d tries failed, run the same command again when "
                           "the network is back",
                           c->l->path, c->what, text, n_tries);
        }
        t2_debug("'%s': %s: %s; trying again", c->l->path, c->what, text);
        T2_TRY(wait_s(c, pause_before(c, n_failed), err));
    }
}

void t2_call_release(struct t2_call *c)
{
    t2_http_answer_release(&c->answer);
    t2_buf_release(&c->text);
    t2_strs_release(&c->headers);
    for (size_t i = 0; i < c->secret_headers.n; i++)
        explicit_bzero(c->secret_headers.items[i], strlen(c->secret_headers.items[i]));
    t2_strs_release(&c->secret_headers);
}
