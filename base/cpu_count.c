/*
 * base/cpu_count.c - how many threads make sense here: CPU affinity and the cgroup's quota.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"

enum { LINE_BYTES = 4096, MAX_CPUS = 8192 };

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

static bool read_line(const char *path, char line[LINE_BYTES])
{
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(line, LINE_BYTES, f);

    if (f)
        fclose(f);
    return ok;
}

/* "<quota> <period>" of cgroup v2, "max ..." being no limit. */
static int quota_of(const char *text)
{
    long long quota, period;

    if (sscanf(text, "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0)
        return 0;
    return (int) ((quota + period - 1) / period);
}

static void lower(int *n, int limit)
{
    if (limit > 0 && limit < *n)
        *n = limit;
}

/* The limits of a cgroup (v2) and of all above it: each one's cpu.max counts, the lowest wins.
 * `group` is cut at each '/' in turn. */
static void lower_to_cgroup2(int *n, char *group)
{
    char path[LINE_BYTES + 64], line[LINE_BYTES];

    for (;;) {
        char *slash = strrchr(group, '/');

        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
        if (read_line(path, line))
            lower(n, quota_of(line));
        if (!slash)
            return;
        *slash = '\0';
    }
}

/*
 * Version 1 has two files where version 2 has one line; a quota of -1 is no limit, which quota_of
 * takes as such.
 */
static void lower_to_cgroup1(int *n)
{
    char quota[LINE_BYTES], period[LINE_BYTES], both[2 * LINE_BYTES];

    if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota) ||
        !read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period))
        return;
    snprintf(both, sizeof both, "%s %s", quota, period);
    lower(n, quota_of(both));
}

int t2_cpu_count(void)
{
    int n = affinity_count();
    char line[LINE_BYTES];
    FILE *f = fopen("/proc/self/cgroup", "re");

    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) == 0)
            lower_to_cgroup2(&n, line + 3);
    }
    if (f)
        fclose(f);
    lower_to_cgroup1(&n);
    return n;
}
