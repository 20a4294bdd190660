/*
 * base/out.c - output files that are complete or absent: t2_out of file.h.
 *
 * A file is written as PATH.incomplete, synced, renamed to PATH, and its folder synced: at any
 * moment, also after a crash, PATH is the old file, the new one, or absent.  The temporary file is
 * locked (flock) while its writer lives.  A name that is taken is thus a living run's (refused) or
 * a leftover (removed); device and inode are compared before every unlink and rename, because
 * between two calls another process may have put its own file there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/file_sync.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/remote_hooks.h"
#include "base/remote_path.h"
#include "base/signals.h"

enum {
    BUFFER_BYTES = 1 << 20,
    DIRECT_BYTES = 256 << 10, /* larger writes go past the buffer */
    KEPT_DESCRIPTORS = 256,   /* finished files stay locked while descriptors are below this */
    TRIES = 100,              /* of creating, while others remove and create the name */
    START_BYTES = 8 << 20,    /* handed to the disk at a time while writing goes on */
    PIPE_LOOK_MS = 20,
    PIPE_WAIT_MS = 10000
};

struct t2_out {
    char *path;      /* as the caller named it, for messages */
    char *remote;    /* the object that the final file becomes; NULL: none */
    char *final;     /* where it goes; NULL when written in place (stdout, devices, pipes) */
    char *temporary; /* NULL like final */
    int fd;
    dev_t device; /* of the temporary file: no other file may take the final name */
    ino_t inode;
    uint8_t *buffer;
    size_t n_buffered;
    uint64_t written_bytes; /* accepted by the system */
    uint64_t on_its_way;    /* of these, bytes handed to the disk by sync_file_range */
    uint64_t total_bytes;
    struct t2_sha256 *sha256; /* NULL = off */
    struct t2_err failure;
    struct t2_out *next; /* in open_outputs */
    pid_t owner;
};

/* All open outputs, so that a program that exits in the middle leaves no temporary files. */
static struct t2_out *open_outputs;
static pthread_mutex_t open_outputs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t at_exit_once = PTHREAD_ONCE_INIT;

/* Removes the temporary file, unless another file has its name by now. */
static void remove_temporary(const struct t2_out *o)
{
    struct stat s;

    if (!o->temporary)
        return;
    /* lstat failed: with the lock held (fd open) the name is still ours. */
    if (lstat(o->temporary, &s) == 0 ? s.st_dev == o->device && s.st_ino == o->inode : o->fd >= 0)
        (void) unlink(o->temporary);
}

static void remove_temporaries(void)
{
    pthread_mutex_lock(&open_outputs_lock);
    for (struct t2_out *o = open_outputs; o; o = o->next) {
        if (o->owner == getpid())
            remove_temporary(o);
    }
    pthread_mutex_unlock(&open_outputs_lock);
}

static void install_at_exit(void)
{
    (void) atexit(remove_temporaries);
    (void) at_quick_exit(remove_temporaries); /* as t2_out_of_memory ends */
}

static void remember(struct t2_out *o)
{
    pthread_once(&at_exit_once, install_at_exit);
    pthread_mutex_lock(&open_outputs_lock);
    o->owner = getpid();
    o->next = open_outputs;
    open_outputs = o;
    pthread_mutex_unlock(&open_outputs_lock);
}

static void forget(struct t2_out *o)
{
    struct t2_out **at = &open_outputs;

    pthread_mutex_lock(&open_outputs_lock);
    while (*at && *at != o)
        at = &(*at)->next;
    if (*at)
        *at = o->next;
    pthread_mutex_unlock(&open_outputs_lock);
}

/* Where path leads to when it is a symbolic link: the link stays, what it points to is replaced. */
static enum t2_status resolve(const char *path, char **to, struct t2_err *err)
{
    struct stat s;
    char *real = NULL;

    if (lstat(path, &s) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return t2_fail_errno(err, errno, "cannot look at '%s'", path);
    } else if (S_ISLNK(s.st_mode)) {
        real = realpath(path, NULL);
        if (!real && errno != ENOENT)
            return t2_fail_errno(err, errno, "cannot follow '%s'", path);
    }
    *to = t2_strdup(real ? real : path);
    free(real);
    return T2_OK;
}

/* 0, EWOULDBLOCK when another process holds it, or why there are no locks here.  The lock goes with
 * the descriptor: a process that dies gives it back. */
