/*
 * train/graph/profile.h - where the time of graphs goes: seconds per operator.
 */
#ifndef GR_PROFILE_H
#define GR_PROFILE_H

#include "train/graph/trace.h"

enum { GR_MAX_PROFILE = 32 };

/* Over many runs; zero-initialise, gr_profile_release. */
struct gr_profile {
    const char *op[GR_MAX_PROFILE];
    double forward_s[GR_MAX_PROFILE], backward_s[GR_MAX_PROFILE];
    int n;
    struct gr_marks *marks; /* of the run in progress */
    /* Gets the nodes of runs, which the caller adds behind their marks, with their times; NULL:
     * nobody does. */
    struct gr_trace *trace;
};

void gr_profile_release(struct gr_profile *p);

/* Around the nodes of a run: an event behind each of them, added up at the end. */
void gr_profile_begin(struct gr_profile *p, struct dev *dev);
void gr_profile_mark(struct gr_profile *p, const char *op, bool backward);
void gr_profile_end(struct gr_profile *p);

#endif
