/*
 * base/memory_available.c - MemAvailable, cgroup and address space limits; resident pages.
 */
#include "base/memory_available.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { LINE_BYTES = 4096 };

static void lower(uint64_t *n, uint64_t limit)
{
    if (limit < *n)
        *n = limit;
}

/* The number that follows `key` at the begin of a line; of a file of one number, key is "". */
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

/* To its limit, or to what is left of it. */
static void lower_to_group(uint64_t *n, const char *group, bool all)
{
    char path[LINE_BYTES + 64];
    uint64_t max, now;

    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group); /* or "max", no number */
    if (!number_in(path, "", &max))
        return;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", group);
    if (all)
        lower(n, max);
    else if (number_in(path, "", &now))
        lower(n, max > now ? max - now : 0);
}

static void lower_to_cgroup2(uint64_t *n, bool all)
{
    char line[LINE_BYTES], *slash;
    FILE *f = fopen("/proc/self/cgroup", "re");

    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        lower_to_group(n, line + 3, all);
        while ((slash = strrchr(line + 3, '/'))) {
            *slash = '\0';
            lower_to_group(n, line + 3, all);
        }
    }
    if (f)
        fclose(f);
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
    lower_to_cgroup2(&n, false);
    lower_to_address_space(&n, false);
    return n;
}

uint64_t t2_memory_total(void)
{
    uint64_t n = UINT64_MAX, kib;

    if (number_in("/proc/meminfo", "MemTotal:", &kib))
        n = kib * 1024;
    lower_to_cgroup2(&n, true);
    lower_to_address_space(&n, true);
    return n;
}

static uint64_t of_this_process(const char *key)
{
    uint64_t kib;

    return number_in("/proc/self/status", key, &kib) ? kib * 1024 : 0;
}

uint64_t t2_memory_resident(void)
{
    return of_this_process("VmRSS:");
}

uint64_t t2_memory_peak(void)
{
    return of_this_process("VmHWM:");
}
