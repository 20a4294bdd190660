/*
 * train/device/readback.c - a ring of records in the host's memory for copies, an event for each.
 */
#include "train/device/readback.h"

enum t2_status dev_readback_open(struct dev_readback *r, struct dev *dev, size_t bytes,
                                 struct t2_err *err)
{
    enum { LINE = 64 };

    *r = (struct dev_readback){.dev = dev, .bytes = bytes};
    r->stride = (bytes + LINE - 1) / LINE * LINE;
    r->host = dev->alloc_host(dev, DEV_READBACKS * r->stride);
    if (!r->host)
        return t2_fail(err, T2_ENOMEM, "not enough memory for the results of a step");
    for (int i = 0; i < DEV_READBACKS; i++)
        r->there[i] = dev->event_new(dev);
    return T2_OK;
}

void dev_readback_close(struct dev_readback *r)
{
    if (!r->host)
        return;
    for (; r->n_taken < r->n_asked; r->n_taken++)
        r->dev->event_wait(r->dev, r->there[r->n_taken % DEV_READBACKS]);
    for (int i = 0; i < DEV_READBACKS; i++)
        r->dev->event_free(r->dev, r->there[i]);
    r->dev->free_host(r->dev, r->host);
    r->host = NULL;
}

void dev_readback_ask(struct dev_readback *r, const void *from)
{
    uint64_t i = r->n_asked % DEV_READBACKS;

    T2_ASSERT(r->n_asked - r->n_taken < DEV_READBACKS);
    r->dev->download_on(r->dev, DEV_COMPUTE, r->host + i * r->stride, from, r->bytes);
    r->dev->event_record(r->dev, DEV_COMPUTE, r->there[i]);
    r->n_asked++;
}

const void *dev_readback_take(struct dev_readback *r)
{
    uint64_t i = r->n_taken % DEV_READBACKS;

    T2_ASSERT(r->n_taken < r->n_asked);
    r->dev->event_wait(r->dev, r->there[i]);
    r->n_taken++;
    return r->host + i * r->stride;
}
