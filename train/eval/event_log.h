/*
 * train/eval/event_log.h - the event files that a run writes for TensorBoard, one a folder and
 * process, as TensorFlow's writers name them: <dir>/events.out.tfevents.<seconds>.<host>.
 *
 * A run that continues at a step loses no event and has none twice: files of runs before it are cut
 * behind that step, and what a killed run wrote of a last event is removed.  Files that another
 * program wrote are left as they are.
 */
#ifndef EV_EVENT_LOG_H
#define EV_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* What the first event of a file names as its writer. */
#define EV_EVENT_WRITER "t2t.c"

struct ev_event_log;

/* Nothing is written before the first event.  step: of the checkpoint that the run continues from;
 * -1: nothing is cut. */
T2_MUST_CHECK enum t2_status ev_event_log_open(const char *dir, int64_t step,
                                               struct ev_event_log **log, struct t2_err *err);
/* The values of one event (tfrecord/event_write.h), as of this step and of the time of the call;
 * appended by one write.  The first makes the folder and the file. */
T2_MUST_CHECK enum t2_status ev_event_log_add(struct ev_event_log *log, int64_t step,
                                              struct t2_slice summary, struct t2_err *err);
/* True while the folder holds no event of this run, or of one that it continues. */
bool ev_event_log_is_empty(const struct ev_event_log *log);
/* NULL does nothing. */
void ev_event_log_close(struct ev_event_log *log);

#endif
