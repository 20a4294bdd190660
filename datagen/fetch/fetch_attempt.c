/*
 * datagen/fetch/fetch_attempt.c - one request for a file, and what its answer means.
 *
 * The answer to a request, by status:
 *
 *   200   the whole file: the first bytes wait in `head` until decide() has seen that they are the
 *         file and not an HTML page about it; only then the part begins anew
 *   206   the rest from have_bytes on, if Content-Range, size, ETag and encoding are those of the
 *         part; else the part is void (DG_AFRESH)
 *   416   the part is longer than the file: afresh
 *   408, 425, 429, 5xx            again, after Retry-After
 *   other                         the next mirror
 *
 * An HTML page with one form that asks to confirm a large download (as Google Drive's) is followed
 * once, with the cookies of the session; any other page is a failure of this URL.
 *
 * A part is continued when the file's SHA-256 is known, or from the same URL with a validator:
 * If-Range with the ETag or the date makes a server send 200 instead of 206 when its file has
 * changed (RFC 9110, 13.1.5).
 */
#include "datagen/fetch/fetch_attempt.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/remote/http_headers.h"
#include "base/signals.h"
#include "datagen/fetch/confirm_form.h"
#include "datagen/fetch/source_lookup.h"

enum { MOST_PAGE_BYTES = 1 << 20 };

struct attempt {
    struct dg_fetch_job *job;
    const struct t2_http_answer *answer;
    enum dg_verdict verdict; /* once the answer was refused */
    int64_t wait_s;
    uint64_t total_bytes; /* of the file as it is sent; 0: unknown */
    struct t2_buf head;   /* begin of a whole answer, until it is known what it is; then the page */
    bool is_decided, is_page;
    struct t2_err *err;
};

static bool refuse(struct attempt *t, enum dg_verdict verdict)
{
    t->verdict = verdict;
    return false;
}

#define REFUSE(t, verdict, status, ...)                                                            \
    (t2_fail((t)->err, (status), __VA_ARGS__), refuse((t), (verdict)))

static bool is_encoded(const char *content_encoding)
{
    return *content_encoding && strcmp(content_encoding, "identity") != 0;
}

static uint64_t most_bytes(const struct attempt *t)
{
    const struct dg_fetch_job *j = t->job;

    if (j->file->size_bytes && !j->options->keep_unverified &&
        !is_encoded(j->part.state.content_encoding))
        return j->file->size_bytes;
    return j->options->max_bytes;
}

/* ---- the head of an answer ---- */

static bool refuse_status(struct attempt *t)
{
    const struct t2_http_answer *a = t->answer;
    bool may_pass = a->status >= 500 || a->status == 408 || a->status == 425 || a->status == 429;

    if (may_pass && a->retry_after[0])
        (void) t2_http_retry_after(a->retry_after, (int64_t) time(NULL), &t->wait_s);
    return REFUSE(t, may_pass ? DG_AGAIN : DG_NEXT, T2_EIO, "the server answers %d%s", a->status,
                  a->status == 404 || a->status == 410   ? " (not there)"
                  : a->status == 401 || a->status == 403 ? " (not allowed)"
                  : may_pass                             ? " (busy or broken)"
                                                         : "");
}

static bool is_room(struct attempt *t, uint64_t bytes)
{
    struct t2_err ignored = T2_ERR_INIT;
    char need[32], is_free[32];
    uint64_t free_bytes;

    if (t2_disk_free(t->job->tmp_dir, &free_bytes, &ignored) != T2_OK || bytes <= free_bytes)
        return true;
    return REFUSE(t, DG_GIVE_UP, T2_EIO, "'%s' has %s free, the file needs %s more",
                  t->job->tmp_dir, t2_human_bytes(free_bytes, is_free, sizeof is_free),
                  t2_human_bytes(bytes, need, sizeof need));
}

