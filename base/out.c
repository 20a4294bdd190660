/*
 * base/out.c - output files that are complete or absent: t2_out of file.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/file_sync.h"
#include "base/hash.h"

enum {
    BUFFER_BYTES = 1 << 20,
    DIRECT_BYTES = 256 << 10, /* so much is not copied first */
    START_BYTES = 8 << 20
};

struct t2_out {
    char *path;      /* as the caller named it, for messages */
    char *final;     /* where it goes; NULL when written in place (stdout, devices, pipes) */
    char *temporary; /* NULL like final */
    int fd;
    uint8_t *buffer;
    size_t n_buffered;
    uint64_t written_bytes; /* accepted by the system */
    uint64_t on_its_way;    /* of them, to the disk */
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

static void remove_temporaries(void)
{
    pthread_mutex_lock(&open_outputs_lock);
    for (struct t2_out *o = open_outputs; o; o = o->next) {
        if (o->temporary && o->owner == getpid())
            unlink(o->temporary);
    }
    pthread_mutex_unlock(&open_outputs_lock);
}

static void install_at_exit(void)
{
    (void) atexit(remove_temporaries);
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
static char *resolve(const char *path)
{
    struct stat s;
    char *real = NULL, *copy;

    if (lstat(path, &s) == 0 && S_ISLNK(s.st_mode))
        real = realpath(path, NULL);
    copy = t2_strdup(real ? real : path);
    free(real);
    return copy;
}

static enum t2_status open_target(struct t2_out *o, struct t2_err *err)
{
    struct stat s;
    bool exists;

    if (strcmp(o->path, "-") == 0) {
        o->fd = STDOUT_FILENO;
        return T2_OK;
    }
    exists = stat(o->path, &s) == 0;
    if (exists && S_ISDIR(s.st_mode))
        return t2_fail(err, T2_EIO, "'%s' is a directory", o->path);
    if (exists && !S_ISREG(s.st_mode)) {
        /* Renaming over /dev/null would replace the device. */
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
    } else {
        o->final = resolve(o->path);
        o->temporary = t2_asprintf("%s.incomplete", o->final);
        o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (o->fd < 0)
        return t2_fail_errno(err, errno, "cannot create '%s'",
                             o->temporary ? o->temporary : o->path);
    return T2_OK;
}

static void release(struct t2_out *o)
{
    t2_sha256_free(o->sha256);
    t2_free(o->buffer);
    t2_free(o->temporary);
    t2_free(o->final);
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
    o->buffer = t2_alloc(BUFFER_BYTES, 1);
    remember(o);
    *out = o;
    return T2_OK;
}

/* What will be brought to disk in the end is on its way while the rest is made. */
static void start_writing(struct t2_out *o)
{
#ifdef SYNC_FILE_RANGE_WRITE
    uint64_t n = o->written_bytes - o->on_its_way;

    if (!o->final || n < START_BYTES)
        return;
    (void) sync_file_range(o->fd, (off_t) o->on_its_way, (off_t) n, SYNC_FILE_RANGE_WRITE);
    o->on_its_way = o->written_bytes;
#else
    (void) o;
#endif
}

static void write_through(struct t2_out *o, const uint8_t *data, size_t len_bytes)
{
    while (len_bytes > 0 && o->failure.status == T2_OK) {
        ssize_t n = write(o->fd, data, len_bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            (void) t2_fail_errno(&o->failure, errno,
                                 "cannot write '%s' (%" PRIu64 " bytes written)", o->path,
                                 o->written_bytes);
            o->failure.status = T2_EIO;
            return;
        }
        data += n;
        len_bytes -= (size_t) n;
        o->written_bytes += (uint64_t) n;
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
    T2_ASSERT(o->buffer != NULL); /* not finished */
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
    T2_ASSERT(o->sha256 != NULL);
    t2_sha256_peek(o->sha256, hex);
}

/* Some network file systems report a full disk only here. */
static void close_descriptor(struct t2_out *o)
{
    if (o->fd >= 0 && o->fd != STDOUT_FILENO && close(o->fd) != 0 && errno != EINTR &&
        o->failure.status == T2_OK) {
        (void) t2_fail_errno(&o->failure, errno, "cannot close '%s'", o->path);
        o->failure.status = T2_EIO;
    }
    o->fd = -1;
}

enum t2_status t2_out_finish(struct t2_out *o, struct t2_err *err)
{
    if (o->fd >= 0) {
        flush(o);
        if (o->failure.status == T2_OK && o->final)
            o->failure.status = t2_sync_fd(o->fd, o->path, &o->failure);
        close_descriptor(o);
        t2_free(o->buffer); /* there may be thousands of finished files */
        o->buffer = NULL;
    }
    return t2_out_status(o, err);
}

/* Takes the name o->final; releases o. */
static enum t2_status commit(struct t2_out *o, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT; /* remembered in o */
    enum t2_status st = t2_out_finish(o, &ignored);

    if (st == T2_OK && o->final && rename(o->temporary, o->final) != 0)
        (void) t2_fail_errno(&o->failure, errno, "cannot rename '%s' to '%s'", o->temporary,
                             o->final);
    forget(o);
    st = t2_out_status(o, err);
    if (st != T2_OK && o->temporary)
        unlink(o->temporary);
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
    if (o->final) {
        t2_free(o->final);
        o->final = resolve(path);
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
    close_descriptor(o);
    if (o->temporary)
        unlink(o->temporary);
    release(o);
}

enum t2_status t2_write_file(const char *path, const void *data, size_t len_bytes,
                             struct t2_err *err)
{
    struct t2_out *o;

    T2_TRY(t2_out_new(path, &o, err));
    t2_out_write(o, data, len_bytes);
    return t2_out_commit(o, err);
}
