/*
 * tests/support/cuda_on_host/guarded.cpp - memory between pages that cannot be touched.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/cuda_on_host/internal.h"

namespace cuda_on_host
{

bool guarded_take(guarded *g, size_t bytes, size_t align)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    size_t room = (bytes + align - 1) / align * align, inner = (room + page - 1) / page * page;
    char *base = (char *) mmap(nullptr, inner + 2 * page, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == (char *) MAP_FAILED)
        return false;
    if (inner > 0 && mprotect(base + page, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(base, inner + 2 * page);
        return false;
    }
    g->base = base;
    g->mapped = inner + 2 * page;
    g->bytes = bytes;
    g->p = base + page + inner - room;
    memset(base + page, 0xff, inner);
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
