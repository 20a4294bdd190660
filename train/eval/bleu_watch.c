/*
 * train/eval/bleu_watch.c - see the header.
 */
#include "train/eval/bleu_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/follow.h"
#include "base/io.h"
#include "base/log.h"
#include "base/signals.h"
#include "tfrecord/event_write.h"
#include "tokenizer/python_numbers.h"
#include "tokenizer/unicode.h"
#include "train/eval/bleu.h"

enum { POLL_SECONDS = 10, MAX_STEP_FILE_BYTES = 4096, HOST_BYTES = 256 };
enum { SECONDS_A_MINUTE = 60 };

struct step_file {
    char *path;
    int64_t steps;
    double modified, changed; /* seconds since 1970 */
};

struct watch {
    const struct ev_bleu_watch *asked;
    char *last_step_path;
    int64_t min_steps;
    bool zero_due;
    double deadline; /* when waiting ends */
    int events;      /* descriptor, -1: no event yet */
    struct t2_buf record;
};

const char *ev_bleu_variant_name(bool lower_case)
{
    return lower_case ? "BLEU_uncased" : "BLEU_cased";
}

static double seconds_of(struct timespec t)
{
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return seconds_of(t);
}

/* ---- files ---- */

/* Times of a regular file; false when it is none, or gone. */
static bool times_of(const char *path, double *modified, double *changed)
{
    struct stat s;

    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return false;
    *modified = seconds_of(s.st_mtim);
    *changed = seconds_of(s.st_ctim);
    return true;
}

/* Steps of a name that matches "*-[0-9]*" and is an integer behind its last hyphen. */
static bool steps_of(const char *name, int64_t *steps)
{
    const char *last = strrchr(name, '-'), *p = name;

    for (p = strchr(p, '-'); p && !(p[1] >= '0' && p[1] <= '9');)
        p = strchr(p + 1, '-');
    return p && tok_python_int(t2_slice_of(last + 1), steps);
}

/* The file of fewest steps from min_steps on; path NULL when there is none. */
static enum t2_status next_file(const struct watch *w, struct step_file *next, struct t2_err *err)
{
    const char *dir = w->asked->translations_dir;
    struct t2_strs names = {NULL, 0, 0};

    *next = (struct step_file){NULL, 0, 0, 0};
    T2_TRY(t2_list_dir(dir, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        struct step_file f = {NULL, 0, 0, 0};

        if (!steps_of(names.items[i], &f.steps) || f.steps < w->min_steps ||
            (next->path && f.steps >= next->steps))
            continue;
        f.path = t2_path_join(dir, names.items[i]);
        if (times_of(f.path, &f.modified, &f.changed)) {
            t2_free(next->path);
            *next = f;
        } else {
            t2_free(f.path);
        }
    }
    t2_strs_release(&names);
    return T2_OK;
}

/* When the oldest file of the folder was written. */
static enum t2_status oldest(const char *dir, double *modified, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    bool any = false;

    *modified = now();
    T2_TRY(t2_list_dir(dir, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        double m, c;

        if (times_of(path, &m, &c) && (!any || m < *modified)) {
            *modified = m;
            any = true;
        }
        t2_free(path);
    }
    t2_strs_release(&names);
    return T2_OK;
}

static enum t2_status wait_for_folder(struct watch *w, struct t2_err *err)
{
    const char *dir = w->asked->translations_dir;

    if (!t2_is_dir(dir))
        t2_info("'%s' is not there; waiting for %" PRId64 " minutes", dir, w->asked->wait_minutes);
    while (!t2_is_dir(dir)) {
        if (now() >= w->deadline)
            return t2_fail(err, T2_ENOTFOUND, "'%s': no such folder", dir);
        T2_TRY(t2_nap(POLL_SECONDS, err));
    }
    return T2_OK;
}

static enum t2_status read_last_step(struct watch *w, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    w->min_steps = w->asked->min_steps;
    if (w->min_steps != -1)
        return T2_OK;
    w->min_steps = 0;
    if (t2_exists(w->last_step_path)) {
        st = t2_read_file(w->last_step_path, MAX_STEP_FILE_BYTES, &text, err);
        if (st == T2_OK && !tok_python_int(tok_stripped(t2_buf_slice(&text)), &w->min_steps))
            st = t2_fail(err, T2_EFORMAT, "'%s' holds no number of steps; remove it",
                         w->last_step_path);
    }
    t2_buf_release(&text);
    return st;
}

/* ---- events ---- */

/* A new event file, under the next second that has none. */
static enum t2_status open_events(struct watch *w, struct t2_err *err)
{
    char host[HOST_BYTES] = "localhost";
    int64_t second = (int64_t) now();
    int errnum;

    (void) gethostname(host, sizeof host - 1);
    T2_TRY(t2_make_dirs(w->asked->event_dir, err));
    do {
        char *path = t2_asprintf("%s/events.out.tfevents.%010" PRId64 ".%s", w->asked->event_dir,
                                 second++, host);

        /* A log grows event by event: TensorBoard follows it. */
        errnum = t2_io_open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666, &w->events);
        if (errnum && errnum != EEXIST)
            (void) t2_fail_errno(err, errnum, "cannot write '%s'", path);
        t2_free(path);
    } while (errnum == EEXIST);
    if (errnum)
        return err->status;
    t2_buf_clear(&w->record);
    tfr_put_event_version(&w->record, now(), NULL);
    errnum = t2_io_write(w->events, w->record.data, w->record.len_bytes, NULL);
    return errnum ? t2_fail_errno(err, errnum, "cannot write an event file in '%s'",
                                  w->asked->event_dir)
                  : T2_OK;
}

/* scores: percent, of the variants. */
static enum t2_status write_event(struct watch *w, double time, int64_t step, const float *scores,
                                  struct t2_err *err)
{
    const struct ev_bleu_variants *v = &w->asked->variants;
    char *tags[EV_BLEU_VARIANTS] = {NULL, NULL};
    int errnum;

