/*
 * train/device/device.c - opening a device by name, and what is the same for all.
 */
#include "train/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "train/device/devices.h"

static bool is_reference(const char *name)
{
    return strcmp(name, "reference") == 0 || strcmp(name, "plain") == 0; /* its former name */
}

/* T2_REFERENCE=far: whatever runs on the reference device runs on far, which must give the same
 * bits (make check-far). */
static bool stands_far(void)
{
    const char *device = getenv("T2_REFERENCE");

    return device && strcmp(device, "far") == 0;
}

enum t2_status dev_open(const char *name, int num_threads, struct dev **d, struct t2_err *err)
{
    T2_ASSERT(name && d && err);
    *d = NULL;
    if (strcmp(name, "cpu") == 0)
        *d = dev_cpu_new(num_threads);
    else if (strcmp(name, "far") == 0 || (is_reference(name) && stands_far()))
        return dev_far_new(d, err);
    else if (is_reference(name))
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

enum t2_status dev_check(struct dev *d, struct t2_err *err)
{
    return d->check(d, err);
}

void dev_close(struct dev *d)
{
    if (d)
        d->release(d);
}
