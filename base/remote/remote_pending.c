/*
 * base/remote/remote_pending.c - a queue of uploads and removals, and the view of them.
 *
 * Entries are a list in the order of actions.  An entry that is done leaves it, unless it is a
 * folder or a scratch file, which are only a view.  Threads take the first entry that is not
 * running and whose turn it is: all in front of it are done, or run in the same unordered stretch.
 */
#include "base/remote/remote_pending.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/io.h"
#include "base/remote/known_objects.h"
#include "base/remote/remote_cache.h"
#include "base/remote/remote_call.h"

enum { READ_BYTES = 1 << 20 };

/* So much may wait on the local disk before whoever writes waits, too. */
static const uint64_t most_waiting_bytes = UINT64_C(8) << 30;

enum action { PUT, REMOVE, DIR_VIEW, SCRATCH_VIEW };

struct entry {
    enum action action;
    char *path;  /* as t2_location has it: "gs://b/x/y" */
    char *local; /* PUT, SCRATCH_VIEW */
    uint64_t stretch;
    uint64_t bytes;
    bool is_running;
    struct entry *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_is_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t less_waits = PTHREAD_COND_INITIALIZER;
static struct entry *entries, **end_of_entries = &entries;
static uint64_t stretch = 1; /* a new one for each ordered action */
static bool is_unordered;
static uint64_t n_waiting, waiting_bytes; /* entries of work, and the bytes of their files */
static int n_full;                        /* callers that wait until fewer bytes do */
static struct t2_err failure;             /* the first */
static int n_threads;

/* ---- names: one form of each path ---- */

static char *normal(const char *path)
{
    struct t2_location l;
    struct t2_err ignored = T2_ERR_INIT;
    char *name;

    name = t2_strdup(t2_location_parse(path, &l, &ignored) == T2_OK ? l.name : path);
    t2_location_release(&l);
    return name;
}

/* ---- the work ---- */

static enum t2_status describe(const char *local, int fd, struct t2_upload *u, struct t2_err *err)
{
    uint8_t *buffer = t2_realloc(NULL, READ_BYTES, 1); /* not zeroed: it may be a small file */
    size_t n = 0;
    int errnum = 0;

    *u = (struct t2_upload){.fd = fd, .local = local};
    do {
        errnum = t2_io_pread(fd, buffer, READ_BYTES, u->bytes, &n);
        u->crc32c = t2_crc32c(u->crc32c, buffer, n);
        u->bytes += n;
    } while (errnum == 0 && n > 0);
    t2_free(buffer);
    return errnum ? t2_fail_errno(err, errnum, "cannot read '%s'", local) : T2_OK;
}

static enum t2_status put_local(const struct t2_location *l, const char *local, struct t2_object *o,
                                struct t2_err *err)
{
    struct t2_upload u;
    int fd, errnum = t2_io_open(local, O_RDONLY, 0, &fd);
    enum t2_status st;

    if (errnum)
        return t2_fail_errno(err, errnum, "cannot open '%s', which was to become '%s'", local,
                             l->path);
    st = describe(local, fd, &u, err);
    if (st == T2_OK)
        st = t2_store_of(l)->put(l, &u, o, err);
    (void) close(fd);
    return st;
}

/* Without the lock. */
static enum t2_status act(const struct entry *e, struct t2_err *err)
{
    struct t2_location l;
    struct t2_object o = {0};
    enum t2_status st = t2_location_parse(e->path, &l, err);

    if (st == T2_OK && e->action == REMOVE)
        st = t2_store_of(&l)->remove(&l, err);
    else if (st == T2_OK)
        st = put_local(&l, e->local, &o, err);
    if (st == T2_OK) {
        t2_known_set(e->path, &o);
        if (o.is_there)
            t2_cache_keep(e->local, &l, &o);
    }
    t2_location_release(&l);
    return st;
}

static bool is_work(const struct entry *e)
{
    return e->action == PUT || e->action == REMOVE;
}

/* Under the lock: the next entry whose turn it is. */
static struct entry *next_entry(void)
{
    uint64_t running = 0;

