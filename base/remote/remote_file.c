/*
 * base/remote/remote_file.c - the functions behind t2_remote: what each call on a file means for an
 * object.
 */
#include "base/remote/remote_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/log.h"
#include "base/remote/known_objects.h"
#include "base/remote/remote_cache.h"
#include "base/remote/remote_fill.h"
#include "base/remote/remote_pending.h"
#include "base/remote_hooks.h"

enum { COPY_BYTES = 1 << 20 };

static bool is_behind_on;
static _Atomic bool is_used;

/* ---- looking ---- */

static bool has_hash(const struct t2_object *o)
{
    return o->has_crc32c || o->has_md5;
}

/* The object at l.  A listing says no hashes; the answers to reading do. */
static enum t2_status find_object(const struct t2_location *l, struct t2_object *o,
                                  struct t2_err *err)
{
    atomic_store(&is_used, true);
    if (t2_known_get(l->name, o))
        return T2_OK;
    *o = (struct t2_object){0};
    if (*l->key)
        T2_TRY(t2_store_of(l)->stat(l, o, err));
    if (o->is_there)
        t2_known_set(l->name, o);
    return T2_OK;
}

static enum t2_status note_any(void *context, const char *name, const struct t2_object *o,
                               struct t2_err *err)
{
    (void) name, (void) o, (void) err;
    *(bool *) context = true;
    return T2_OK;
}

static enum t2_status look_at_object(const struct t2_location *l, struct t2_file_info *info,
                                     struct t2_err *err)
{
    struct t2_object o;
    bool has_any = *l->key == '\0';

    T2_TRY(find_object(l, &o, err));
    if (o.is_folder) {
        info->kind = T2_FILE_DIR;
    } else if (o.is_there) {
        info->kind = T2_FILE_REGULAR;
        info->bytes = o.bytes;
        info->changed_ns = o.changed_s * 1000000000 +
                           (int64_t) (t2_hash64(o.version, strlen(o.version), 0) % 1000000000);
    } else if (l->scheme != T2_SCHEME_HTTP) {
        T2_TRY(t2_store_of(l)->list(l, 1, note_any, &has_any, err));
        if (has_any)
            info->kind = T2_FILE_DIR;
    }
    return T2_OK;
}

static enum t2_status look(const char *path, struct t2_file_info *info, struct t2_err *err)
{
    struct t2_location l;
    struct stat s;
    enum t2_status st = T2_OK;
    int fd;

    *info = (struct t2_file_info){0};
    switch (t2_pending_look(path, &fd, NULL)) {
    case T2_PENDING_FILE:
        if (fd >= 0 && fstat(fd, &s) == 0) {
            info->kind = T2_FILE_REGULAR;
            info->bytes = (uint64_t) s.st_size;
            info->changed_ns = (int64_t) s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
        }
        if (fd >= 0)
            (void) close(fd);
        return T2_OK;
    case T2_PENDING_DIR:
        info->kind = T2_FILE_DIR;
        return T2_OK;
    case T2_PENDING_REMOVED:
        return T2_OK;
    default:
        st = t2_location_parse(path, &l, err);
        if (st == T2_OK)
            st = look_at_object(&l, info, err);
        t2_location_release(&l);
        return st;
    }
}

/* ---- reading ---- */

static enum t2_status open_empty(int *fd, struct t2_err *err)
{
    char *path;

    T2_TRY(t2_cache_incoming(&path, fd, err));
    (void) unlink(path);
    t2_free(path);
    return T2_OK;
}

static enum t2_status open_object(const struct t2_location *l, bool is_wanted, int *fd,
                                  struct t2_err *err)
{
    struct t2_object o;

    T2_TRY(find_object(l, &o, err));
    if (o.is_folder)
        return t2_fail(err, T2_EIO, "'%s' is a directory", l->path);
    if (!o.is_there)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such file", l->path);
    if (o.bytes == 0)
        return open_empty(fd, err);
    return t2_fill_open(l, &o, is_wanted, fd, err);
}

static enum t2_status open_wanted(const char *path, bool is_wanted, int *fd, struct t2_err *err)
{
    struct t2_location l;
    enum t2_pending_kind kind = t2_pending_look(path, fd, NULL);
    enum t2_status st;

    if (kind == T2_PENDING_FILE && *fd >= 0)
        return T2_OK;
    if (kind == T2_PENDING_REMOVED)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such file", path);
    if (kind == T2_PENDING_DIR)
        return t2_fail(err, T2_EIO, "'%s' is a directory", path);
    st = t2_location_parse(path, &l, err);
    if (st == T2_OK)
        st = open_object(&l, is_wanted, fd, err);
    t2_location_release(&l);
    return st;
}

static enum t2_status open_path(const char *path, int *fd, struct t2_err *err)
{
    return open_wanted(path, false, fd, err);
}

