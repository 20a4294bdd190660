/*
 * train/eval/occurrences.c - see the header.
 */
#include "train/eval/occurrences.h"

#include <string.h>

#include "base/alloc.h"

void ev_occurrences_release(struct ev_occurrences *o)
{
    t2_free(o->places);
    t2_free(o->first);
    t2_free(o->last);
    *o = (struct ev_occurrences){NULL, NULL, NULL, 0, 0};
}

void ev_occurrences_set(struct ev_occurrences *o, const uint32_t *text, size_t n, size_t n_words)
{
    uint32_t n_places = 0;

    if (n > o->places_capacity) {
        o->places_capacity = n + n / 2;
        o->places = t2_realloc(o->places, o->places_capacity, sizeof *o->places);
    }
    if (n_words > o->words_capacity) {
        o->words_capacity = n_words + n_words / 2;
        o->first = t2_realloc(o->first, o->words_capacity, sizeof *o->first);
        o->last = t2_realloc(o->last, o->words_capacity, sizeof *o->last);
    }
    if (n_words > 0)
        memset(o->first, 0, n_words * sizeof *o->first);
    for (size_t i = 0; i < n; i++) {
        uint32_t word = text[i], block = (uint32_t) (i / 64);

        if (!o->first[word] || o->places[o->last[word] - 1].block != block) {
            o->places[n_places++] = (struct ev_place){0, block, 0};
            if (o->first[word])
                o->places[o->last[word] - 1].next = n_places;
            else
                o->first[word] = n_places;
            o->last[word] = n_places;
        }
        o->places[o->last[word] - 1].mask |= (uint64_t) 1 << i % 64;
    }
}
