/*
 * train/tune/study_log.c - study.jsonl: lines with numbers and checksums, appended under a lock.
 *
 * A process that dies while it appends leaves a piece of a line.  The next writer begins with a
 * line feed, so the piece becomes a line that is no good, whose number the writer's line takes.  A
 * bad line whose number is missing afterwards was a good one once: that is damage, and is said.  A
 * piece that lacks nothing but its line feed is whole: it counts for every reader alike.
 */
#include "train/tune/study_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"

enum { SUM_DIGITS = 16, MOST_LINE_BYTES = 1 << 24, BLOCK_BYTES = 1 << 16 };

/* ---- opening ---- */

static enum t2_status open_in(struct tune_log *log, const char *name, int flags, int *fd,
                              struct t2_err *err)
{
    char *path = t2_path_join(log->dir, name);
    int errnum = t2_io_open(path, flags, 0666, fd);
    enum t2_status st = T2_OK;

    if (errnum)
        st = t2_fail_errno(err, errnum, "cannot open '%s'", path);
    t2_free(path);
    return st;
}

static void begin(const char *dir, struct tune_log *log)
{
    *log = (struct tune_log){.fd = -1, .lock_fd = -1};
    log->dir = t2_strdup(dir);
    log->path = t2_path_join(dir, "study.jsonl");
}

static enum t2_status open_files(struct tune_log *log, bool create, struct t2_err *err)
{
    int more = create ? O_CREAT : 0;

    if (create)
        T2_TRY(t2_make_dirs(log->dir, err));
    T2_TRY(open_in(log, "study.jsonl", O_RDWR | O_APPEND | O_NOFOLLOW | more, &log->fd, err));
    return open_in(log, "study.lock", O_RDWR | O_CREAT | O_NOFOLLOW, &log->lock_fd, err);
}

static enum t2_status say_missing(struct tune_log *log, enum t2_status st, struct t2_err *err)
{
    if (st == T2_ENOTFOUND)
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s': no study here (there is no study.jsonl); t2t-trainer --hparams_range "
                     "begins one",
                     log->dir);
    if (st != T2_OK)
        tune_log_close(log);
    return st;
}

enum t2_status tune_log_open(const char *dir, bool create, struct tune_log *log, struct t2_err *err)
{
    begin(dir, log);
    return say_missing(log, open_files(log, create, err), err);
}

enum t2_status tune_log_open_to_read(const char *dir, struct tune_log *log, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT;

    begin(dir, log);
    T2_TRY(say_missing(log, open_in(log, "study.jsonl", O_RDONLY, &log->fd, err), err));
    if (open_in(log, "study.lock", O_RDONLY, &log->lock_fd, &ignored) != T2_OK)
        log->lock_fd = -1; /* then nobody seems to work on it */
    return T2_OK;
}

void tune_log_close(struct tune_log *log)
{
    if (log->fd >= 0)
        (void) t2_io_close(log->fd);
    if (log->lock_fd >= 0)
        (void) t2_io_close(log->lock_fd);
    t2_free(log->dir);
    t2_free(log->path);
    t2_buf_release(&log->pending);
    *log = (struct tune_log){.fd = -1, .lock_fd = -1};
}

/* ---- locks ---- */

/* Bytes of study.lock from here on are of the workers of trials. */
static const int64_t of_workers = INT64_C(1) << 32;

