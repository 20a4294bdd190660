/*
 * tfrec/edit_journal.h - an edit of a data set happens whole or not at all, however it is stopped.
 *
 * New files are made in the folder ".<name>.edit" beside the manifest; until then the set is as it
 * was. Then the journal ".<name>.edit.json" appears, with everything that is left to do: renames
 * within the file system, the manifest last.  From that moment the edit is decided: the next
 * command on the set finishes it.  Meanwhile tfr_manifest_load refuses the set.  Layout:
 * docs/formats.md.
 */
#ifndef REC_EDIT_JOURNAL_H
#define REC_EDIT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* One step.  Names are plain file names. */
struct rec_move {
    char *from;
    char *to;      /* NULL: from is removed, if it is there */
    bool staged;   /* from is in the staging folder, else beside the manifest */
    bool optional; /* from may be absent, and nothing else then stands for it: an index */
};

struct rec_journal {
    char *command;
    char edit_sha256[65];       /* "": is no edit that can be known again */
    char before[65], after[65]; /* SHA-256 of the manifest that is replaced, and of the new one */
    struct rec_move *moves;
    size_t n_moves;
};

void rec_journal_release(struct rec_journal *j);
/* from and to are copied; to may be NULL. */
void rec_journal_add(struct rec_journal *j, const char *from, const char *to, bool staged,
                     bool optional);

/* Indexes (tfrecord/record_index.h) of a shard that is rewritten must not outlive it; those of a
 * shard that is renamed go with it, for neither size nor time of the data changes. */
void rec_journal_drop_indexes(struct rec_journal *j, const char *file);
void rec_journal_move_indexes(struct rec_journal *j, const char *from, const char *to);

/* "<dir>/.<name>.edit"; owned by the caller. */
char *rec_staging_dir(const char *manifest_path);
/* Makes it, empty. */
T2_MUST_CHECK enum t2_status rec_staging_make(const char *manifest_path, struct t2_err *err);
/* Removes it and the files in it; absent is fine. */
T2_MUST_CHECK enum t2_status rec_staging_clear(const char *manifest_path, struct t2_err *err);

/*
 * Everything is staged: writes the journal, does all moves, cleans up.  A failure before the
 * journal is there leaves the set as it was; one after that leaves work for rec_journal_recover,
 * and the message says so.
 */
T2_MUST_CHECK enum t2_status rec_journal_commit(const char *manifest_path,
                                                const struct rec_journal *j, struct t2_err *err);

/*
 * Brings a set whose edit was stopped into a sound state: with a journal the edit is finished,
 * without one what was staged is removed.  Call it with the lock held.  *finished (zeroed; released
 * by the caller) describes the edit that was finished, its command is NULL when there was none.
 */
T2_MUST_CHECK enum t2_status rec_journal_recover(const char *manifest_path,
                                                 struct rec_journal *finished, struct t2_err *err);

/* Test hook: the n-th step of commit or recover from now ends with T2_EINTERRUPTED, as if the
 * process had been killed before it; 0 = off.  Returns how many steps were counted since the last
 * call. */
int rec_journal_stop_before(int n);

#endif
