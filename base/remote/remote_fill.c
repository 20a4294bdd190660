/*
 * base/remote/remote_fill.c - what is wanted of each object, and the threads that bring it.
 *
 * One lock guards all; blocks are of 1 MiB.  A block goes ABSENT -> WANTED (somebody waits for it,
 * or will soon) -> COMING (a thread has it in a request) -> HERE, with the CRC-32C of its bytes.  A
 * thread takes the first run of wanted blocks: of files that are waited for first, in order of
 * files.  A failure belongs to the file: all who wait for it get it, and so does who opens it again
 * (a new request, with tries of its own).
 */
#include "base/remote/remote_fill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/crc32c_join.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/remote/known_objects.h"
#include "base/remote/remote_cache.h"
#include "base/remote/remote_call.h"
#include "base/remote_hooks.h"
#include "base/signals.h"

enum {
    BLOCK_BYTES = 1 << 20,
    MOST_RUN = 8,        /* blocks of a request */
    FEW_BLOCKS = 4,      /* a file of so few is brought at once */
    MOST_AHEAD = 256,    /* blocks in front of a reader */
    MOST_OF_A_FILE = 16, /* requests at once */
    MOST_OPEN = 64,      /* files that are not whole, before those that nobody reads go */
    HELD_BYTES = 128 << 10
};

enum { ABSENT, WANTED, COMING, HERE };

struct fill {
    struct t2_location l;
    struct t2_object o;
    char *file; /* in incoming/ */
    int fd;
    dev_t device;
    ino_t inode;
    uint64_t n_blocks, n_here, n_out; /* n_out: WANTED and COMING */
    uint8_t *states;
    uint32_t *crcs;
    uint64_t first_wanted; /* no block in front of it is WANTED */
    uint64_t next, ahead;  /* where a reader in order reads next; how far it is read ahead */
    int n_waiting, n_working;
    bool is_checked; /* whole, and its hash compared */
    bool is_dropped; /* out of the list; freed by whoever works on it last */
    pthread_mutex_t writing;
    struct t2_err err;
    struct fill *next_fill;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static struct fill *fills; /* not whole, oldest first */
static pthread_t threads[T2_REMOTE_MOST];
static int n_threads;
static bool is_ending;

/* ---- a file ---- */

static uint64_t block_bytes(const struct fill *f, uint64_t block)
{
    uint64_t left = f->o.bytes - block * BLOCK_BYTES;

    return left < BLOCK_BYTES ? left : BLOCK_BYTES;
}

static void fill_free(struct fill *f)
{
    if (f->fd >= 0)
        (void) close(f->fd);
    if (f->file)
        (void) unlink(f->file);
    t2_free(f->file);
    t2_free(f->states);
    t2_free(f->crcs);
    t2_location_release(&f->l);
    (void) pthread_mutex_destroy(&f->writing);
    t2_free(f);
}

/* Under the lock. */
static void drop(struct fill *f)
{
    struct fill **at = &fills;

    while (*at && *at != f)
        at = &(*at)->next_fill;
    if (*at) {
        *at = f->next_fill;
        atomic_fetch_sub(&t2_remote_arriving, 1);
    }
    f->is_dropped = true;
    if (f->n_waiting == 0 && f->n_working == 0)
        fill_free(f);
}

static void let_go(struct fill *f)
{
    if (f->is_dropped && f->n_waiting == 0 && f->n_working == 0)
        fill_free(f);
}

/* Marks blocks [from, to) as wanted, as far as nobody brings them. */
static void want(struct fill *f, uint64_t from, uint64_t to)
{
    bool is_new = false;

    if (to > f->n_blocks)
        to = f->n_blocks;
    for (uint64_t i = from; i < to; i++) {
        if (f->states[i] != ABSENT)
            continue;
        f->states[i] = WANTED;
        f->n_out++;
        is_new = true;
    }
    if (is_new && from < f->first_wanted)
        f->first_wanted = from;
    if (is_new && to - from <= MOST_RUN) /* one request, one thread */
        pthread_cond_signal(&work);
    else if (is_new)
        pthread_cond_broadcast(&work);
}

/* ---- the threads ---- */

struct run {
    struct fill *f;
    uint64_t from, to; /* blocks */
    /* of the bytes that came */
    uint64_t at;
    uint32_t crc;
    uint32_t crcs[MOST_RUN];
    uint32_t *all_crcs; /* of a server without ranges: one run */
    uint8_t *held;      /* (HELD_BYTES) the last n_held of them, not written yet; the thread's */
    size_t n_held;
    int errnum;
    struct t2_object seen; /* as f->o, and what the answer says of it */
};

/* The kernel lets one thread at a time write a file, and the others turn around until they may: so
 * what comes in pieces of 16 KiB is written in larger ones, and who waits here sleeps (a third of
 * the processor time of a large object was waiting). */
static bool write_held(struct run *r)
{
    pthread_mutex_lock(&r->f->writing);
    if (!r->errnum && r->n_held > 0)
        r->errnum = t2_io_pwrite(r->f->fd, r->held, r->n_held, r->at - r->n_held, NULL);
    pthread_mutex_unlock(&r->f->writing);
    r->n_held = 0;
    return !r->errnum;
}

static bool on_bytes(void *context, const void *data, size_t len_bytes)
{
    struct run *r = context;
    const uint8_t *from = data;

    while (len_bytes > 0) {
        uint64_t room = BLOCK_BYTES - r->at % BLOCK_BYTES;
        size_t n = len_bytes < room ? len_bytes : (size_t) room;

        if (n > HELD_BYTES - r->n_held)
            n = HELD_BYTES - r->n_held;
        memcpy(r->held + r->n_held, from, n);
        r->n_held += n;
        r->crc = t2_crc32c(r->crc, from, n);
        r->at += n;
        from += n;
        len_bytes -= n;
        if (r->n_held == HELD_BYTES && !write_held(r))
            return false;
        if (r->at % BLOCK_BYTES == 0 || r->at == r->f->o.bytes) {
            (r->all_crcs ? r->all_crcs : r->crcs)[(r->at - 1) / BLOCK_BYTES - r->from] = r->crc;
            r->crc = 0;
        }
    }
    return true;
}

/* Without the lock. */
static enum t2_status bring(struct run *r, struct t2_err *err)
{
    struct fill *f = r->f;
    uint64_t from = r->from * BLOCK_BYTES, end = r->to * BLOCK_BYTES;
    enum t2_status st;