static int lock(int fd)
{
    int rc;

    do {
        rc = flock(fd, LOCK_EX | LOCK_NB);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : errno;
}

static bool has_name(int fd, const char *path)
{
    struct stat ours, named;

    return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

/* Whether a run of this user could have left the file: a regular file of ours with one name.  A
 * link or another user's file is left alone, as removing it could serve an attack. */
static bool could_be_ours(int fd)
{
    struct stat s;

    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && s.st_nlink == 1;
}

/* The temporary name is taken: by a dead writer (removed), by a living one, or by something
 * else. */
static enum t2_status clear_leftover(const char *temporary, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    int fd, errnum = t2_io_open(temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0, &fd);

    if (errnum == ENOENT)
        return T2_OK;
    if (errnum || !could_be_ours(fd)) {
        if (errnum == 0)
            (void) close(fd);
        return t2_fail(
            err, T2_EIO,
            "'%s' is in the way and is no file that an earlier run of yours left; look at "
            "it, then remove it",
            temporary);
    }
    errnum = lock(fd);
    if (errnum == 0 && has_name(fd, temporary) && unlink(temporary) != 0)
        st = t2_fail_errno(err, errno, "cannot remove '%s', which an earlier run left", temporary);
    else if (errnum == EWOULDBLOCK)
        st = t2_fail(err, T2_EIO, "another run is writing '%s'; wait for it or stop it", temporary);
    else if (errnum)
        st = t2_fail(err, T2_EIO,
                     "'%s' is there, and this file system has no locks to tell whether another run "
                     "is writing it; remove it if none is",
                     temporary);
    (void) close(fd);
    return st;
}

/* Creates the temporary file, locked. */
static enum t2_status create_temporary(struct t2_out *o, struct t2_err *err)
{
    struct stat s;

    for (int i = 0; i < TRIES; i++) {
        int errnum =
            t2_io_open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666, &o->fd);

        if (errnum == EEXIST) {
            T2_TRY(clear_leftover(o->temporary, err));
            continue;
        }
        if (errnum)
            return t2_fail_errno(err, errnum, "cannot create '%s'", o->temporary);
        errnum = lock(o->fd);
        /* Between our open and our lock another run may have taken the file for a leftover. */
        if (errnum != EWOULDBLOCK && has_name(o->fd, o->temporary) && fstat(o->fd, &s) == 0) {
            o->device = s.st_dev;
            o->inode = s.st_ino;
            return T2_OK;
        }
        (void) close(o->fd);
        o->fd = -1;
    }
    return t2_fail(err, T2_EIO, "another run is writing '%s'; wait for it or stop it", o->path);
}

/* A device, or a pipe, whose reader is waited for, but not for ever and not against a signal:
 * open(2) would. */
static enum t2_status open_in_place(struct t2_out *o, struct t2_err *err)
{
    const struct timespec pause = {0, PIPE_LOOK_MS * 1000000L};
    int errnum, flags;

    for (int waited_ms = 0;; waited_ms += PIPE_LOOK_MS) {
        T2_TRY(t2_check_interrupt(err));
        errnum = t2_io_open(o->path, O_WRONLY | O_NONBLOCK, 0, &o->fd);
        if (errnum != ENXIO)
            break;
        if (waited_ms >= PIPE_WAIT_MS)
            return t2_fail(err, T2_EIO, "'%s' is a pipe that nobody reads, or no device", o->path);
        (void) nanosleep(&pause, NULL);
    }
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot write '%s'", o->path);
    flags = fcntl(o->fd, F_GETFL);
    if (flags >= 0 && fcntl(o->fd, F_SETFL, flags & ~O_NONBLOCK) == 0)
        return T2_OK;
    errnum = errno;
    (void) close(o->fd);
    return t2_fail_errno(err, errnum, "cannot write '%s'", o->path);
}

static enum t2_status open_target(struct t2_out *o, struct t2_err *err)
{
    struct stat s;
    bool exists, is_remote;

    T2_TRY(t2_remote_check(o->path, &is_remote, err));
    if (is_remote) {
        T2_TRY(t2_remote->stage(o->path, &o->final, err));
        o->remote = t2_strdup(o->path);
        o->temporary = t2_asprintf("%s.incomplete", o->final);
        return create_temporary(o, err);
    }
    if (strcmp(o->path, "-") == 0) {
        o->fd = STDOUT_FILENO;
        return T2_OK;
    }
    exists = stat(o->path, &s) == 0;
    if (!exists && errno != ENOENT && errno != ENOTDIR)
        return t2_fail_errno(err, errno, "cannot look at '%s'", o->path);
    if (exists && S_ISDIR(s.st_mode))
        return t2_fail(err, T2_EIO, "'%s' is a directory", o->path);
    if (exists && !S_ISREG(s.st_mode)) {
        /* Renaming over /dev/null would replace the device. */
        return open_in_place(o, err);
    }
    T2_TRY(resolve(o->path, &o->final, err));
    o->temporary = t2_asprintf("%s.incomplete", o->final);
    if (t2_make_parents(o->final, err) != T2_OK)
        return t2_wrap(err, "cannot create '%s'", o->final);
    return create_temporary(o, err);
}

static void release(struct t2_out *o)
{
    t2_sha256_free(o->sha256);
    t2_free(o->buffer);
    t2_free(o->temporary);
    t2_free(o->final);
    t2_free(o->remote);
    t2_free(o->path);
    t2_free(o);
}

enum t2_status t2_out_new(const char *path, struct t2_out **out, struct t2_err *err)
{
    struct t2_out *o = t2_alloc(1, sizeof *o);
    enum t2_status st;

    o->path = t2_strdup(path);
    st = open_target(o, err);
    if (st != T2_OK) {
        release(o);
        return st;
    }
    o->buffer = t2_realloc(NULL, BUFFER_BYTES, 1); /* not zeroed: it may be a small file */
    remember(o);
    *out = o;
    return T2_OK;
}

static void start_writing(struct t2_out *o)
{
    uint64_t n = o->written_bytes - o->on_its_way;

    if (!o->final || o->remote || n < START_BYTES)
        return;
    t2_io_start_writing(o->fd, o->on_its_way, n);
    o->on_its_way = o->written_bytes;
}

static void write_through(struct t2_out *o, const uint8_t *data, size_t len_bytes)
{
    size_t n_written;
    int errnum;

    if (len_bytes == 0 || o->failure.status != T2_OK)
        return;
    errnum = t2_io_write(o->fd, data, len_bytes, &n_written);
    o->written_bytes += n_written;
    if (errnum) {
        (void) t2_fail_errno(&o->failure, errnum, "cannot write '%s' (%" PRIu64 " bytes written)",
                             o->path, o->written_bytes);
        o->failure.status = T2_EIO;
        return;
    }
    start_writing(o);
}

static void flush(struct t2_out *o)
{
    write_through(o, o->buffer, o->n_buffered);
    o->n_buffered = 0;
}

void t2_out_write(struct t2_out *o, const void *data, size_t len_bytes)
{
    if (o->failure.status != T2_OK || len_bytes == 0)
        return;
    T2_ASSERT(o->buffer); /* not finished */
    o->total_bytes += len_bytes;
    if (o->sha256)
        t2_sha256_update(o->sha256, data, len_bytes);
    if (len_bytes >= DIRECT_BYTES || len_bytes > BUFFER_BYTES - o->n_buffered)
        flush(o);
    if (len_bytes >= DIRECT_BYTES) {
        write_through(o, data, len_bytes);
    } else {
        memcpy(o->buffer + o->n_buffered, data, len_bytes);
        o->n_buffered += len_bytes;
    }
}

void t2_out_puts(struct t2_out *o, const char *s)
{
    t2_out_write(o, s, strlen(s));
}

void t2_out_printf(struct t2_out *o, const char *format, ...)
{
    char small[512];
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    T2_ASSERT(n >= 0);
    if ((size_t) n < sizeof small) {
        t2_out_write(o, small, (size_t) n);
    } else {
        char *text = t2_alloc((size_t) n + 1, 1);

        vsnprintf(text, (size_t) n + 1, format, again);
        t2_out_write(o, text, (size_t) n);
        t2_free(text);
    }
    va_end(again);
}

uint64_t t2_out_bytes(const struct t2_out *o)
{
    return o->total_bytes;
}

enum t2_status t2_out_status(const struct t2_out *o, struct t2_err *err)
{
    if (o->failure.status != T2_OK)
        *err = o->failure;
    return o->failure.status;
}

void t2_out_hash_on(struct t2_out *o)
{
    T2_ASSERT(o->total_bytes == 0);
    if (!o->sha256)
        o->sha256 = t2_sha256_new();
}

void t2_out_sha256(struct t2_out *o, char hex[65])
{
    T2_ASSERT(o->sha256);
    t2_sha256_peek(o->sha256, hex);
}

/* Some network file systems report a full disk only here. */
static void close_descriptor(struct t2_out *o)
{
    int errnum = o->fd >= 0 && o->fd != STDOUT_FILENO ? t2_io_close(o->fd) : 0;

    if (errnum && o->failure.status == T2_OK) {
        (void) t2_fail_errno(&o->failure, errnum, "cannot close '%s'", o->path);
        o->failure.status = T2_EIO;
    }
    o->fd = -1;
}

enum t2_status t2_out_finish(struct t2_out *o, struct t2_err *err)
{
    if (o->buffer) {
        flush(o);
        /* What goes to another machine is lost with this process anyway. */
        if (o->failure.status == T2_OK && o->final && !o->remote)
            o->failure.status = t2_sync_fd(o->fd, o->path, &o->failure);
        /* There may be thousands of finished files: the later ones go without their lock. */
        if (!o->final || o->fd >= KEPT_DESCRIPTORS || o->failure.status != T2_OK)
            close_descriptor(o);
        t2_free(o->buffer);
        o->buffer = NULL;
    }
    return t2_out_status(o, err);
}

static void take_name(struct t2_out *o)
{
    struct stat s;

    if (lstat(o->temporary, &s) != 0)
        (void) t2_fail_errno(&o->failure, errno, "cannot look at '%s'", o->temporary);
    else if (s.st_dev != o->device || s.st_ino != o->inode)
        (void) t2_fail(&o->failure, T2_EIO,
                       "'%s' was replaced while it was written: another run writes the same output",
                       o->temporary);
    else if (rename(o->temporary, o->final) != 0)
        (void) t2_fail_errno(&o->failure, errno, "cannot rename '%s' to '%s'", o->temporary,
                             o->final);
}

/* Takes the name o->final; releases o. */
static enum t2_status commit(struct t2_out *o, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT; /* remembered in o */
    enum t2_status st = t2_out_finish(o, &ignored);

    if (st == T2_OK && o->final)
        take_name(o);
    close_descriptor(o); /* and with it the lock */
    forget(o);
    st = t2_out_status(o, err);
    if (st != T2_OK)
        remove_temporary(o);
    else if (o->remote)
        st = t2_remote->put(o->remote, o->final, err);
    else if (o->final)
        st = t2_sync_dir_of(o->final, err);
    release(o);
    return st;
}

enum t2_status t2_out_commit(struct t2_out *o, struct t2_err *err)
{
    return commit(o, err);
}

enum t2_status t2_out_commit_as(struct t2_out *o, const char *path, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    char *final = NULL;

    if (o->remote && t2_is_remote(path)) {
        t2_free(o->remote);
        o->remote = t2_strdup(path);
        return commit(o, err);
    }
    if (o->remote || t2_is_remote(path))
        st = t2_fail(err, T2_EUNSUPPORTED, "'%s' was begun as '%s': one is remote, one is not",
                     path, o->path);
    else if (o->final)
        st = resolve(path, &final, err);
    if (st != T2_OK) {
        t2_out_abort(o);
        return st;
    }
    if (o->final) {
        t2_free(o->final);
        o->final = final;
    }
    return commit(o, err);
}

const char *t2_out_temporary(const struct t2_out *o)
{
    return o->temporary;
}

void t2_out_abort(struct t2_out *o)
{
    if (!o)
        return;
    forget(o);
    remove_temporary(o);
    close_descriptor(o);
    release(o);
}

bool t2_out_remove_leftover(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    char *temporary = t2_asprintf("%s.incomplete", path);
    struct stat s; /* a remote output has no file of that name */
    bool was_there = lstat(temporary, &s) == 0;
    bool is_gone = was_there && clear_leftover(temporary, &ignored) == T2_OK;

    t2_free(temporary);
    return is_gone;
}

enum t2_status t2_out_discard(struct t2_out *o, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    if (o->temporary && unlink(o->temporary) != 0)
        st = t2_fail_errno(err, errno, "cannot remove '%s'", o->temporary);
    t2_out_abort(o);
    return st;
}

enum t2_status t2_write_file(const char *path, const void *data, size_t len_bytes,
                             struct t2_err *err)
{
    struct t2_out *o;

    T2_TRY(t2_out_new(path, &o, err));
    t2_out_write(o, data, len_bytes);
    return t2_out_commit(o, err);
}

enum t2_status t2_copy_file_once(const char *from, const char *to, struct t2_err *err)
{
    struct t2_file_info there;
    struct t2_buf text = {0};
    enum t2_status st;

    T2_TRY(t2_look_at(to, &there, err));
    if (there.kind != T2_FILE_ABSENT)
        return T2_OK;
    T2_TRY(t2_look_at(from, &there, err));
    if (there.kind == T2_FILE_ABSENT)
        return T2_OK;
    st = t2_read_file(from, 0, &text, err);
    if (st == T2_OK)
        st = t2_write_file(to, text.data, text.len_bytes, err);
    if (st == T2_OK)
        st = t2_copy_file_time(from, to, err);
    t2_buf_release(&text);
    return st;
}
