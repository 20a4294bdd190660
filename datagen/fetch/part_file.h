/*
 * datagen/fetch/part_file.h - "<name>.part": bytes of a file that is being downloaded.
 *
 * The bytes count only together with "<name>.part.json" (part_state.h), which is written before the
 * first of them; so a part is the begin of what the state names, whenever the process ended.
 */
#ifndef DG_PART_FILE_H
#define DG_PART_FILE_H

#include "datagen/fetch/part_state.h"

struct dg_part {
    char *path, *state_path;
    int fd; /* -1: nothing has been written yet */
    uint64_t have_bytes;
    struct dg_part_state state; /* url NULL: there is no part */
};

/* Looks at what a run before has left; a part without a usable state counts as none. */
void dg_part_look(struct dg_part *p, const char *dir, const char *name);
/* Empties the part; it now belongs to what `state` says (copied). */
T2_MUST_CHECK enum t2_status dg_part_begin(struct dg_part *p, const struct dg_part_state *state,
                                           struct t2_err *err);
/* Opens the part for more of the same. */
T2_MUST_CHECK enum t2_status dg_part_continue(struct dg_part *p, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_part_append(struct dg_part *p, const void *data, size_t len_bytes,
                                            struct t2_err *err);
/* Brings all to disk and closes; a run after this one can go on. */
T2_MUST_CHECK enum t2_status dg_part_close(struct dg_part *p, struct t2_err *err);
/* Removes part and state. */
T2_MUST_CHECK enum t2_status dg_part_discard(struct dg_part *p, struct t2_err *err);
void dg_part_release(struct dg_part *p); /* memory and descriptor; the files stay */

#endif
