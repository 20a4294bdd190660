/*
 * base/io.c - system calls on files, whole.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/remote_hooks.h"
#include "base/remote_path.h"
#include "base/signals.h"
#include "base/str.h"

enum { WAIT_MS = 100, WRITER_WAIT_MS = 10000 };

static int open_remote(const char *path, int flags, unsigned mode, int *fd)
{
    struct t2_err err = T2_ERR_INIT;
    bool is_remote;
    char *local;
    int errnum;

    *fd = -1;
    if (t2_remote_check(path, &is_remote, &err) != T2_OK)
        return t2_err_as_errno(&err);
    if ((flags & O_ACCMODE) == O_RDONLY)
        return t2_remote->open(path, fd, &err) == T2_OK ? 0 : t2_err_as_errno(&err);
    local = t2_remote->scratch(path, flags & O_APPEND ? T2_SCRATCH_APPEND : T2_SCRATCH_WRITE);
    errnum = t2_io_open(local, flags & ~O_EXCL, mode, fd);
    t2_free(local);
    return errnum;
}

int t2_io_open(const char *path, int flags, unsigned mode, int *fd)
{
    if (t2_path_scheme(path) != T2_SCHEME_NONE)
        return open_remote(path, flags, mode, fd);
    do {
        *fd = open(path, flags | O_CLOEXEC, mode);
    } while (*fd < 0 && errno == EINTR);
    return *fd < 0 ? errno : 0;
}

int t2_io_read(int fd, void *to, size_t n, size_t *n_read)
{
    off_t at = atomic_load(&t2_remote_arriving) > 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    int errnum = at >= 0 ? t2_remote_need(fd, (uint64_t) at, n) : 0;
    ssize_t got;

    *n_read = 0;
    if (errnum)
        return errnum;
    do {
        got = read(fd, to, n);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    *n_read = (size_t) got;
    return 0;
}

int t2_io_pread(int fd, void *to, size_t n, uint64_t offset, size_t *n_read)
{
    int errnum = t2_remote_need(fd, offset, n);

    *n_read = 0;
    return errnum ? errnum : t2_io_pread_arrived(fd, to, n, offset, n_read);
}

int t2_io_pread_arrived(int fd, void *to, size_t n, uint64_t offset, size_t *n_read)
{
    uint8_t *at = to;

    *n_read = 0;
    while (*n_read < n) {
        ssize_t got = pread(fd, at + *n_read, n - *n_read, (off_t) (offset + *n_read));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            break;
        *n_read += (size_t) got;
    }
    return 0;
}

/*
 * Where the file stands (offset NULL), or at *offset.
 *
 * Goes on after short writes and signals, so *n_written is less than n only when an error is
 * returned.
 */
static int write_all(int fd, const uint8_t *from, size_t n, const uint64_t *offset,
                     size_t *n_written)
{
    size_t done = 0;
    int errnum = 0;

    while (done < n && errnum == 0) {
        ssize_t put = offset ? pwrite(fd, from + done, n - done, (off_t) (*offset + done))
                             : write(fd, from + done, n - done);

        if (put >= 0)
            done += (size_t) put;
        else if (errno != EINTR)
            errnum = errno;
    }
    if (n_written)
        *n_written = done;
    return errnum;
}

int t2_io_write(int fd, const void *from, size_t n, size_t *n_written)
{
    return write_all(fd, from, n, NULL, n_written);
}

int t2_io_pwrite(int fd, const void *from, size_t n, uint64_t offset, size_t *n_written)
{
    return write_all(fd, from, n, &offset, n_written);
}

void t2_io_start_writing(int fd, uint64_t offset, uint64_t n)
{
#ifdef SYNC_FILE_RANGE_WRITE
    (void) sync_file_range(fd, (off_t) offset, (off_t) n, SYNC_FILE_RANGE_WRITE);
#else
    (void) fd, (void) offset, (void) n;
#endif
}

int t2_io_open_unnamed(const char *dir, int *fd)
{
    char *name;
    int errnum;

    if (t2_is_remote(dir)) {
        char *local = t2_scratch_dir(dir);

        errnum = t2_io_open_unnamed(local, fd);
        t2_free(local);
        return errnum;
    }
    errnum = t2_io_open(dir, O_TMPFILE | O_RDWR, 0600, fd);
    if (errnum != EOPNOTSUPP && errnum != EISDIR && errnum != EINVAL)
        return errnum;
    /* A file system without O_TMPFILE: a name for a moment. */
    name = t2_asprintf("%s/.t2-unnamed-XXXXXX", dir);
    *fd = mkostemp(name, O_CLOEXEC);
    errnum = *fd < 0 ? errno : 0;
    if (*fd >= 0)
        (void) unlink(name);
    t2_free(name);
    return errnum;
}

