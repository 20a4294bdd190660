/*
 * tests/ops/test_kernels.c - no kernel without a parity test.
 *
 * The comparisons themselves stand in the test of the file that has the kernel; here is the list,
 * which must have as many entries as the table, each with a test that calls it by way of op_check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

#define KERNEL(name, file)                                                                         \
    {                                                                                              \
#name, offsetof(struct dev_kernels, name), "tests/ops/" file                               \
    }

static const struct {
    const char *name;
    size_t offset;
    const char *file;
} kernels[] = {
    KERNEL(gemm, "test_gemm.c"),
    KERNEL(gemm_scratch_floats, "test_gemm.c"),
    KERNEL(col_sum, "test_elementwise.c"),
    KERNEL(col_sum_scratch_floats, "test_elementwise.c"),
    KERNEL(relu_bwd, "test_elementwise.c"),
    KERNEL(dropout, "test_elementwise.c"),
    KERNEL(residual, "test_elementwise.c"),
    KERNEL(residual_bwd, "test_elementwise.c"),
    KERNEL(copy, "test_elementwise.c"),
    KERNEL(embed, "test_embed.c"),
    KERNEL(embed_bwd, "test_embed.c"),
    KERNEL(layer_norm, "test_layer_norm.c"),
    KERNEL(layer_norm_bwd, "test_layer_norm.c"),
    KERNEL(layer_norm_scratch_floats, "test_layer_norm.c"),
    KERNEL(attention, "test_attention.c"),
    KERNEL(attention_bwd, "test_attention.c"),
    KERNEL(attention_scratch_floats, "test_attention.c"),
    KERNEL(xent, "test_xent.c"),
    KERNEL(xent_scratch_floats, "test_xent.c"),
    KERNEL(unfold, "test_conv.c"),
    KERNEL(unfold_bwd, "test_conv.c"),
    KERNEL(depthwise, "test_conv.c"),
    KERNEL(depthwise_bwd, "test_conv.c"),
    KERNEL(scale, "test_axes.c"),
    KERNEL(swap_axes, "test_axes.c"),
    KERNEL(mean_axis, "test_axes.c"),
    KERNEL(mean_axis_bwd, "test_axes.c"),
    KERNEL(copy_columns, "test_image_layout.c"),
    KERNEL(shift_pixels, "test_image_layout.c"),
    KERNEL(mirror_pixels, "test_image_layout.c"),
    KERNEL(excite, "test_excite.c"),
    KERNEL(excite_bwd, "test_excite.c"),
    KERNEL(class_xent, "test_class_loss.c"),
    KERNEL(targeted, "test_targeted.c"),
    KERNEL(conv2d, "test_conv2d.c"),
    KERNEL(conv2d_bwd_data, "test_conv2d.c"),
    KERNEL(conv2d_bwd_weights, "test_conv2d.c"),
    KERNEL(conv2d_scratch_floats, "test_conv2d.c"),
    KERNEL(batch_moments, "test_batch_norm.c"),
    KERNEL(batch_norm, "test_batch_norm.c"),
    KERNEL(batch_norm_bwd, "test_batch_norm.c"),
    KERNEL(batch_norm_scratch_floats, "test_batch_norm.c"),
    KERNEL(pointwise_loss, "test_pointwise_loss.c"),
    KERNEL(max_pool, "test_pooling.c"),
    KERNEL(max_pool_bwd, "test_pooling.c"),
    KERNEL(avg_pool, "test_pooling.c"),
    KERNEL(avg_pool_bwd, "test_pooling.c"),
    KERNEL(relu, "test_elementwise.c"),
    KERNEL(gelu, "test_elementwise.c"),
    KERNEL(gelu_bwd, "test_elementwise.c"),
    KERNEL(scale_rows, "test_elementwise.c"),
    KERNEL(blend, "test_batch_norm.c"),
    KERNEL(cache_put, "test_elementwise.c"),
    KERNEL(cache_gather, "test_elementwise.c"),
};

enum { N_KERNELS = sizeof kernels / sizeof *kernels };

_Static_assert(sizeof(struct dev_kernels) == N_KERNELS * sizeof(void (*)(void)),
               "a kernel was added or removed: put it into this list and into a test");

/* The list names every place of the table once. */
static void test_list_covers_the_table(void **state)
{
    bool seen[N_KERNELS] = {false};

    (void) state;
    for (size_t i = 0; i < N_KERNELS; i++) {
        size_t place = kernels[i].offset / sizeof(void (*)(void));

        assert_true(place < N_KERNELS);
        assert_false(seen[place]);
        seen[place] = true;
    }
}

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

/* Each kernel is called by a test that compares devices.  Read from the source: a call is
 * "kernels->NAME(" or "k->NAME(". */
static void test_every_kernel_has_a_parity_test(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_KERNELS; i++) {
        char call[64];
        char *text;
        size_t n;

        text = t_read_file(kernels[i].file, &n);
        snprintf(call, sizeof call, "->%s(", kernels[i].name);
        if (!strstr(text, call) || !strstr(text, "op_check(&"))
            fail_msg("%s does not compare kernel %s", kernels[i].file, kernels[i].name);
        free(text);
    }
}

/* A call that writes too much, or whose result differs, must be noticed: the checker itself. */
static void half(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->copy(d, p[0], 8, false, p[1]);
    if (strcmp(d->name, "reference") != 0)
        ((float *) p[1])[3] *= 0.5f;
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

T_MAIN(cmocka_unit_test(test_list_covers_the_table),
       cmocka_unit_test(test_every_device_has_every_kernel),
       cmocka_unit_test(test_every_kernel_has_a_parity_test),
       cmocka_unit_test(test_checker_sees_a_difference))
