/*
 * train/eval/occurrences.h - where the words of a text stand in it, as masks of 64 places: what the
 * bit-parallel algorithms of texts look up.
 */
#ifndef EV_OCCURRENCES_H
#define EV_OCCURRENCES_H

#include <stddef.h>
#include <stdint.h>

/* 64 places of a text, block * 64 ..., where a word stands; zero-initialise ev_occurrences. */
struct ev_place {
    uint64_t mask;
    uint32_t block, next; /* next: 1 + the index of the word's next mask, 0 at the end */
};

struct ev_occurrences {
    struct ev_place *places;
    uint32_t *first, *last; /* by word: 1 + index, 0: none */
    size_t places_capacity, words_capacity;
};
void ev_occurrences_release(struct ev_occurrences *o);
/* Of a text whose numbers, and those that are asked for, are below n_words. */
void ev_occurrences_set(struct ev_occurrences *o, const uint32_t *text, size_t n, size_t n_words);

/* The first mask of a word, by ascending blocks; NULL when there is none. */
static inline const struct ev_place *ev_first_place(const struct ev_occurrences *o, uint32_t word)
{
    return o->first[word] ? &o->places[o->first[word] - 1] : NULL;
}

static inline const struct ev_place *ev_next_place(const struct ev_occurrences *o,
                                                   const struct ev_place *p)
{
    return p->next ? &o->places[p->next - 1] : NULL;
}

#endif