/* 0, or an errno value. */
static int set_lock(int fd, int64_t byte, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    while (fcntl(fd, F_OFD_SETLK, &range) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static enum t2_status no_locks(const struct tune_log *log, int errnum, struct t2_err *err)
{
    return t2_fail_errno(err, errnum,
                         "'%s': this file system has no locks, which a search needs to share its "
                         "trials; take a folder on one that has (not mounted with nolock or "
                         "without flock)",
                         log->dir);
}

enum t2_status tune_log_lock(struct tune_log *log, struct t2_err *err)
{
    const double say_after_s = 10;
    double since = t2_now_s();
    long pause_ns = 1000000;
    bool is_said = false;
    int errnum;

    while ((errnum = set_lock(log->lock_fd, 0, F_WRLCK)) != 0) {
        struct timespec pause = {0, pause_ns};

        if (errnum != EACCES && errnum != EAGAIN)
            return no_locks(log, errnum, err);
        T2_TRY(t2_check_interrupt(err));
        (void) nanosleep(&pause, NULL);
        if (pause_ns < 50000000)
            pause_ns *= 2;
        if (!is_said && t2_now_s() - since > say_after_s) {
            t2_warn("'%s': another process holds the lock of the study; waiting for it", log->dir);
            is_said = true;
        }
    }
    log->is_locked = true;
    return T2_OK;
}

void tune_log_unlock(struct tune_log *log)
{
    if (log->is_locked)
        (void) set_lock(log->lock_fd, 0, F_UNLCK);
    log->is_locked = false;
}

enum t2_status tune_log_hold(struct tune_log *log, int64_t trial, int *fd, struct t2_err *err)
{
    int errnum;

    T2_TRY(open_in(log, "study.lock", O_RDWR | O_NOFOLLOW, fd, err));
    errnum = set_lock(*fd, 1 + trial, F_WRLCK);
    if (!errnum)
        return T2_OK;
    tune_log_let_go(*fd);
    *fd = -1;
    if (errnum == EACCES || errnum == EAGAIN)
        return t2_fail(err, T2_EIO, "'%s': another process took trial %" PRId64, log->dir, trial);
    return no_locks(log, errnum, err);
}

void tune_log_let_go(int fd)
{
    (void) t2_io_close(fd);
}

enum t2_status tune_log_attend(struct tune_log *log, int64_t trial, struct t2_err *err)
{
    int errnum = set_lock(log->lock_fd, of_workers + trial, F_WRLCK);

    if (!errnum)
        return T2_OK;
    if (errnum == EACCES || errnum == EAGAIN)
        return t2_fail(err, T2_EIO, "'%s': another process took trial %" PRId64, log->dir, trial);
    return no_locks(log, errnum, err);
}

void tune_log_unattend(struct tune_log *log, int64_t trial)
{
    (void) set_lock(log->lock_fd, of_workers + trial, F_UNLCK);
}

static bool is_locked(const struct tune_log *log, int64_t byte)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return log->lock_fd >= 0 && fcntl(log->lock_fd, F_OFD_GETLK, &range) == 0 &&
           range.l_type != F_UNLCK;
}

bool tune_log_is_held(const struct tune_log *log, int64_t trial)
{
    return is_locked(log, 1 + trial);
}

bool tune_log_is_attended(const struct tune_log *log, int64_t trial)
{
    return is_locked(log, of_workers + trial);
}

/* ---- lines ---- */

static void put_sum(const void *line, size_t n, char sum[SUM_DIGITS + 1])
{
    snprintf(sum, SUM_DIGITS + 1, "%016" PRIx64, t2_hash64(line, n, 0));
}

/* `{..., "sum": "0123456789abcdef"}`: compares it with what stands before the sum. */
static bool is_sound(const char *line, size_t n)
{
    static const char mark[] = ", \"sum\": \"";
    const size_t tail = sizeof mark - 1 + SUM_DIGITS + 2;
    char sum[SUM_DIGITS + 1];

    if (n < tail || memcmp(line + n - tail, mark, sizeof mark - 1) != 0 ||
        memcmp(line + n - 2, "\"}", 2) != 0)
        return false;
    put_sum(line, n - tail, sum);
    return memcmp(line + n - 2 - SUM_DIGITS, sum, SUM_DIGITS) == 0;
}

static enum t2_status fail_line(const struct tune_log *log, int64_t number, struct t2_err *err)
{
    if (number < log->n_lines)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRId64 " is there twice: two processes wrote at once, so the "
                       "locks of this file system do not reach from one machine to the other",
                       log->path, number);
    return t2_fail(err, T2_EFORMAT,
                   "'%s': line %" PRId64 " is damaged or missing (the next one has number %" PRId64
                   ")",
                   log->path, log->n_lines, number);
}

