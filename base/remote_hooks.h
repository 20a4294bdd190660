/*
 * base/remote_hooks.h - what io.h, file.h and out.c call for remote paths.
 *
 * A program that calls t2_remote_begin (remote/remote_file.h) fills this table; in any other, and
 * in libtfrecord.so, it stays NULL and remote paths are refused.  The table keeps the files that
 * everybody reads with from calling the network themselves.
 */
#ifndef T2_BASE_REMOTE_HOOKS_H
#define T2_BASE_REMOTE_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"

enum t2_scratch_use {
    T2_SCRATCH_NAME,  /* only its name is asked for */
    T2_SCRATCH_WRITE, /* it is about to be written; from then on path means it */
    T2_SCRATCH_APPEND /* the same, and it begins with what path had */
};

struct t2_remote_hooks {
    /* *fd reads the object: a local file of its size whose bytes may still be arriving. */
    enum t2_status (*open)(const char *path, int *fd, struct t2_err *err);
    enum t2_status (*look)(const char *path, struct t2_file_info *info, struct t2_err *err);
    enum t2_status (*list)(const char *path, struct t2_strs *names, struct t2_err *err);
    enum t2_status (*make_dirs)(const char *path, struct t2_err *err);
    enum t2_status (*remove)(const char *path, struct t2_err *err);
    enum t2_status (*rename)(const char *from, const char *to, struct t2_err *err);
    /* A local path to write what put then takes; owned by the caller. */
    enum t2_status (*stage)(const char *path, char **local, struct t2_err *err);
    /* The local file becomes the object, now or later (t2_remote_flush); it is gone from `local`.
     */
    enum t2_status (*put)(const char *path, const char *local, struct t2_err *err);
    /* The local file for what is no output: locks, spilled data, logs that grow.  Owned by the
     * caller. */
    char *(*scratch)(const char *path, enum t2_scratch_use use);
    void (*unordered)(bool is_on);
    /* Waits until the bytes are there; 0, or EREMOTEIO (err.h). */
    int (*need)(int fd, uint64_t offset, uint64_t n);
};

extern const struct t2_remote_hooks *t2_remote;
/* How many opened files are still arriving; without any, reading asks nothing. */
extern _Atomic int t2_remote_arriving;

/* 0 at once unless fd is such a file. */
static inline int t2_remote_need(int fd, uint64_t offset, uint64_t n)
{
    return atomic_load_explicit(&t2_remote_arriving, memory_order_acquire) > 0
               ? t2_remote->need(fd, offset, n)
               : 0;
}

/* From true to false, files that are committed are sent in any order, several at once: the shards
 * of a data set, whose manifest comes after.  Otherwise each is there before the next is begun. */
void t2_remote_unordered(bool is_on);
/* T2_OK with *is_remote for a remote path in a program that can, and for a local one. */
T2_MUST_CHECK enum t2_status t2_remote_check(const char *path, bool *is_remote, struct t2_err *err);
/* What a scratch file's path means on this machine: of a local path itself.  Owned by the
 * caller. */
char *t2_scratch_path(const char *path);
/* The folder of such files for a remote folder. */
char *t2_scratch_dir(const char *dir);

#endif
