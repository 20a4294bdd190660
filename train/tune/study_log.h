/*
 * train/tune/study_log.h - the file of a study: what was asked for, and what happened, line by
 * line.
 *
 * <dir>/study.jsonl is only ever appended to.  A line is a JSON object {"n": its number from 0,
 * "event": ..., ..., "sum": a checksum of what stands before it}; the first one is the study
 * (study.h), the others are read by trials.h.  docs/search.md lists them.
 *
 * Several processes, on several machines, append under a record lock (fcntl) on <dir>/study.lock.
 * Why this kind of lock: the kernel or the file server gives it back when its process dies, however
 * it dies, so nobody has to tell a dead owner from a slow one by the clock, which is what a lock
 * file made with O_EXCL or link() comes down to; taking it also makes an NFS client read the file
 * anew.  It needs a file system with locks (NFSv4; NFSv3 with lockd; Lustre mounted with -o flock;
 * GPFS, BeeGFS, CephFS): where fcntl fails, the study is refused.  Where it succeeds and locks do
 * not reach other machines (nolock, localflock), two lines get the same number, and the next reader
 * says so.
 *
 * Byte 0 of study.lock is the lock of study.jsonl, byte 1 + t that of trial t.  They belong to the
 * open file and not to the process (F_OFD_SETLK): the lock of a trial goes with its descriptor to
 * the trainer, and lasts until worker and trainer have both ended.  Another byte of each trial is
 * its worker's alone: without it the worker was killed, and its trainer is about to end.
 */
#ifndef TUNE_STUDY_LOG_H
#define TUNE_STUDY_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct tune_log {
    char *dir, *path;   /* of study.jsonl */
    int fd, lock_fd;    /* -1: not open */
    uint64_t offset;    /* bytes that were read */
    int64_t n_lines;    /* good lines that were read */
    bool needs_newline; /* the last line was cut short: the next one begins with a line feed */
    bool is_locked;
    struct t2_buf pending; /* lines that the next tune_log_flush writes */
    int64_t n_pending;
};

/* Opens the files of a study, and makes them and the folder when `create` says so; else
 * T2_ENOTFOUND where there is no study.  Reads nothing yet. */
T2_MUST_CHECK enum t2_status tune_log_open(const char *dir, bool create, struct tune_log *log,
                                           struct t2_err *err);
/* The same to look at alone: nothing is locked or written, the folder may be read-only. */
T2_MUST_CHECK enum t2_status tune_log_open_to_read(const char *dir, struct tune_log *log,
                                                   struct t2_err *err);
void tune_log_close(struct tune_log *log);

/* Waits for the lock, T2_EINTERRUPTED when a signal ends that; T2_EIO where there are no locks. */
T2_MUST_CHECK enum t2_status tune_log_lock(struct tune_log *log, struct t2_err *err);
void tune_log_unlock(struct tune_log *log);

/* A good line, from the first to the last; the value is borrowed. */
typedef enum t2_status (*tune_line_fn)(void *context, int64_t n, const struct t2_json_value *line,
                                       struct t2_err *err);
/*
 * Gives the lines that were appended since the last call.  A line that was cut short, by a process
 * that was killed or a full disk, is passed over.  T2_EFORMAT: another line is damaged or missing.
 */
T2_MUST_CHECK enum t2_status tune_log_read(struct tune_log *log, tune_line_fn on_line,
                                           void *context, struct t2_err *err);

/*
 * Adds a line to those that tune_log_flush appends: `members` as they stand in an object, without
 * its braces: "\"event\": ...".  The lock is held, and all that was appended has been read.
 */
void tune_log_add(struct tune_log *log, const char *members);
/* Appends what was added, by one write; is_durable: it is on the disk afterwards.  The next
 * tune_log_read gives the lines back. */
T2_MUST_CHECK enum t2_status tune_log_flush(struct tune_log *log, bool is_durable,
                                            struct t2_err *err);

/* Takes the lock of a trial, which nobody has (tune_log_is_held under the lock of the log).  It
 * lasts until every copy of *fd is closed, here by tune_log_let_go. */
T2_MUST_CHECK enum t2_status tune_log_hold(struct tune_log *log, int64_t trial, int *fd,
                                           struct t2_err *err);
void tune_log_let_go(int fd);
/* True when somebody works on the trial, this process included. */
bool tune_log_is_held(const struct tune_log *log, int64_t trial);

/* Shows others that the worker of a trial lives, until the log is closed or it is taken back. */
T2_MUST_CHECK enum t2_status tune_log_attend(struct tune_log *log, int64_t trial,
                                             struct t2_err *err);
void tune_log_unattend(struct tune_log *log, int64_t trial);
/* True when the worker of a trial lives and is another one than this log's. */
bool tune_log_is_attended(const struct tune_log *log, int64_t trial);

#endif
