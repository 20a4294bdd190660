/*
 * base/follow.h - waiting for what other programs put into a folder.
 */
#ifndef T2_BASE_FOLLOW_H
#define T2_BASE_FOLLOW_H

#include <stdbool.h>

#include "base/err.h"

/* Waits; T2_EINTERRUPTED soon after a signal. */
T2_MUST_CHECK enum t2_status t2_nap(double seconds, struct t2_err *err);

/* Takes what is new: *found says whether there was anything.  Called at once, then twice a second,
 * until there has been nothing for wait_s, or it fails. */
typedef enum t2_status (*t2_look_fn)(void *context, bool *found, struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_follow(t2_look_fn look, void *context, double wait_s,
                                       struct t2_err *err);

#endif
