/*
 * base/remote/remote_cache.c - the folder of objects, and its size.
 *
 * A process owns incoming/<its id>/ by a lock on the file `lock` in it, which the kernel gives back
 * when it ends: a folder whose lock is free was left by a dead process and is removed.
 */
#include "base/remote/remote_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/log.h"

static const uint64_t usual_bytes = UINT64_C(20) << 30;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *root;     /* NULL: not yet looked for */
static char *incoming; /* of this process; NULL: nothing has come yet */
static int incoming_lock = -1;
static uint64_t limit_bytes, held_bytes;
static bool is_measured; /* held_bytes is what objects/ has */
static _Atomic uint64_t n_made;

/* ---- the folder ---- */

static char *root_folder(void)
{
    const char *given = getenv("T2_CACHE"), *cache = getenv("XDG_CACHE_HOME");

    if (given && *given)
        return t2_path_expand(given);
    return cache && *cache ? t2_path_join(cache, "t2t.c") : t2_path_expand("~/.cache/t2t.c");
}

static enum t2_status read_limit(struct t2_err *err)
{
    const char *text = getenv("T2_CACHE_SIZE");

    limit_bytes = usual_bytes;
    if (!text || !*text || t2_parse_size(text, &limit_bytes))
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "T2_CACHE_SIZE is '%s'; a size such as 20G is wanted", text);
}

/* Files of the folder, not of folders in it; then the folder. */
static void remove_folder(const char *path)
{
    struct t2_strs names = {NULL, 0, 0};
    struct t2_err ignored = T2_ERR_INIT;

    if (t2_list_dir(path, &names, &ignored) == T2_OK) {
        for (size_t i = 0; i < names.n; i++) {
            char *file = t2_path_join(path, names.items[i]);
            (void) unlink(file);
            t2_free(file);
        }
    }
    t2_strs_release(&names);
    (void) rmdir(path);
}

static void remove_dead(const char *all)
{
    struct t2_strs names = {NULL, 0, 0};
    struct t2_err ignored = T2_ERR_INIT;

    if (t2_list_dir(all, &names, &ignored) != T2_OK)
        return;
    for (size_t i = 0; i < names.n; i++) {
        char *folder = t2_path_join(all, names.items[i]);
        char *file = t2_path_join(folder, "lock");
        int fd;

        if (t2_io_open(file, O_RDWR, 0, &fd) == 0) {
            if (flock(fd, LOCK_EX | LOCK_NB) == 0)
                remove_folder(folder);
            (void) close(fd);
        }
        t2_free(file);
        t2_free(folder);
    }
    t2_strs_release(&names);
}

static enum t2_status make_incoming(const char *all, struct t2_err *err)
{
    char *name = t2_asprintf("%ld-%" PRIx64, (long) getpid(), (uint64_t) time(NULL));
    char *folder = t2_path_join(all, name), *file = t2_path_join(folder, "lock");
    enum t2_status st = t2_make_private_dir(folder, err);
    int errnum = st == T2_OK ? t2_io_open(file, O_RDWR | O_CREAT, 0600, &incoming_lock) : 0;

    if (errnum)
        st = t2_fail_errno(err, errnum, "cannot create '%s'", file);
    if (st == T2_OK) {
        (void) flock(incoming_lock, LOCK_EX | LOCK_NB);
        incoming = folder;
        folder = NULL;
    }
    t2_free(folder);
    t2_free(file);
    t2_free(name);
    return st;
}

static enum t2_status begin(struct t2_err *err)
{
    static const char *const folders[] = {"objects", "incoming", "work"};
    char *path;
    enum t2_status st = T2_OK;

    if (incoming)
        return T2_OK;
    T2_TRY(read_limit(err));
    if (!root)
        root = root_folder();
    for (int i = 0; i < 3 && st == T2_OK; i++) {
        path = t2_path_join(root, folders[i]);
        st = t2_make_private_dir(path, err);
        if (st == T2_OK && i == 1) {
            remove_dead(path);
            st = make_incoming(path, err);
        }
        t2_free(path);
    }
    if (st != T2_OK)
        return t2_wrap(err, "the folder for remote files (T2_CACHE)");
    return T2_OK;
}

static enum t2_status begin_locked(struct t2_err *err)
{
    enum t2_status st;

    pthread_mutex_lock(&lock);
    st = begin(err);
    pthread_mutex_unlock(&lock);
    return st;
}

void t2_cache_end(void)
{
    pthread_mutex_lock(&lock);
    if (incoming)
        remove_folder(incoming);
    pthread_mutex_unlock(&lock);
}

enum t2_status t2_cache_incoming(char **path, int *fd, struct t2_err *err)
{
    int errnum;

    *path = NULL;
    T2_TRY(begin_locked(err));
    *path = t2_asprintf("%s/%" PRIu64, incoming, atomic_fetch_add(&n_made, 1));
    if (!fd)
        return T2_OK;
    errnum = t2_io_open(*path, O_RDWR | O_CREAT | O_EXCL, 0600, fd);
    if (errnum == 0)
        return T2_OK;
    (void) t2_fail_errno(err, errnum, "cannot create '%s'", *path);
    t2_free(*path);
    *path = NULL;
    return err->status;
}

/* ---- objects ---- */

