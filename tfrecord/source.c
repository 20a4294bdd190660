/*
 * tfrecord/source.c - mapping of plain files, buffering of streams.
 *
 * A mapped file is made present window by window: MADV_POPULATE_READ reports pages that cannot be
 * read as an error, and the size is asked again for each window, so that a truncated file is
 * reported with its new size.  One cut between that moment and the use of the window ends the
 * process, see mapping.h.
 */
#include "tfrecord/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/mapping.h"
#include "base/remote_hooks.h"
#include "base/text.h"
#include "tfrecord/framing.h"
#include "tfrecord/looks_like.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum {
    WINDOW_BYTES = 1 << 20,
    CHUNK_BYTES = 1 << 18,
    KEPT_BEHIND_BYTES = 32 << 20, /* records that other threads still work on */
    LET_GO_BYTES = 8 << 20
};
/* A longer record must be in a plain file: of a stream it would be held in memory as a whole. */
#define MAX_STREAMED_BYTES (UINT64_C(1) << 32)

/* ---- mapped ---- */

static enum t2_status check_size(const struct tfr_source *s, struct t2_err *err)
{
    struct stat info;

    if (fstat(s->fd, &info) != 0)
        return t2_fail_errno(err, errno, "cannot ask the size of '%s'", s->path);
    if ((uint64_t) info.st_size < s->size)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' has become shorter while it was read: %" PRIu64 " bytes, now %" PRIu64,
                       s->path, s->size, (uint64_t) info.st_size);
    return T2_OK;
}

enum t2_status tfr_source_check(const struct tfr_source *s, struct t2_err *err)
{
    return s->mapping ? check_size(s, err) : T2_OK;
}

/* Pages that were read count as memory of this process; those far behind are given back.  A thread
 * that still uses them gets them from the page cache again. */
static void let_go_behind(struct tfr_source *s)
{
    uint64_t end = s->pos > KEPT_BEHIND_BYTES ? s->pos - KEPT_BEHIND_BYTES : 0;

    end -= end % LET_GO_BYTES;
    if (end <= s->let_go)
        return;
    (void) madvise((void *) (uintptr_t) (s->base + s->let_go), (size_t) (end - s->let_go),
                   MADV_DONTNEED);
    s->let_go = end;
}

static enum t2_status fill_mapped(struct tfr_source *s, uint64_t n_bytes, struct t2_err *err)
{
    uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
    uint64_t begin = s->ready / page * page;
    uint64_t end = s->size;
    int errnum;

    if (n_bytes < s->size - s->pos && s->size - s->pos - n_bytes > WINDOW_BYTES)
        end = s->pos + n_bytes + WINDOW_BYTES;
    if (begin < s->pos / page * page)
        begin = s->pos / page * page;
    let_go_behind(s);
    T2_TRY(check_size(s, err));
    errnum = t2_remote_need(s->fd, begin, end - begin);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s' at offset %" PRIu64, s->path, begin);
    if (madvise((void *) (uintptr_t) (s->base + begin), end - begin, MADV_POPULATE_READ) != 0 &&
        errno != EINVAL) { /* EINVAL: before Linux 5.14 */
        errnum = errno;
        T2_TRY(check_size(s, err));
        return t2_fail_errno(err, errnum, "cannot read '%s' at offset %" PRIu64, s->path, begin);
    }
    s->ready = end;
    return T2_OK;
}

static enum t2_status map_file(struct tfr_source *s, uint64_t size, struct t2_err *err)
{
    if (size > 0) {
        T2_TRY(t2_mapping_new(s->fd, size, s->path, &s->mapping, err));
        s->base = t2_mapping_data(s->mapping);
        (void) madvise((void *) (uintptr_t) s->base, (size_t) size, MADV_SEQUENTIAL);
    }
    s->size = size;
    return T2_OK;
}

/* ---- streamed ---- */

/* Room for n_bytes from pos on; what is not yet read moves to the front. */
static enum t2_status make_room(struct tfr_source *s, size_t n_bytes, struct t2_err *err)
{
    size_t held = (size_t) (s->ready - s->pos);

    if (s->capacity_bytes < n_bytes) {
        size_t capacity = s->capacity_bytes == 0 ? CHUNK_BYTES : s->capacity_bytes;
        while (capacity < n_bytes)
            capacity *= 2;
        uint8_t *p = t2_try_alloc(capacity, 1);
        if (!p)
            return t2_fail(err, T2_ENOMEM, "'%s': no memory for %zu bytes at offset %" PRIu64,
                           s->path, capacity, tfr_source_offset(s));
        if (held > 0)
            memcpy(p, s->buffer + s->pos, held);
        t2_free(s->buffer);
        s->buffer = p;
        s->capacity_bytes = capacity;
    } else if (held > 0) {
        memmove(s->buffer, s->buffer + s->pos, held);
    }
    s->origin += s->pos;
    s->base = s->buffer;
    s->ready = held;
    s->pos = 0;
    return T2_OK;
}

