/*
 * base/file.c - reading, mapping, listing, renaming files.  Writing is in out.c, paths in path.c.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file_sync.h"
#include "base/io.h"
#include "base/mapping.h"
#include "base/remote_hooks.h"
#include "base/remote_path.h"

/* The size that fstat reports is only a hint: pipes and /proc files have none. */
static enum t2_status read_all(int fd, const char *path, uint64_t max_bytes, size_t hint_bytes,
                               struct t2_buf *buf, struct t2_err *err)
{
    size_t room = hint_bytes + 1;

    for (;;) {
        uint8_t *to = t2_buf_reserve(buf, room);
        size_t n;

        T2_TRY(t2_io_read_stream(fd, path, to, room, &n, err));
        if (n == 0)
            break;
        buf->len_bytes += n;
        if (max_bytes > 0 && buf->len_bytes > max_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s' is larger than %" PRIu64 " bytes", path,
                           max_bytes);
        room = 1 << 16;
    }
    t2_buf_reserve(buf, 0)[0] = 0;
    return T2_OK;
}

enum t2_status t2_read_file(const char *path, uint64_t max_bytes, struct t2_buf *buf,
                            struct t2_err *err)
{
    enum t2_status st;
    struct stat s;
    uint64_t hint;
    int fd;

    t2_buf_clear(buf);
    T2_TRY(t2_open_input(path, true, &fd, &s, err));
    hint = S_ISREG(s.st_mode) && s.st_size > 0 ? (uint64_t) s.st_size : 0;
    if (max_bytes > 0 && hint > max_bytes)
        hint = max_bytes;
    st = read_all(fd, path, max_bytes, (size_t) hint, buf, err);
    if (st != T2_OK)
        t2_buf_clear(buf);
    close(fd);
    return st;
}

enum t2_status t2_copy_file_time(const char *from, const char *to, struct t2_err *err)
{
    struct timespec times[2];
    struct stat s;

    if (t2_is_remote(to))
        return T2_OK;
    if (t2_stat(from, &s) != 0)
        return errno == ENOENT ? T2_OK : t2_fail_errno(err, errno, "cannot look at '%s'", from);
    times[0] = times[1] = s.st_mtim;
    if (utimensat(AT_FDCWD, to, times, 0) != 0)
        return t2_fail_errno(err, errno, "cannot set the time of '%s'", to);
    return T2_OK;
}

enum t2_status t2_map_file(const char *path, struct t2_mapped *m, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    struct stat s;
    int fd;

    *m = (struct t2_mapped){0};
    T2_TRY(t2_open_input(path, false, &fd, &s, err));
    if (s.st_size > 0) { /* mmap refuses empty files */
        int errnum = t2_remote_need(fd, 0, (uint64_t) s.st_size);

        st = errnum ? t2_fail_errno(err, errnum, "cannot read '%s'", path)
                    : t2_mapping_new(fd, (uint64_t) s.st_size, path, &m->mapping, err);
        if (st == T2_OK) {
            m->data = t2_mapping_data(m->mapping);
            m->len_bytes = (size_t) s.st_size;
        }
    }
    (void) close(fd);
    return st;
}

void t2_unmap_file(struct t2_mapped *m)
{
    t2_mapping_free(m->mapping);
    *m = (struct t2_mapped){0};
}

/*
 * Gives read pages back to the kernel, so that memory does not grow with the file.  begin is
 * rounded down to a page and end as well: the page that holds the first byte behind the range will
 * be read next.
 */
void t2_mapped_forget(const struct t2_mapped *m, const void *from, size_t len_bytes)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE), begin, end;
    union {
        const uint8_t *data;
        void *p;
    } u;

    if (!m->data || len_bytes == 0)
        return;
    T2_ASSERT((const uint8_t *) from >= m->data);
    begin = (size_t) ((const uint8_t *) from - m->data);
    T2_ASSERT(begin + len_bytes <= m->len_bytes);
    end = (begin + len_bytes) / page * page; /* the page behind is read next */
    begin = begin / page * page;
    u.data = m->data + begin;
    if (end > begin)
        (void) madvise(u.p, end - begin, MADV_DONTNEED);
}

