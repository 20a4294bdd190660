/*
 * base/alloc.c - memory with overflow checks.
 */
#include "base/alloc.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/log.h"

enum { CACHE_LINE_BYTES = 64, PAGE_BYTES = 4096, HUGE_PAGE_BYTES = 2 << 20 };

/* Allocations until one fails on purpose; 0 = off. */
static _Atomic uint64_t fail_after;

void t2_alloc_fail_after(uint64_t n)
{
    atomic_store(&fail_after, n);
}

static bool must_fail(void)
{
    uint64_t n = atomic_load_explicit(&fail_after, memory_order_relaxed);

    while (n != 0) {
        if (atomic_compare_exchange_weak(&fail_after, &n, n - 1))
            return n == 1;
    }
    return false;
}

/* Other threads go on meanwhile, so exit() would take what they use from under them. */
_Noreturn void t2_out_of_memory(const char *format, ...)
{
    struct t2_err err = T2_ERR_INIT;
    char what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void) t2_fail(&err, T2_ENOMEM, "out of memory: %s", what);
    quick_exit(t2_report(&err));
}

/* The end of t2_alloc and t2_realloc: n items of `size` bytes were not to be had. */
static _Noreturn void out_of_memory(size_t n, size_t size)
{
    t2_out_of_memory("cannot allocate %zu x %zu bytes", n, size);
}

bool t2_mul_size(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool t2_add_size(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* malloc(0) may be NULL, so nothing is a byte. */
static void *allocate(size_t n, size_t size)
{
    size_t total;

    if (!t2_mul_size(n, size, &total) || total > PTRDIFF_MAX)
        return NULL;
    return calloc(total ? total : 1, 1);
}

void *t2_alloc(size_t n, size_t size)
{
    void *p = allocate(n, size);

    if (!p)
        out_of_memory(n, size);
    return p;
}

void *t2_try_alloc(size_t n, size_t size)
{
    return must_fail() ? NULL : allocate(n, size);
}

void *t2_realloc(void *p, size_t n, size_t size)
{
    size_t total;

    if (!t2_mul_size(n, size, &total) || total > PTRDIFF_MAX)
        out_of_memory(n, size);
    p = realloc(p, total ? total : 1);
    if (!p)
        out_of_memory(n, size);
    return p;
}

void *t2_library_malloc(size_t size_bytes)
{
    void *p = malloc(size_bytes ? size_bytes : 1);

    if (!p)
        out_of_memory(size_bytes, 1);
    return p;
}

void *t2_library_calloc(size_t n, size_t size)
{
    return t2_alloc(n, size);
}

void *t2_library_realloc(void *p, size_t size_bytes)
{
    return t2_realloc(p, size_bytes, 1);
}

/* ---- aligned, zeroed ---- */

/* Blocks that malloc would ask the kernel for, too, are asked for here: the kernel has zeroed them,
 * so they are paid for when they are used, by the thread that uses them.  A sanitizer watches
 * malloc. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LARGE_BYTES = INT_MAX };
#else
enum { LARGE_BYTES = 32 << 20 };
#endif

struct large {
    struct large *next;
    void *p;
    size_t bytes;
};
static pthread_mutex_t large_lock = PTHREAD_MUTEX_INITIALIZER;
static struct large *large_blocks;

/* Tensors of many megabytes suffer from TLB misses with small pages; a refusal is harmless. */
void t2_advise_pages(void *p, size_t size_bytes, bool huge)
{
    const uintptr_t page = huge ? HUGE_PAGE_BYTES : PAGE_BYTES;
    uintptr_t begin = (uintptr_t) p, end = begin + size_bytes;
    size_t before = (size_t) ((page - begin % page) % page);

    if (begin + before < end / page * page)
        (void) madvise((char *) p + before, end / page * page - begin - before,
                       huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

/*
 * A block of whole huge pages that begins at a huge page.  mmap gives addresses at small pages
 * only, so one huge page more is reserved and what lies in front of and behind the aligned part is
 * given back:
 *
 *   p               aligned                          aligned + whole
 *   |----before-----|=========== whole ==============|-----rest------|    reserved = whole + 2 MiB
 *      unmapped                  kept                     unmapped
 *
 * The address is entered in a list, because munmap needs the length and t2_free_aligned gets none.
 * The list is short (one entry per tensor arena), so a linear search is enough.
 */
static void *map_large(size_t size_bytes)
{
    size_t whole = (size_bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    size_t reserved = whole + HUGE_PAGE_BYTES, before;
    struct large *block = malloc(sizeof *block);
    char *p = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (!block || p == MAP_FAILED) {
        free(block);
        if (p != MAP_FAILED)
            munmap(p, reserved);
        return NULL;
    }
    before = (HUGE_PAGE_BYTES - (uintptr_t) p % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before > 0)
        munmap(p, before);
    p += before;
    munmap(p + whole, reserved - before - whole);
    t2_advise_pages(p, size_bytes, true);
    pthread_mutex_lock(&large_lock);
    *block = (struct large){large_blocks, p, whole};
    large_blocks = block;
    pthread_mutex_unlock(&large_lock);
    return p;
}

/* False when p is no large block. */
static bool unmap_large(void *p)
{
    struct large *block, **link = &large_blocks;

    pthread_mutex_lock(&large_lock);
    while ((block = *link) && block->p != p)
        link = &block->next;
    if (block)
        *link = block->next;
    pthread_mutex_unlock(&large_lock);
    if (!block)
        return false;
    munmap(p, block->bytes);
    free(block);
    return true;
}

/*
 * Alignment grows with size: a cache line for vectors, a page from 4 KiB on so that neighbours
 * share none, a huge page from 2 MiB on so that madvise has whole ones to work with.
 */
void *t2_alloc_aligned(size_t size_bytes)
{
    size_t alignment = CACHE_LINE_BYTES;
    void *p = NULL;

    if (must_fail() || size_bytes > PTRDIFF_MAX)
        return NULL;
    if (size_bytes >= LARGE_BYTES)
        return map_large(size_bytes);
    if (size_bytes >= HUGE_PAGE_BYTES)
        alignment = HUGE_PAGE_BYTES;
    else if (size_bytes >= PAGE_BYTES)
        alignment = PAGE_BYTES;
    if (posix_memalign(&p, alignment, size_bytes ? size_bytes : 1) != 0)
        return NULL;
    if (size_bytes >= HUGE_PAGE_BYTES)
        t2_advise_pages(p, size_bytes, true);
    memset(p, 0, size_bytes);
    return p;
}

/*
 * Only large blocks begin at a huge page by construction, so most calls need no look at the list;
 * posix_memalign blocks of 2 MiB and more do as well; the list distinguishes the two.
 */
void t2_free_aligned(void *p)
{
    if (p && ((uintptr_t) p % HUGE_PAGE_BYTES != 0 || !unmap_large(p)))
        free(p);
}

void t2_free(void *p)
{
    free(p);
}

char *t2_strdup(const char *s)
{
    T2_ASSERT(s);
    return t2_strndup(s, strlen(s));
}

char *t2_bytes_dup(const void *data, size_t len_bytes)
{
    char *copy;

    T2_ASSERT(len_bytes < SIZE_MAX);
    copy = t2_alloc(len_bytes + 1, 1);
    if (len_bytes > 0)
        memcpy(copy, data, len_bytes);
    return copy;
}

char *t2_strndup(const char *s, size_t len_bytes)
{
    size_t n = strnlen(s, len_bytes);
    char *copy = t2_alloc(n + 1, 1);

    memcpy(copy, s, n);
    return copy;
}
