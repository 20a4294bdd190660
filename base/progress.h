/*
 * base/progress.h - one progress line with rate and ETA on stderr.
 *
 * Redraws in place on a terminal; otherwise one line every few seconds; silent under --quiet.
 */
#ifndef T2_BASE_PROGRESS_H
#define T2_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct t2_progress {
    const char *what; /* "reading" */
    const char *unit; /* "lines"; "bytes" prints human sizes */
    uint64_t total;   /* 0 = unknown: no ETA */
    uint64_t done;
    double started_s, printed_s;
    int active;
};

/* Nothing that the calling thread begins from now on is shown: it works beside the one whose line
 * that is.  One thread at a time; another's call ends it for this one. */
void t2_progress_mute(void);

void t2_progress_start(struct t2_progress *p, const char *what, const char *unit, uint64_t total);
void t2_progress_update(struct t2_progress *p, uint64_t done);
void t2_progress_end(struct t2_progress *p); /* clears the line on a terminal */

/* A line of the caller's own text that is redrawn on a terminal, and is not there elsewhere.  Draw
 * when it is due; log lines go above it.  Ended by t2_progress_end. */
void t2_progress_start_live(struct t2_progress *p);
bool t2_progress_live_due(const struct t2_progress *p);
void t2_progress_live_draw(struct t2_progress *p, const char *text);

double t2_now_s(void); /* monotonic clock */

#endif
