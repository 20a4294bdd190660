/*
 * base/spool.c - a temporary file without a name: written once from start to end, then rewound and
 * read in order, at offsets or as a mapping.  The kernel removes it with its descriptor, however
 * the program ends.
 *
 * One buffer of 64 KiB serves both directions, since a spool never does both at a time.  A failure
 * to write is remembered and reported by t2_spool_rewind, so that writers need no checks.
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
#include "base/io.h"

enum { BUFFER_BYTES = 1 << 16 };

struct t2_spool {
    char *dir; /* for messages */
    int fd;
    uint8_t *buffer; /* BUFFER_BYTES; writing: not on disk yet, reading: fetched and not given */
    size_t at, end;  /* the bytes in it that count; `at` only when reading */
    bool reading;    /* since a rewind: the buffer holds nothing to write */
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

enum t2_status t2_spool_new(const char *beside, struct t2_spool **s, struct t2_err *err)
{
    char *dir = folder_for(beside);
    int fd, errnum = t2_io_open_unnamed(dir, &fd);
    enum t2_status st;

    if (errnum) {
        st = t2_fail_errno(err, errnum, "cannot create a temporary file in '%s'", dir);
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
    int errnum = s->failure.status == T2_OK ? t2_io_write(s->fd, data, len_bytes, NULL) : 0;

    if (errnum)
        (void) t2_fail_errno(&s->failure, errnum, "cannot write a temporary file in '%s'", s->dir);
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
    size_t n;
    int errnum = t2_io_read(s->fd, s->buffer, BUFFER_BYTES, &n);

    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read a temporary file in '%s'", s->dir);
    if (n == 0)
        return t2_fail(err, T2_EIO, "a temporary file in '%s' has become shorter", s->dir);
    s->at = 0;
    s->end = n;
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
    size_t n;
    int errnum;

    T2_ASSERT(s->reading);
    errnum = t2_io_pread(s->fd, data, len_bytes, offset, &n);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read a temporary file in '%s'", s->dir);
    if (n < len_bytes)
        return t2_fail(err, T2_EIO, "a temporary file in '%s' has become shorter", s->dir);
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