/* Checks the announced size: total bytes of the file, of which `missing` are still to come. */
static bool is_size_right(struct attempt *t, uint64_t total, uint64_t missing)
{
    const struct dg_source_file *f = t->job->file;
    bool encoded = is_encoded(t->answer->content_encoding);

    if (f->size_bytes && !t->job->options->keep_unverified && !encoded && total != f->size_bytes)
        return REFUSE(t, DG_NEXT, T2_EFORMAT,
                      "the server announces %" PRIu64 " bytes, expected %" PRIu64, total,
                      f->size_bytes);
    if (total > t->job->options->max_bytes)
        return REFUSE(t, DG_NEXT, T2_EFORMAT,
                      "the server announces %" PRIu64 " bytes, more than the limit of %" PRIu64,
                      total, t->job->options->max_bytes);
    return is_room(t, missing);
}

static bool start_whole(struct attempt *t)
{
    const struct t2_http_answer *a = t->answer;
    const struct dg_source_file *f = t->job->file;

    t->total_bytes = a->has_length ? a->length_bytes : 0;
    if (a->has_length && a->length_bytes == 0)
        return REFUSE(t, DG_NEXT, T2_EFORMAT, "the server sends an empty file");
    if (t2_is_html_type(a->content_type))
        return true; /* perhaps a page, whose size means nothing */
    if (!a->is_framed && !f->sha256 && !f->size_bytes)
        return REFUSE(t, DG_NEXT, T2_EFORMAT,
                      "the server does not say how long the file is, and without a known size or "
                      "SHA-256 its end cannot be checked");
    return !a->has_length || is_size_right(t, a->length_bytes, a->length_bytes);
}

static bool start_rest(struct attempt *t)
{
    const struct t2_http_answer *a = t->answer;
    struct dg_part *p = &t->job->part;
    struct t2_http_content_range range;

    if (p->have_bytes == 0 || !t2_http_content_range(a->content_range, &range) ||
        !range.has_bytes || range.first != p->have_bytes)
        return REFUSE(t, DG_AFRESH, T2_EFORMAT,
                      "the server sends another part of the file than asked for (%s)",
                      a->content_range[0] ? a->content_range : "no Content-Range");
    if ((range.has_total && p->state.total_bytes && range.total != p->state.total_bytes) ||
        (a->etag[0] && p->state.etag[0] && strcmp(p->state.url, t->job->url) == 0 &&
         strcmp(a->etag, p->state.etag) != 0) ||
        strcmp(a->content_encoding, p->state.content_encoding) != 0)
        return REFUSE(t, DG_AFRESH, T2_EFORMAT, "the file has changed on the server");
    t->total_bytes = range.has_total ? range.total : p->state.total_bytes;
    t->is_decided = true;
    if (range.has_total && !is_size_right(t, range.total, range.total - range.first))
        return false;
    if (dg_part_continue(p, t->err) != T2_OK)
        return refuse(t, DG_GIVE_UP);
    t2_debug("'%s': going on at byte %" PRIu64, t->job->name, p->have_bytes);
    dg_meter_begin(t->job->meter, &t->job->share,
                   t->total_bytes ? t->total_bytes - p->have_bytes : 0);
    return true;
}

static bool on_start(void *context, const struct t2_http_answer *a)
{
    struct attempt *t = context;

    t->answer = a;
    switch (a->status) {
    case 200:
        return start_whole(t);
    case 206:
        return start_rest(t);
    case 416:
        return REFUSE(t, DG_AFRESH, T2_EIO, "the server has nothing behind byte %" PRIu64,
                      t->job->part.have_bytes);
    default:
        return refuse_status(t);
    }
}

/* ---- the body ---- */

/* The delay for --max_rate, in slices of 0.1 s; a signal ends it, and on_progress sees it. */
static void sleep_for(double seconds)
{
    enum { SLICES = 10 };
    double end = t2_now_s() + seconds, left;
    struct timespec step;

    while (!t2_interrupted() && (left = end - t2_now_s()) > 0) {
        left = left < 1.0 / SLICES ? left : 1.0 / SLICES;
        step = (struct timespec){0, (long) (left * 1e9)};
        (void) nanosleep(&step, NULL);
    }
}

