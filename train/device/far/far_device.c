/*
 * train/device/far/far_device.c - memory, copies, events and recordings of the device "far".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/str.h"
#include "train/device/devices.h"
#include "train/device/far/far.h"

enum { POISON = 0xfe, DEFAULT_LIMIT_GIB = 8 };

static struct far_dev *far_of(struct dev *d)
{
    return (struct far_dev *) d;
}

/* ---- memory and copies ---- */

struct move {
    void *to;
    const void *from;
    size_t bytes;
};

static void run_move(struct far_dev *f, void *arguments)
{
    const struct move *m = arguments;

    (void) f;
    if (m->bytes)
        memcpy(m->to, m->from, m->bytes);
}

struct fill {
    void *p;
    size_t bytes;
    int value;
};

static void run_fill(struct far_dev *f, void *arguments)
{
    const struct fill *a = arguments;

    (void) f;
    if (a->bytes)
        memset(a->p, a->value, a->bytes);
}

static void *far_alloc(struct dev *d, size_t bytes)
{
    struct far_dev *f = far_of(d);
    void *p;

    pthread_mutex_lock(&f->mutex);
    p = ++f->n_allocs == f->alloc_fails_at ? NULL : dev_far_memory_take(&f->memory, bytes);
    pthread_mutex_unlock(&f->mutex);
    if (p)
        dev_far_queue(f, run_fill, NULL, &(struct fill){p, bytes, 0}, sizeof(struct fill));
    return p;
}

static void far_free(struct dev *d, void *p)
{
    struct far_dev *f = far_of(d);
    size_t bytes;

    if (!p)
        return;
    pthread_mutex_lock(&f->mutex);
    bytes = dev_far_memory_give(&f->memory, p);
    pthread_mutex_unlock(&f->mutex);
    dev_far_queue(f, run_fill, NULL, &(struct fill){p, bytes, POISON}, sizeof(struct fill));
}

static struct dev_memory far_memory(const struct dev *d)
{
    const struct far_dev *f = (const struct far_dev *) d;

    return (struct dev_memory){f->memory.used_bytes, f->memory.limit_bytes};
}

static void far_move(struct dev *d, void *to, const void *from, size_t bytes)
{
    dev_far_queue(far_of(d), run_move, NULL, &(struct move){to, from, bytes}, sizeof(struct move));
}

/* A copy of the bytes that the queue frees. */
static void run_upload_now(struct far_dev *f, void *arguments)
{
    const struct move *m = arguments;

    run_move(f, arguments);
    t2_free((void *) (uintptr_t) m->from);
}

static void far_upload_now(struct dev *d, void *to, const void *from, size_t bytes)
{
    struct far_dev *f = far_of(d);
    void *copy = t2_alloc(bytes + 1, 1);

    T2_ASSERT(!f->recording);
    if (bytes)
        memcpy(copy, from, bytes);
    dev_far_queue(f, run_upload_now, NULL, &(struct move){to, copy, bytes}, sizeof(struct move));
}

/* Bytes that the host must leave alone until the queue has read them. */
struct upload {
    struct move move;
    uint32_t hash; /* of the bytes at the call; with the queue a word that is no pointer */
    enum dev_queue queue;
};

static const char *const queue_names[] = {"compute", "copy-in", "exchange"};

static uint32_t hash_of(const void *p, size_t bytes)
{
    return bytes ? (uint32_t) t2_hash64(p, bytes, 0) : 0;
}

static void run_upload(struct far_dev *f, void *arguments)
{
    const struct upload *u = arguments;
    struct t2_err e = T2_ERR_INIT;

    if (hash_of(u->move.from, u->move.bytes) != u->hash) {
        (void) t2_fail(&e, T2_EDEVICE,
                       "device far: an upload's %zu bytes changed before it ran, in the %s queue",
                       u->move.bytes, queue_names[u->queue]);
        dev_far_fail(f, &e);
    }
    run_move(f, arguments);
}

static struct upload upload_of(enum dev_queue queue, void *to, const void *from, size_t bytes)
{
    return (struct upload){{to, from, bytes}, hash_of(from, bytes), queue};
}

static void far_upload(struct dev *d, void *to, const void *from, size_t bytes)
{
    struct far_dev *f = far_of(d);
    struct upload u = upload_of(DEV_COMPUTE, to, from, bytes);

    T2_ASSERT(!f->recording);
    dev_far_queue(f, run_upload, NULL, &u, sizeof u);
}

