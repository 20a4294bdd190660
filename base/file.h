/*
 * base/file.h - files: complete or absent.
 *
 * t2_out is the one way in this project to create an output file: it writes to a temporary name in
 * the same folder, checks every write, and on commit does fsync, rename, fsync of the folder.
 *
 * The temporary name is "<path>.incomplete", created anew (never through a link) and locked while
 * it is written.  A second writer of the same output is refused; what a dead one left behind is
 * removed.
 */
#ifndef T2_BASE_FILE_H
#define T2_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct t2_out;

/*
 * Opens "<path>.incomplete"; missing folders above it are made.  "-" writes to stdout.  T2_EIO when
 * another process is writing the same output, or when something that is not ours has the temporary
 * name.  A named pipe waits ten seconds for its reader.
 */
T2_MUST_CHECK enum t2_status t2_out_new(const char *path, struct t2_out **out, struct t2_err *err);
/* Buffered (1 MiB).  A failure is remembered; t2_out_commit reports it. */
void t2_out_write(struct t2_out *o, const void *data, size_t len_bytes);
void t2_out_puts(struct t2_out *o, const char *s);
void t2_out_printf(struct t2_out *o, const char *format, ...) T2_PRINTF(2, 3);
uint64_t t2_out_bytes(const struct t2_out *o);
/* The remembered failure, T2_OK if none. */
enum t2_status t2_out_status(const struct t2_out *o, struct t2_err *err);
/* SHA-256 of all bytes written so far, hex, 65 bytes with NUL; only after t2_out_hash_on. */
void t2_out_hash_on(struct t2_out *o);
void t2_out_sha256(struct t2_out *o, char hex[65]);
/* Makes the file appear under its name; releases o, also on failure (then nothing appears). */
T2_MUST_CHECK enum t2_status t2_out_commit(struct t2_out *o, struct t2_err *err);
/*
 * For several files that appear together: t2_out_finish brings everything to disk and closes the
 * file (nothing can be written after it, a full disk is noticed here), t2_out_commit_as then only
 * renames, to another name in the same file system if need be.  Output to stdout or a device has no
 * name: it is complete after t2_out_finish.  t2_out_commit_as releases o, also on failure.
 */
T2_MUST_CHECK enum t2_status t2_out_finish(struct t2_out *o, struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_out_commit_as(struct t2_out *o, const char *path,
                                              struct t2_err *err);
/* Where the bytes are until the commit; NULL for stdout and devices.  Borrowed. */
const char *t2_out_temporary(const struct t2_out *o);
/* Removes the temporary file of a dead writer of path; one that is being written, or is not ours,
 * stays.  True when something was removed. */
bool t2_out_remove_leftover(const char *path);
/* As t2_out_abort, for outputs that only this run needed: fails when the temporary file cannot be
 * removed. */
T2_MUST_CHECK enum t2_status t2_out_discard(struct t2_out *o, struct t2_err *err);
/* Removes the temporary file and releases o.  NULL is allowed. */
void t2_out_abort(struct t2_out *o);

/* Whole small file -> path, by t2_out. */
T2_MUST_CHECK enum t2_status t2_write_file(const char *path, const void *data, size_t len_bytes,
                                           struct t2_err *err);
/* Whole file -> buf (replaced).  max_bytes 0 = no limit; larger is T2_EFORMAT.  A directory is
 * T2_EIO with a clear text. */
T2_MUST_CHECK enum t2_status t2_read_file(const char *path, uint64_t max_bytes, struct t2_buf *buf,
                                          struct t2_err *err);

/* The time of `from` onto `to`, which is not remote (else nothing is done); nothing where there is
 * no `from`. */
T2_MUST_CHECK enum t2_status t2_copy_file_time(const char *from, const char *to,
                                               struct t2_err *err);
/* Copies a small file with its time, unless there is a `to` or no `from`. */
T2_MUST_CHECK enum t2_status t2_copy_file_once(const char *from, const char *to,
                                               struct t2_err *err);

/* Read-only memory map of a regular file; data NULL when it is empty.  A file that is cut while it
 * is mapped ends the program with a message (mapping.h). */
struct t2_mapped {
    struct t2_mapping *mapping;
    const uint8_t *data;
    size_t len_bytes;
};
T2_MUST_CHECK enum t2_status t2_map_file(const char *path, struct t2_mapped *m, struct t2_err *err);
void t2_unmap_file(struct t2_mapped *m);
/* The pages that lie in these bytes of the map leave main memory; reading them again fetches them
 * from the file. */
void t2_mapped_forget(const struct t2_mapped *m, const void *from, size_t len_bytes);

enum t2_file_kind { T2_FILE_ABSENT, T2_FILE_REGULAR, T2_FILE_DIR, T2_FILE_OTHER };
/* What a path names; zeros when nothing is there. */
struct t2_file_info {
    enum t2_file_kind kind;
    uint64_t bytes;
    int64_t changed_ns; /* since 1970 */
};
/* Three answers: T2_OK with what is there; T2_OK with T2_FILE_ABSENT, only when the system says
 * that nothing is there; T2_EIO when it cannot say (EACCES, EIO, ELOOP), with *info absent.  Links
 * are followed. */
T2_MUST_CHECK enum t2_status t2_look_at(const char *path, struct t2_file_info *info,
                                        struct t2_err *err);
/* The same of the path itself: a link is T2_FILE_OTHER, wherever it leads. */
T2_MUST_CHECK enum t2_status t2_look_at_link(const char *path, struct t2_file_info *info,
                                             struct t2_err *err);
/* Not known to be absent.  What cannot be looked at (EACCES, EIO) counts as there: whoever opens it
 * next gets the reason, and nobody takes it for lost. */
bool t2_exists(const char *path);
/* False also where it cannot be looked at: only for what is opened next anyway.  Who would leave
 * something out asks t2_look_at. */
bool t2_is_dir(const char *path);
/* T2_ENOTFOUND when absent; T2_EIO for directories and unreadable files. */
T2_MUST_CHECK enum t2_status t2_file_size(const char *path, uint64_t *bytes, struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_make_dirs(const char *path, struct t2_err *err); /* mkdir -p */
/* The folder that path will lie in. */
T2_MUST_CHECK enum t2_status t2_make_parents(const char *path, struct t2_err *err);
/*
 * A folder below one that any user may write to, such as /tmp: made with mode 0700, or there
 * already, ours, no link, and not writable by others.  T2_EIO otherwise: the user who made it first
 * could read, replace or link the files in it.
 */
T2_MUST_CHECK enum t2_status t2_make_private_dir(const char *path, struct t2_err *err);
bool t2_is_private_dir(const char *path);
/* rename(2) + fsync of the folder. */
T2_MUST_CHECK enum t2_status t2_rename(const char *from, const char *to, struct t2_err *err);
/* Absent is fine. */
T2_MUST_CHECK enum t2_status t2_remove(const char *path, struct t2_err *err);
/* Names (not paths) in a directory, sorted by bytes, without "." and "..". */
T2_MUST_CHECK enum t2_status t2_list_dir(const char *path, struct t2_strs *names,
                                         struct t2_err *err);
/* Free bytes on the file system that holds path. */
T2_MUST_CHECK enum t2_status t2_disk_free(const char *path, uint64_t *bytes, struct t2_err *err);

/* Joins with exactly one '/'.  Owned by the caller.  "~" at the start is the home folder. */
char *t2_path_join(const char *dir, const char *name);
char *t2_path_expand(const char *path);
const char *t2_path_base(const char *path); /* after the last '/' */
char *t2_path_dir(const char *path);        /* "." when there is none; owned by the caller */

#endif
