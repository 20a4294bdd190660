/*
 * train/device/devices.h - what the devices share among themselves; not for the rest of train/.
 */
#ifndef DEV_DEVICES_H
#define DEV_DEVICES_H

#include "train/device/device.h"
#include "train/device/kernels.h"

/* Recordings of graphs that a device keeps: steps of so many shapes, or both passes of half as
 * many. */
enum { DEV_MOST_RECORDINGS = 256 };

/* Memory and copies of a device whose memory is the host's. */
void dev_host_memory(struct dev *d);

struct dev *dev_reference_new(void);
T2_MUST_CHECK enum t2_status dev_far_new(struct dev **d, struct t2_err *err);
struct dev *dev_cpu_new(int num_threads);
/* Puts " (note)" behind what the cpu device says of itself; before anybody asked. */
void dev_cpu_note(struct dev *d, const char *note);
/* name: "cuda", "cuda:1"; in builds with CUDA.  nth: "cuda" is that one, counted around. */
/* CUDA devices of this machine. */
int dev_cuda_count(void);
T2_MUST_CHECK enum t2_status dev_cuda_new(const char *name, int nth, struct dev **d,
                                          struct t2_err *err);

#endif
