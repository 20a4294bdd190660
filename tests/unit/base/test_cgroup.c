/*
 * tests/unit/base/test_cgroup.c - processors and memory by the limits of control groups, in a
 * folder that looks like /proc and /sys.
 */
#include "base/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory_available.h"
#include "base/pool.h"
#include "tests/support/t.h"

enum { PATH_BYTES = 4096, MIB = 1 << 20 };

static char root[PATH_BYTES / 2];

static void put(const char *folder, const char *file, const char *text)
{
    char path[PATH_BYTES];
    struct t2_err err = T2_ERR_INIT;

    snprintf(path, sizeof path, "%s%s", root, folder);
    assert_int_equal(t2_make_dirs(path, &err), T2_OK);
    snprintf(path, sizeof path, "%s%s/%s", root, folder, file);
    t_write_file(path, text, strlen(text));
}

/* From here on in a new folder, with this /proc/self/cgroup. */
static void begin(const char *name, const char *groups)
{
    snprintf(root, sizeof root, "%s", t_tmp_path(name));
    t2_cgroup_root = root;
    put("/proc/self", "cgroup", groups);
}

static int end(void **state)
{
    (void) state;
    t2_cgroup_root = "";
    return 0;
}

static void list(void *arg, const char *folder, int version)
{
    char *text = arg;
    size_t n = strlen(text);

    assert_memory_equal(folder, root, strlen(root));
    snprintf(text + n, PATH_BYTES - n, "%d %s\n", version, folder + strlen(root));
}

static void test_groups(void **state)
{
    char cpu[PATH_BYTES] = "", memory[PATH_BYTES] = "", none[PATH_BYTES] = "";

    (void) state;
    begin("groups",
          "12:cpuset:/x\n4:cpuacct,cpu:/a/b\n3:memory:/\n1:name=systemd:/cpu\nbroken\n0::/s\n");
    t2_cgroup_each("cpu", list, cpu);
    assert_string_equal(cpu,
                        "1 /sys/fs/cgroup/cpu/a/b\n1 /sys/fs/cgroup/cpu/a\n1 /sys/fs/cgroup/cpu\n"
                        "2 /sys/fs/cgroup/s\n2 /sys/fs/cgroup\n");
    t2_cgroup_each("memory", list, memory);
    assert_string_equal(memory, "1 /sys/fs/cgroup/memory\n2 /sys/fs/cgroup/s\n2 /sys/fs/cgroup\n");
    begin("no-groups", "");
    t2_cgroup_each("cpu", list, none);
    assert_string_equal(none, "");
}

static void test_cpus(void **state)
{
    int all;

    (void) state;
    begin("none", "0::/\n");
    all = t2_cpu_count();

    begin("v2", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b", "cpu.max", "max 100000\n");
    assert_int_equal(t2_cpu_count(), all);
    put("/sys/fs/cgroup/a", "cpu.max", "50000 100000\n"); /* half a processor is one thread */
    assert_int_equal(t2_cpu_count(), 1);
    put("/sys/fs/cgroup/a", "cpu.max", "99999999999999999 1\n");
    assert_int_equal(t2_cpu_count(), all);
    put("/sys/fs/cgroup/a", "cpu.max", "9999999999 10000\n");
    assert_int_equal(t2_cpu_count(), all);
    put("/sys/fs/cgroup", "cpu.max", "100000 100000\n"); /* as a container sees its own group */
    assert_int_equal(t2_cpu_count(), 1);

    begin("v1", "7:memory:/m\n5:cpu,cpuacct:/docker/f00\n0::/\n");
    put("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu", "cpu.cfs_period_us", "100000\n");
    assert_int_equal(t2_cpu_count(), all);
    put("/sys/fs/cgroup/cpu/docker/f00", "cpu.cfs_quota_us", "20000\n");
    assert_int_equal(t2_cpu_count(), all); /* without a period */
    put("/sys/fs/cgroup/cpu/docker/f00", "cpu.cfs_period_us", "100000\n");
    assert_int_equal(t2_cpu_count(), 1);
    put("/sys/fs/cgroup/cpu/docker/f00", "cpu.cfs_period_us", "0\n");
    assert_int_equal(t2_cpu_count(), all);
}

static void test_memory(void **state)
{
    (void) state;
    begin("memory-v2", "0::/job\n");
    put("/sys/fs/cgroup/job", "memory.max", "8388608\n");
    put("/sys/fs/cgroup/job", "memory.current", "6291456\n");
    assert_int_equal(t2_memory_total(), 8 * MIB);
    assert_int_equal(t2_memory_available(), 2 * MIB);
    put("/sys/fs/cgroup/job", "memory.stat", "anon 1\nfile 5242880\ninactive_file 4194304\n");
    assert_int_equal(t2_memory_available(), 6 * MIB);
    put("/sys/fs/cgroup/job", "memory.max", "max\n");
    assert_true(t2_memory_total() > 64 * MIB);

    begin("memory-v1", "3:memory:/job\n");
    put("/sys/fs/cgroup/memory/job", "memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(t2_memory_total() < (uint64_t) 1 << 60);
    put("/sys/fs/cgroup/memory/job", "memory.limit_in_bytes", "8388608\n");
    put("/sys/fs/cgroup/memory/job", "memory.usage_in_bytes", "9437184\n");
    assert_int_equal(t2_memory_total(), 8 * MIB);
    assert_int_equal(t2_memory_available(), 0);
    put("/sys/fs/cgroup/memory/job", "memory.stat",
        "inactive_file 1\ntotal_inactive_file 2097152\n");
    assert_int_equal(t2_memory_available(), 1 * MIB);
}

T_MAIN(cmocka_unit_test_teardown(test_groups, end), cmocka_unit_test_teardown(test_cpus, end),
       cmocka_unit_test_teardown(test_memory, end))
