/*
 * datagen/fetch/fetch_one.c - one file: its lock, its mirrors, retries, verification.
 *
 *   fetch_locked   one process per file (base/dir_lock.h); looks again once it has the lock
 *     try_urls     mirror after mirror
 *       try_url    attempt after attempt of one URL, with doubling waits, until DG_COMPLETE,
 *                  --retries failures in a row without new bytes, or as many windows of time
 *                  slower than --min_rate
 *         attempt  one request; a complete file is verified and gets its name
 *
 * The part survives all of these: the next attempt, mirror or run continues it.
 */
#include "datagen/fetch/fetch_one.h"

#include <inttypes.h>
#include <time.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/remote/http_headers.h"
#include "base/signals.h"
#include "datagen/fetch/part_finish.h"
#include "datagen/fetch/source_lookup.h"

static const double MOST_BACK_OFF_S = 60;
enum { MOST_WAIT_S = 600 };

static enum t2_status wait_for(double seconds, struct t2_err *err)
{
    const struct timespec step = {0, 50000000};
    double end = t2_now_s() + seconds;

    do {
        T2_TRY(t2_check_interrupt(err));
        if (t2_now_s() < end)
            (void) nanosleep(&step, NULL);
    } while (t2_now_s() < end);
    return T2_OK;
}

/* Seconds to wait: doubled with every failure, up to 60.  Without jitter, so that runs can be
 * reproduced. */
static double back_off(const struct dg_fetch_options *o, int failures)
{
    double wait = o->first_wait_s;

    while (failures-- > 1 && wait < MOST_BACK_OFF_S)
        wait *= 2;
    return wait < MOST_BACK_OFF_S ? wait : MOST_BACK_OFF_S;
}

/* One attempt; a complete file is verified.  A file with the wrong digest is fetched once more from
 * the start, as a part could have been continued wrongly; then the URL is given up. */
static enum dg_verdict attempt(struct dg_fetch_job *j, const char *path, int *n_wrong,
                               int64_t *wait_s, struct t2_err *err)
{
    enum dg_verdict v = dg_fetch_attempt(j, wait_s, err);
    struct t2_err closing = T2_ERR_INIT;
    bool is_wrong = false;
    enum t2_status st;

    if (v == DG_COMPLETE) {
        st = dg_part_finish(&j->part, j->file, j->name, path, j->options, err);
        if (st != T2_OK)
            v = st == T2_EFORMAT ? DG_AFRESH : DG_GIVE_UP;
        is_wrong = st == T2_EFORMAT;
    } else if (v != DG_AFRESH && dg_part_close(&j->part, &closing) != T2_OK) {
        *err = closing;
        v = DG_GIVE_UP;
    }
    if (v == DG_AFRESH && dg_part_discard(&j->part, &closing) != T2_OK) {
        *err = closing;
        v = DG_GIVE_UP;
    }
    if (is_wrong && v == DG_AFRESH && ++*n_wrong > 1)
        v = DG_NEXT;
    return v;
}

static enum t2_status fails(const struct t2_err *why, struct t2_err *err)
{
    *err = *why;
    return err->status;
}

/* Bytes gained, over all attempts and the waits between them, in windows of stall_timeout_s. */
struct pace {
    double since_s;
    uint64_t bytes; /* the part had then */
    int n_slow;     /* windows in a row below the lowest rate */
};

static void take_pace(struct pace *p, const struct dg_fetch_job *j)
{
    double now_s = t2_now_s(), elapsed_s = now_s - p->since_s;
    uint64_t have = j->part.have_bytes, gained = have > p->bytes ? have - p->bytes : 0;

    if (elapsed_s < (double) j->options->stall_timeout_s)
        return;
    p->n_slow = (double) gained < (double) j->options->min_rate * elapsed_s ? p->n_slow + 1 : 0;
    p->since_s = now_s;
    p->bytes = have;
}

static bool is_enough(const struct dg_fetch_options *o, int failures, int64_t asked_s,
                      struct t2_err *why)
{
    if (failures > o->retries) {
        if (failures > 1)
            t2_wrap(why, "%d times in a row", failures);
        return true;
    }
    if (asked_s > MOST_WAIT_S)
        t2_wrap(why, "the server asks to wait %" PRId64 " s", asked_s);
    return asked_s > MOST_WAIT_S;
}

