/*
 * train/eval/word_ids.h - numbers for the words of one segment: equal words, equal numbers.
 */
#ifndef EV_WORD_IDS_H
#define EV_WORD_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Growable list of numbers: of words, or code points; zero-initialise. */
struct ev_ids {
    uint32_t *items;
    size_t n, capacity;
};
void ev_ids_reserve(struct ev_ids *ids, size_t extra); /* room for so many more */
void ev_ids_push(struct ev_ids *ids, uint32_t id);
void ev_ids_release(struct ev_ids *ids);
/* Appends the code points of valid UTF-8. */
void ev_ids_of_text(struct ev_ids *ids, struct t2_slice text);

struct ev_words; /* working memory, reused from segment to segment; belongs to one thread */

struct ev_words *ev_words_new(void);
void ev_words_free(struct ev_words *w);
/* Forgets all words. */
void ev_words_start(struct ev_words *w);
/* 0, 1, ... in the order of first sight.  The bytes are borrowed until the next start. */
uint32_t ev_words_id(struct ev_words *w, struct t2_slice word);
/* Appends the numbers of the words of a text, which stand apart by single blanks: "" has none. */
void ev_words_cut(struct ev_words *w, struct t2_slice text, struct ev_ids *ids);

#endif
