/*
 * base/dir_lock.c - only one process at a time works in a folder.
 *
 * The lock is a record lock (fcntl) on the file <name>.lock in the folder: the kernel gives it
 * back when the process ends, however it ends. The file is removed before the lock is given back,
 * so a second process may have opened a file that is gone when it gets the lock: it compares
 * inodes and tries again (is_still_there). On a file system without locks the run goes on with a
 * warning.
 */
#include "base/dir_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/log.h"
#include "base/remote_hooks.h"
#include "base/signals.h"
#include "base/str.h"

static enum t2_status held_by_other(const char *dir, const char *doing, int fd, struct t2_err *err)
{
    struct flock who = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_GETLK, &who) != 0 || who.l_type == F_UNLCK)
        who.l_pid = 0;
    return t2_fail(err, T2_EIO, "another run (process %ld) is %s in '%s'", (long) who.l_pid, doing,
                   dir);
}

/* A process that held the lock may have removed the file between our open and our lock. */
static bool is_still_there(int fd, const char *path)
{
    struct stat ours, theirs;

    return fstat(fd, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
           ours.st_dev == theirs.st_dev;
}

static enum t2_status take(const char *dir, const char *name, const char *doing,
                           struct t2_lock *lock, bool *is_held, struct t2_err *err)
{
    char *file = t2_asprintf("%s.lock", name);
    enum t2_status st;

    char *path = t2_path_join(dir, file);
    lock->path = t2_scratch_path(path);
    t2_free(path);
    t2_free(file);
    for (;;) {
        int errnum;
        struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        errnum = t2_io_open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666, &lock->fd);
        if (errnum) {
            st = t2_fail_errno(err, errnum, "'%s': cannot write here", lock->path);
            break;
        }
        if (fcntl(lock->fd, F_SETLK, &all) == 0) {
            if (is_still_there(lock->fd, lock->path))
                return T2_OK;
        } else if (errno == EACCES || errno == EAGAIN) {
            st = held_by_other(dir, doing, lock->fd, err);
            *is_held = true;
            break;
        } else {
            t2_warn("'%s': no locks here (%s); take care that only one run writes", lock->path,
                    strerror(errno));
            return T2_OK;
        }
        (void) close(lock->fd);
    }
    if (lock->fd >= 0)
        (void) close(lock->fd);
    lock->fd = -1;
    t2_free(lock->path);
    lock->path = NULL;
    return st;
}

enum t2_status t2_lock_take(const char *dir, const char *name, const char *doing,
                            struct t2_lock *lock, struct t2_err *err)
{
    struct t2_err why = T2_ERR_INIT;
    bool is_held = false;
    enum t2_status st = take(dir, name, doing, lock, &is_held, &why);

    if (st == T2_OK)
        return T2_OK;
    return t2_fail(err, st, "%s%s", why.message, is_held ? "; wait for it or stop it" : "");
}

enum t2_status t2_lock_wait(const char *dir, const char *name, const char *doing,
                            struct t2_lock *lock, struct t2_err *err)
{
    const struct timespec pause = {0, 100000000};
    bool is_announced = false;

    for (;;) {
        struct t2_err why = T2_ERR_INIT;
        bool is_held = false;
        enum t2_status st = take(dir, name, doing, lock, &is_held, &why);
        if (st == T2_OK)
            return T2_OK;
        if (!is_held) {
            *err = why;
            return st;
        }
        if (!is_announced)
            t2_warn("%s; waiting for it", why.message);
        is_announced = true;
        T2_TRY(t2_check_interrupt(err));
        (void) nanosleep(&pause, NULL);
    }
}

void t2_lock_give(struct t2_lock *lock)
{
    if (lock->fd < 0 || !lock->path)
        return;
    (void) unlink(lock->path);
    (void) close(lock->fd);
    t2_free(lock->path);
    lock->path = NULL;
    lock->fd = -1;
}