/* The same bucket may be on two servers. */
static const char *server_of(const struct t2_location *l)
{
    static const char *const names[] = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
                                        "STORAGE_EMULATOR_HOST"};

    for (int i = l->scheme == T2_SCHEME_S3 ? 0 : 2; i < 3; i++)
        if (getenv(names[i]) && (i < 2 || l->scheme == T2_SCHEME_GS))
            return getenv(names[i]);
    return "";
}

/* NULL: a version that cannot be told from the next, which is not kept. */
static char *object_path(const struct t2_location *l, const struct t2_object *o)
{
    char *text, *path, hex[T2_SHA256_HEX];

    if (!o->version[0] && o->changed_s == 0)
        return NULL;
    text = t2_asprintf("%s\n%s\n%s\n%" PRIu64 "\n%" PRId64, server_of(l), l->name, o->version,
                       o->bytes, o->version[0] ? 0 : o->changed_s);
    t2_sha256_of(text, strlen(text), hex);
    path = t2_asprintf("%s/objects/%.2s/%s", root, hex, hex + 2);
    t2_free(text);
    return path;
}

/* Seconds are the object's; nanoseconds are of its version, as servers give seconds only. */
void t2_cache_set_time(int fd, const struct t2_object *o)
{
    long ns = (long) (t2_hash64(o->version, strlen(o->version), 0) % 1000000000);
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {(time_t) o->changed_s, ns}};

    (void) futimens(fd, times);
}

bool t2_cache_open(const struct t2_location *l, const struct t2_object *o, int *fd)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct stat s;
    char *path;
    bool ok;

    if (begin_locked(&ignored) != T2_OK)
        return false;
    path = object_path(l, o);
    ok = path && t2_io_open(path, O_RDONLY, 0, fd) == 0;
    t2_free(path);
    if (!ok)
        return false;
    if (fstat(*fd, &s) == 0 && (uint64_t) s.st_size == o->bytes) {
        t2_cache_set_time(*fd, o); /* when it was used last */
        return true;
    }
    (void) close(*fd);
    return false;
}

/* ---- the limit ---- */

struct held {
    char *path;
    uint64_t bytes;
    struct timespec used;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct held *) a)->used,
                          *y = &((const struct held *) b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static void add_held(const char *folder, struct held **all, size_t *n, uint64_t *sum)
{
    struct t2_strs names = {NULL, 0, 0};
    struct t2_err ignored = T2_ERR_INIT;

    if (t2_list_dir(folder, &names, &ignored) != T2_OK)
        return;
    *all = t2_realloc(*all, *n + names.n + 1, sizeof **all);
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(folder, names.items[i]);
        struct stat s;

        if (lstat(path, &s) == 0 && S_ISREG(s.st_mode)) {
            (*all)[(*n)++] = (struct held){path, (uint64_t) s.st_size, s.st_atim};
            *sum += (uint64_t) s.st_size;
        } else {
            t2_free(path);
        }
    }
    t2_strs_release(&names);
}

/* Counts what is held; what was used longest ago goes until nine tenths of the limit are left, so
 * that not every object has to count again. */
static void make_room(void)
{
    char *folder = t2_path_join(root, "objects");
    struct t2_strs parts = {NULL, 0, 0};
    struct t2_err ignored = T2_ERR_INIT;
    struct held *all = NULL;
    uint64_t sum = 0;
    size_t n = 0;

    if (t2_list_dir(folder, &parts, &ignored) == T2_OK) {
        for (size_t i = 0; i < parts.n; i++) {
            char *part = t2_path_join(folder, parts.items[i]);
            add_held(part, &all, &n, &sum);
            t2_free(part);
        }
    }
    if (sum > limit_bytes && n > 0) {
        qsort(all, n, sizeof *all, by_use);
        for (size_t i = 0; i < n && sum > limit_bytes / 10 * 9; i++)
            if (unlink(all[i].path) == 0)
                sum -= all[i].bytes;
    }
    for (size_t i = 0; i < n; i++)
        t2_free(all[i].path);
    t2_free(all);
    t2_strs_release(&parts);
    t2_free(folder);
    held_bytes = sum;
    is_measured = true;
}

void t2_cache_keep(const char *path, const struct t2_location *l, const struct t2_object *o)
{
    struct t2_err ignored = T2_ERR_INIT;
    char *to;

    if (begin_locked(&ignored) != T2_OK)
        return;
    to = object_path(l, o);
    pthread_mutex_lock(&lock);
    if (to && o->bytes <= limit_bytes && t2_make_parents(to, &ignored) == T2_OK &&
        rename(path, to) == 0) {
        held_bytes += o->bytes;
        if (!is_measured || held_bytes > limit_bytes)
            make_room();
    } else {
        (void) unlink(path);
    }
    pthread_mutex_unlock(&lock);
    t2_free(to);
}

/* ---- work ---- */

char *t2_cache_work(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    char *dir = t2_path_dir(path), hex[T2_SHA256_HEX], *folder, *file;

    if (begin_locked(&ignored) != T2_OK) /* whoever opens the file gets the reason */
        t2_debug("%s", ignored.message);
    t2_sha256_of(dir, strlen(dir), hex);
    hex[16] = '\0';
    folder = t2_asprintf("%s/work/%s", root ? root : "", hex);
    if (t2_make_private_dir(folder, &ignored) != T2_OK)
        t2_debug("%s", ignored.message);
    file = t2_path_join(folder, t2_path_base(path));
    t2_free(folder);
    t2_free(dir);
    return file;
}