    if (end > f->o.bytes)
        end = f->o.bytes;
    r->at = from;
    if (r->to - r->from > MOST_RUN)
        r->all_crcs = t2_alloc((size_t) (r->to - r->from), sizeof *r->all_crcs);
    st = t2_store_of(&f->l)->read(&f->l, &r->seen, from, end - from, on_bytes, r, err);
    if (!write_held(r))
        st = t2_fail_errno(err, r->errnum, "cannot write '%s' (T2_CACHE)", f->file);
    return st;
}

/* Without the lock: compares the hash of the whole with the server's. */
static enum t2_status check_whole(struct fill *f, struct t2_err *err)
{
    uint32_t crc = f->crcs[0];
    char md5[T2_MD5_HEX];
    int errnum;

    for (uint64_t i = 1; i < f->n_blocks; i++)
        crc = t2_crc32c_join(crc, f->crcs[i], block_bytes(f, i));
    if (f->o.has_crc32c) {
        if (crc == f->o.crc32c)
            return T2_OK;
        return t2_fail(
            err, T2_EFORMAT,
            "'%s': its bytes have the CRC-32C %08x, the server says %08x; it was damaged "
            "on the way or in the store, run the same command again",
            f->l.path, crc, f->o.crc32c);
    }
    if (!f->o.has_md5)
        return T2_OK;
    errnum = t2_md5_fd(f->fd, 0, f->o.bytes, md5);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s'", f->file);
    if (strcmp(md5, f->o.md5) != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': its bytes have the MD5 %s, the server says %s; it was damaged on the "
                       "way or in the store, run the same command again",
                       f->l.path, md5, f->o.md5);
    return T2_OK;
}

/* Under the lock.  Whole: checked, kept in the cache, out of the list. */
static void finish(struct fill *f)
{
    struct t2_err err = T2_ERR_INIT;

    f->n_working++;
    pthread_mutex_unlock(&lock);
    if (check_whole(f, &err) == T2_OK) {
        t2_cache_set_time(f->fd, &f->o); /* writing has changed it */
        t2_cache_keep(f->file, &f->l, &f->o);
    }
    pthread_mutex_lock(&lock);
    f->n_working--;
    if (err.status != T2_OK)
        f->err = err;
    else
        f->is_checked = true;
    if (f->is_checked) {
        t2_free(f->file);
        f->file = NULL;
        drop(f);
    }
}

/* The first run of wanted blocks of f; false without one. */
static bool find_run(struct fill *f, struct run *r)
{
    uint64_t i = f->first_wanted;
    uint64_t most = f->o.whole_only ? f->n_blocks : MOST_RUN;

    if (f->err.status != T2_OK || f->n_out == 0 || f->n_working >= MOST_OF_A_FILE)
        return false;
    while (i < f->n_blocks && f->states[i] != WANTED)
        i++;
    f->first_wanted = i;
    if (i == f->n_blocks)
        return false;
    *r = (struct run){.f = f, .from = i, .seen = f->o};
    while (i < f->n_blocks && f->states[i] == WANTED && i - r->from < most)
        f->states[i++] = COMING;
    r->to = f->first_wanted = i;
    return true;
}

static bool next_run(struct run *r)
{
    for (int is_waited_for = 1; is_waited_for >= 0; is_waited_for--)
        for (struct fill *f = fills; f; f = f->next_fill)
            if ((f->n_waiting > 0) == is_waited_for && find_run(f, r))
                return true;
    return false;
}

static void note_run(struct run *r, const struct t2_err *err)
{
    struct fill *f = r->f;
    uint64_t n = r->to - r->from;

    for (uint64_t i = 0; i < n; i++) {
        f->states[r->from + i] = err->status == T2_OK ? HERE : ABSENT;
        f->crcs[r->from + i] = r->all_crcs ? r->all_crcs[i] : r->crcs[i % MOST_RUN];
    }
    f->n_out -= n;
    if (err->status == T2_OK) { /* hashes that a listing has not */
        f->o.has_crc32c = r->seen.has_crc32c;
        f->o.crc32c = r->seen.crc32c;
        f->o.has_md5 = r->seen.has_md5;
        memcpy(f->o.md5, r->seen.md5, sizeof f->o.md5);
    }
    if (err->status == T2_EFORMAT) /* another version by now: the next to open it asks again */
        t2_known_set(f->l.name, &(struct t2_object){0});
    if (err->status == T2_OK)
        f->n_here += n;
    else if (f->err.status == T2_OK)
        f->err = *err;
    t2_free(r->all_crcs);
}

static void *bring_all(void *arg)
{
    uint8_t *held = t2_alloc(HELD_BYTES, 1);
    struct run r;

    (void) arg;
    pthread_mutex_lock(&lock);
    while (!is_ending) {
        struct t2_err err = T2_ERR_INIT;

        if (!next_run(&r)) {
            pthread_cond_wait(&work, &lock);
            continue;
        }
        r.f->n_working++;
        r.held = held;
        pthread_mutex_unlock(&lock);
        (void) bring(&r, &err);
        pthread_mutex_lock(&lock);
        note_run(&r, &err);
        r.f->n_working--;
        if (r.f->n_here == r.f->n_blocks && !r.f->is_dropped)
            finish(r.f);
        else
            let_go(r.f);
        pthread_cond_broadcast(&arrived);
    }
    pthread_mutex_unlock(&lock);
    t2_free(held);
    return NULL;
}

/* Under the lock. */
static enum t2_status start_threads(struct t2_err *err)
{
    int n;