/* Other queues copy from and to memory of alloc_host alone. */
static void check_host(struct far_dev *f, const void *p, size_t bytes)
{
    struct t2_err e = T2_ERR_INIT;
    bool is_host;

    pthread_mutex_lock(&f->mutex);
    is_host = bytes == 0 || dev_far_is_host(f, p, bytes);
    pthread_mutex_unlock(&f->mutex);
    if (is_host)
        return;
    (void) t2_fail(&e, T2_EDEVICE, "device far: a queue copies %zu bytes that are not alloc_host's",
                   bytes);
    dev_far_fail(f, &e);
}

static void far_upload_on(struct dev *d, enum dev_queue queue, void *to, const void *from,
                          size_t bytes)
{
    struct upload u = upload_of(queue, to, from, bytes);

    check_host(far_of(d), from, bytes);
    dev_far_put(far_of(d), queue, dev_far_call(run_upload, NULL, &u, sizeof u));
}

/* Who reads the bytes too early finds neither the old nor the new ones. */
static void far_download_on(struct dev *d, enum dev_queue queue, void *to, const void *from,
                            size_t bytes)
{
    struct move m = {to, from, bytes};

    check_host(far_of(d), to, bytes);
    if (bytes)
        memset(to, POISON, bytes);
    dev_far_put(far_of(d), queue, dev_far_call(run_move, NULL, &m, sizeof m));
}

static void far_download(struct dev *d, void *to, const void *from, size_t bytes)
{
    struct far_dev *f = far_of(d);

    T2_ASSERT(!f->recording);
    far_move(d, to, from, bytes);
    dev_far_wait_for(f, DEV_COMPUTE, f->queues[DEV_COMPUTE].n_queued);
}

static void far_zero(struct dev *d, void *p, size_t bytes)
{
    dev_far_queue(far_of(d), run_fill, NULL, &(struct fill){p, bytes, 0}, sizeof(struct fill));
}

static void far_sync(struct dev *d)
{
    dev_far_wait(far_of(d));
}

/* ---- events ---- */

struct dev_event {
    enum dev_queue queue;
    uint64_t place; /* calls before it, and itself; 0: never recorded */
    double at_s;
};

static void run_event(struct far_dev *f, void *arguments)
{
    struct dev_event *e;

    (void) f;
    memcpy(&e, arguments, sizeof(struct dev_event *));
    e->at_s = t2_now_s();
}

static struct dev_event *far_event_new(struct dev *d)
{
    (void) d;
    return t2_alloc(1, sizeof(struct dev_event));
}

static void far_event_wait(struct dev *d, struct dev_event *e)
{
    dev_far_wait_for(far_of(d), e->queue, e->place);
}

static void far_event_free(struct dev *d, struct dev_event *e)
{
    if (e)
        far_event_wait(d, e);
    t2_free(e);
}

static void far_event_record(struct dev *d, enum dev_queue queue, struct dev_event *e)
{
    struct far_dev *f = far_of(d);

    T2_ASSERT(!f->recording || queue != DEV_COMPUTE);
    dev_far_put(f, queue, dev_far_call(run_event, NULL, &e, sizeof(struct dev_event *)));
    e->queue = queue;
    e->place = f->queues[queue].n_queued;
}

static void far_queue_wait(struct dev *d, enum dev_queue queue, const struct dev_event *e)
{
    struct far_dev *f = far_of(d);
    struct far_call *c = dev_far_call(NULL, NULL, NULL, 0);

    T2_ASSERT(!f->recording || queue != DEV_COMPUTE);
    c->after_queue = e->queue;
    c->after = e->place;
    dev_far_put(f, queue, c);
}

static double far_event_seconds(struct dev *d, const struct dev_event *from,
                                const struct dev_event *to)
{
    (void) d;
    return to->at_s - from->at_s;
}

/* ---- recordings ---- */

static void far_record_begin(struct dev *d)
{
    struct far_dev *f = far_of(d);
    struct dev_recording *r = t2_alloc(1, sizeof *r);

    T2_ASSERT(!f->recording);
    r->last = &r->first;
    f->recording = r;
}