    if (w->events < 0)
        T2_TRY(open_events(w, err));
    for (int i = 0; i < v->n; i++)
        tags[i] = t2_asprintf("%s%s", ev_bleu_variant_name(v->lower_case[i]), w->asked->tag_suffix);
    t2_buf_clear(&w->record);
    tfr_put_event_scalars(&w->record, time, step, (const char *const *) tags, scores,
                          (size_t) v->n);
    for (int i = 0; i < v->n; i++)
        t2_free(tags[i]);
    errnum = t2_io_write(w->events, w->record.data, w->record.len_bytes, NULL);
    return errnum ? t2_fail_errno(err, errnum, "cannot write an event file in '%s'",
                                  w->asked->event_dir)
                  : T2_OK;
}

static enum t2_status report_zero(struct watch *w, struct t2_err *err)
{
    static const float zeros[EV_BLEU_VARIANTS] = {0, 0};
    double time;

    T2_TRY(oldest(w->asked->translations_dir, &time, err));
    w->zero_due = false;
    return write_event(w, time, 0, zeros, err);
}

static enum t2_status score_file(struct watch *w, const struct step_file *f, struct t2_err *err)
{
    const struct ev_bleu_variants *v = &w->asked->variants;
    struct ev_bleu bleu[EV_BLEU_VARIANTS];
    float scores[EV_BLEU_VARIANTS];
    char step[32];

    if (w->zero_due)
        T2_TRY(report_zero(w, err));
    T2_TRY(ev_bleu_files(f->path, w->asked->reference, v->lower_case, v->n, bleu, err));
    for (int i = 0; i < v->n; i++) {
        scores[i] = (float) bleu[i].score;
        t2_info("%s: %s = %6.2f", f->path, ev_bleu_variant_name(v->lower_case[i]), bleu[i].score);
    }
    T2_TRY(write_event(w, f->modified, f->steps, scores, err));
    snprintf(step, sizeof step, "%" PRId64 "\n", f->steps);
    return t2_write_file(w->last_step_path, step, strlen(step), err);
}

/* Scores files until none comes in time. */
static enum t2_status follow(struct watch *w, struct t2_err *err)
{
    double wait = (double) w->asked->wait_minutes * SECONDS_A_MINUTE;

    w->deadline = now() + wait;
    T2_TRY(wait_for_folder(w, err));
    T2_TRY(read_last_step(w, err));
    w->zero_due = w->asked->report_zero == EV_ZERO_ALWAYS ||
                  (w->asked->report_zero == EV_ZERO_AT_START && w->min_steps == 0);
    w->deadline = now() + wait;
    for (;;) {
        struct step_file f;
        enum t2_status st;

        T2_TRY(t2_check_interrupt(err));
        T2_TRY(next_file(w, &f, err));
        if (!f.path) {
            if (now() >= w->deadline)
                return T2_OK;
            T2_TRY(t2_nap(POLL_SECONDS, err));
            continue;
        }
        st = score_file(w, &f, err);
        w->deadline = f.changed + wait;
        w->min_steps = f.steps + 1;
        t2_free(f.path);
        T2_TRY(st);
    }
}

enum t2_status ev_bleu_watch(const struct ev_bleu_watch *asked, struct t2_err *err)
{
    struct watch w = {.asked = asked, .events = -1};
    enum t2_status st;

    if (asked->wait_minutes < 0 || asked->min_steps < -1)
        return t2_fail(err, T2_EUSAGE,
                       "--wait_minutes must not be negative, --min_steps must be -1 or more");
    w.last_step_path = t2_path_join(asked->event_dir, "last_evaluated_step.txt");
    st = follow(&w, err);
    if (w.events >= 0)
        (void) t2_io_close(w.events);
    t2_free(w.last_step_path);
    t2_buf_release(&w.record);
    return st;
}
