/*
 * train/dist/comm.h - the transports there are.
 */
#ifndef DIST_COMM_H
#define DIST_COMM_H

#include "train/dist/dist.h"

/* A process alone. */
void dist_comm_one(struct dist_comm *comm);

/* How many processes mpirun, mpiexec or srun have started together with this one, by what they say
 * in the environment; 1: none has. */
int dist_mpi_launched(void);

/*
 * What they have started, by MPI: Open MPI, or a library with MPICH's binary interface (MPICH,
 * Intel MPI, MVAPICH, Cray's), whichever the launcher is of.  The library is opened here, and all
 * of its calls are made by one thread.  `size`: as launched.  *comm is the caller's, to close.
 *
 * Ranks tell rank 0 every second that they are there, and rank 0 tells them.  One that has been
 * silent for silence_s, or whose process ends before it has closed, ends all: the others' transfers
 * fail or they are ended by the launcher, after one of them has said which rank it was.
 */
T2_MUST_CHECK enum t2_status dist_comm_mpi(int size, double silence_s, struct dist_comm *comm,
                                           struct t2_err *err);

#endif
