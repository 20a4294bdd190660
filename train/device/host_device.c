/*
 * train/device/host_device.c - memory, copies and events of the devices that compute on the host:
 * everything is done when the call returns.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "train/device/devices.h"

static void *host_alloc(struct dev *d, size_t bytes)
{
    (void) d;
    return t2_alloc_aligned(bytes);
}

static void host_free(struct dev *d, void *p)
{
    (void) d;
    t2_free_aligned(p);
}

static void host_copy(struct dev *d, void *to, const void *from, size_t bytes)
{
    (void) d;
    if (bytes)
        memcpy(to, from, bytes);
}

static void host_zero(struct dev *d, void *p, size_t bytes)
{
    (void) d;
    if (bytes)
        memset(p, 0, bytes);
}

static void host_copy_on(struct dev *d, enum dev_queue queue, void *to, const void *from,
                         size_t bytes)
{
    (void) queue;
    host_copy(d, to, from, bytes);
}

static struct dev_memory host_memory(const struct dev *d)
{
    (void) d;
    return (struct dev_memory){0, 0};
}

static enum t2_status host_check(struct dev *d, struct t2_err *err)
{
    (void) d, (void) err;
    return T2_OK;
}

static void host_sync(struct dev *d)
{
    (void) d;
}

/* Kernels are done when they return, so an event is a time. */
struct dev_event {
    double at_s;
};

static struct dev_event *host_event_new(struct dev *d)
{
    (void) d;
    return t2_alloc(1, sizeof(struct dev_event));
}

static void host_event_free(struct dev *d, struct dev_event *e)
{
    (void) d;
    t2_free(e);
}

static void host_event_record(struct dev *d, enum dev_queue queue, struct dev_event *e)
{
    (void) d, (void) queue;
    e->at_s = t2_now_s();
}

static void host_event_wait(struct dev *d, struct dev_event *e)
{
    (void) d;
    (void) e;
}

static void host_queue_wait(struct dev *d, enum dev_queue queue, const struct dev_event *e)
{
    (void) d, (void) queue, (void) e;
}

static double host_event_seconds(struct dev *d, const struct dev_event *from,
                                 const struct dev_event *to)
{
    (void) d;
    return to->at_s - from->at_s;
}

void dev_host_memory(struct dev *d)
{
    d->host_memory = true;
    d->alloc = host_alloc;
    d->free = host_free;
    d->memory = host_memory;
    d->alloc_host = host_alloc;
    d->free_host = host_free;
    d->upload = host_copy;
    d->upload_now = host_copy;
    d->download = host_copy;
    d->copy = host_copy;
    d->zero = host_zero;
    d->upload_on = host_copy_on;
    d->download_on = host_copy_on;
    d->sync = host_sync;
    d->event_new = host_event_new;
    d->event_free = host_event_free;
    d->event_record = host_event_record;
    d->event_wait = host_event_wait;
    d->queue_wait = host_queue_wait;
    d->event_seconds = host_event_seconds;
    d->check = host_check;
}
