/*
 * base/cpu_count.c - how many threads make sense here: CPU affinity and the control groups' quotas.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/pool.h"

enum { MAX_CPUS = 8192 };

static int affinity_count(void)
{
    size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
    cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
    int n = 0;

    if (set && sched_getaffinity(0, size, set) == 0)
        n = CPU_COUNT_S(size, set);
    if (set)
        CPU_FREE(set);
    if (n < 1)
        n = (int) sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n;
}

/* "<quota> <period>" of cgroup v2, "max ..." being no limit. */
static int quota_of(const char *text)
{
    long long quota, period;

    if (sscanf(text, "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0)
        return 0;
    return (int) (quota / period + (quota % period != 0));
}

static void lower(int *n, int limit)
{
    if (limit > 0 && limit < *n)
        *n = limit;
}

/* Version 1 has two files where version 2 has one line; a quota of -1 is no limit, which quota_of
 * takes as such. */
static void lower_to_group(void *arg, const char *folder, int version)
{
    char line[T2_CGROUP_LINE_BYTES], period[T2_CGROUP_LINE_BYTES], both[2 * T2_CGROUP_LINE_BYTES];
    int *n = arg;

    if (version == 2) {
        if (t2_cgroup_line(folder, "cpu.max", line))
            lower(n, quota_of(line));
    } else if (t2_cgroup_line(folder, "cpu.cfs_quota_us", line) &&
               t2_cgroup_line(folder, "cpu.cfs_period_us", period)) {
        snprintf(both, sizeof both, "%s %s", line, period);
        lower(n, quota_of(both));
    }
}

int t2_cpu_count(void)
{
    int n = affinity_count();

    t2_cgroup_each("cpu", lower_to_group, &n);
    return n;
}