static enum t2_status fill_streamed(struct tfr_source *s, uint64_t n_bytes, struct t2_err *err)
{
    if (n_bytes > MAX_STREAMED_BYTES && s->size == UINT64_MAX)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': %" PRIu64 " bytes at offset %" PRIu64
                       " are too many for one piece of a stream (limit %" PRIu64 ")",
                       s->path, n_bytes, tfr_source_offset(s), MAX_STREAMED_BYTES);
    while (tfr_source_available(s) < n_bytes && s->size == UINT64_MAX) {
        size_t n_read = 0;
        /* Grows with what has come, not with what a length field promises. */
        if (s->capacity_bytes - s->ready < CHUNK_BYTES / 4)
            T2_TRY(make_room(s, (size_t) tfr_source_available(s) + CHUNK_BYTES / 2, err));
        T2_TRY(t2_in_read(s->in, s->buffer + s->ready, s->capacity_bytes - s->ready, &n_read, err));
        s->ready += n_read;
        if (n_read == 0)
            s->size = s->ready;
    }
    return T2_OK;
}

/* ---- both ---- */

/* Whether the file is read as it is; false: a compressed one, for base/text.h. */
static bool is_plain(const uint8_t *head, size_t n, uint64_t size)
{
    if (n >= TFR_HEADER_BYTES && tfr_header_ok(head))
        return true;
    if (tfr_maybe_gzip(head, n))
        return false;
    /* The two bytes of a zlib header are also the length 376 of a damaged header; compressed data
     * rather has high bytes there. */
    return !(tfr_maybe_zlib(head, n) && (n < TFR_LENGTH_BYTES || tfr_get_le64(head) > size));
}

/* The decision for pipes and the standard input, whose size is not known. */
static bool begins_with_header(const uint8_t *head, size_t n_bytes)
{
    return n_bytes >= TFR_HEADER_BYTES && tfr_header_ok(head);
}

static enum t2_status open_stream(struct tfr_source *s, struct t2_err *err)
{
    if (s->fd >= 0)
        (void) close(s->fd);
    s->fd = -1;
    T2_TRY(t2_in_new(s->path, &s->in, err));
    t2_in_plain_when(s->in, TFR_HEADER_BYTES, begins_with_header);
    return T2_OK;
}

static enum t2_status open_any(struct tfr_source *s, struct t2_err *err)
{
    uint8_t head[TFR_HEADER_BYTES];
    struct stat info;
    size_t n;
    int errnum;

    if (strcmp(s->path, "-") == 0)
        return open_stream(s, err);
    /* By name, before opening: a pipe may be opened only once, or its writer gets SIGPIPE. */
    if (t2_stat(s->path, &info) != 0)
        return t2_fail_errno(err, errno, "cannot open '%s'", s->path);
    if (S_ISDIR(info.st_mode))
        return t2_fail(err, T2_EIO, "'%s' is a directory, not a TFRecord file", s->path);
    if (!S_ISREG(info.st_mode))
        return open_stream(s, err);
    T2_TRY(t2_open_input(s->path, false, &s->fd, &info, err));
    errnum = t2_io_pread(s->fd, head, sizeof head, 0, &n);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s'", s->path);
    if (!is_plain(head, n, (uint64_t) info.st_size))
        return open_stream(s, err);
    return map_file(s, (uint64_t) info.st_size, err);
}

enum t2_status tfr_source_open(const char *path, struct tfr_source *s, struct t2_err *err)
{
    enum t2_status st;

    *s = (struct tfr_source){.path = t2_strdup(path), .size = UINT64_MAX, .fd = -1};
    st = open_any(s, err);
    if (st != T2_OK)
        tfr_source_close(s);
    return st;
}

void tfr_source_close(struct tfr_source *s)
{
    t2_mapping_free(s->mapping);
    if (s->fd >= 0)
        (void) close(s->fd);
    t2_in_free(s->in);
    t2_free(s->buffer);
    t2_free(s->path);
    *s = (struct tfr_source){.fd = -1};
}

enum t2_status tfr_source_fill(struct tfr_source *s, uint64_t n_bytes, struct t2_err *err)
{
    if (tfr_source_available(s) >= n_bytes || s->ready == s->size)
        return T2_OK;
    return s->fd >= 0 ? fill_mapped(s, n_bytes, err) : fill_streamed(s, n_bytes, err);
}

enum t2_status tfr_source_skip(struct tfr_source *s, uint64_t n_bytes, uint64_t *missing,
                               struct t2_err *err)
{
    *missing = 0;
    if (s->fd >= 0) {
        uint64_t left = s->size - s->pos;
        *missing = n_bytes > left ? n_bytes - left : 0;
        s->pos += n_bytes - *missing;
        if (s->ready < s->pos)
            s->ready = s->pos;
        return T2_OK;
    }
    while (n_bytes > tfr_source_available(s)) {
        n_bytes -= tfr_source_available(s);
        s->pos = s->ready;
        T2_TRY(tfr_source_fill(s, 1, err));
        if (tfr_source_available(s) == 0) {
            *missing = n_bytes;
            return T2_OK;
        }
    }
    s->pos += n_bytes;
    return T2_OK;
}
