/*
 * base/run_program.c - see the header.
 */
#include "base/run_program.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"

/* The exit code of shells, and of posix_spawn where it cannot tell (under an emulator). */
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
    if (WEXITSTATUS(status) == CANNOT_START)
        return t2_fail(err, T2_EFORMAT, "cannot start '%s', or what it starts", name);
    if (WEXITSTATUS(status) != 0)
        return t2_fail(err, T2_EFORMAT, "%s failed, see above (its exit code is %d)", name,
                       WEXITSTATUS(status));
    return T2_OK;
}

enum t2_status t2_run_program(struct t2_strs *argv, bool stdout_to_stderr, struct t2_err *err)
{
    posix_spawn_file_actions_t actions;
    char *path = find_program(argv->items[0]);
    enum t2_status st;
    pid_t pid;
    int errnum;

    t2_strs_take(argv, NULL);
    errnum = posix_spawn_file_actions_init(&actions);
    if (!errnum) {
        if (stdout_to_stderr)
            errnum = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
        if (!errnum)
            errnum = posix_spawnp(&pid, path, &actions, NULL, argv->items, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    st = errnum ? t2_fail_errno(err, errnum, "cannot start '%s'", path)
                : wait_for(argv->items[0], pid, err);
    t2_free(path);
    return st;
}