/* *is_good: it is a line of the study, and was given. */
static enum t2_status take_line(struct tune_log *log, const char *line, size_t n,
                                tune_line_fn on_line, void *context, bool *is_good,
                                struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    enum t2_status st = T2_OK;
    int64_t number;

    *is_good =
        is_sound(line, n) && t2_json_parse_unique(line, n, log->path, &doc, &ignored) == T2_OK;
    if (!*is_good)
        return T2_OK;
    number = t2_json_as_i64(t2_json_get(t2_json_root(doc), "n"), -1);
    if (number != log->n_lines)
        st = fail_line(log, number, err);
    else
        st = on_line(context, number, t2_json_root(doc), err);
    if (st == T2_OK)
        log->n_lines++;
    t2_json_free(doc);
    return st;
}

/* What was appended behind log->offset. */
static enum t2_status read_rest(const struct tune_log *log, struct t2_buf *rest, struct t2_err *err)
{
    size_t n;

    do {
        int errnum = t2_io_pread(log->fd, t2_buf_reserve(rest, BLOCK_BYTES), BLOCK_BYTES,
                                 log->offset + rest->len_bytes, &n);

        if (errnum)
            return t2_fail_errno(err, errnum, "cannot read '%s'", log->path);
        rest->len_bytes += n;
        if (n == BLOCK_BYTES && !memchr(rest->data, '\n', rest->len_bytes) &&
            rest->len_bytes > MOST_LINE_BYTES)
            return t2_fail(err, T2_EFORMAT, "'%s': a line of more than %d bytes", log->path,
                           MOST_LINE_BYTES);
    } while (n == BLOCK_BYTES);
    return T2_OK;
}

static enum t2_status take_lines(struct tune_log *log, const struct t2_buf *rest,
                                 tune_line_fn on_line, void *context, struct t2_err *err)
{
    const char *at = t2_buf_cstr(rest), *end = at + rest->len_bytes;
    bool is_good;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t) (end - at));
        size_t n = (size_t) ((newline ? newline : end) - at);

        T2_TRY(take_line(log, at, n, on_line, context, &is_good, err));
        if (!newline && !is_good) { /* being written, or cut short: looked at again next time */
            log->needs_newline = true;
            return T2_OK;
        }
        log->needs_newline = !newline;
        log->offset += n + (newline != NULL);
        at += n + (newline != NULL);
    }
    return T2_OK;
}

enum t2_status tune_log_read(struct tune_log *log, tune_line_fn on_line, void *context,
                             struct t2_err *err)
{
    struct t2_buf rest = {0};
    enum t2_status st = read_rest(log, &rest, err);

    if (st == T2_OK && rest.len_bytes > 0)
        st = take_lines(log, &rest, on_line, context, err);
    t2_buf_release(&rest);
    return st;
}

/* ---- appending ---- */

void tune_log_add(struct tune_log *log, const char *members)
{
    char sum[SUM_DIGITS + 1];
    size_t from;

    T2_ASSERT(log->is_locked);
    if (log->pending.len_bytes == 0 && log->needs_newline)
        t2_buf_push(&log->pending, '\n');
    from = log->pending.len_bytes;
    t2_buf_printf(&log->pending, "{\"n\": %" PRId64 ", %s", log->n_lines + log->n_pending, members);
    put_sum(log->pending.data + from, log->pending.len_bytes - from, sum);
    t2_buf_printf(&log->pending, ", \"sum\": \"%s\"}\n", sum);
    log->n_pending++;
}

enum t2_status tune_log_flush(struct tune_log *log, bool is_durable, struct t2_err *err)
{
    int errnum = 0;

    T2_ASSERT(log->is_locked);
    if (log->pending.len_bytes > 0)
        errnum = t2_io_write(log->fd, log->pending.data, log->pending.len_bytes, NULL);
    t2_buf_clear(&log->pending);
    log->n_pending = 0;
    if (!errnum && is_durable)
        errnum = t2_io_sync(log->fd);
    return errnum ? t2_fail_errno(err, errnum, "cannot write '%s'", log->path) : T2_OK;
}
