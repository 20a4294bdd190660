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
struct dev *dev_cpu_new(int num_threads);

#endif
