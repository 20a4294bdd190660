/*
 * train/decode/source_list.h - a list of sources is translated: in batches of similar length, by
 * all ranks, and each result finds back to its source.
 *
 * Batches are of sources of about as many ids (the original's of about as many words, where one
 * long word makes a batch long), and of one repetition.  Ranks (dec_parts.dist) share the batches,
 * which are those of a process alone with as much memory.
 */
#ifndef DEC_SOURCE_LIST_H
#define DEC_SOURCE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/decode/translator.h"

struct dec_source {
    size_t ids_at, n_ids; /* in the ids of all; none: there is nothing to translate */
    uint64_t number;      /* from 0 */
    uint64_t repetition;  /* dec_translator_repeat */
    int rank;             /* that translates it */
    struct t2_buf result; /* its hypotheses, with their scores when wanted; may hold any byte */
};

/* Zero-initialise but for the strings, release. */
struct dec_source_list {
    const char *from, *item; /* "'file'", "line": for messages */
    const char *between;     /* stands between the hypotheses of a source */
    struct tok_ids ids;      /* of all */
    struct dec_source *items;
    size_t n, capacity;
    uint64_t n_target_ids; /* of the best hypotheses, when all is translated; of all ranks on 0 */
    uint64_t n_batches;
};

/* Appends the source of the ids that were added since the last one. */
void dec_source_list_add(struct dec_source_list *list, uint64_t repetition);
void dec_source_list_release(struct dec_source_list *list);

/* Fills the results; on rank 0 all, elsewhere its own.  The items keep their order. */
T2_MUST_CHECK enum t2_status dec_source_list_translate(struct dec_source_list *list,
                                                       struct dec_translator *t,
                                                       const struct dec_hparams *hp,
                                                       struct t2_err *err);

#endif
