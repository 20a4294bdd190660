/*
 * train/device/far/far_host.c - the host's memory that the queues of the device "far" copy from and
 * to.
 */
#include <string.h>

#include "base/alloc.h"
#include "train/device/far/far.h"

enum { POISON = 0xfd };

void *dev_far_alloc_host(struct dev *d, size_t bytes)
{
    struct far_dev *f = (struct far_dev *) d;
    struct far_host_piece *piece;
    char *memory = t2_alloc_aligned(bytes);

    if (!memory)
        return NULL;
    piece = t2_alloc(1, sizeof *piece);
    piece->memory = memory;
    piece->bytes = bytes;
    pthread_mutex_lock(&f->mutex);
    piece->next = f->host;
    f->host = piece;
    pthread_mutex_unlock(&f->mutex);
    return memory;
}

void dev_far_free_host(struct dev *d, void *p)
{
    struct far_dev *f = (struct far_dev *) d;
    struct far_host_piece *piece;

    if (!p)
        return;
    pthread_mutex_lock(&f->mutex);
    for (piece = f->host; piece && piece->memory != p;)
        piece = piece->next;
    T2_ASSERT(piece && !piece->freed);
    piece->freed = true;
    memset(piece->memory, POISON, piece->bytes);
    pthread_mutex_unlock(&f->mutex);
}

bool dev_far_is_host(const struct far_dev *f, const void *p, size_t bytes)
{
    const char *begin = p;

    for (const struct far_host_piece *h = f->host; h; h = h->next)
        if (!h->freed && begin >= h->memory && begin + bytes <= h->memory + h->bytes)
            return true;
    return false;
}

void dev_far_host_release(struct far_dev *f, bool all)
{
    struct far_host_piece **at = &f->host;

    pthread_mutex_lock(&f->mutex);
    while (*at) {
        struct far_host_piece *piece = *at;

        if (!all && !piece->freed) {
            at = &piece->next;
            continue;
        }
        *at = piece->next;
        t2_free_aligned(piece->memory);
        t2_free(piece);
    }
    pthread_mutex_unlock(&f->mutex);
}
