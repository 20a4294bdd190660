/*
 * base/cgroup.h - the control groups that this process is in: their limits count as the machine's.
 */
#ifndef T2_BASE_CGROUP_H
#define T2_BASE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

enum { T2_CGROUP_LINE_BYTES = 4096 };

/* One group: the folder of its files, in the form of version 1 or 2 of the interface. */
typedef void t2_cgroup_fn(void *arg, const char *folder, int version);

/* Calls fn for the group of `controller` ("cpu", "memory") and each one above it, of both versions
 * (a machine may have both): the lowest limit of all counts.  Inside a container, which sees its
 * own group as the top one under a name that is not there, that is found as well.  folder is
 * borrowed until fn returns. */
void t2_cgroup_each(const char *controller, t2_cgroup_fn *fn, void *arg);

/* The first line of a file of a group, without its end; false when there is none. */
bool t2_cgroup_line(const char *folder, const char *name, char line[T2_CGROUP_LINE_BYTES]);

/* Put in front of /proc/self/cgroup and /sys/fs/cgroup: "", or the folder of a test. */
extern const char *t2_cgroup_root;

#endif