static struct dev_recording *far_record_end(struct dev *d)
{
    struct dev_recording *r = far_of(d)->recording;

    far_of(d)->recording = NULL;
    return r;
}

static void far_replay(struct dev *d, const struct dev_recording *r)
{
    for (const struct far_call *kept = r->first; kept; kept = kept->next) {
        struct far_call *c = dev_far_call(kept->run, kept->what, kept->arguments, kept->bytes);

        c->node = kept->node;
        c->node_index = kept->node_index;
        c->precision = kept->precision;
        dev_far_put(far_of(d), DEV_COMPUTE, c);
    }
}

static void far_recording_free(struct dev *d, struct dev_recording *r)
{
    struct far_call *next;

    (void) d;
    for (struct far_call *c = r ? r->first : NULL; c; c = next) {
        next = c->next;
        t2_free(c);
    }
    t2_free(r);
}

/* ---- life ---- */

static enum t2_status far_check(struct dev *d, struct t2_err *err)
{
    struct far_dev *f = far_of(d);
    enum t2_status st;

    pthread_mutex_lock(&f->mutex);
    st = f->error.status;
    if (st != T2_OK)
        *err = f->error;
    pthread_mutex_unlock(&f->mutex);
    return st;
}

static void free_parts(struct far_dev *f)
{
    dev_far_memory_close(&f->memory);
    dev_close(f->near);
    t2_free(f);
}

static void far_release(struct dev *d)
{
    struct far_dev *f = far_of(d);

    dev_far_wait(f);
    dev_far_host_release(f, true);
    dev_far_queues_stop(f);
    free_parts(f);
}

static const char *far_describe(const struct dev *d)
{
    return d->precision == DEV_BFLOAT16 ? "plain C loops behind a late queue, bfloat16 products"
                                        : "plain C loops behind a late queue, memory of its own";
}

/* For tests: T2_FAR_MEMORY bytes of memory, failure of kernel call number T2_FAR_FAILS_AT or of
 * allocation number T2_FAR_ALLOC_FAILS_AT, another order of the queues by T2_FAR_SEED, layouts of
 * its own by T2_FAR_LAYOUTS=1. */
static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t n;

    return text && t2_parse_u64(text, &n) ? n : otherwise;
}

enum t2_status dev_far_new(struct dev **d, struct t2_err *err)
{
    struct far_dev *f = t2_alloc(1, sizeof *f);
    enum t2_status st =
        dev_far_memory_open(&f->memory,
                            setting("T2_FAR_MEMORY", (uint64_t) DEFAULT_LIMIT_GIB << 30), err);

    if (st != T2_OK) {
        dev_far_memory_close(&f->memory);
        t2_free(f);
        return st;
    }
    f->near = dev_reference_new();
    f->fails_at = (int64_t) setting("T2_FAR_FAILS_AT", 0);
    f->alloc_fails_at = (int64_t) setting("T2_FAR_ALLOC_FAILS_AT", 0);
    f->seed = setting("T2_FAR_SEED", 1);
    f->dev = (struct dev){.name = "far",
                          .kernels = &dev_far_kernels,
                          .alloc = far_alloc,
                          .free = far_free,
                          .memory = far_memory,
                          .alloc_host = dev_far_alloc_host,
                          .free_host = dev_far_free_host,
                          .upload = far_upload,
                          .upload_now = far_upload_now,
                          .download = far_download,
                          .copy = far_move,
                          .zero = far_zero,
                          .upload_on = far_upload_on,
                          .download_on = far_download_on,
                          .sync = far_sync,
                          .event_new = far_event_new,
                          .event_free = far_event_free,
                          .event_record = far_event_record,
                          .event_wait = far_event_wait,
                          .queue_wait = far_queue_wait,
                          .event_seconds = far_event_seconds,
                          .recordings_left = DEV_MOST_RECORDINGS,
                          .record_begin = far_record_begin,
                          .record_end = far_record_end,
                          .replay = far_replay,
                          .recording_free = far_recording_free,
                          .check = far_check,
                          .release = far_release,
                          .describe = far_describe};
    if (setting("T2_FAR_LAYOUTS", 0) != 0)
        dev_far_set_layouts(f);
    st = dev_far_queues_start(f, err);
    if (st != T2_OK) {
        free_parts(f);
        return st;
    }
    *d = &f->dev;
    return T2_OK;
}