    for (struct entry *e = entries; e; e = e->next) {
        if (!is_work(e))
            continue;
        if (running != 0 && e->stretch != running)
            return NULL;
        if (!e->is_running)
            return e;
        running = e->stretch;
    }
    return NULL;
}

static void leave(struct entry *e)
{
    struct entry **at = &entries;

    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    if (!e->next)
        end_of_entries = at;
    if (is_work(e)) {
        n_waiting--;
        waiting_bytes -= e->bytes;
        if (n_waiting == 0 || n_full > 0)
            pthread_cond_broadcast(&less_waits);
    }
    if (e->action == PUT)
        (void) unlink(e->local); /* where the cache has not taken it */
    t2_free(e->path);
    t2_free(e->local);
    t2_free(e);
}

/* Each thread that finds work wakes the next while there is more: all at once would only stand in
 * each other's way. */
static void wake_next(void)
{
    if (next_entry())
        pthread_cond_signal(&work_is_there);
}

static void *work(void *arg)
{
    (void) arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct entry *e = next_entry();
        struct t2_err err = T2_ERR_INIT;

        if (!e) {
            pthread_cond_wait(&work_is_there, &lock);
            continue;
        }
        e->is_running = true;
        wake_next();
        /* Behind a failure nothing is sent: the store keeps what came before it. */
        if (failure.status == T2_OK) {
            pthread_mutex_unlock(&lock);
            (void) act(e, &err);
            pthread_mutex_lock(&lock);
            if (err.status != T2_OK && failure.status == T2_OK)
                failure = err;
        }
        leave(e);
    }
    return NULL;
}

static enum t2_status start_threads(struct t2_err *err)
{
    pthread_t thread;
    int n;

    if (n_threads > 0)
        return T2_OK;
    T2_TRY(t2_remote_parallel(&n, err));
    while (n_threads < n && pthread_create(&thread, NULL, work, NULL) == 0) {
        (void) pthread_detach(thread);
        n_threads++;
    }
    return n_threads > 0 ? T2_OK : t2_fail(err, T2_EIO, "no thread to send remote files can start");
}

static struct entry *append(enum action action, const char *path, const char *local, uint64_t bytes)
{
    struct entry *e = t2_alloc(1, sizeof *e);

    e->action = action;
    e->path = normal(path);
    e->local = local ? t2_strdup(local) : NULL;
    e->bytes = bytes;
    if (is_work(e)) {
        n_waiting++;
        waiting_bytes += bytes;
    }
    if (!is_unordered)
        stretch++;
    e->stretch = stretch;
    *end_of_entries = e;
    end_of_entries = &e->next;
    return e;
}

static enum t2_status add(enum action action, const char *path, const char *local, uint64_t bytes,
                          struct t2_err *err)
{
    enum t2_status st;

    pthread_mutex_lock(&lock);
    n_full++;
    while (waiting_bytes > most_waiting_bytes)
        pthread_cond_wait(&less_waits, &lock);
    n_full--;
    st = failure.status;
    if (st != T2_OK)
        *err = failure;
    else
        st = start_threads(err);
    if (st == T2_OK)
        append(action, path, local, bytes);
    wake_next();
    pthread_mutex_unlock(&lock);
    return st;
}

enum t2_status t2_pending_put(const char *path, const char *local, struct t2_err *err)
{
    struct stat s;

    if (stat(local, &s) != 0)
        return t2_fail_errno(err, errno, "cannot look at '%s'", local);
    return add(PUT, path, local, (uint64_t) s.st_size, err);
}

/* The scratch file's entry goes behind the new one, so that it stays the last word. */
enum t2_status t2_pending_put_behind_scratch(const char *path, const char *local,
                                             struct t2_err *err)
{
    char *name = normal(path);

    if (t2_pending_put(path, local, err) != T2_OK) {
        t2_free(name);
        return err->status;
    }
    pthread_mutex_lock(&lock);
    for (struct entry *e = entries; e; e = e->next) {
        if (e->action != SCRATCH_VIEW || strcmp(e->path, name) != 0)
            continue;
        append(SCRATCH_VIEW, path, e->local, 0);
        leave(e);
        break;
    }
    pthread_mutex_unlock(&lock);
    t2_free(name);
    return T2_OK;
}

static void drop_views(const char *path)
{
    struct entry *next;
    char *name = normal(path);

    for (struct entry *e = entries; e; e = next) {
        next = e->next;
        if (e->action == SCRATCH_VIEW && strcmp(e->path, name) == 0) {
            (void) unlink(e->local);
            leave(e);
        }
    }
    t2_free(name);
}

