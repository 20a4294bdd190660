/*
 * train/decode/repeated_ngrams.c - see the header.
 */
#include "train/decode/repeated_ngrams.h"

#include <string.h>

bool dec_repeats_ngram(const int32_t *ids, int32_t n, int32_t id, int32_t size)
{
    int32_t before = size - 1; /* ids of the n-gram in front of the new one */
    const int32_t *last;

    if (size < 1 || n < size)
        return false;
    last = ids + n - before;
    for (int32_t i = 0; i + size <= n; i++)
        if (ids[i + before] == id &&
            (before == 0 || memcmp(ids + i, last, (size_t) before * sizeof *ids) == 0))
            return true;
    return false;
}
