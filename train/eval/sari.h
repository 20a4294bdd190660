/*
 * train/eval/sari.h - SARI of ids, as tensor2tensor's utils/sari_hook.py has it for one target: how
 * well a prediction adds, keeps and leaves out what the target does, against the source.
 *
 * Sets of n-grams of order 1 to 4; ids 0 are left out first.  The share of nothing in nothing is 1,
 * and of what is left out only the precision counts.
 */
#ifndef EV_SARI_H
#define EV_SARI_H

#include "train/eval/word_ids.h"

struct ev_id_row {
    const int32_t *ids;
    int32_t length;
};

/* 0 to 1.  words is working memory, which is started anew. */
double ev_sari(struct ev_words *words, struct ev_id_row source, struct ev_id_row prediction,
               struct ev_id_row target);

#endif