static bool append(struct attempt *t, const void *data, size_t len_bytes)
{
    struct dg_part *p = &t->job->part;

    if (len_bytes > most_bytes(t) || p->have_bytes > most_bytes(t) - len_bytes)
        return REFUSE(t, DG_NEXT, T2_EFORMAT, "the server sends more than %" PRIu64 " bytes",
                      most_bytes(t));
    if (dg_part_append(p, data, len_bytes, t->err) != T2_OK)
        return refuse(t, DG_GIVE_UP);
    sleep_for(dg_meter_add(t->job->meter, &t->job->share, len_bytes));
    return true;
}

static bool begin_part(struct attempt *t)
{
    const struct t2_http_answer *a = t->answer;
    struct dg_part_state state = {.url = t2_strdup(t->job->url), .total_bytes = t->total_bytes};
    enum t2_status st;

    if (t2_is_strong_etag(a->etag))
        memcpy(state.etag, a->etag, sizeof state.etag);
    memcpy(state.last_modified, a->last_modified, sizeof state.last_modified);
    memcpy(state.content_encoding, a->content_encoding, sizeof state.content_encoding);
    dg_meter_begin(t->job->meter, &t->job->share, t->total_bytes);
    st = dg_part_begin(&t->job->part, &state, t->err);
    dg_part_state_release(&state);
    return st == T2_OK || refuse(t, DG_GIVE_UP);
}

/* Decides by the first bytes of a whole answer, in head, whether it is the file or a page. */
static bool decide(struct attempt *t)
{
    enum dg_file_kind kind = dg_source_kind(t->job->file, t->job->name);
    const uint8_t *head = t->head.data;
    size_t n = t->head.len_bytes;
    bool ok;

    t->is_decided = true;
    if (!is_encoded(t->answer->content_encoding) && kind != DG_KIND_ANY) {
        t->is_page = dg_looks_like_html(head, n) ||
                     (t2_is_html_type(t->answer->content_type) && !dg_kind_proved(kind, head, n));
        if (t->is_page)
            return true;
        if (!dg_kind_fits(kind, head, n) && n >= DG_KIND_HEAD_BYTES)
            return REFUSE(t, DG_NEXT, T2_EFORMAT, "what the server sends does not begin like %s",
                          dg_kind_text(kind));
    }
    ok = begin_part(t) && append(t, head, n);
    t2_buf_clear(&t->head);
    return ok;
}

static bool on_body(void *context, const void *data, size_t len_bytes)
{
    struct attempt *t = context;

    if (t->is_decided && !t->is_page)
        return append(t, data, len_bytes);
    if (t->head.len_bytes + len_bytes > MOST_PAGE_BYTES)
        return REFUSE(t, DG_NEXT, T2_EFORMAT, "the server sends an HTML page instead of the file");
    t2_buf_append(&t->head, data, len_bytes);
    return t->is_decided || t->head.len_bytes < DG_KIND_HEAD_BYTES || decide(t);
}

/* ---- the end ---- */

/* Follows the form of a confirmation page, once. */
static enum dg_verdict on_page(struct attempt *t)
{
    struct dg_fetch_job *j = t->job;
    struct dg_form form;
    char title[80], *action = NULL;

    dg_html_title(t->head.data, t->head.len_bytes, title);
    if (!j->confirmed_url && dg_confirm_form(t->head.data, t->head.len_bytes, &form)) {
        action = t2_url_resolve(t->answer->url, form.action);
        if (action && t2_is_http_url(action) &&
            !(strncmp(t->answer->url, "https:", 6) == 0 && strncmp(action, "http:", 5) == 0))
            j->confirmed_url = dg_form_url(action, &form);
        t2_free(action);
        dg_form_release(&form);
        if (j->confirmed_url) {
            t2_info("'%s': the server asks for a confirmation%s%s%s; confirming", j->url,
                    *title ? " (" : "", title, *title ? ")" : "");
            return dg_fetch_attempt(j, &t->wait_s, t->err);
        }
    }
    (void) REFUSE(t, DG_NEXT, T2_EFORMAT,
                  "the server sends an HTML page%s%s%s instead of %s: perhaps it needs a sign-in, "
                  "or the file has moved",
                  *title ? " (" : "", title, *title ? ")" : "",
                  dg_kind_text(dg_source_kind(j->file, j->name)));
    return t->verdict;
}

