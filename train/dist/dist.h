/*
 * train/dist/dist.h - several processes that train one model: which of them this is, and what they
 * tell each other.
 *
 * A transport does one thing: it sends some bytes to some ranks and receives some from others
 * (struct dist_comm).  There is one for a process alone (comm_one.c) and one over MPI (comm_mpi.c);
 * tests have one between threads.  All else is made of it here: collectives as MPI has them, and
 * sums of gradients in an order that does not depend on the ranks (tree_sum.h).
 *
 * All ranks make the same calls in the same order.  One thread of a process makes them.
 */
#ifndef DIST_DIST_H
#define DIST_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DIST_HOST_BYTES = 64 };

/* Bytes to or from a rank; those of a transfer stay as they are until it is finished. */
struct dist_piece {
    int rank;
    void *data;
    size_t bytes;
};

/* All pieces between a pair of ranks are in the same order, and of the same size, on both sides; no
 * piece is the caller's own. */
struct dist_transfer {
    const struct dist_piece *send, *receive;
    int n_send, n_receive;
};

/* A transport; every function gets `state`. */
struct dist_comm {
    const char *name; /* "one process", "Open MPI v4.1.4" */
    int rank, size;
    void *state;
    /* Begins a transfer; *number is what `finish` takes.  The arrays of pieces may change when it
     * returns. */
    enum t2_status (*start)(void *state, const struct dist_transfer *t, uint64_t *number,
                            struct t2_err *err);
    /* Waits for the transfer.  T2_EIO names the rank that is gone. */
    enum t2_status (*finish)(void *state, uint64_t number, struct t2_err *err);
    /* Would `finish` return at once?  NULL: it is not known. */
    bool (*is_done)(void *state, uint64_t number);
    /* Ends all ranks, also those that wait; may not return. */
    void (*abort)(void *state);
    void (*close)(void *state);
};

struct dist {
    struct dist_comm comm;
    char (*hosts)[DIST_HOST_BYTES]; /* of each rank */
    int n_here;                     /* ranks on this rank's host, itself included */
    bool all_know;                  /* why this run fails: rank 0 says it, nobody is ended */
};

/*
 * What mpirun, mpiexec or srun have started, by what they say in the environment; a process that
 * was started alone is rank 0 of 1.  T2_EUNSUPPORTED: there are several, and no MPI library that
 * knows of them.  silence_s: a rank that has not been heard of for so long is lost (at least 2).
 */
T2_MUST_CHECK enum t2_status dist_open(double silence_s, struct dist **d, struct t2_err *err);
/* Of a transport, which is closed also on failure. */
T2_MUST_CHECK enum t2_status dist_new(const struct dist_comm *comm, const char *host,
                                      struct dist **d, struct t2_err *err);
void dist_close(struct dist *d); /* all ranks; NULL is nothing */

static inline int dist_rank(const struct dist *d)
{
    return d->comm.rank;
}

static inline int dist_size(const struct dist *d)
{
    return d->comm.size;
}

/* How many of the ranks before this one are on its host. */
int dist_index_here(const struct dist *d);

T2_MUST_CHECK enum t2_status dist_barrier(struct dist *d, struct t2_err *err);
/* all (size, bytes) gets `mine` (bytes) of every rank. */
T2_MUST_CHECK enum t2_status dist_all_gather(struct dist *d, const void *mine, size_t bytes,
                                             void *all, struct t2_err *err);
/* Of rank r: bytes[r], any number, at all + at[r]; its own are there already. */
T2_MUST_CHECK enum t2_status dist_all_gather_parts(struct dist *d, void *all, const size_t *at,
                                                   const size_t *bytes, struct t2_err *err);
/* The root gets `mine` (bytes_mine) of every rank r at all + at[r], bytes[r] of it; all, at and
 * bytes are the root's and not looked at elsewhere.  Any number of bytes. */
T2_MUST_CHECK enum t2_status dist_gather_parts(struct dist *d, const void *mine, size_t bytes_mine,
                                               int root, void *all, const size_t *at,
                                               const size_t *bytes, struct t2_err *err);
/* One rank sends, another receives; any number of bytes, which is the same on both. */
T2_MUST_CHECK enum t2_status dist_send(struct dist *d, int to, const void *data, size_t bytes,
                                       struct t2_err *err);
T2_MUST_CHECK enum t2_status dist_receive(struct dist *d, int from, void *data, size_t bytes,
                                          struct t2_err *err);
/* Everybody gets data (bytes, any number) of the root. */
T2_MUST_CHECK enum t2_status dist_broadcast(struct dist *d, void *data, size_t bytes, int root,
                                            struct t2_err *err);
/* The smallest of all. */
T2_MUST_CHECK enum t2_status dist_least(struct dist *d, int64_t mine, int64_t *least,
                                        struct t2_err *err);

/*
 * All ranks get the failure of the first that has one, with its number and host; T2_OK when all
 * have T2_OK.  *err: of `mine`, where that is a failure.  T2_EOF is passed on, too.
 */
T2_MUST_CHECK enum t2_status dist_agree(struct dist *d, enum t2_status mine, struct t2_err *err);

/*
 * Lines "name=value" that all ranks must have alike.  T2_EUSAGE, on all ranks, names the first line
 * that differs, both values, ranks and hosts.
 */
T2_MUST_CHECK enum t2_status dist_same_lines(struct dist *d, const char *lines, struct t2_err *err);

/* From here on a failure is one that all ranks have alike. */
void dist_all_know(struct dist *d);
/* Ends all ranks, after this one has said why. */
void dist_abort(struct dist *d);

#endif
