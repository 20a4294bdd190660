/*
 * train/dist/cards.h - ranks that have a GPU each: what these tell each other from device memory to
 * device memory, without the hosts.
 *
 * As a transport (struct dist_comm) it only moves bytes; what is made of it is in
 * train/runs/card_sum.h.  Nothing waits: a transfer is work in a stream of the card.
 */
#ifndef DIST_CARDS_H
#define DIST_CARDS_H

#include "train/dist/dist.h"

struct dist_cards {
    char name[40]; /* "NCCL 2.27.3" */
    void *state;
    /* Queues all pieces of a transfer, in device memory, behind what is in `stream` (of CUDA).  All
     * ranks queue theirs in one order. */
    enum t2_status (*queue)(void *state, const struct dist_transfer *t, void *stream,
                            struct t2_err *err);
    /* The first failure of what was queued, without waiting. */
    enum t2_status (*check)(void *state, struct t2_err *err);
    void (*close)(void *state); /* waits for nothing; the streams have been waited for */
};

/*
 * By NCCL, for the card that this thread uses; all ranks call it.  T2_EUNSUPPORTED, on all ranks
 * alike and with the reason of one: a rank has no such library, or the library does not connect
 * these cards (two ranks have the same one).
 */
T2_MUST_CHECK enum t2_status dist_cards_nccl(struct dist *d, struct dist_cards *cards,
                                             struct t2_err *err);

#endif
