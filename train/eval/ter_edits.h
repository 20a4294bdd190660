/*
 * train/eval/ter_edits.h - the edits between two texts when moving a run of words is one edit
 * (Snover et al. 2006), by Tercom's search as sacreBLEU 2.6 does it (metrics/lib_ter.py).
 */
#ifndef EV_TER_EDITS_H
#define EV_TER_EDITS_H

#include <stddef.h>
#include <stdint.h>

/* Words of a text that are compared: the search takes time in proportion to their number times the
 * number of shifts, of which it tries a thousand. */
enum { EV_TER_MAX_WORDS = 1 << 16 };

struct ev_ter; /* working memory, reused; belongs to one thread */

struct ev_ter *ev_ter_edits_new(void);
void ev_ter_edits_free(struct ev_ter *t);
/* Equal numbers are equal words (word_ids.h); each text has at most EV_TER_MAX_WORDS. */
uint64_t ev_ter_edits(struct ev_ter *t, const uint32_t *hypothesis, size_t n_hypothesis,
                      const uint32_t *reference, size_t n_reference);

#endif
