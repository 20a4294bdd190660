/*
 * fault_at.c - preloaded into a program (fault_at.subr): one of its calls, the N-th, does less than
 * it was asked for, is interrupted or fails, as a disk, a network or a machine without memory would
 * make it.
 *
 * FAULT_KIND: which calls are counted, and what happens to the N-th.
 *   short   read, pread, write, pwrite ...: one byte is taken (odd N), or half of them
 *   eintr   the same, and fsync, close of what was written: interrupted; the closed file is closed
 *           all the same
 *   error   all calls on files: EIO, ENOSPC, EACCES, ENOMEM, by call and N; the half of a file
 *           whose fsync or close fails is lost, as it would be
 *   memory  malloc, calloc, realloc, posix_memalign, anonymous mmap: none left
 * FAULT_AT=N, FAULT_EVERY=K: and every K-th call behind it.  FAULT_DIR: only files below this
 * folder count.  FAULT_LOG=FILE: a line for the first call that was changed ("9 error pread x");
 * without FAULT_AT the number of calls, at the end.
 *
 * Counted from main() on, in all threads.  stderr does not count; stdout and stdin do when they are
 * files in the folder.  Not seen: calls within the C library (a FILE's reads and writes); fopen,
 * opendir and readdir are seen as calls.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, SHORT, EINTR_, ERROR, MEMORY };
enum { MAX_FDS = 4096, TIME_LIMIT_S = 60 };

static int kind;
static long at, every;
static const char *folder;
static atomic_long n_calls;
static atomic_bool in_main, sizes;
static _Atomic unsigned char ours[MAX_FDS]; /* 1: a file below the folder, 2: written to */
static __thread int inside;                 /* calls of the shim's own */

static void *next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);

    if (!f)
        _exit(99);
    return f;
}

