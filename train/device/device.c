/*
 * train/device/device.c - opening a device by name; memory and events of those that compute on the
 * host.
 */
#include "train/device/device.h"

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

static void host_event_record(struct dev *d, struct dev_event *e)
{
    (void) d;
    e->at_s = t2_now_s();
}

static void host_event_wait(struct dev *d, struct dev_event *e)
{
    (void) d;
    (void) e;
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
    d->upload = host_copy;
    d->download = host_copy;
    d->copy = host_copy;
    d->zero = host_zero;
    d->sync = host_sync;
    d->event_new = host_event_new;
    d->event_free = host_event_free;
    d->event_record = host_event_record;
    d->event_wait = host_event_wait;
    d->event_seconds = host_event_seconds;
}

static void reference_release(struct dev *d)
{
    t2_free(d);
}

static const char *reference_describe(const struct dev *d)
{
    return d->precision == DEV_BFLOAT16 ? "plain C loops, 1 thread, bfloat16 products"
                                        : "plain C loops, 1 thread";
}

struct dev *dev_reference_new(void)
{
    struct dev *d = t2_alloc(1, sizeof *d);

    dev_host_memory(d);
    d->name = "reference";
    d->kernels = &dev_reference_kernels;
    d->release = reference_release;
    d->describe = reference_describe;
    return d;
}

enum t2_status dev_open(const char *name, int num_threads, struct dev **d, struct t2_err *err)
{
    T2_ASSERT(name && d && err);
    *d = NULL;
    if (strcmp(name, "cpu") == 0)
        *d = dev_cpu_new(num_threads);
    else if (strcmp(name, "reference") == 0 || strcmp(name, "plain") == 0) /* its former name */
        *d = dev_reference_new();
    else
        return t2_fail(err, T2_EUSAGE, "unknown device '%s'; this build has cpu and reference",
                       name);
    return T2_OK;
}

enum t2_status dev_set_precision(struct dev *d, const char *name, struct t2_err *err)
{
    if (strcmp(name, "float32") == 0)
        d->precision = DEV_FLOAT32;
    else if (strcmp(name, "bfloat16") == 0 || strcmp(name, "bf16") == 0)
        d->precision = DEV_BFLOAT16;
    else
        return t2_fail(err, T2_EUSAGE, "unknown precision '%s'; there are float32 and bfloat16",
                       name);
    return T2_OK;
}

const char *dev_precision_name(const struct dev *d)
{
    return d->precision == DEV_BFLOAT16 ? "bfloat16" : "float32";
}

void dev_close(struct dev *d)
{
    if (d)
        d->release(d);
}
