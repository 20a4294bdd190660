/*
 * tfrecord/external_file.c - temporary files without a name.
 */
#include "tfrecord/external_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

struct tfr_external_file {
    char *dir; /* for messages */
    int fd;
    uint64_t n_bytes;
};

static int open_unnamed(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    /* A file system without it: a name for a moment. */
    char *path = t2_path_join(dir, ".tfrec-XXXXXX");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void) unlink(path);
    t2_free(path);
    return fd;
}

enum t2_status tfr_external_file_new(const char *dir, struct tfr_external_file **f,
                                     struct t2_err *err)
{
    int fd = open_unnamed(dir);

    *f = NULL;
    if (fd < 0)
        return t2_fail_errno(err, errno, "cannot create a temporary file in '%s'", dir);
    *f = t2_alloc(1, sizeof **f);
    **f = (struct tfr_external_file){.dir = t2_strdup(dir), .fd = fd};
    return T2_OK;
}

enum t2_status tfr_external_file_append(struct tfr_external_file *f, const void *data,
                                        size_t len_bytes, struct t2_err *err)
{
    const uint8_t *p = data;

    while (len_bytes > 0) {
        ssize_t n = pwrite(f->fd, p, len_bytes, (off_t) f->n_bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return t2_fail_errno(err, n < 0 ? errno : EIO,
                                 "cannot write a temporary file in '%s' (%" PRIu64
                                 " bytes written)",
                                 f->dir, f->n_bytes);
        p += n;
        len_bytes -= (size_t) n;
        f->n_bytes += (uint64_t) n;
    }
    return T2_OK;
}

enum t2_status tfr_external_file_appendv(struct tfr_external_file *f, const struct iovec *pieces,
                                         size_t n, struct t2_err *err)
{
    while (n > 0) {
        int now = n < IOV_MAX ? (int) n : IOV_MAX;
        ssize_t left = pwritev(f->fd, pieces, now, (off_t) f->n_bytes);

        if (left < 0) { /* append says why, or has more luck */
            T2_TRY(tfr_external_file_append(f, pieces->iov_base, pieces->iov_len, err));
            pieces++;
            n--;
            continue;
        }
        f->n_bytes += (uint64_t) left;
        for (; n > 0 && (size_t) left >= pieces->iov_len; n--)
            left -= (ssize_t) pieces++->iov_len;
        if (left > 0) { /* the rest of a piece that was cut */
            T2_TRY(tfr_external_file_append(f, (const uint8_t *) pieces->iov_base + left,
                                            pieces->iov_len - (size_t) left, err));
            pieces++;
            n--;
        }
    }
    return T2_OK;
}

enum t2_status tfr_external_file_read(const struct tfr_external_file *f, uint64_t offset,
                                      void *data, size_t len_bytes, struct t2_err *err)
{
    uint8_t *p = data;

    while (len_bytes > 0) {
        ssize_t n = pread(f->fd, p, len_bytes, (off_t) offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return t2_fail_errno(err, n < 0 ? errno : EIO,
                                 "cannot read a temporary file in '%s' at offset %" PRIu64, f->dir,
                                 offset);
        p += n;
        len_bytes -= (size_t) n;
        offset += (uint64_t) n;
    }
    return T2_OK;
}

void tfr_external_file_forget(struct tfr_external_file *f, uint64_t offset, uint64_t len_bytes)
{
    /* Only a favour to the disk: a file system that cannot do it keeps the bytes until the end. */
    if (len_bytes > 0)
        (void) fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t) offset,
                         (off_t) len_bytes);
}

uint64_t tfr_external_file_bytes(const struct tfr_external_file *f)
{
    return f->n_bytes;
}

void tfr_external_file_free(struct tfr_external_file *f)
{
    if (f == NULL)
        return;
    (void) close(f->fd);
    t2_free(f->dir);
    t2_free(f);
}

enum t2_status tfr_external_need(const char *dir, uint64_t bytes, const char *what,
                                 struct t2_err *err)
{
    uint64_t free_bytes = 0;
    char need[32], have[32];

    T2_TRY(t2_disk_free(dir, &free_bytes, err));
    if (bytes <= free_bytes)
        return T2_OK;
    return t2_fail(err, T2_EIO,
                   "%s needs about %s of disk in '%s', %s are free; give another folder with "
                   "--tmp_dir or more --max_memory",
                   what, t2_human_bytes(bytes, need, sizeof need), dir,
                   t2_human_bytes(free_bytes, have, sizeof have));
}