    if (n_threads > 0)
        return T2_OK;
    T2_TRY(t2_remote_parallel(&n, err));
    while (n_threads < n && pthread_create(&threads[n_threads], NULL, bring_all, NULL) == 0)
        n_threads++;
    return n_threads > 0 ? T2_OK
                         : t2_fail(err, T2_EIO, "no thread to fetch remote files can start");
}

/* ---- opening ---- */

/* Whether no descriptor but ours reads the file: only then the kernel gives a lease for writing.
 * A system without leases says no, and the file stays. */
static bool is_unread(const struct fill *f)
{
    if (f->n_waiting > 0 || f->n_working > 0 || fcntl(f->fd, F_SETLEASE, F_WRLCK) != 0)
        return false;
    (void) fcntl(f->fd, F_SETLEASE, F_UNLCK);
    return true;
}

/* Files of which somebody read a part and closed them. */
static void drop_unread(void)
{
    struct fill *next;
    int n = 0;

    for (struct fill *f = fills; f; f = f->next_fill)
        n++;
    for (struct fill *f = fills; f && n >= MOST_OPEN; f = next) {
        next = f->next_fill;
        if (f->n_out == 0 && is_unread(f)) {
            drop(f);
            n--;
        }
    }
}

static enum t2_status make_file(struct fill *f, int *fd, struct t2_err *err)
{
    struct stat s;
    int errnum;

