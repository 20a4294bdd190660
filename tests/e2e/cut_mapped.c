/*
 * cut_mapped.c - preloaded into a program (mapped_cut.sh): a file whose name ends in CUT_FILE loses
 * its bytes as soon as it is mapped, so that the first touch is a SIGBUS, whatever the speed of the
 * machine.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void cut(int fd)
{
    const char *ending = getenv("CUT_FILE");
    char link[64], path[4096];
    ssize_t n;

    if (!ending || fd < 0)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    if (n < (ssize_t) strlen(ending) ||
        strncmp(path + n - strlen(ending), ending, strlen(ending)) != 0)
        return;
    path[n] = '\0';
    if (truncate(path, 0) != 0)
        abort();
}

#define MAP(name, offset_type)                                                                     \
    void *name(void *at, size_t n, int prot, int flags, int fd, offset_type offset)                \
    {                                                                                              \
        void *(*next)(void *, size_t, int, int, int, offset_type);                                 \
        void *p;                                                                                   \
        *(void **) &next = dlsym(RTLD_NEXT, #name);                                                \
        p = next(at, n, prot, flags, fd, offset);                                                  \
        if (p != MAP_FAILED)                                                                       \
            cut(fd);                                                                               \
        return p;                                                                                  \
    }

MAP(mmap, off_t)
MAP(mmap64, off64_t)
