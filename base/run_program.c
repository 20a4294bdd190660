/*
 * base/run_program.c - see the header.
 */
#include "base/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/signals.h"

/* As shells have it.  A program may end with it, too: a pipe tells which was so. */
enum { CANNOT_START = 127 };

/* "/usr/bin/t2t-datagen" when this is /usr/bin/t2t-trainer; the name alone when there is none.
 * Owned by the caller. */
static char *find_program(const char *name)
{
    char *self = strchr(name, '/') ? NULL : realpath("/proc/self/exe", NULL);
    char *slash = self ? strrchr(self, '/') : NULL;
    char *path = NULL;

    if (slash) {
        *slash = '\0';
        path = t2_path_join(self, name);
    }
    free(self); /* realpath's own memory */
    if (path && access(path, X_OK) == 0)
        return path;
    t2_free(path);
    return t2_strdup(name);
}

static enum t2_status wait_for(const char *name, pid_t pid, struct t2_err *err)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return t2_fail_errno(err, errno, "cannot wait for %s", name);
    T2_TRY(t2_check_interrupt(err));
    if (WIFSIGNALED(status))
        return t2_fail(err, T2_EFORMAT, "%s was ended by signal %d; run the same command again",
                       name, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return t2_fail(err, T2_EFORMAT, "%s failed, see above (its exit code is %d)", name,
                       WEXITSTATUS(status));
    return T2_OK;
}

/* In the child: only what is allowed behind fork in a process of threads. */
static _Noreturn void become(const char *path, char **argv, bool stdout_to_stderr, int say_fd)
{
    int errnum = 0;

    if (stdout_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        errnum = errno;
    if (!errnum) {
        (void) execvpe(path, argv, environ);
        errnum = errno;
    }
    (void) t2_io_write(say_fd, &errnum, sizeof errnum, NULL);
    _exit(CANNOT_START);
}

/* The pipe's end in the child closes when the program begins; otherwise it says why it does not. */
static int start(const char *path, char **argv, bool stdout_to_stderr, pid_t *pid)
{
    int ends[2], errnum = 0;
    size_t n = 0;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0)
        become(path, argv, stdout_to_stderr, ends[1]);
    if (*pid < 0)
        errnum = errno;
    (void) t2_io_close(ends[1]);
    /* nothing is read where exec has closed the other end */
    if (*pid > 0 && t2_io_read(ends[0], &errnum, sizeof errnum, &n) == 0 && n > 0)
        (void) waitpid(*pid, NULL, 0);
    (void) t2_io_close(ends[0]);
    return errnum;
}

enum t2_status t2_run_program(struct t2_strs *argv, bool stdout_to_stderr, struct t2_err *err)
{
    char *path = find_program(argv->items[0]);
    enum t2_status st;
    pid_t pid = -1;
    int errnum;

    t2_strs_take(argv, NULL);
    errnum = start(path, argv->items, stdout_to_stderr, &pid);
    st = errnum ? t2_fail_errno(err, errnum, "cannot start '%s'", path)
                : wait_for(argv->items[0], pid, err);
    t2_free(path);
    return st;
}
