/*
 * base/radix_sort.h - a stable sort by 64-bit keys: counting sort by each byte of the keys in which
 * they differ, from the lowest (LSD radix sort, Knuth 5.2.5); few items by insertion.
 */
#ifndef T2_BASE_RADIX_SORT_H
#define T2_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline __attribute__((always_inline)) uint64_t t2_key_at(const char *items, size_t i,
                                                                size_t size)
{
    uint64_t key;

    memcpy(&key, items + i * size, sizeof key);
    return key;
}

/* An item is moved by way of memory of its size, which is a constant. */
static inline __attribute__((always_inline)) void t2_radix_sort_few(char *items, size_t n,
                                                                    size_t size, char *spare)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = t2_key_at(items, i, size);
        size_t k = i;

        memcpy(spare, items + i * size, size);
        for (; k > 0 && t2_key_at(items, k - 1, size) > key; k--)
            memcpy(items + k * size, items + (k - 1) * size, size);
        memcpy(items + k * size, spare, size);
    }
}

/* items (n) of `size` bytes, a constant, each beginning with its key, a uint64_t; by rising keys.
 * spare: room for as many, one at least. */
static inline __attribute__((always_inline)) void t2_radix_sort(void *items, size_t n, size_t size,
                                                                void *spare)
{
    enum { FEW = 48 }; /* below, insertion is as fast as counting */
    char *from = items, *to = spare;
    uint64_t differ = 0;

    if (n < FEW) {
        t2_radix_sort_few(from, n, size, to);
        return;
    }
    for (size_t i = 1; i < n; i++)
        differ |= t2_key_at(from, i, size) ^ t2_key_at(from, 0, size);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t at[256] = {0}, sum = 0;
        char *swap = from;

        if ((differ >> shift & 255) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            at[t2_key_at(from, i, size) >> shift & 255]++;
        for (int b = 0; b < 256; b++) {
            size_t count = at[b];

            at[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++) {
            size_t k = at[t2_key_at(from, i, size) >> shift & 255]++;

            memcpy(to + k * size, from + i * size, size);
        }
        from = to;
        to = swap;
    }
    if (from != (char *) items)
        memcpy(items, from, n * size);
}

#endif