#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
    *(void **) &real = next(#name)

/* ---- which call it is ---- */

static void tell(const char *text)
{
    const char *path = getenv("FAULT_LOG");
    int fd =
        path ? (int) syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

    if (fd >= 0) {
        syscall(SYS_write, fd, text, strlen(text));
        syscall(SYS_close, fd);
    }
}

/* The number of this call when it is one to be changed, else 0. */
static long hit(const char *name, const char *what)
{
    static const char *const kinds[] = {"none", "short", "eintr", "error", "memory"};
    char line[PATH_MAX];
    long n = atomic_fetch_add(&n_calls, 1) + 1;

    if (at <= 0 || n < at || (n > at && (every <= 0 || (n - at) % every != 0)))
        return 0;
    if (!atomic_exchange(&sizes, true)) {
        inside++;
        snprintf(line, sizeof line, "%ld %s %s %s\n", n, kinds[kind], name, what);
        tell(line);
        inside--;
    }
    return n;
}

static bool below(const char *path)
{
    size_t n = folder ? strlen(folder) : 0;
    char here[PATH_MAX];

    if (!folder || !path || inside || !atomic_load(&in_main))
        return false;
    if (path[0] == '/')
        return strncmp(path, folder, n) == 0;
    return syscall(SYS_getcwd, here, sizeof here) > 0 && strncmp(here, folder, n) == 0;
}

static bool is_ours(int fd)
{
    return fd >= 0 && fd < MAX_FDS && fd != STDERR_FILENO && !inside && atomic_load(&in_main) &&
           ours[fd];
}

/* What it is opened on, from the folder on; empty when that is not below the folder. */
static const char *name_of(int fd)
{
    static __thread char target[PATH_MAX];
    char link[64];
    ssize_t n;

    inside++;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    inside--;
    n = syscall(SYS_readlink, link, target, sizeof target - 1);
    if (n <= 0 || !folder || strncmp(target, folder, strlen(folder)) != 0)
        return "";
    target[n] = '\0';
    return target + strlen(folder);
}

static int opened(int fd, const char *path)
{
    if (fd >= 0 && fd < MAX_FDS)
        ours[fd] = below(path);
    return fd;
}

static int fails(int errnum)
{
    errno = errnum;
    return -1;
}

/* ---- data ---- */

static size_t some(long n, size_t len)
{
    return n % 2 != 0 ? 1 : (len + 1) / 2;
}

/* What was read beyond it is as if it had not been. */
static ssize_t read_less(int fd, ssize_t got, bool rewinds, const char *name)
{
    long n = got > 1 ? hit(name, name_of(fd)) : 0;
    size_t less = n ? some(n, (size_t) got) : 0;

    if (n == 0 || (rewinds && lseek(fd, (off_t) less - (off_t) got, SEEK_CUR) < 0))
        return got;
    return (ssize_t) less;
}

/* True when *rc is the call's result. */
static bool data_fault(int fd, const char *name, int errnum, ssize_t *rc)
{
    bool counted = (kind == EINTR_ || kind == ERROR) && is_ours(fd);
    long n = counted ? hit(name, name_of(fd)) : 0;

    if (n)
        *rc = fails(kind == EINTR_ ? EINTR : n % 2 && errnum == ENOSPC ? EIO : errnum);
    return n != 0;
}

ssize_t read(int fd, void *to, size_t len)
{
    ssize_t rc;

    if (data_fault(fd, "read", EIO, &rc))
        return rc;
    rc = syscall(SYS_read, fd, to, len);
    return kind == SHORT && is_ours(fd) ? read_less(fd, rc, true, "read") : rc;
}

ssize_t pread(int fd, void *to, size_t len, off_t offset)
{
    ssize_t rc;

    if (data_fault(fd, "pread", EIO, &rc))
        return rc;
    rc = syscall(SYS_pread64, fd, to, len, offset);
    return kind == SHORT && is_ours(fd) ? read_less(fd, rc, false, "pread") : rc;
}

ssize_t pread64(int fd, void *to, size_t len, off_t offset)
{
    return pread(fd, to, len, offset);
}

static size_t write_less(int fd, size_t len, const char *name)
{
    long n = kind == SHORT && len > 1 && is_ours(fd) ? hit(name, name_of(fd)) : 0;

    if (is_ours(fd))
        ours[fd] = 2;
    return n ? some(n, len) : len;
}

ssize_t write(int fd, const void *data, size_t len)
{
    ssize_t rc;

    if (data_fault(fd, "write", ENOSPC, &rc))
        return rc;
    return syscall(SYS_write, fd, data, write_less(fd, len, "write"));
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t offset)
{
    ssize_t rc;

    if (data_fault(fd, "pwrite", ENOSPC, &rc))
        return rc;
    return syscall(SYS_pwrite64, fd, data, write_less(fd, len, "pwrite"), offset);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off_t offset)
{
    return pwrite(fd, data, len, offset);
}

/* Short: of the first piece that is not empty. */
ssize_t pwritev(int fd, const struct iovec *parts, int n_parts, off_t offset)
{
    ssize_t rc;
    int i = 0;
    REAL(pwritev);

    if (data_fault(fd, "pwritev", ENOSPC, &rc))
        return rc;
    while (i < n_parts - 1 && parts[i].iov_len == 0)
        i++;
    if (n_parts > 0) {
        size_t len = write_less(fd, parts[i].iov_len, "pwritev");

        if (len < parts[i].iov_len)
            return syscall(SYS_pwrite64, fd, parts[i].iov_base, len, offset);
    }
    return real(fd, parts, n_parts, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int n_parts, off64_t offset)
{
    return pwritev(fd, parts, n_parts, offset);
}

/* ---- the end of writing ---- */

static void lose_half(int fd)
{
    struct stat s;

    if (syscall(SYS_fstat, fd, &s) == 0 && S_ISREG(s.st_mode) && ours[fd] == 2)
        syscall(SYS_ftruncate, fd, s.st_size / 2);
}

int fsync(int fd)
{
    ssize_t rc;

    if (data_fault(fd, "fsync", EIO, &rc)) {
        if (kind == ERROR)
            lose_half(fd);
        return (int) rc;
    }
    if (fd >= 0 && fd < MAX_FDS && ours[fd])
        ours[fd] = 1; /* what follows does not lose it */
    return 0;         /* nobody pulls the plug meanwhile */
}

int fdatasync(int fd)
{
    return fsync(fd);
}

int close(int fd)
{
    ssize_t rc = 0;
    int errnum = 0;

    if (fd >= 0 && fd < MAX_FDS && ours[fd] == 2 && data_fault(fd, "close", EIO, &rc)) {
        errnum = errno;
        if (kind == ERROR)
            lose_half(fd);
    }
    if (fd >= 0 && fd < MAX_FDS)
        ours[fd] = 0;
    if (syscall(SYS_close, fd) != 0)
        return -1;
    return rc ? fails(errnum) : 0;
}

/* ---- names ---- */

static long name_fault(const char *path, const char *name)
{
    return kind == ERROR && below(path) ? hit(name, path) : 0;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
    static const int errors[] = {EACCES, EMFILE, EIO, ENOMEM};
    static const int create_errors[] = {ENOSPC, EACCES, EMFILE, EIO};
    long n = name_fault(path, flags & O_CREAT ? "open(O_CREAT)" : "open");

    if (n)
        return fails(flags & O_CREAT ? create_errors[n % 4] : errors[n % 4]);
    return opened((int) syscall(SYS_openat, dir, path, flags, mode), path);
}

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {                                        \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode = va_arg(more, mode_t);                                                               \
        va_end(more);                                                                              \
    }

int open(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_at(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_at(dir, path, flags, mode);
}

int mkostemp(char *pattern, int flags)
{
    REAL(mkostemp);

    return name_fault(pattern, "mkostemp") ? fails(ENOSPC) : opened(real(pattern, flags), pattern);
}

int mkstemp(char *pattern)
{
    return mkostemp(pattern, 0);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen);

    return name_fault(path, "fopen") ? (errno = EACCES, NULL) : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

/* Defines the function: fails with one of two errors, in turn, when it is for a file that
 * counts. */
#define FAILS(type, name, parameters, arguments, path, even, odd)                                  \
    type name parameters                                                                           \
    {                                                                                              \
        long n = name_fault(path, #name);                                                          \
        REAL(name);                                                                                \
                                                                                                   \
        return n ? fails(n % 2 ? (odd) : (even)) : real arguments;                                 \
    }

FAILS(int, stat, (const char *path, struct stat *s), (path, s), path, EACCES, EIO)
FAILS(int, stat64, (const char *path, struct stat64 *s), (path, s), path, EACCES, EIO)
FAILS(int, lstat, (const char *path, struct stat *s), (path, s), path, EACCES, EIO)
FAILS(int, lstat64, (const char *path, struct stat64 *s), (path, s), path, EACCES, EIO)
FAILS(int, fstatat, (int dir, const char *path, struct stat *s, int flags), (dir, path, s, flags),
      path, EACCES, EIO)
FAILS(int, statvfs, (const char *path, struct statvfs *s), (path, s), path, EACCES, EIO)
FAILS(int, access, (const char *path, int how), (path, how), path, EACCES, EIO)
FAILS(int, rename, (const char *from, const char *to), (from, to), from, EACCES, EIO)
FAILS(int, link, (const char *from, const char *to), (from, to), from, ENOSPC, EIO)
FAILS(int, linkat, (int a, const char *from, int b, const char *to, int f), (a, from, b, to, f), to,
      ENOSPC, EIO)
FAILS(int, unlink, (const char *path), (path), path, EACCES, EIO)
FAILS(int, rmdir, (const char *path), (path), path, EACCES, EIO)
FAILS(int, mkdir, (const char *path, mode_t mode), (path, mode), path, EACCES, ENOSPC)
FAILS(int, truncate, (const char *path, off_t size), (path, size), path, EACCES, EIO)

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    REAL(renameat2);

    return name_fault(from, "renameat2") ? fails(EIO) : real(a, from, b, to, flags);
}

char *realpath(const char *path, char *to)
{
    REAL(realpath);

    return name_fault(path, "realpath") ? (errno = EACCES, NULL) : real(path, to);
}

DIR *opendir(const char *path)
{
    REAL(opendir);

    return name_fault(path, "opendir") ? (errno = EACCES, NULL) : real(path);
}

struct dirent *readdir(DIR *dir)
{
    const char *name = kind == ERROR && atomic_load(&in_main) && !inside ? name_of(dirfd(dir)) : "";
    long n = name[0] ? hit("readdir", name) : 0;
    REAL(readdir);

    return n ? (errno = EIO, NULL) : real(dir);
}

static bool fd_fault(int fd, const char *name)
{
    return kind == ERROR && is_ours(fd) && hit(name, name_of(fd));
}

int fstat(int fd, struct stat *s)
{
    REAL(fstat);

    return fd_fault(fd, "fstat") ? fails(EIO) : real(fd, s);
}

int fstat64(int fd, struct stat64 *s)
{
    REAL(fstat64);

    return fd_fault(fd, "fstat64") ? fails(EIO) : real(fd, s);
}

int ftruncate(int fd, off_t size)
{
    REAL(ftruncate);

    return fd_fault(fd, "ftruncate") ? fails(EIO) : real(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    REAL(fallocate);

    return fd_fault(fd, "fallocate") ? fails(ENOSPC) : real(fd, mode, offset, len);
}

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool no_memory(const char *name, size_t size)
{
    char text[32];

    if (kind != MEMORY || inside || !atomic_load(&in_main))
        return false;
    inside++;
    snprintf(text, sizeof text, "%zu", size);
    inside--;
    if (!hit(name, text))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return no_memory("malloc", size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return no_memory("calloc", n * size) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return size && no_memory("realloc", size) ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return no_memory("aligned_alloc", size) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    if (no_memory("posix_memalign", size))
        return ENOMEM;
    *p = __libc_memalign(alignment, size);
    return *p ? 0 : ENOMEM;
}

void *mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    bool anonymous = flags & MAP_ANONYMOUS;

    if (anonymous ? no_memory("mmap", size) : fd_fault(fd, "mmap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *) syscall(SYS_mmap, where, size, protection, flags, fd, offset);
}

void *mmap64(void *where, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return mmap(where, size, protection, flags, fd, offset);
}

/* ---- from main() on ---- */

static int (*real_main)(int, char **, char **);

static void set_up(void)
{
    const char *name = getenv("FAULT_KIND");
    const char *number = getenv("FAULT_AT"), *step = getenv("FAULT_EVERY");

    folder = getenv("FAULT_DIR");
    at = number ? strtol(number, NULL, 10) : 0;
    every = step ? strtol(step, NULL, 10) : 0;
    kind = !name || !folder              ? NONE
           : strcmp(name, "short") == 0  ? SHORT
           : strcmp(name, "eintr") == 0  ? EINTR_
           : strcmp(name, "error") == 0  ? ERROR
           : strcmp(name, "memory") == 0 ? MEMORY
                                         : NONE;
    for (int fd = 0; fd < STDERR_FILENO; fd++)
        ours[fd] = name_of(fd)[0] != '\0';
}

static int main_counted(int argc, char **argv, char **env)
{
    set_up();
    alarm(TIME_LIMIT_S); /* a hang is found too */
    atomic_store(&in_main, true);
    return real_main(argc, argv, env);
}

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*ld_fini)(void), void *end);
int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*ld_fini)(void), void *end)
{
    REAL(__libc_start_main);

    real_main = start;
    return real(main_counted, argc, argv, init, fini, ld_fini, end);
}

__attribute__((destructor)) static void count_at_end(void)
{
    char line[32];

    if (at > 0 || kind == NONE)
        return;
    inside++;
    snprintf(line, sizeof line, "%ld\n", atomic_load(&n_calls));
    tell(line);
    inside--;
}
