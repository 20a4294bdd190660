/*
 * train/device/devices.h - what the devices share among themselves; not for the rest of train/.
 */
#ifndef DEV_DEVICES_H
#define DEV_DEVICES_H

#include "train/device/device.h"
#include "train/device/kernels.h"

/* Memory and copies of a device whose memory is the host's. */
void dev_host_memory(struct dev *d);

struct dev *dev_reference_new(void);
T2_MUST_CHECK enum t2_status dev_far_new(struct dev **d, struct t2_err *err);
struct dev *dev_cpu_new(int num_threads);

#endif
