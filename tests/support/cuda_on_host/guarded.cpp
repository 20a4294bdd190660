/*
 * tests/support/cuda_on_host/guarded.cpp - memory between pages that cannot be touched.
 *
 * It is NaN before anything is written.  Large blocks, of which a test uses little, are mapped from
 * a file of such bytes, so that only pages that are touched cost anything.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/cuda_on_host/internal.h"

namespace cuda_on_host
{

enum { ONES_BYTES = 2 << 20 };

/* ONES_BYTES of 0xff; -1: no such file can be had. */
static int file_of_ones()
{
    static int fd = -2;
    void *p;

    if (fd != -2)
        return fd;
    fd = memfd_create("cuda_on_host ones", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, ONES_BYTES) != 0)
        return fd = -1;
    p = mmap(nullptr, ONES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return fd = -1;
    memset(p, 0xff, ONES_BYTES);
    munmap(p, ONES_BYTES);
    return fd;
}

/* Writable pages with 0xff in each byte. */
static bool map_ones(char *p, size_t bytes)
{
    size_t n = 0;

    while (bytes - n >= ONES_BYTES && file_of_ones() >= 0) {
        if (mmap(p + n, ONES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_of_ones(),
                 0) == MAP_FAILED)
            return false;
        n += ONES_BYTES;
    }
    if (n < bytes && mprotect(p + n, bytes - n, PROT_READ | PROT_WRITE) != 0)
        return false;
    memset(p + n, 0xff, bytes - n);
    return true;
}

bool guarded_take(guarded *g, size_t bytes, size_t align)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    size_t room = (bytes + align - 1) / align * align, inner = (room + page - 1) / page * page;
    char *base = (char *) mmap(nullptr, inner + 2 * page, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == (char *) MAP_FAILED)
        return false;
    if (!map_ones(base + page, inner)) {
        munmap(base, inner + 2 * page);
        return false;
    }
    g->base = base;
    g->mapped = inner + 2 * page;
    g->bytes = bytes;
    g->p = base + page + inner - room;
    return true;
}

void guarded_give(guarded *g)
{
    if (g->base)
        munmap(g->base, g->mapped);
    g->base = g->p = nullptr;
}

bool guarded_sound(const guarded *g)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    const char *end = g->base + g->mapped - page;

    for (const char *p = g->p + g->bytes; p < end; p++)
        if (*p != (char) 0xff)
            return false;
    for (const char *p = g->base + page; p < g->p; p++)
        if (*p != (char) 0xff)
            return false;
    return true;
}

} /* namespace cuda_on_host */
