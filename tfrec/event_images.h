/*
 * tfrec/event_images.h - images of events as files in one folder.
 *
 * A name is made of the run's, the tag's and the step's, with anything but letters, digits, '.',
 * '-' and
 * '_' as '_': nothing is written outside the folder.
 */
#ifndef REC_EVENT_IMAGES_H
#define REC_EVENT_IMAGES_H

#include "tfrec/event_row.h"

struct t2_map;

/* Zero-initialise but for folder; release. */
struct rec_event_files {
    const char *folder;
    struct t2_map *used;           /* names, with how often each was wanted */
    uint64_t n_written, n_unknown; /* unknown: no image by its first bytes */
};

T2_MUST_CHECK enum t2_status rec_event_write_images(struct rec_event_files *f,
                                                    const struct rec_event_row *row,
                                                    struct t2_err *err);
void rec_event_files_release(struct rec_event_files *f);

#endif
