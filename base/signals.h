/*
 * base/signals.h - SIGINT and SIGTERM ask for a clean stop; a second one kills, unless it comes
 * within a fifth of a second: that is the same request on another way.  SIGUSR1 asks for a
 * checkpoint where a tool makes some.
 */
#ifndef T2_BASE_SIGNALS_H
#define T2_BASE_SIGNALS_H

#include <stdbool.h>

#include "base/err.h"

void t2_signals_install(void);
bool t2_interrupted(void);
/* For a server, which finishes what it has begun: from now on a request to stop is told by
 * t2_stop_asked alone, and cuts no work off.  A second signal still kills. */
void t2_signals_finish_first(void);
bool t2_stop_asked(void);
/* T2_EINTERRUPTED with "interrupted; run the same command again to continue" once a signal came. */
T2_MUST_CHECK enum t2_status t2_check_interrupt(struct t2_err *err);

/* SIGUSR1 asks for a checkpoint, from now on; it is asked for until t2_save_done. */
void t2_signals_install_save(void);
bool t2_save_asked(void);
void t2_save_done(void);

#endif
