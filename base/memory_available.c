/*
 * base/memory_available.c - MemAvailable, cgroup and address space limits; resident pages.
 */
#include "base/memory_available.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cgroup.h"

enum { LINE_BYTES = 4096 };

static void lower(uint64_t *n, uint64_t limit)
{
    if (limit < *n)
        *n = limit;
}

/* The number that follows `key` at the begin of a line. */
static bool number_in(const char *path, const char *key, uint64_t *v)
{
    char line[LINE_BYTES];
    FILE *f = fopen(path, "re");
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f))
        found =
            strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%" SCNu64, v) == 1;
    if (f)
        fclose(f);
    return found;
}

struct lowering {
    uint64_t *n;
    bool all; /* to the limit, not to what is left of it */
};

/* Pages of files that are given back before anything fails: they count as used by the group. */
static uint64_t idle_cache(const char *folder, int version)
{
    char path[T2_CGROUP_LINE_BYTES * 2];
    uint64_t bytes = 0;

    snprintf(path, sizeof path, "%s/memory.stat", folder);
    (void) number_in(path, version == 2 ? "inactive_file " : "total_inactive_file ", &bytes);
    return bytes;
}

/* A group without a limit says "max" (version 2), which is no number, or a huge one. */
static void lower_to_group(void *arg, const char *folder, int version)
{
    const struct lowering *to = arg;
    char line[T2_CGROUP_LINE_BYTES];
    uint64_t max, now;

    if (!t2_cgroup_line(folder, version == 2 ? "memory.max" : "memory.limit_in_bytes", line) ||
        sscanf(line, "%" SCNu64, &max) != 1)
        return;
    if (to->all)
        lower(to->n, max);
    else if (t2_cgroup_line(folder, version == 2 ? "memory.current" : "memory.usage_in_bytes",
                            line) &&
             sscanf(line, "%" SCNu64, &now) == 1) {
        uint64_t cache = idle_cache(folder, version);

        now = now > cache ? now - cache : 0;
        lower(to->n, max > now ? max - now : 0);
    }
}

static void lower_to_cgroups(uint64_t *n, bool all)
{
    struct lowering to = {n, all};

    t2_cgroup_each("memory", lower_to_group, &to);
}

static void lower_to_address_space(uint64_t *n, bool all)
{
    struct rlimit limit;
    uint64_t kib;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    if (all)
        lower(n, limit.rlim_cur);
    else if (number_in("/proc/self/status", "VmSize:", &kib))
        lower(n, limit.rlim_cur > kib * 1024 ? limit.rlim_cur - kib * 1024 : 0);
}

uint64_t t2_memory_available(void)
{
    uint64_t n = UINT64_MAX, kib;

    if (number_in("/proc/meminfo", "MemAvailable:", &kib))
        n = kib * 1024;
    lower_to_cgroups(&n, false);
    lower_to_address_space(&n, false);
    return n;
}

uint64_t t2_memory_total(void)
{
    uint64_t n = UINT64_MAX, kib;

    if (number_in("/proc/meminfo", "MemTotal:", &kib))
        n = kib * 1024;
    lower_to_cgroups(&n, true);
    lower_to_address_space(&n, true);
    return n;
}

static uint64_t of_this_process(const char *key)
{
    uint64_t kib;

    return number_in("/proc/self/status", key, &kib) ? kib * 1024 : 0;
}

/* The kernel takes pages of files, code among them, back when it likes, and they return with their
 * next use: the most there were at once in any call count. */
static uint64_t most_of_files(uint64_t now)
{
    static _Atomic uint64_t most;
    uint64_t before = atomic_load(&most);

    while (before < now && !atomic_compare_exchange_weak(&most, &before, now)) {
    }
    return now > before ? now : before;
}

uint64_t t2_memory_resident(void)
{
    uint64_t all = of_this_process("VmRSS:"), files = of_this_process("RssFile:");

    return all > files ? all - files + most_of_files(files) : all;
}

uint64_t t2_memory_peak(void)
{
    return of_this_process("VmHWM:");
}
