/*
 * train/graph/late_values.h - values of parameters that are made when somebody reads them.
 *
 * A mapped file has weights in fewer bits (exchange/model_file.c), and a search multiplies by packs
 * of most of them (packs.h): their floats are wanted once, while they are packed.  So they are made
 * in memory that is used again, and the arena of the values has only what graphs read otherwise.
 */
#ifndef GR_LATE_VALUES_H
#define GR_LATE_VALUES_H

#include "train/graph/graph.h"

/* Rows [row, row + n_rows) of a variable of rank 2, into `to` (n_rows, dims[1]); by any thread. */
typedef void (*gr_make_rows_fn)(void *context, const struct gr_variable *v, int64_t row,
                                int64_t n_rows, float *to);

/* The same rows as whole numbers, and the scales whose products with them, rounded, are the values:
 * (n_rows), of each row one, or (dims[1]), of each column.  False: they are kept otherwise. */
typedef bool (*gr_copy_whole_fn)(void *context, const struct gr_variable *v, bool by_rows,
                                 int64_t row, int64_t n_rows, int8_t *to, float *scales);

struct gr_late {
    gr_make_rows_fn make;
    gr_copy_whole_fn copy_whole;
    void (*release)(void *context);
    void *context;
    bool *is_late;         /* (n_params): not in the arena yet */
    bool *is_wanted;       /* (n_params): a graph reads them there */
    bool **has_rows;       /* (n_params): NULL, or of which rows (dims[0]) values are there */
    uint64_t wanted_bytes; /* of those that are wanted, all or by rows, made or not */
};

/* Can there be such?  The device reads the host's memory in its layout, nobody trains, and no graph
 * is bound. */
bool gr_late_possible(const struct gr_params *p);
/* Parameters with is_late are made by make, or given by copy_whole.  Takes is_late (n_params) and
 * the context, which release gives back with the params. */
void gr_late_begin(struct gr_params *p, gr_make_rows_fn make, gr_copy_whole_fn copy_whole,
                   void (*release)(void *context), void *context, bool *is_late);
/* The values will come from elsewhere. */
void gr_late_end(struct gr_params *p);

/* Not in the arena, and no graph wants it there. */
static inline bool gr_stays_late(const struct gr_params *p, int param)
{
    return p->late && p->late->is_late[param] && !p->late->is_wanted[param];
}

/* Notes what a finished graph reads otherwise than by packs, as a whole or by rows; gr_late_bytes
 * then counts it. */
void gr_late_want(const struct gr_graph *g);
uint64_t gr_late_bytes(const struct gr_params *p);
/* Makes what graphs were found to want; all. */
void gr_late_make_wanted(const struct gr_params *p);
void gr_late_make_all(const struct gr_params *p);
/* Rows of one that is late, into `to`, which need not be their place. */
void gr_late_make_to(const struct gr_params *p, int param, int64_t row, int64_t n_rows, float *to);
/* The same as whole numbers (gr_copy_whole_fn).  False: not with such scales. */
bool gr_late_copy_whole(const struct gr_params *p, int param, bool by_rows, int64_t row,
                        int64_t n_rows, int8_t *to, float *scales);
/* Makes, where it is late, those of n rows that are not there yet; what is no row is passed over.
 * Of a table only few rows are read in a short time. */
void gr_late_rows(const struct gr_params *p, int param, const int32_t *rows, int64_t n);

#endif
