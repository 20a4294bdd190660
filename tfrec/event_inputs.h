/*
 * tfrec/event_inputs.h - the event files an INPUT means: as tfrecord/inputs.h, but of a folder all
 * files below it whose name has "tfevents", as TensorBoard takes them.
 */
#ifndef REC_EVENT_INPUTS_H
#define REC_EVENT_INPUTS_H

#include "tfrecord/inputs.h"

/* As tfr_inputs_find.  Folders are entered at most 16 deep; links to folders are not followed. */
T2_MUST_CHECK enum t2_status rec_event_inputs(const struct t2_strs *args, struct tfr_inputs *in,
                                              struct t2_err *err);

#endif