    T2_TRY(t2_cache_incoming(&f->file, &f->fd, err));
    if (ftruncate(f->fd, (off_t) f->o.bytes) != 0 || fstat(f->fd, &s) != 0)
        return t2_fail_errno(err, errno, "cannot make room for '%s' in '%s' (T2_CACHE)", f->l.path,
                             f->file);
    f->device = s.st_dev;
    f->inode = s.st_ino;
    t2_cache_set_time(f->fd, &f->o);
    errnum = t2_io_open(f->file, O_RDONLY, 0, fd);
    return errnum ? t2_fail_errno(err, errnum, "cannot open '%s'", f->file) : T2_OK;
}

/* The object may be on its way for another reader.  Under the lock. */
static bool open_same(const struct t2_location *l, const struct t2_object *o, bool is_wanted,
                      int *fd)
{
    bool ok = false;

    for (struct fill *f = fills; f && !ok; f = f->next_fill) {
        if (f->err.status != T2_OK || !f->file || f->o.bytes != o->bytes ||
            strcmp(f->l.name, l->name) != 0 || strcmp(f->o.version, o->version) != 0)
            continue;
        ok = t2_io_open(f->file, O_RDONLY, 0, fd) == 0;
        if (ok && is_wanted)
            want(f, 0, f->n_blocks);
    }
    return ok;
}

/* What is on its way first: it lies in the cache before it leaves the list. */
static bool open_known(const struct t2_location *l, const struct t2_object *o, bool is_wanted,
                       int *fd)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = open_same(l, o, is_wanted, fd);
    pthread_mutex_unlock(&lock);
    return ok || t2_cache_open(l, o, fd);
}

/* Under the lock: f is brought from now on, unless another reader was faster with the same object
 * (*is_taken). */
static enum t2_status take_in(struct fill *f, bool is_wanted, int *fd, bool *is_taken,
                              struct t2_err *err)
{
    struct fill **at = &fills;
    int same = -1;

    T2_TRY(start_threads(err));
    *is_taken = open_same(&f->l, &f->o, is_wanted, &same);
    if (*is_taken) {
        (void) close(*fd);
        *fd = same;
        return T2_OK;
    }
    drop_unread();
    while (*at)
        at = &(*at)->next_fill;
    *at = f;
    atomic_fetch_add(&t2_remote_arriving, 1);
    if (is_wanted || f->o.whole_only)
        want(f, 0, f->n_blocks);
    return T2_OK;
}