/* ---- folders ---- */

struct listing {
    const struct t2_location *l;
    struct t2_strs *names;
};

static enum t2_status note_entry(void *context, const char *name, const struct t2_object *o,
                                 struct t2_err *err)
{
    static const struct t2_object folder = {.is_there = true, .is_folder = true};
    struct listing *g = context;
    char *path = t2_asprintf("%s/%s", g->l->name, name);
    struct t2_object before;

    (void) err;
    t2_strs_push(g->names, name);
    /* What is known of the same version may have a hash that a listing has not. */
    if (!o || !t2_known_get(path, &before) || strcmp(before.version, o->version) != 0 ||
        !has_hash(&before))
        t2_known_set(path, o ? o : &folder);
    t2_free(path);
    return T2_OK;
}

/* "x" and "x/y" make the name x twice. */
static void leave_one_of_each(struct t2_strs *names)
{
    size_t n = 0;

    t2_strs_sort(names);
    for (size_t i = 0; i < names->n; i++) {
        if (n > 0 && strcmp(names->items[n - 1], names->items[i]) == 0)
            t2_free(names->items[i]);
        else
            names->items[n++] = names->items[i];
    }
    names->n = n;
}

static enum t2_status list_location(const struct t2_location *l, struct t2_strs *names,
                                    struct t2_err *err)
{
    struct listing g = {l, names};
    enum t2_pending_kind kind = t2_pending_look(l->path, NULL, NULL);

    atomic_store(&is_used, true);
    T2_TRY(t2_store_of(l)->list(l, 0, note_entry, &g, err));
    t2_pending_list(l->path, names);
    leave_one_of_each(names);
    if (names->n == 0 && kind != T2_PENDING_DIR && *l->key)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such directory", l->path);
    return T2_OK;
}

static enum t2_status list(const char *path, struct t2_strs *names, struct t2_err *err)
{
    struct t2_location l;
    enum t2_status st = t2_location_parse(path, &l, err);

    t2_strs_release(names);
    if (st == T2_OK)
        st = list_location(&l, names, err);
    t2_location_release(&l);
    return st;
}

/* Looks whether the bucket is there, before work is done for it. */
static enum t2_status make_dirs(const char *path, struct t2_err *err)
{
    struct t2_location l;
    bool has_any = false;
    enum t2_status st = t2_location_parse(path, &l, err);

    atomic_store(&is_used, true);
    if (st == T2_OK && l.scheme == T2_SCHEME_HTTP)
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "'%s': https:// is only read; write to a local path, gs:// or s3://", path);
    if (st == T2_OK && t2_pending_look(path, NULL, NULL) != T2_PENDING_DIR)
        st = t2_store_of(&l)->list(&l, 1, note_any, &has_any, err);
    if (st == T2_OK)
        t2_pending_dir(path);
    t2_location_release(&l);
    return st;
}

/* ---- writing ---- */

static enum t2_status done(enum t2_status st, struct t2_err *err)
{
    return st == T2_OK && !is_behind_on ? t2_pending_flush(err) : st;
}

static enum t2_status stage(const char *path, char **local, struct t2_err *err)
{
    struct t2_location l;
    enum t2_status st = t2_location_parse(path, &l, err);

    *local = NULL;
    if (st == T2_OK && l.scheme == T2_SCHEME_HTTP)
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "'%s': https:// is only read; write to a local path, gs:// or s3://", path);
    if (st == T2_OK && *l.key == '\0')
        st = t2_fail(err, T2_EIO, "'%s' is a directory", path);
    if (st == T2_OK)
        st = t2_cache_incoming(local, NULL, err);
    t2_location_release(&l);
    return st;
}

static enum t2_status put(const char *path, const char *local, struct t2_err *err)
{
    atomic_store(&is_used, true);
    return done(t2_pending_put(path, local, err), err);
}

static enum t2_status remove_path(const char *path, struct t2_err *err)
{
    atomic_store(&is_used, true);
    return done(t2_pending_remove(path, err), err);
}

static enum t2_status copy_bytes(int from, int to, const char *path, struct t2_err *err)
{
    uint8_t *buffer = t2_alloc(COPY_BYTES, 1);
    uint64_t at = 0;
    size_t n = 0;
    int errnum = 0;

    do {
        errnum = t2_io_pread(from, buffer, COPY_BYTES, at, &n);
        if (errnum == 0)
            errnum = t2_io_pwrite(to, buffer, n, at, NULL);
        at += n;
    } while (errnum == 0 && n > 0);
    t2_free(buffer);
    return errnum ? t2_fail_errno(err, errnum, "cannot copy '%s'", path) : T2_OK;
}

/* A new local file with the bytes that path has for this run; owned by the caller. */
static enum t2_status copy_of(const char *path, char **local, struct t2_err *err)
{
    int from, to;
    enum t2_status st;

