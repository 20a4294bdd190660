/*
 * base/spool.c - a temporary file without a name.
 */
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

enum { BUFFER_BYTES = 1 << 16 };

struct t2_spool {
    char *dir; /* for messages */
    int fd;
    uint8_t *buffer; /* written: what is not on disk yet; read: what was fetched */
    size_t at, end;
    bool reading; /* since a rewind: the buffer holds nothing to write */
    uint64_t bytes;
    void *map;
    struct t2_err failure;
};

static char *folder_for(const char *beside)
{
    const char *tmp;

    if (strcmp(beside, "-") != 0)
        return t2_path_dir(beside);
    tmp = getenv("TMPDIR");
    return t2_strdup(tmp && *tmp ? tmp : "/tmp");
}

/* O_TMPFILE where the file system knows it, else a name that is removed at once. */
static int open_unnamed(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char *name;

    if (fd >= 0)
        return fd;
    name = t2_path_join(dir, ".t2-spool-XXXXXX");
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    t2_free(name);
    return fd;
}

enum t2_status t2_spool_new(const char *beside, struct t2_spool **s, struct t2_err *err)
{
    char *dir = folder_for(beside);
    int fd = open_unnamed(dir);
    enum t2_status st;

    if (fd < 0) {
        st = t2_fail_errno(err, errno, "cannot create a temporary file in '%s'", dir);
        t2_free(dir);
        return st;
    }
    *s = t2_alloc(1, sizeof **s);
    (*s)->dir = dir;
    (*s)->fd = fd;
    return T2_OK;
}

void t2_spool_free(struct t2_spool *s)
{
    if (!s)
        return;
    if (s->map)
        munmap(s->map, (size_t) s->bytes);
    close(s->fd);
    t2_free(s->buffer);
    t2_free(s->dir);
    t2_free(s);
}

static void write_through(struct t2_spool *s, const uint8_t *data, size_t len_bytes)
{
    while (len_bytes > 0 && s->failure.status == T2_OK) {
        ssize_t n = write(s->fd, data, len_bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            (void) t2_fail_errno(&s->failure, errno, "cannot write a temporary file in '%s'",
                                 s->dir);
            return;
        }
        data += n;
        len_bytes -= (size_t) n;
    }
}

static void flush(struct t2_spool *s)
{
    write_through(s, s->buffer, s->end);
    s->end = 0;
}

void t2_spool_write(struct t2_spool *s, const void *data, size_t len_bytes)
{
    T2_ASSERT(!s->reading);
    if (len_bytes == 0)
        return;
    if (!s->buffer)
        s->buffer = t2_alloc(BUFFER_BYTES, 1);
    s->bytes += len_bytes;
    if (len_bytes > BUFFER_BYTES - s->end)
        flush(s);
    if (len_bytes >= BUFFER_BYTES) {
        write_through(s, data, len_bytes);
    } else {
        memcpy(s->buffer + s->end, data, len_bytes);
        s->end += len_bytes;
    }
}

uint64_t t2_spool_bytes(const struct t2_spool *s)
{
    return s->bytes;
}

enum t2_status t2_spool_rewind(struct t2_spool *s, struct t2_err *err)
{
    if (!s->reading)
        flush(s);
    s->reading = true;
    if (s->failure.status != T2_OK) {
        *err = s->failure;
        return err->status;
    }
    if (lseek(s->fd, 0, SEEK_SET) < 0)
        return t2_fail_errno(err, errno, "cannot read a temporary file in '%s'", s->dir);
    s->at = s->end = 0;
    return T2_OK;
}

static enum t2_status fetch(struct t2_spool *s, struct t2_err *err)
{
    ssize_t n;

    do {
        n = read(s->fd, s->buffer, BUFFER_BYTES);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return t2_fail_errno(err, errno, "cannot read a temporary file in '%s'", s->dir);
    if (n == 0)
        return t2_fail(err, T2_EIO, "a temporary file in '%s' has become shorter", s->dir);
    s->at = 0;
    s->end = (size_t) n;
    return T2_OK;
}

enum t2_status t2_spool_read(struct t2_spool *s, void *data, size_t len_bytes, struct t2_err *err)
{
    uint8_t *to = data;

    while (len_bytes > 0) {
        size_t n;

        if (!s->buffer)
            s->buffer = t2_alloc(BUFFER_BYTES, 1);
        if (s->at == s->end)
            T2_TRY(fetch(s, err));
        n = s->end - s->at < len_bytes ? s->end - s->at : len_bytes;
        memcpy(to, s->buffer + s->at, n);
        s->at += n;
        to += n;
        len_bytes -= n;
    }
    return T2_OK;
}

enum t2_status t2_spool_read_at(const struct t2_spool *s, uint64_t offset, void *data,
                                size_t len_bytes, struct t2_err *err)
{
    uint8_t *to = data;

    T2_ASSERT(s->reading);
    while (len_bytes > 0) {
        ssize_t n = pread(s->fd, to, len_bytes, (off_t) offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return t2_fail_errno(err, errno, "cannot read a temporary file in '%s'", s->dir);
        if (n == 0)
            return t2_fail(err, T2_EIO, "a temporary file in '%s' has become shorter", s->dir);
        to += n;
        offset += (uint64_t) n;
        len_bytes -= (size_t) n;
    }
    return T2_OK;
}

enum t2_status t2_spool_map(struct t2_spool *s, struct t2_slice *all, struct t2_err *err)
{
    T2_TRY(t2_spool_rewind(s, err));
    *all = (struct t2_slice){NULL, 0};
    if (s->bytes == 0)
        return T2_OK;
    if (!s->map) {
        s->map = mmap(NULL, (size_t) s->bytes, PROT_READ, MAP_PRIVATE, s->fd, 0);
        if (s->map == MAP_FAILED) {
            s->map = NULL;
            return t2_fail_errno(err, errno, "cannot map a temporary file in '%s'", s->dir);
        }
    }
    *all = (struct t2_slice){s->map, (size_t) s->bytes};
    return T2_OK;
}
