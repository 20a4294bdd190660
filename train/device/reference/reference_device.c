/*
 * train/device/reference/reference_device.c - the device "reference": plain loops on one thread.
 */
#include "base/alloc.h"
#include "train/device/devices.h"

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