typedef int (*stat_fn)(const char *path, struct stat *s);

static enum t2_status look(stat_fn ask, const char *path, struct t2_file_info *info,
                           struct t2_err *err)
{
    struct stat s;
    bool is_remote;

    *info = (struct t2_file_info){0};
    T2_TRY(t2_remote_check(path, &is_remote, err));
    if (is_remote)
        return t2_remote->look(path, info, err);
    if (ask(path, &s) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? T2_OK
                   : t2_fail_errno(err, errno, "cannot look at '%s'", path);
    info->kind = S_ISREG(s.st_mode)   ? T2_FILE_REGULAR
                 : S_ISDIR(s.st_mode) ? T2_FILE_DIR
                                      : T2_FILE_OTHER;
    info->bytes = (uint64_t) s.st_size;
    info->changed_ns = (int64_t) s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
    return T2_OK;
}

enum t2_status t2_look_at(const char *path, struct t2_file_info *info, struct t2_err *err)
{
    return look(stat, path, info, err);
}

enum t2_status t2_look_at_link(const char *path, struct t2_file_info *info, struct t2_err *err)
{
    return look(lstat, path, info, err);
}

bool t2_exists(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_file_info info;

    return t2_look_at(path, &info, &ignored) != T2_OK || info.kind != T2_FILE_ABSENT;
}

bool t2_is_dir(const char *path)
{
    struct stat s;

    return t2_stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

enum t2_status t2_file_size(const char *path, uint64_t *bytes, struct t2_err *err)
{
    struct stat s;
    int fd;

    T2_TRY(t2_open_input(path, true, &fd, &s, err));
    (void) close(fd);
    *bytes = (uint64_t) s.st_size;
    return T2_OK;
}

static enum t2_status make_dir(const char *path, struct t2_err *err)
{
    struct t2_file_info info;
    int errnum;

    if (mkdir(path, 0777) == 0)
        return T2_OK;
    errnum = errno; /* mkdir's error is reported, not that of the stat below */
    if (t2_is_dir(path))
        return T2_OK;
    if (errnum != EEXIST)
        return t2_fail_errno(err, errnum, "cannot create directory '%s'", path);
    T2_TRY(t2_look_at(path, &info, err));
    return t2_fail(err, T2_EIO, "'%s' exists and is not a directory", path);
}

/* mkdir -p: each '/' in turn becomes the end of the string. */
enum t2_status t2_make_dirs(const char *path, struct t2_err *err)
{
    bool is_remote = false;
    enum t2_status st = t2_remote_check(path, &is_remote, err);
    char *copy = t2_strdup(is_remote ? "" : path);

    if (st == T2_OK && is_remote)
        st = t2_remote->make_dirs(path, err);
    for (char *at = copy; st == T2_OK && *at; at++) {
        if (*at != '/' || at == copy || at[-1] == '/')
            continue;
        *at = '\0';
        if (!t2_is_dir(copy)) /* folders above may not allow mkdir */
            st = make_dir(copy, err);
        *at = '/';
    }
    if (st == T2_OK && !is_remote)
        st = make_dir(path, err);
    t2_free(copy);
    return st;
}

enum t2_status t2_make_parents(const char *path, struct t2_err *err)
{
    char *dir = t2_path_dir(path);
    enum t2_status st = t2_is_dir(dir) ? T2_OK : t2_make_dirs(dir, err);

    t2_free(dir);
    return st;
}

bool t2_is_private_dir(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

enum t2_status t2_make_private_dir(const char *path, struct t2_err *err)
{
    T2_TRY(t2_make_parents(path, err));
    if (mkdir(path, 0700) == 0)
        return T2_OK;
    if (errno != EEXIST)
        return t2_fail_errno(err, errno, "cannot create directory '%s'", path);
    if (t2_is_private_dir(path))
        return T2_OK;
    return t2_fail(
        err, T2_EIO,
        "'%s' was made by another user or may be written by others, who could replace what "
        "is read from it; name another folder",
        path);
}

enum t2_status t2_sync_fd(int fd, const char *path, struct t2_err *err)
{
    int errnum = t2_io_sync(fd);

    return errnum ? t2_fail_errno(err, errnum, "cannot write '%s' to disk", path) : T2_OK;
}

enum t2_status t2_sync_dir_of(const char *path, struct t2_err *err)
{
    char *dir = t2_path_dir(path);
    int fd, errnum = t2_is_remote(dir) ? EACCES : t2_io_open(dir, O_RDONLY | O_DIRECTORY, 0, &fd);
    enum t2_status st = T2_OK;

    /* A folder may be writable and not readable; then there is nothing to sync it by. */
    if (errnum && errnum != EACCES && errnum != EPERM) {
        st = t2_fail_errno(err, errnum, "cannot open the directory '%s'", dir);
    } else if (errnum == 0) {
        st = t2_sync_fd(fd, dir, err);
        close(fd);
    }
    t2_free(dir);
    return st;
}

/* The rename itself is durable only once the folder that holds the name is on the disk. */
enum t2_status t2_rename(const char *from, const char *to, struct t2_err *err)
{
    bool from_remote, to_remote;

    T2_TRY(t2_remote_check(from, &from_remote, err));
    T2_TRY(t2_remote_check(to, &to_remote, err));
    if (from_remote || to_remote)
        return t2_remote->rename(from, to, err);
    if (rename(from, to) != 0)
        return t2_fail_errno(err, errno, "cannot rename '%s' to '%s'", from, to);
    return t2_sync_dir_of(to, err);
}

enum t2_status t2_remove(const char *path, struct t2_err *err)
{
    bool is_remote;

    T2_TRY(t2_remote_check(path, &is_remote, err));
    if (is_remote)
        return t2_remote->remove(path, err);
    if (unlink(path) != 0 && errno != ENOENT)
        return t2_fail_errno(err, errno, "cannot remove '%s'", path);
    return T2_OK;
}

/*
 * Sorted, because readdir's order depends on the file system and everything made from a folder has
 * to be the same everywhere.
 */
enum t2_status t2_list_dir(const char *path, struct t2_strs *names, struct t2_err *err)
{
    struct dirent *e;
    bool is_remote;
    int errnum;
    DIR *dir;

    T2_TRY(t2_remote_check(path, &is_remote, err));
    if (is_remote)
        return t2_remote->list(path, names, err);
    dir = opendir(path);
    if (!dir && errno == ENOENT)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such directory", path);
    if (!dir)
        return t2_fail_errno(err, errno, "cannot list '%s'", path);
    t2_strs_release(names);
    errno = 0;
    while ((e = readdir(dir))) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            t2_strs_push(names, e->d_name);
        errno = 0;
    }
    errnum = errno;
    closedir(dir);
    if (errnum != 0)
        return t2_fail_errno(err, errnum, "cannot list '%s'", path);
    t2_strs_sort(names);
    return T2_OK;
}

enum t2_status t2_disk_free(const char *path, uint64_t *bytes, struct t2_err *err)
{
    char *at = t2_is_remote(path) ? t2_scratch_dir(path) : t2_strdup(path);
    struct statvfs s;
    int errnum = 0;

    /* The folder may still have to be made: then it is the nearest one above that counts. */
    while (statvfs(at, &s) != 0) {
        char *above = t2_path_dir(at);

        errnum = errno;
        if (errnum != ENOENT || strcmp(above, at) == 0) {
            t2_free(above);
            t2_free(at);
            return t2_fail_errno(err, errnum, "cannot ask for the free space of '%s'", path);
        }
        t2_free(at);
        at = above;
    }
    t2_free(at);
    *bytes = (uint64_t) s.f_bavail * (uint64_t) s.f_frsize;
    return T2_OK;
}