/*
 * fsync on a pipe, a socket or a read-only file system says EINVAL, ENOTSUP or EROFS: there is
 * nothing to bring to a disk, which is no failure.
 */
int t2_io_sync(int fd)
{
    int rc;

    do {
        rc = fsync(fd);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

/* Linux has closed the descriptor when close says EINTR, so a second call could close another's. */
int t2_io_close(int fd)
{
    return close(fd) != 0 && errno != EINTR ? errno : 0;
}

enum t2_status t2_open_input(const char *path, bool stream_ok, int *fd, struct stat *info,
                             struct t2_err *err)
{
    struct stat own, *s = info ? info : &own;
    bool is_remote;
    int errnum;

    *fd = -1;
    T2_TRY(t2_remote_check(path, &is_remote, err));
    if (is_remote) {
        T2_TRY(t2_remote->open(path, fd, err));
        if (fstat(*fd, s) == 0)
            return T2_OK;
        return t2_fail_errno(err, errno, "cannot read '%s'", path);
    }
    /* O_NONBLOCK: a named pipe without a writer would be waited for in open, deaf to Ctrl-C. */
    errnum = t2_io_open(path, O_RDONLY | O_NONBLOCK, 0, fd);
    if (errnum == ENOENT)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such file", path);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot open '%s'", path);
    if (fstat(*fd, s) != 0)
        (void) t2_fail_errno(err, errno, "cannot read '%s'", path);
    else if (S_ISDIR(s->st_mode))
        (void) t2_fail(err, T2_EIO, "'%s' is a directory", path);
    else if (!stream_ok && !S_ISREG(s->st_mode))
        (void) t2_fail(err, T2_EIO, "'%s' is not a regular file", path);
    else
        return T2_OK;
    (void) close(*fd);
    *fd = -1;
    return err->status;
}

/* Bytes or the end of the stream; false after WAIT_MS without either. */
static bool is_ready(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    /* What poll does not know (files of some file systems) is read, and says itself what is
     * wrong. */
    return poll(&p, 1, WAIT_MS) != 0 && (p.revents != 0 || errno != EINTR);
}

/*
 * A named pipe opened with O_NONBLOCK reads 0 bytes for as long as nobody has opened it for
 * writing, but poll says nothing: it reports a hang-up only after a writer has come and gone.
 */
enum t2_status t2_io_read_stream(int fd, const char *path, void *to, size_t n, size_t *n_read,
                                 struct t2_err *err)
{
    struct stat s;
    bool is_pipe = fstat(fd, &s) == 0 && S_ISFIFO(s.st_mode);
    bool is_file = !is_pipe && S_ISREG(s.st_mode);
    int flags = fcntl(fd, F_GETFL);
    int waited_ms = 0, errnum = 0;

    *n_read = 0;
    for (;;) {
        /* A file gives what it has at once; a run that was interrupted still reads back what it
         * saves. */
        if (!is_file)
            T2_TRY(t2_check_interrupt(err));
        if (!is_file && !is_ready(fd)) {
            waited_ms += WAIT_MS;
            if (!is_pipe || waited_ms < WRITER_WAIT_MS || flags < 0 || !(flags & O_NONBLOCK))
                continue; /* a read of a blocking pipe would not return */
            errnum = t2_io_read(fd, to, n, n_read);
            if (errnum == 0 && *n_read == 0)
                return t2_fail(err, T2_EIO, "'%s' is a pipe that nobody writes to", path);
        } else {
            errnum = t2_io_read(fd, to, n, n_read);
        }
        if (errnum != EAGAIN && errnum != EWOULDBLOCK)
            break;
        waited_ms = 0;
    }
    return errnum ? t2_fail_errno(err, errnum, "cannot read '%s'", path) : T2_OK;
}

static int stat_remote(const char *path, struct stat *s)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_file_info info = {0};
    bool is_remote;

    if (t2_remote_check(path, &is_remote, &err) != T2_OK ||
        t2_remote->look(path, &info, &err) != T2_OK) {
        errno = t2_err_as_errno(&err);
        return -1;
    }
    if (info.kind == T2_FILE_ABSENT) {
        errno = ENOENT;
        return -1;
    }
    *s = (struct stat){.st_mode = info.kind == T2_FILE_DIR ? S_IFDIR | 0755 : S_IFREG | 0644,
                       .st_nlink = 1,
                       .st_dev = (dev_t) -1,
                       .st_ino = (ino_t) t2_hash64(path, strlen(path), 0),
                       .st_size = (off_t) info.bytes,
                       .st_mtim = {(time_t) (info.changed_ns / 1000000000),
                                   (long) (info.changed_ns % 1000000000)}};
    return 0;
}

int t2_stat(const char *path, struct stat *s)
{
    return t2_path_scheme(path) == T2_SCHEME_NONE ? stat(path, s) : stat_remote(path, s);
}
