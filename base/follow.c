/*
 * base/follow.c - see the header.
 */
#include "base/follow.h"

#include <time.h>

#include "base/progress.h"
#include "base/signals.h"

enum { NAP_MS = 200, LOOK_MS = 500 };

enum t2_status t2_nap(double seconds, struct t2_err *err)
{
    const double until = t2_now_s() + seconds;

    for (double left = seconds; left > 0; left = until - t2_now_s()) {
        struct timespec nap = {.tv_nsec = NAP_MS * 1000000L};

        T2_TRY(t2_check_interrupt(err));
        if (left < 1e-3 * NAP_MS)
            nap.tv_nsec = (long) (1e9 * left);
        (void) nanosleep(&nap, NULL);
    }
    return t2_check_interrupt(err);
}

enum t2_status t2_follow(t2_look_fn look, void *context, double wait_s, struct t2_err *err)
{
    double since = t2_now_s();

    for (;;) {
        bool found = false;

        T2_TRY(look(context, &found, err));
        if (found)
            since = t2_now_s();
        if (t2_now_s() - since >= wait_s)
            return T2_OK;
        T2_TRY(t2_nap(1e-3 * LOOK_MS, err));
    }
}
