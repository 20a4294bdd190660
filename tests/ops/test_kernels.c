/*
 * tests/ops/test_kernels.c - no kernel without a parity test.
 *
 * The comparisons themselves stand in the test of the file that has the kernel; every line of
 * kernels.def must be called by one of them, by way of op_check.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

/* test_update.c goes through all lines UPDATE by itself. */
static const struct {
    const char *name;
    size_t offset;
    bool by_rule;
} kernels[] = {
#define KERNEL(name, args) {#name, offsetof(struct dev_kernels, name), false},
#define SCRATCH(name, parameters)                                                                  \
    {#name "_scratch_floats", offsetof(struct dev_kernels, name##_scratch_floats), false},
#define UPDATE(name, n_slots) {#name, offsetof(struct dev_kernels, update_##name), true},
#include "train/device/kernels.def"
};

enum { N_KERNELS = sizeof kernels / sizeof *kernels };

static void check_table(const char *device, const struct dev_kernels *table)
{
    for (size_t i = 0; i < N_KERNELS; i++) {
        void (*entry)(void);

        memcpy(&entry, (const char *) table + kernels[i].offset, sizeof entry);
        if (!entry)
            fail_msg("device %s has no kernel %s", device, kernels[i].name);
    }
}

static void test_every_device_has_every_kernel(void **state)
{
    (void) state;
    check_table("reference", op_device("reference", 1)->kernels);
    check_table("cpu", op_device("cpu", 1)->kernels);
}

/* Each kernel is called by a test that compares devices.  Read from the sources: a call is
 * "kernels->NAME(" or "k->NAME(". */
static void test_every_kernel_has_a_parity_test(void **state)
{
    bool compared[N_KERNELS] = {false};
    glob_t files;

    (void) state;
    assert_int_equal(glob("tests/ops/test_*.c", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        size_t n;
        char *text = t_read_file(files.gl_pathv[f], &n);

        for (size_t i = 0; strstr(text, "op_check(&") && i < N_KERNELS; i++) {
            char call[64];

            snprintf(call, sizeof call, "->%s(", kernels[i].name);
            compared[i] |= strstr(text, call) != NULL;
        }
        free(text);
    }
    globfree(&files);
    for (size_t i = 0; i < N_KERNELS; i++)
        if (!compared[i] && !kernels[i].by_rule)
            fail_msg("no file of tests/ops compares kernel %s on all devices", kernels[i].name);
}

/* A call that writes too much, or whose result differs, must be noticed: the checker itself. */
static void half(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->copy(d, &(struct dev_copy_args){.x = p[0], .n = 8, .accumulate = false, .y = p[1]});
    if (strcmp(d->name, "cpu") == 0)
        d->kernels->scale(d, &(struct dev_scale_args){.x = (float *) p[1] + 3,
                                                      .n = 1,
                                                      .scale = 0.5f,
                                                      .y = (float *) p[1] + 3});
}

static void test_checker_sees_a_difference(void **state)
{
    struct op_call c;
    float *plain, *cpu;

    (void) state;
    op_begin(&c, 0.0, 0.0, "copy");
    (void) op_in(&c, 8, 1);
    (void) op_out(&c, 8, false, 2);
    plain = op_run_on(op_device("reference", 1), &c, half, NULL);
    cpu = op_run_on(op_device("cpu", 1), &c, half, NULL);
    assert_memory_equal(plain, cpu, 3 * sizeof(float));
    assert_true(cpu[3] == plain[3] / 2);
    free(plain);
    free(cpu);
    op_release(&c);
}

T_MAIN(cmocka_unit_test(test_every_device_has_every_kernel),
       cmocka_unit_test(test_every_kernel_has_a_parity_test),
       cmocka_unit_test(test_checker_sees_a_difference))
