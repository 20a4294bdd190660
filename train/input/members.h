/*
 * train/input/members.h - which samples make a batch: what an order (batch_order.h) gives and a
 * maker (batch_maker.h) reads.  The batch is that of all ranks (rank.h).
 */
#ifndef IN_MEMBERS_H
#define IN_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "train/input/index.h"

/* Zero-initialise, clear and fill for each batch, release. */
struct in_members {
    int32_t n_rows;                 /* B */
    size_t *begins;                 /* (B + 1): row i has begins[i] .. begins[i + 1] - 1 of: */
    const struct in_place **places; /* (begins[B]): places of the index */
    uint64_t *epochs;               /* (begins[B]): which round of the data this is; of rows 0 */
    uint64_t samples;               /* consumed up to and with this batch */
    /* private */
    size_t row_capacity, capacity;
};

void in_members_clear(struct in_members *m);
void in_members_release(struct in_members *m);
/* One more sample in the row that is being filled, and the end of that row. */
void in_members_add(struct in_members *m, const struct in_place *place, uint64_t epoch);
void in_members_end_row(struct in_members *m);

#endif
