/*
 * train/device/far/far_device.c - the queue of the device "far", its copies and events.
 *
 * The queue's thread begins only when somebody waits or LATE calls stand in line, so calls run as
 * late as they can.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/str.h"
#include "train/device/devices.h"
#include "train/device/far/far.h"

enum { LATE = 512, POISON = 0xfe, DEFAULT_LIMIT_GIB = 8 };

static struct far_dev *far_of(struct dev *d)
{
    return (struct far_dev *) d;
}

/* ---- the queue ---- */

void dev_far_queue(struct far_dev *f, far_fn run, const char *what, const void *arguments,
                   size_t bytes)
{
    struct far_call *c = t2_alloc(1, sizeof *c + bytes);

    c->run = run;
    c->what = what;
    c->node = f->dev.node;
    c->node_index = f->dev.node_index;
    c->precision = f->dev.precision;
    c->bytes = bytes;
    memcpy(c->arguments, arguments, bytes);
    pthread_mutex_lock(&f->mutex);
    *f->last = c;
    f->last = &c->next;
    f->n_queued++;
    if (f->n_queued - f->n_done >= LATE)
        pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->mutex);
}

static void wait_for(struct far_dev *f, uint64_t n)
{
    pthread_mutex_lock(&f->mutex);
    f->hurry = true;
    pthread_cond_signal(&f->wake);
    while (f->n_done < n)
        pthread_cond_wait(&f->idle, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

void dev_far_wait(struct far_dev *f)
{
    wait_for(f, f->n_queued);
}

/* After a failure nothing is done any more; the first one is kept. */
static void run_call(struct far_dev *f, struct far_call *c)
{
    bool failed;

    pthread_mutex_lock(&f->mutex);
    failed = f->error.status != T2_OK;
    if (!failed && c->what && ++f->n_kernels == f->fails_at) {
        t2_fail(&f->error, T2_EDEVICE,
                "device far: kernel %s failed at node %d (%s) of the graph; what it computed is "
                "lost, the last checkpoint is sound",
                c->what, c->node_index, c->node ? c->node : "none");
        failed = true;
    }
    pthread_mutex_unlock(&f->mutex);
    if (failed && c->what)
        return;
    dev_far_near_all(&f->memory, c->arguments, c->bytes);
    f->near->precision = c->precision;
    c->run(f, c->arguments);
}

static void *work(void *arg)
{
    struct far_dev *f = arg;

    pthread_mutex_lock(&f->mutex);
    for (;;) {
        struct far_call *c;

        while (!f->closing && (!f->first || (!f->hurry && f->n_queued - f->n_done < LATE)))
            pthread_cond_wait(&f->wake, &f->mutex);
        if (!f->first)
            break;
        c = f->first;
        f->first = c->next;
        if (!f->first)
            f->last = &f->first;
        pthread_mutex_unlock(&f->mutex);
        run_call(f, c);
        t2_free(c);
        pthread_mutex_lock(&f->mutex);
        f->n_done++;
        if (!f->first)
            f->hurry = false;
        pthread_cond_broadcast(&f->idle);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
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
    p = dev_far_memory_take(&f->memory, bytes);
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
    void *copy = t2_alloc(bytes + 1, 1);

    if (bytes)
        memcpy(copy, from, bytes);
    dev_far_queue(far_of(d), run_upload_now, NULL, &(struct move){to, copy, bytes},
                  sizeof(struct move));
}

static void far_download(struct dev *d, void *to, const void *from, size_t bytes)
{
    far_move(d, to, from, bytes);
    dev_far_wait(far_of(d));
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
    uint64_t place; /* calls before it, and itself */
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

static void far_event_free(struct dev *d, struct dev_event *e)
{
    if (e)
        wait_for(far_of(d), e->place);
    t2_free(e);
}

static void far_event_record(struct dev *d, struct dev_event *e)
{
    struct far_dev *f = far_of(d);

    dev_far_queue(f, run_event, NULL, &e, sizeof(struct dev_event *));
    e->place = f->n_queued;
}

static void far_event_wait(struct dev *d, struct dev_event *e)
{
    wait_for(far_of(d), e->place);
}

static double far_event_seconds(struct dev *d, const struct dev_event *from,
                                const struct dev_event *to)
{
    (void) d;
    return to->at_s - from->at_s;
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
    pthread_cond_destroy(&f->wake);
    pthread_cond_destroy(&f->idle);
    pthread_mutex_destroy(&f->mutex);
    dev_far_memory_close(&f->memory);
    dev_close(f->near);
    t2_free(f);
}

static void far_release(struct dev *d)
{
    struct far_dev *f = far_of(d);

    pthread_mutex_lock(&f->mutex);
    f->closing = true;
    pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->mutex);
    pthread_join(f->thread, NULL);
    free_parts(f);
}

static const char *far_describe(const struct dev *d)
{
    return d->precision == DEV_BFLOAT16 ? "plain C loops behind a late queue, bfloat16 products"
                                        : "plain C loops behind a late queue, memory of its own";
}

/* For tests: T2_FAR_MEMORY bytes of memory, failure of kernel call number T2_FAR_FAILS_AT. */
static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t n;

    return text && t2_parse_u64(text, &n) ? n : otherwise;
}

enum t2_status dev_far_new(struct dev **d, struct t2_err *err)
{
    struct far_dev *f = t2_alloc(1, sizeof *f);
    int error;
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
    f->last = &f->first;
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->wake, NULL);
    pthread_cond_init(&f->idle, NULL);
    f->dev = (struct dev){.name = "far",
                          .kernels = &dev_far_kernels,
                          .alloc = far_alloc,
                          .free = far_free,
                          .memory = far_memory,
                          .upload = far_move,
                          .upload_now = far_upload_now,
                          .download = far_download,
                          .copy = far_move,
                          .zero = far_zero,
                          .sync = far_sync,
                          .event_new = far_event_new,
                          .event_free = far_event_free,
                          .event_record = far_event_record,
                          .event_wait = far_event_wait,
                          .event_seconds = far_event_seconds,
                          .check = far_check,
                          .release = far_release,
                          .describe = far_describe};
    error = pthread_create(&f->thread, NULL, work, f);
    if (error) {
        free_parts(f);
        return t2_fail_errno(err, error, "device far: no thread for its queue");
    }
    *d = &f->dev;
    return T2_OK;
}
