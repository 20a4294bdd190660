/*
 * train/runs/card_ranks.h - --worker_gpu=N on a machine with several cards: a rank for each.
 */
#ifndef TR_CARD_RANKS_H
#define TR_CARD_RANKS_H

#include "base/err.h"
#include "train/device/device.h"

/* Into how many ranks with equally many of n_shards shards the cards are put; 1: nothing is. */
int tr_card_ranks(int64_t n_shards, int n_cards);

/*
 * Where --device (`device`) means several cards, and `worker_gpu` shards can be shared out among
 * them, this process becomes mpirun, which starts its command line once for each card
 * (argv[0 .. argc-1], and behind it --worker_gpu for what each has).  The bits are those of one
 * process: data_shards.h.
 *
 * Returns where there is nothing to start, in a rank, and, with a warning, where there is no
 * mpirun: the shards are then computed one after the other.
 */
T2_MUST_CHECK enum t2_status tr_start_card_ranks(const char *device, int64_t worker_gpu, int argc,
                                                 char *const *argv, struct t2_err *err);

#endif