static enum dg_verdict conclude(struct attempt *t, enum t2_http_outcome outcome)
{
    struct dg_part *p = &t->job->part;
    const char *text = t->answer->text;
    enum t2_status st;

    /* An answer shorter than DG_KIND_HEAD_BYTES is still in head; a cut one is kept as a part. */
    if ((outcome == T2_HTTP_WHOLE || outcome == T2_HTTP_CUT) && !t->is_decided &&
        t->head.len_bytes > 0 && !decide(t))
        return t->verdict;
    switch (outcome) {
    case T2_HTTP_WHOLE:
        if (t->is_page)
            return on_page(t);
        if (!t->is_decided)
            (void) REFUSE(t, DG_NEXT, T2_EFORMAT, "the server sends an empty file");
        else if (t->total_bytes && p->have_bytes < t->total_bytes)
            (void) REFUSE(t, DG_AGAIN, T2_EIO, "the server stopped at byte %" PRIu64 " of %" PRIu64,
                          p->have_bytes, t->total_bytes);
        else
            t->verdict = DG_COMPLETE;
        return t->verdict;
    case T2_HTTP_CUT:
        (void) REFUSE(t, DG_AGAIN, T2_EIO, "%s", text);
        return t->verdict;
    case T2_HTTP_HOPELESS:
        (void) REFUSE(t, DG_NEXT, T2_EIO, "%s", text);
        return t->verdict;
    case T2_HTTP_STOPPED:
        st = t2_check_interrupt(t->err);
        T2_ASSERT(st != T2_OK); /* nothing else stops a transfer */
        return DG_GIVE_UP;
    case T2_HTTP_REFUSED:
        break;
    }
    return t->verdict;
}

/* Whether the part may be continued from this URL. */
static bool may_resume(const struct dg_fetch_job *j)
{
    const struct dg_part_state *s = &j->part.state;

    if (!s->url || j->part.have_bytes == 0)
        return false;
    return j->file->sha256 || (strcmp(s->url, j->url) == 0 && (s->etag[0] || s->last_modified[0]));
}

static const char *validator(const struct dg_fetch_job *j)
{
    const struct dg_part_state *s = &j->part.state;

    if (strcmp(s->url, j->url) != 0)
        return NULL;
    return s->etag[0] ? s->etag : s->last_modified[0] ? s->last_modified : NULL;
}

enum dg_verdict dg_fetch_attempt(struct dg_fetch_job *job, int64_t *wait_s, struct t2_err *err)
{
    const struct dg_fetch_options *o = job->options;
    bool resumes = may_resume(job);
    struct t2_http_request r = {.url = job->confirmed_url ? job->confirmed_url : job->url,
                                .send_cookies = job->confirmed_url != NULL,
                                .offset_bytes = resumes ? job->part.have_bytes : 0,
                                .if_range = resumes ? validator(job) : NULL,
                                .proxy = o->proxy,
                                .connect_timeout_s = o->connect_timeout_s,
                                .stall_timeout_s = o->stall_timeout_s,
                                .min_rate = (uint64_t) o->min_rate,
                                .start = on_start,
                                .body = on_body};
    struct attempt t = {.job = job, .err = err, .verdict = DG_NEXT};
    struct t2_http_answer answer = {0};
    enum dg_verdict verdict;

    if (resumes && job->part.state.total_bytes == job->part.have_bytes)
        return DG_COMPLETE;
    r.context = &t;
    t.answer = &answer;
    verdict = conclude(&t, t2_http_session_get(job->session, &r, &answer));
    *wait_s = t.wait_s;
    t2_http_answer_release(&answer);
    t2_buf_release(&t.head);
    return verdict;
}
