/*
 * base/io.h - system calls on files, whole: interrupted ones are called again, short ones
 * continued.
 *
 * The only place that calls open, read, pread, write and pwrite for data (tests/lint/check_io.sh).
 * Short and interrupted calls are handled here once; failures are left to the caller, which knows
 * the purpose of the file: functions without t2_err return 0 or an errno value.
 */
#ifndef T2_BASE_IO_H
#define T2_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* open(2) with O_CLOEXEC; mode counts where a file is created.  A remote path is read as
 * t2_open_input does; written, it means its scratch file (remote_hooks.h). */
int t2_io_open(const char *path, int flags, unsigned mode, int *fd);
/* 1 to n bytes; *n_read 0 only at the end.  For files, not for pipes: see t2_io_read_stream. */
int t2_io_read(int fd, void *to, size_t n, size_t *n_read);
/* n bytes at offset; fewer only where the file ends. */
int t2_io_pread(int fd, void *to, size_t n, uint64_t offset, size_t *n_read);
/* The same without waiting for a remote file: for whoever brings it. */
int t2_io_pread_arrived(int fd, void *to, size_t n, uint64_t offset, size_t *n_read);
/* All n bytes; *n_written (NULL is allowed) counts them also on failure. */
int t2_io_write(int fd, const void *from, size_t n, size_t *n_written);
int t2_io_pwrite(int fd, const void *from, size_t n, uint64_t offset, size_t *n_written);
/* Begins to bring n bytes at offset to the disk, so that a later t2_io_sync waits less: with 66 MB
 * of images 0.37 s instead of 0.39 s (bench/results/2026-11-22-jpeg-notes.md).  It is no guarantee
 * of anything. */
void t2_io_start_writing(int fd, uint64_t offset, uint64_t n);
/* A file without a name in dir, readable and writable, gone when it is closed. */
int t2_io_open_unnamed(const char *dir, int *fd);
/* fsync(2); a file system that cannot is no failure. */
int t2_io_sync(int fd);
/* An interrupted close(2) has closed. */
int t2_io_close(int fd);

/*
 * Opens a file for reading.  T2_ENOTFOUND "'%s': no such file", T2_EIO for folders, for what is no
 * regular file unless stream_ok, and for what the system refuses.  *info (NULL is allowed) is of
 * the open file.
 *
 * A pipe is opened without waiting for its writer; read it by t2_io_read_stream.
 */
T2_MUST_CHECK enum t2_status t2_open_input(const char *path, bool stream_ok, int *fd,
                                           struct stat *info, struct t2_err *err);
/*
 * As t2_io_read, from anything: waits for bytes of a pipe, a socket or a terminal, and for these,
 * not for files, checks for Ctrl-C (T2_EINTERRUPTED).  A named pipe that no process opens for
 * writing for ten seconds is T2_EIO.
 */
T2_MUST_CHECK enum t2_status t2_io_read_stream(int fd, const char *path, void *to, size_t n,
                                               size_t *n_read, struct t2_err *err);

/* stat(2), also of remote paths: 0, or -1 and errno.  Their device and inode are of the name. */
int t2_stat(const char *path, struct stat *s);

#endif
