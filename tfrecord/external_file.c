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
#include "base/io.h"

struct tfr_external_file {
    char *dir; /* for messages */
    int fd;
    uint64_t n_bytes;
};

enum t2_status tfr_external_file_new(const char *dir, struct tfr_external_file **f,
                                     struct t2_err *err)
{
    int fd, errnum = t2_io_open_unnamed(dir, &fd);

    *f = NULL;
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot create a temporary file in '%s'", dir);
    *f = t2_alloc(1, sizeof **f);
    **f = (struct tfr_external_file){.dir = t2_strdup(dir), .fd = fd};
    return T2_OK;
}

enum t2_status tfr_external_file_append(struct tfr_external_file *f, const void *data,
                                        size_t len_bytes, struct t2_err *err)
{
    size_t n_written;
    int errnum = t2_io_pwrite(f->fd, data, len_bytes, f->n_bytes, &n_written);

    f->n_bytes += n_written;
    if (errnum)
        return t2_fail_errno(err, errnum,
                             "cannot write a temporary file in '%s' (%" PRIu64 " bytes written)",
                             f->dir, f->n_bytes);
    return T2_OK;
}

/*
 * Writes many pieces by one system call; what pwritev leaves over is written by append, which
 * reports errors.
 */
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
    size_t n;
    int errnum = t2_io_pread(f->fd, data, len_bytes, offset, &n);

    if (errnum || n < len_bytes)
        return t2_fail_errno(err, errnum ? errnum : EIO,
                             "cannot read a temporary file in '%s' at offset %" PRIu64, f->dir,
                             offset);
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
    if (!f)
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