enum t2_status t2_pending_remove(const char *path, struct t2_err *err)
{
    pthread_mutex_lock(&lock);
    drop_views(path);
    pthread_mutex_unlock(&lock);
    return add(REMOVE, path, NULL, 0, err);
}

void t2_pending_dir(const char *path)
{
    if (t2_pending_look(path, NULL, NULL) == T2_PENDING_DIR)
        return;
    pthread_mutex_lock(&lock);
    append(DIR_VIEW, path, NULL, 0);
    pthread_mutex_unlock(&lock);
}

void t2_pending_scratch(const char *path, const char *local)
{
    pthread_mutex_lock(&lock);
    for (struct entry *e = entries; e; e = e->next) {
        if (e->action == SCRATCH_VIEW && strcmp(e->local, local) == 0) {
            pthread_mutex_unlock(&lock);
            return;
        }
    }
    append(SCRATCH_VIEW, path, local, 0);
    pthread_mutex_unlock(&lock);
}

/* ---- the view ---- */

/* The last action decides; a folder also where something below it was put. */
static const struct entry *find(const char *name, enum t2_pending_kind *kind)
{
    const struct entry *found = NULL;
    size_t n = strlen(name);

    *kind = T2_PENDING_NONE;
    for (const struct entry *e = entries; e; e = e->next) {
        bool is_below = strncmp(e->path, name, n) == 0 && e->path[n] == '/';

        if (strcmp(e->path, name) == 0) {
            found = e;
            *kind = e->action == REMOVE     ? T2_PENDING_REMOVED
                    : e->action == DIR_VIEW ? T2_PENDING_DIR
                                            : T2_PENDING_FILE;
        } else if (is_below && e->action != REMOVE && *kind == T2_PENDING_NONE) {
            *kind = T2_PENDING_DIR;
        }
    }
    return *kind == T2_PENDING_FILE ? found : NULL;
}

enum t2_pending_kind t2_pending_look(const char *path, int *fd, char **local)
{
    enum t2_pending_kind kind;
    const struct entry *e;
    char *name = normal(path);

    pthread_mutex_lock(&lock);
    e = find(name, &kind);
    if (fd)
        *fd = -1;
    if (e && fd)
        (void) t2_io_open(e->local, O_RDONLY, 0, fd);
    if (local)
        *local = e ? t2_strdup(e->local) : NULL;
    pthread_mutex_unlock(&lock);
    t2_free(name);
    return kind;
}

static void take_out(struct t2_strs *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->items[i], name) != 0)
            continue;
        t2_free(names->items[i]);
        memmove(names->items + i, names->items + i + 1, (names->n - i - 1) * sizeof *names->items);
        names->n--;
        return;
    }
}

void t2_pending_list(const char *dir, struct t2_strs *names)
{
    char *name = normal(dir);
    size_t n = strlen(name);

    pthread_mutex_lock(&lock);
    for (const struct entry *e = entries; e; e = e->next) {
        const char *below = e->path + n + 1;
        char *first;

        if (strncmp(e->path, name, n) != 0 || e->path[n] != '/')
            continue;
        first = t2_strndup(below, strcspn(below, "/"));
        if (e->action != REMOVE && !t2_strs_contains(names, first))
            t2_strs_push(names, first);
        else if (e->action == REMOVE && !strchr(below, '/'))
            take_out(names, first);
        t2_free(first);
    }
    pthread_mutex_unlock(&lock);
    t2_free(name);
}

/* ---- order and end ---- */

void t2_pending_unordered(bool is_on)
{
    pthread_mutex_lock(&lock);
    stretch++;
    is_unordered = is_on;
    pthread_mutex_unlock(&lock);
}

enum t2_status t2_pending_flush(struct t2_err *err)
{
    enum t2_status st;

    pthread_mutex_lock(&lock);
    while (n_waiting > 0)
        pthread_cond_wait(&less_waits, &lock);
    st = failure.status;
    if (st != T2_OK)
        *err = failure;
    failure = (struct t2_err) T2_ERR_INIT;
    pthread_mutex_unlock(&lock);
    return st;
}

uint64_t t2_pending_bytes(void)
{
    uint64_t sum;

    pthread_mutex_lock(&lock);
    sum = waiting_bytes;
    pthread_mutex_unlock(&lock);
    return sum;
}
