/*
 * base/remote/upload_parts.c - parts of an upload, several at once.
 */
#include "base/remote/upload_parts.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/io.h"
#include "base/pool.h"

enum { PART_BYTES = 16 << 20, MOST_PARTS = 10000, AT_ONCE = 16 };

static const uint64_t most_room = UINT64_C(512) << 20;

bool t2_upload_is_one_request(const struct t2_upload *u)
{
    return u->bytes <= PART_BYTES;
}

uint64_t t2_upload_part_bytes(uint64_t bytes)
{
    uint64_t part = PART_BYTES;

    while (bytes / part >= MOST_PARTS)
        part *= 2;
    return part;
}

static pthread_mutex_t room_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room_is_there = PTHREAD_COND_INITIALIZER;
static uint64_t room_taken;

void t2_upload_take_room(uint64_t n)
{
    pthread_mutex_lock(&room_lock);
    while (room_taken > 0 && room_taken + n > most_room)
        pthread_cond_wait(&room_is_there, &room_lock);
    room_taken += n;
    pthread_mutex_unlock(&room_lock);
}

void t2_upload_give_room(uint64_t n)
{
    pthread_mutex_lock(&room_lock);
    room_taken -= n;
    pthread_cond_broadcast(&room_is_there);
    pthread_mutex_unlock(&room_lock);
}

enum t2_status t2_upload_read(const struct t2_upload *u, uint64_t from, void *to, size_t n,
                              struct t2_err *err)
{
    size_t n_read = 0;
    int errnum = t2_io_pread(u->fd, to, n, from, &n_read);

    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s'", u->local);
    if (n_read < n)
        return t2_fail(err, T2_EIO, "'%s' became shorter while it was copied out", u->local);
    return T2_OK;
}

struct parts {
    t2_upload_put put;
    void *context;
    atomic_bool has_failed;
    pthread_mutex_t lock;
    struct t2_err first; /* the failure that came first */
};

static void put_one(void *arg, int64_t piece, int worker)
{
    struct parts *p = arg;
    struct t2_err err = T2_ERR_INIT;

    (void) worker;
    if (atomic_load(&p->has_failed) || p->put(p->context, (uint64_t) piece, &err) == T2_OK)
        return;
    pthread_mutex_lock(&p->lock);
    if (!atomic_exchange(&p->has_failed, true))
        p->first = err;
    pthread_mutex_unlock(&p->lock);
}

enum t2_status t2_upload_in_parts(uint64_t n, t2_upload_put put, void *context, struct t2_err *err)
{
    struct parts p = {.put = put, .context = context, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct t2_pool *pool = t2_pool_new(n < AT_ONCE ? (int) n : AT_ONCE);

    t2_pool_run(pool, (int64_t) n, put_one, &p);
    t2_pool_free(pool);
    pthread_mutex_destroy(&p.lock);
    if (!atomic_load(&p.has_failed))
        return T2_OK;
    *err = p.first;
    return err->status;
}
