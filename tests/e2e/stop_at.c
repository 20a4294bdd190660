/*
 * stop_at.c - preloaded into a program (stop_at.subr): sends it a signal in front of one of the
 * calls that change files, so that tests stop it at chosen points of its work and not of the clock,
 * on slow machines and fast ones.
 *
 * STOP_AT=N: at the N-th call; STOP_SIGNAL: the signal's number; STOP_COUNT=FILE: the number of
 * calls is written there when the program ends by itself.  Calls of all threads are counted, those
 * to stdin, stdout, stderr are not.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long n_calls;

static long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : 0;
}

static void *next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);

    if (!f)
        abort();
    return f;
}

static void count(void)
{
    static long at;

    if (!at)
        at = number("STOP_AT") > 0 ? number("STOP_AT") : -1;
    if (atomic_fetch_add(&n_calls, 1) + 1 == at)
        kill(getpid(), (int) number("STOP_SIGNAL"));
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("STOP_COUNT");
    FILE *f = path ? fopen(path, "w") : NULL;

    if (f) {
        fprintf(f, "%ld\n", atomic_load(&n_calls));
        fclose(f);
    }
}

/* Defines the function: counts when `when`, then calls the one of the C library. */
#define COUNTED(when, type, name, parameters, arguments)                                           \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
                                                                                                   \
        if (!real)                                                                                 \
            *(void **) &real = next(#name);                                                        \
        if (when)                                                                                  \
            count();                                                                               \
        return real arguments;                                                                     \
    }

COUNTED(fd > STDERR_FILENO, ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n))
COUNTED(1, ssize_t, pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at))
COUNTED(1, ssize_t, pwritev, (int fd, const struct iovec *parts, int n, off_t at),
        (fd, parts, n, at))
COUNTED(1, int, ftruncate, (int fd, off_t size), (fd, size))
COUNTED(1, int, fsync, (int fd), (fd))
COUNTED(1, int, rename, (const char *from, const char *to), (from, to))
COUNTED(1, int, unlink, (const char *path), (path))
COUNTED(1, int, mkdir, (const char *path, mode_t mode), (path, mode))

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    mode_t mode = 0;
    va_list more;

    if (!real)
        *(void **) &real = next("open");
    if (flags & O_CREAT) {
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
        count();
    }
    return real(path, flags, mode);
}
