/*
 * base/cgroup.c - the control groups that this process is in.
 *
 * /proc/self/cgroup has a line for each hierarchy:
 *
 *   0::/a/b                version 2:  /sys/fs/cgroup/a/b/cpu.max
 *   4:cpu,cpuacct:/a/b     version 1:  /sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us
 */
#include "base/cgroup.h"

#include <stdio.h>
#include <string.h>

const char *t2_cgroup_root = "";

bool t2_cgroup_line(const char *folder, const char *name, char line[T2_CGROUP_LINE_BYTES])
{
    char path[2 * T2_CGROUP_LINE_BYTES];
    bool ok = false;
    FILE *f = NULL;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int) sizeof path)
        f = fopen(path, "re");
    if (f) {
        ok = fgets(line, T2_CGROUP_LINE_BYTES, f) != NULL;
        fclose(f);
    }
    if (ok)
        line[strcspn(line, "\n")] = '\0';
    return ok;
}

/* `group` ("/a/b") is cut at each '/' in turn. */
static void each_above(const char *mount, char *group, int version, t2_cgroup_fn *fn, void *arg)
{
    char folder[2 * T2_CGROUP_LINE_BYTES];

    for (;;) {
        char *slash = strrchr(group, '/');

        if (snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", t2_cgroup_root, mount, group) <
            (int) sizeof folder)
            fn(arg, folder, version);
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Is `name` one of "a,b,c"? */
static bool is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (;;) {
        size_t len = strcspn(list, ",");

        if (len == n && strncmp(list, name, n) == 0)
            return true;
        if (list[len] == '\0')
            return false;
        list += len + 1;
    }
}

void t2_cgroup_each(const char *controller, t2_cgroup_fn *fn, void *arg)
{
    char path[T2_CGROUP_LINE_BYTES], line[T2_CGROUP_LINE_BYTES], mount[64];
    FILE *f;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", t2_cgroup_root);
    snprintf(mount, sizeof mount, "/%s", controller);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

        if (!group)
            continue;
        *list++ = '\0';
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (strcmp(group, "/") == 0)
            group[0] = '\0';
        if (strcmp(line, "0") == 0 && *list == '\0')
            each_above("", group, 2, fn, arg);
        else if (is_listed(list, controller))
            each_above(mount, group, 1, fn, arg);
    }
    if (f)
        fclose(f);
}
