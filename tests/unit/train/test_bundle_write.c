/* Tests of train/ckpt/bundle_write.c: the bytes that TensorFlow writes for the same tensors. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "train/ckpt/bundle.h"

static void assert_file(const char *prefix, const char *end, const void *bytes, size_t n)
{
    char *path = t2_asprintf("%s%s", prefix, end), *data;
    size_t n_there;

    data = t_read_file(path, &n_there);
    assert_int_equal(n_there, n);
    assert_memory_equal(data, bytes, n);
    free(data);
    t2_free(path);
}

/* Given in another order than by name. */
static void test_bytes(void **state)
{
    static const uint8_t index[142] =
        "\x00\x00\x06\x08\x01\x1a\x02\x08\x01\x00\x01\x13\x61\x08\x01\x12\x08\x12\x02\x08\x02\x12"
        "\x02\x08\x02\x28\x10\x35\x4c\x28\x98\x74\x00\x01\x0d\x62\x08\x09\x12\x00\x20\x10\x28\x08"
        "\x35\xbb\xd7\x9f\x11\x00\x00\x00\x00\x01\x00\x00\x00\x00\x98\x58\x49\x68\x00\x00\x00\x00"
        "\x01\x00\x00\x00\x00\xc0\xf2\xa1\xb0\x00\x01\x02\x63\x00\x39\x00\x00\x00\x00\x01\x00\x00"
        "\x00\x00\xa1\x75\x6b\xff\x3e\x08\x4b\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\0\0\0\0\0\0\0\x57\xfb\x80\x8b\x24\x75\x47\xdb";
    static const float a[] = {1, 2, 3, 4};
    static const int64_t b = 7;
    const struct ckpt_tensor tensors[] = {{"b", CKPT_I64, 0, {0}, 8, &b},
                                          {"a", CKPT_F32, 2, {2, 2}, 16, a}};
    const char *prefix = t_tmp_path("model.ckpt-7");
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    if (ckpt_write_bundle(prefix, tensors, 2, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_file(prefix, ".index", index, sizeof index);
    assert_file(prefix, ".data-00000-of-00001",
                "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\x07\0\0\0\0\0\0\0", 24);
}

T_MAIN(cmocka_unit_test(test_bytes))
