/*
 * train/device/far/far_memory.c - see the header.
 */
#include "train/device/far/far_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "train/device/device.h"

/* Addresses cost nothing; a range that no other pointer can be mistaken for. */
enum { RANGE_GIB = 64 };

/* Arguments hold more than pointers, and what lies between members is as the stack left it: often
 * the upper half of a far address, behind a bool.  So no address of the range has 0 or 1 for the
 * byte that such a bool would be. */
static bool looks_like_bool(const char *base, uint64_t bytes)
{
    uintptr_t first = (uintptr_t) base >> 32 & 0xff, n = bytes >> 32;

    return first < 2 || first + n > 0x100;
}

/* Where the system puts it, but not where addresses look like something else; refused ranges are
 * kept until another one was found.  MAP_FAILED with errno. */
static char *reserve(uint64_t bytes)
{
    enum { TRIES = 16 };
    char *refused[TRIES], *base = MAP_FAILED;
    int n = 0;

    for (; n < TRIES; n++) {
        base = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED || !looks_like_bool(base, bytes))
            break;
        refused[n] = base;
        base = MAP_FAILED;
    }
    while (n-- > 0)
        (void) munmap(refused[n], 2 * bytes);
    return base;
}

enum t2_status dev_far_memory_open(struct far_memory *m, uint64_t limit_bytes, struct t2_err *err)
{
    memset(m, 0, sizeof *m);
    m->range_bytes = (uint64_t) RANGE_GIB << 30;
    m->limit_bytes = limit_bytes;
    m->base = reserve(m->range_bytes);
    if (m->base == MAP_FAILED) {
        m->base = NULL;
        return t2_fail_errno(err, errno, "device far: no room for %d GiB of addresses",
                             2 * RANGE_GIB);
    }
    if (mprotect(m->base + m->range_bytes, m->range_bytes, PROT_READ | PROT_WRITE) != 0)
        return t2_fail_errno(err, errno, "device far: its memory cannot be opened");
    m->holes_capacity = m->pieces_capacity = 64;
    m->holes = t2_alloc(m->holes_capacity, sizeof *m->holes);
    m->pieces = t2_alloc(m->pieces_capacity, sizeof *m->pieces);
    m->holes[m->n_holes++] = (struct far_hole){0, m->range_bytes};
    return T2_OK;
}

void dev_far_memory_close(struct far_memory *m)
{
    if (m->base)
        (void) munmap(m->base, 2 * m->range_bytes);
    t2_free(m->holes);
    t2_free(m->pieces);
    memset(m, 0, sizeof *m);
}

/* The first entry at or behind `at`. */
static size_t place_of(const struct far_hole *list, size_t n, uint64_t at)
{
    size_t i = 0;

    while (i < n && list[i].at < at)
        i++;
    return i;
}

static void insert(struct far_hole **list, size_t *n, size_t *capacity, struct far_hole h)
{
    size_t i = place_of(*list, *n, h.at);

    if (*n == *capacity) {
        *capacity *= 2;
        *list = t2_realloc(*list, *capacity, sizeof **list);
    }
    memmove(*list + i + 1, *list + i, (*n - i) * sizeof **list);
    (*list)[i] = h;
    (*n)++;
}

static void drop(struct far_hole *list, size_t *n, size_t i)
{
    memmove(list + i, list + i + 1, (*n - i - 1) * sizeof *list);
    (*n)--;
}

void *dev_far_memory_take(struct far_memory *m, size_t bytes)
{
    /* A line between two pieces is nobody's. */
    uint64_t room = (bytes / DEV_ALIGN_BYTES + 2) * DEV_ALIGN_BYTES;
    struct far_hole piece;
    size_t i = 0;

    if (bytes > m->limit_bytes - m->used_bytes)
        return NULL;
    while (i < m->n_holes && m->holes[i].bytes < room)
        i++;
    if (i == m->n_holes)
        return NULL;
    piece = (struct far_hole){m->holes[i].at, bytes};
    m->holes[i].at += room;
    m->holes[i].bytes -= room;
    if (m->holes[i].bytes == 0)
        drop(m->holes, &m->n_holes, i);
    insert(&m->pieces, &m->n_pieces, &m->pieces_capacity, piece);
    m->used_bytes += bytes;
    return m->base + piece.at;
}

size_t dev_far_memory_give(struct far_memory *m, void *p)
{
    uint64_t at = (uint64_t) ((char *) p - m->base), room;
    size_t i = place_of(m->pieces, m->n_pieces, at), bytes;

    T2_ASSERT(i < m->n_pieces && m->pieces[i].at == at);
    bytes = m->pieces[i].bytes;
    room = (bytes / DEV_ALIGN_BYTES + 2) * DEV_ALIGN_BYTES;
    drop(m->pieces, &m->n_pieces, i);
    m->used_bytes -= bytes;
    i = place_of(m->holes, m->n_holes, at);
    if (i < m->n_holes && at + room == m->holes[i].at) {
        room += m->holes[i].bytes;
        drop(m->holes, &m->n_holes, i);
    }
    if (i > 0 && m->holes[i - 1].at + m->holes[i - 1].bytes == at)
        m->holes[i - 1].bytes += room;
    else
        insert(&m->holes, &m->n_holes, &m->holes_capacity, (struct far_hole){at, room});
    return bytes;
}

static bool is_far(const struct far_memory *m, uintptr_t address)
{
    return address - (uintptr_t) m->base < m->range_bytes;
}

void dev_far_near_all(const struct far_memory *m, void *arguments, size_t bytes)
{
    for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
        uintptr_t word;

        memcpy(&word, (char *) arguments + i, sizeof word);
        if (is_far(m, word)) {
            word += m->range_bytes;
            memcpy((char *) arguments + i, &word, sizeof word);
        }
    }
}
