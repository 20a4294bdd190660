/* tests/ops/test_image_floats.c - bytes of images as floats. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct images {
    int64_t B, H, W, C;
    bool mirrors;
};

static void call_floats(struct dev *d, void *const *p, const void *arg)
{
    const struct images *a = arg;

    d->kernels->image_floats(d,
                             &(struct dev_image_floats_args){.B = a->B,
                                                             .H = a->H,
                                                             .W = a->W,
                                                             .C = a->C,
                                                             .x = p[0],
                                                             .mirrored = a->mirrors ? p[3] : NULL,
                                                             .values = p[1],
                                                             .y = p[2]});
}

static void test_floats(void **state)
{
    static const struct images cases[] = {{1, 2, 2, 1, false},    {1, 1, 1, 4, true},
                                          {2, 1, 2, 3, true},     {3, 2, 2, 3, false},
                                          {4, 50, 50, 3, true},   {20, 50, 20, 3, true},
                                          {3, 1, 11000, 1, true}, {8, 32, 64, 5, true}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct images *a = &cases[i];
        int64_t n = a->B * a->H * a->W * a->C;
        struct op_call c;
        int32_t *bytes;

        op_begin(&c, 0, 0, "image_floats %zu", i);
        bytes = op_in_ids(&c, n / 4, INT32_MAX, 0, 1);
        for (int64_t k = 0; k < n / 4; k += 3) /* the highest bit, too */
            bytes[k] |= INT32_MIN;
        (void) op_in(&c, a->C * 256, 2);
        (void) op_out(&c, n, false, 3);
        bytes = op_in_ids(&c, (a->B + 3) / 4, 1, 0, 4);
        memset(bytes, 0, (size_t) (a->B + 3) / 4 * 4);
        for (int64_t b = 1; b < a->B || b == 1; b += 2)
            ((uint8_t *) bytes)[b % a->B] = 1;
        op_check(&c, call_floats, a);
    }
}

/* The value of a byte by its channel. */
static void test_values(void **state)
{
    static const float expected[2][8] = {{0, -257, 255, -510, 128, -383, 7, -263},
                                         {0, -257, 255, -510, 7, -263, 128, -383}};
    struct images a = {2, 1, 2, 2, false};
    struct op_call c;
    float *values, *y;
    int32_t *bytes;

    (void) state;
    op_begin(&c, 0, 0, "values");
    bytes = op_in_ids(&c, 2, 1, 0, 1);
    memcpy(bytes, (const uint8_t[]){0, 1, 255, 254, 128, 127, 7, 7}, 8);
    values = op_in(&c, 512, 2);
    for (int i = 0; i < 512; i++)
        values[i] = (float) (i < 256 ? i : -i);
    (void) op_out(&c, 8, false, 3);
    bytes = op_in_ids(&c, 1, 1, 0, 4); /* the second image */
    memcpy(bytes, (const uint8_t[]){0, 1, 0, 0}, 4);
    for (int i = 0; i < 2; i++) {
        a.mirrors = i;
        y = op_run_on(op_device("reference", 1), &c, call_floats, &a);
        t_assert_close(y, expected[i], 8, 0, 0);
        free(y);
    }
    op_release(&c);
}

T_MAIN(cmocka_unit_test(test_floats), cmocka_unit_test(test_values))