/* T2_OK when the file has its name.  *gives_up: no other URL will help. */
static enum t2_status try_url(struct dg_fetch_job *j, const char *path, bool *gives_up,
                              struct t2_err *err)
{
    uint64_t best = j->part.have_bytes;
    struct pace pace = {t2_now_s(), best, 0};
    int failures = 0, n_wrong = 0;

    *gives_up = false;
    for (;;) {
        int64_t asked_s = 0;
        struct t2_err why = T2_ERR_INIT;
        enum dg_verdict v = attempt(j, path, &n_wrong, &asked_s, &why);
        double wait_s;
        if (v == DG_COMPLETE)
            return T2_OK;
        *gives_up = v == DG_GIVE_UP;
        if (v == DG_GIVE_UP || v == DG_NEXT)
            return fails(&why, err);
        failures = v == DG_AGAIN && j->part.have_bytes > best ? 0 : failures + 1;
        best = j->part.have_bytes > best ? j->part.have_bytes : best;
        take_pace(&pace, j);
        if (is_enough(j->options, failures > pace.n_slow ? failures : pace.n_slow, asked_s, &why))
            return fails(&why, err);
        wait_s = back_off(j->options, failures);
        wait_s = (double) asked_s > wait_s ? (double) asked_s : wait_s;
        t2_warn("'%s': %s; trying again in %g s", j->url, why.message, wait_s);
        T2_TRY(wait_for(wait_s, err));
    }
}

static enum t2_status try_urls(struct dg_fetch_job *j, const struct t2_strs *urls, const char *path,
                               struct t2_err *err)
{
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st = T2_OK;
    bool gives_up;

    for (size_t i = 0; i < urls->n; i++) {
        j->url = urls->items[i];
        t2_info("Downloading %s to %s", j->url, path);
        st = try_url(j, path, &gives_up, &why);
        t2_free(j->confirmed_url);
        j->confirmed_url = NULL;
        if (st == T2_OK || st == T2_EINTERRUPTED)
            return st == T2_OK ? T2_OK : fails(&why, err);
        st = t2_wrap(&why, "'%s'", j->url);
        if (gives_up)
            return fails(&why, err);
        if (i + 1 < urls->n)
            t2_warn("%s; trying the next mirror", why.message);
    }
    return t2_fail(err, st, "%s; a copy of your own can be put at '%s'", why.message, path);
}

static enum t2_status fetch_locked(struct dg_fetch_job *j, const struct t2_strs *urls,
                                   const char *path, struct dg_fetch_result *r, struct t2_err *err)
{
    struct t2_err not_there = T2_ERR_INIT;
    enum t2_status st;

    r->how = DG_FETCH_FOUND;
    /* another process may have brought it while we looked */
    if (dg_check_source(j->file, j->name, path, j->options->keep_unverified, &not_there) != T2_OK) {
        j->session = t2_http_session_new();
        dg_part_look(&j->part, j->tmp_dir, j->name);
        st = try_urls(j, urls, path, err);
        dg_part_release(&j->part);
        t2_http_session_free(j->session);
        j->session = NULL;
        T2_TRY(st);
        r->how = DG_FETCH_DOWNLOADED;
    }
    T2_TRY(t2_file_size(path, &r->size_bytes, err));
    r->path = t2_strdup(path);
    if (r->how == DG_FETCH_DOWNLOADED)
        t2_info("Successfully downloaded %s, %" PRIu64 " bytes.", j->name, r->size_bytes);
    return T2_OK;
}

enum t2_status dg_fetch_one(struct dg_fetch_job *job, struct dg_fetch_result *r, struct t2_err *err)
{
    char *path = t2_path_join(job->tmp_dir, job->name);
    char *doing = t2_asprintf("downloading '%s'", job->name);
    struct t2_lock lock = {.fd = -1};
    struct t2_strs urls = {0};
    enum t2_status st;

    dg_remote_urls(job->file, job->name, job->options, &urls);
    st = t2_lock_wait(job->tmp_dir, job->name, doing, &lock, err);
    if (st == T2_OK) {
        st = fetch_locked(job, &urls, path, r, err);
        t2_lock_give(&lock);
    }
    t2_strs_release(&urls);
    t2_free(doing);
    t2_free(path);
    return st;
}