enum t2_status t2_fill_open(const struct t2_location *l, const struct t2_object *o, bool is_wanted,
                            int *fd, struct t2_err *err)
{
    struct fill *f;
    bool is_taken = false;
    enum t2_status st;

    T2_ASSERT(o->is_there && o->bytes > 0);
    if (open_known(l, o, is_wanted, fd))
        return T2_OK;
    f = t2_alloc(1, sizeof *f);
    (void) pthread_mutex_init(&f->writing, NULL);
    *fd = -1;
    f->fd = -1;
    f->o = *o;
    T2_GOTO(st, out, t2_location_parse(l->path, &f->l, err));
    T2_GOTO(st, out, make_file(f, fd, err));
    f->n_blocks = (o->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    f->first_wanted = f->n_blocks;
    f->states = t2_alloc((size_t) f->n_blocks, 1);
    f->crcs = t2_alloc((size_t) f->n_blocks, sizeof *f->crcs);
    pthread_mutex_lock(&lock);
    st = take_in(f, is_wanted, fd, &is_taken, err);
    pthread_mutex_unlock(&lock);
out:
    if (st != T2_OK && *fd >= 0) {
        (void) close(*fd);
        *fd = -1;
    }
    if (st != T2_OK || is_taken)
        fill_free(f);
    return st;
}

/* ---- reading ---- */

static struct fill *fill_of(int fd)
{
    struct stat s;

    if (fstat(fd, &s) != 0)
        return NULL;
    for (struct fill *f = fills; f; f = f->next_fill)
        if (f->inode == s.st_ino && f->device == s.st_dev)
            return f;
    return NULL;
}

static bool are_here(const struct fill *f, uint64_t from, uint64_t to)
{
    /* The end of a file that is read whole waits for the hash of the whole. */
    if (to == f->n_blocks && f->n_here == f->n_blocks)
        return f->is_checked;
    if (to == f->n_blocks && f->n_here + f->n_out == f->n_blocks)
        return false;
    for (uint64_t i = from; i < to; i++)
        if (f->states[i] != HERE)
            return false;
    return true;
}

/* Blocks that the next reads want: a reader that goes on where the last one ended reads ahead. */
static void read_ahead(struct fill *f, uint64_t from, uint64_t to)
{
    bool is_in_order = from <= f->next && f->next <= to;

    if (is_in_order && to > f->next)
        f->ahead = f->ahead == 0 ? 2 : f->ahead * 2 > MOST_AHEAD ? MOST_AHEAD : f->ahead * 2;
    else if (!is_in_order)
        f->ahead = 0;
    f->next = to;
    if (f->ahead > 0)
        want(f, to, to + f->ahead);
}

int t2_fill_need(int fd, uint64_t offset, uint64_t n)
{
    struct fill *f;
    uint64_t from, to;
    int errnum = 0;

    pthread_mutex_lock(&lock);
    f = fill_of(fd);
    if (!f || offset >= f->o.bytes || n == 0)
        goto out;
    if (n > f->o.bytes - offset)
        n = f->o.bytes - offset;
    from = offset / BLOCK_BYTES;
    to = (offset + n + BLOCK_BYTES - 1) / BLOCK_BYTES;
    f->n_waiting++;
    if (f->n_blocks <= FEW_BLOCKS)
        want(f, 0, f->n_blocks);
    want(f, from, to);
    read_ahead(f, from, to);
    while (f->err.status == T2_OK && !are_here(f, from, to) && !is_ending)
        pthread_cond_wait(&arrived, &lock);
    f->n_waiting--;
    if (f->err.status != T2_OK)
        errnum = t2_err_as_errno(&f->err);
    else if (is_ending)
        errnum = EINTR;
    let_go(f);
out:
    pthread_mutex_unlock(&lock);
    return errnum;
}

void t2_fill_end(void)
{
    pthread_mutex_lock(&lock);
    is_ending = true;
    pthread_cond_broadcast(&work);
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&lock);
}