    T2_TRY(open_wanted(path, true, &from, err));
    st = t2_cache_incoming(local, &to, err);
    if (st == T2_OK) {
        st = copy_bytes(from, to, path, err);
        (void) close(to);
    }
    (void) close(from);
    return st;
}

static enum t2_status rename_path(const char *from, const char *to, struct t2_err *err)
{
    struct t2_file_info info;
    char *local = NULL;
    enum t2_status st;

    if (!t2_is_remote(from))
        return put(to, from, err);
    if (!t2_is_remote(to))
        return t2_fail(err, T2_EUNSUPPORTED, "cannot rename '%s' to '%s': copy it", from, to);
    T2_TRY(look(from, &info, err));
    if (info.kind == T2_FILE_DIR)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "cannot rename '%s': object stores do not rename folders; name a local "
                       "folder and copy from there",
                       from);
    st = copy_of(from, &local, err);
    if (st == T2_OK)
        st = put(to, local, err);
    t2_free(local);
    return st == T2_OK ? remove_path(from, err) : st;
}

/* ---- what is not sent ---- */

static void begin_scratch(const char *path, const char *local, enum t2_scratch_use use)
{
    struct t2_err ignored = T2_ERR_INIT;
    char *copy = NULL, *before = NULL;

    (void) t2_pending_look(path, NULL, &before);
    if (before && strcmp(before, local) == 0) {
        t2_free(before); /* it is that file already */
        return;
    }
    (void) unlink(local);
    if (use == T2_SCRATCH_APPEND && copy_of(path, &copy, &ignored) == T2_OK)
        (void) rename(copy, local);
    t2_free(copy);
    t2_free(before);
    t2_pending_scratch(path, local);
}

static char *scratch(const char *path, enum t2_scratch_use use)
{
    char *local = t2_cache_work(path);

    if (use != T2_SCRATCH_NAME)
        begin_scratch(path, local, use);
    return local;
}

enum t2_status t2_remote_publish(const char *path, struct t2_err *err)
{
    char *local;
    enum t2_status st;

    if (!t2_remote || !t2_is_remote(path))
        return T2_OK;
    T2_TRY(copy_of(path, &local, err));
    st = t2_pending_put_behind_scratch(path, local, err);
    t2_free(local);
    return done(st, err);
}

/* ---- reading before it is asked for ---- */

static void *bring(void *arg)
{
    struct t2_strs *paths = arg;
    int window[128]; /* twice as many as usually arrive at once */
    const size_t n_window = sizeof window / sizeof *window;

    for (size_t i = 0; i < n_window; i++)
        window[i] = -1;
    for (size_t i = 0; i < paths->n + n_window; i++) {
        int *fd = &window[i % n_window];
        struct t2_err ignored = T2_ERR_INIT;

        if (*fd >= 0) {
            (void) t2_fill_need(*fd, 0, UINT64_MAX);
            (void) close(*fd);
        }
        *fd = -1;
        if (i < paths->n && open_wanted(paths->items[i], true, fd, &ignored) != T2_OK)
            *fd = -1;
    }
    t2_strs_release(paths);
    t2_free(paths);
    return NULL;
}

void t2_remote_prefetch(const struct t2_strs *paths)
{
    struct t2_strs *wanted;
    pthread_t thread;

    if (!t2_remote)
        return;
    wanted = t2_alloc(1, sizeof *wanted);
    for (size_t i = 0; i < paths->n; i++)
        if (t2_is_remote(paths->items[i]))
            t2_strs_push(wanted, paths->items[i]);
    if (wanted->n > 0 && pthread_create(&thread, NULL, bring, wanted) == 0) {
        (void) pthread_detach(thread);
        return;
    }
    t2_strs_release(wanted);
    t2_free(wanted);
}

/* ---- begin and end ---- */

static const struct t2_remote_hooks hooks = {.open = open_path,
                                             .look = look,
                                             .list = list,
                                             .make_dirs = make_dirs,
                                             .remove = remove_path,
                                             .rename = rename_path,
                                             .stage = stage,
                                             .put = put,
                                             .scratch = scratch,
                                             .unordered = t2_pending_unordered,
                                             .need = t2_fill_need};

void t2_remote_begin(bool is_behind)
{
    is_behind_on = is_behind;
    t2_remote = &hooks;
}

enum t2_status t2_remote_end(struct t2_err *err)
{
    uint64_t bytes = t2_pending_bytes();
    char text[32];
    enum t2_status st;

    if (!atomic_load(&is_used))
        return T2_OK;
    if (bytes > 1 << 20)
        t2_info("sending the last %s", t2_human_bytes(bytes, text, sizeof text));
    st = t2_pending_flush(err);
    t2_fill_end();
    t2_cache_end();
    return st;
}
