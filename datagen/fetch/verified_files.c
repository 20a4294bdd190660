/*
 * datagen/fetch/verified_files.c - files whose digest this process has compared already.
 */
#include "datagen/fetch/verified_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/io.h"

/* Few sources have a digest; with more than this the oldest are read again. */
enum { N_SEEN = 64 };

struct seen {
    dev_t dev;
    ino_t inode;
    off_t size;
    struct timespec changed;
    char sha256[T2_SHA256_HEX];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct seen seen[N_SEEN];
static size_t n_noted;

static bool is_same(const struct seen *a, const struct seen *b)
{
    return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool find(struct seen *s)
{
    bool found = false;

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < N_SEEN && i < n_noted && !found; i++) {
        found = is_same(&seen[i], s);
        if (found)
            *s = seen[i];
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

/* What was written a moment ago may be written again within the same tick of the file system's
 * clock. */
static bool is_settled(const struct seen *s)
{
    enum { TICK_NS = 100000000 };
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (now.tv_sec - s->changed.tv_sec) * INT64_C(1000000000) +
               (now.tv_nsec - s->changed.tv_nsec) >
           TICK_NS;
}

static void note(const struct seen *s)
{
    if (!is_settled(s))
        return;
    pthread_mutex_lock(&mutex);
    seen[n_noted++ % N_SEEN] = *s;
    pthread_mutex_unlock(&mutex);
}

enum t2_status dg_verify_digest(const char *path, const char *sha256, struct t2_err *err)
{
    struct seen s = {0};
    struct stat now;
    uint64_t size;

    if (t2_stat(path, &now) != 0)
        return t2_fail_errno(err, errno, "'%s': cannot open", path);
    s.dev = now.st_dev;
    s.inode = now.st_ino;
    s.size = now.st_size;
    s.changed = now.st_ctim;
    if (!find(&s)) {
        T2_TRY(t2_sha256_file(path, s.sha256, &size, err));
        note(&s);
    }
    if (strcasecmp(s.sha256, sha256) != 0)
        return t2_fail(err, T2_EFORMAT, "'%s' has SHA-256 %s, expected %s", path, s.sha256, sha256);
    return T2_OK;
}
