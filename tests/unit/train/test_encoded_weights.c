/*
 * tests/unit/train/test_encoded_weights.c - every number of bfloat16 that stands for a weight,
 * there and back.
 */
#include "train/ckpt/encoded_weights.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "train/ckpt/bundle.h"

enum { N = 1 << 16 };

static void test_all(void **state)
{
    static uint16_t all[N], again[N];
    const char *dir = t_tmp_path("all");
    char *prefix = t2_asprintf("%s/b", dir);
    const struct ckpt_tensor tensors[] = {
        {"encoded", CKPT_BF16, 1, {N}, sizeof all, all},
        {"float", CKPT_F32, 1, {1}, sizeof(float), &(const float){1.5F}},
    };
    struct t2_err err = T2_ERR_INIT;
    const struct ckpt_tensor *t;
    struct ckpt_file *f = NULL;
    const float *weights;

    (void) state;
    for (int i = 0; i < N; i++)
        all[i] = (uint16_t) i;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(ckpt_write_bundle(prefix, tensors, 2, &err), T2_OK);
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_OK);
    ckpt_decode_weights(f);
    assert_true(*(const float *) ckpt_find(f, "float")->data == 1.5F);
    t = ckpt_find(f, "encoded");
    assert_int_equal(t->type, CKPT_F32);
    assert_int_equal(t->n_bytes, N * sizeof(float));
    weights = t->data;
    ckpt_encode_weights(weights, N, again);
    for (int i = 0; i < N; i++) {
        int exponent = i >> 7 & 0xff;

        if (exponent == 0xff) /* no number; a checkpoint with one is refused after this */
            assert_false(isfinite(weights[i]));
        else if (exponent > 0)
            assert_int_equal(again[i], i);
        else
            assert_true((again[i] & 0x7fff) == 0 || again[i] == i);
    }
    assert_true(weights[0x3f80] == 1.0F / 128.0F); /* e = 1 */
    assert_true(weights[0xbf80] == -1.0F / 128.0F);
    ckpt_close(f);
    t2_free(prefix);
}

static void test_nearest(void **state)
{
    const float between[] = {0.0123F, -4.567F, 0.0F, 1e-30F};
    uint16_t e[4];

    (void) state;
    ckpt_encode_weights(between, 4, e);
    for (int i = 0; i < 2; i++) {
        float exact = powf(128.0F * fabsf(between[i]), 8.0F), there;
        uint32_t bits = (uint32_t) (e[i] & 0x7fff) << 16;

        memcpy(&there, &bits, sizeof there);
        assert_true(fabsf(there - exact) <= exact / 256.0F * 1.01F);
        assert_int_equal(e[i] >> 15, between[i] < 0.0F);
    }
    assert_int_equal(e[2], 0);
    assert_int_equal(e[3], 0);
}

T_MAIN(cmocka_unit_test(test_all), cmocka_unit_test(test_nearest))
