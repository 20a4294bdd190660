/* Tests of train/ckpt/safetensors_write.c: what is written reads back, and stands alone. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"

static void test_there_and_back(void **state)
{
    const float x[6] = {1, -2, 3.5F, 0, 5, 6};
    const uint8_t bytes[3] = {7, 8, 9};
    const struct ckpt_tensor tensors[] = {
        {.name = "b\"y\xc3\xa4",
         .type = CKPT_U8,
         .rank = 1,
         .dims = {3},
         .n_bytes = 3,
         .data = bytes},
        {.name = "x", .type = CKPT_F32, .rank = 2, .dims = {2, 3}, .n_bytes = 24, .data = x},
        {.name = "none", .type = CKPT_F64, .rank = 2, .dims = {4, 0}, .n_bytes = 0, .data = NULL},
        {.name = "scalar", .type = CKPT_F32, .rank = 0, .n_bytes = 4, .data = x},
    };
    const char *const keys[] = {"format", "hparams"}, *const values[] = {"t2t.c", "{\"a\": 1}\n"};
    const char *path = t_tmp_path("x.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    char sha256[65], expected[65];
    uint64_t n_bytes;

    (void) state;
    assert_int_equal(ckpt_write(path, tensors, 4, keys, values, 2, sha256, &err), T2_OK);
    assert_int_equal(t2_sha256_file(path, expected, &n_bytes, &err), T2_OK);
    assert_string_equal(sha256, expected);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_int_equal(ckpt_count(f), 4);
    for (size_t i = 0; i < 4; i++) {
        const struct ckpt_tensor *t = ckpt_at(f, i);

        assert_string_equal(t->name, tensors[i].name);
        assert_int_equal(t->type, tensors[i].type);
        assert_int_equal(t->rank, tensors[i].rank);
        assert_memory_equal(t->dims, tensors[i].dims, sizeof t->dims);
        assert_int_equal(t->n_bytes, tensors[i].n_bytes);
        if (t->n_bytes)
            assert_memory_equal(t->data, tensors[i].data, t->n_bytes);
    }
    assert_int_equal((uintptr_t) ckpt_at(f, 0)->data % 8, 0);
    assert_string_equal(ckpt_metadata(f, "format"), "t2t.c");
    assert_string_equal(ckpt_metadata(f, "hparams"), "{\"a\": 1}\n");
    ckpt_close(f);
}

static void test_empty(void **state)
{
    const char *path = t_tmp_path("empty.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    char *text;
    size_t n;

    (void) state;
    assert_int_equal(ckpt_write(path, NULL, 0, NULL, NULL, 0, NULL, &err), T2_OK);
    text = t_read_file(path, &n);
    assert_int_equal(n, 16);
    assert_memory_equal(text, "\x08\0\0\0\0\0\0\0{}      ", 16);
    free(text);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_int_equal(ckpt_count(f), 0);
    assert_null(ckpt_metadata(f, "x"));
    ckpt_close(f);
}

static void test_failure_leaves_nothing(void **state)
{
    const float x = 1;
    const struct ckpt_tensor t = {.name = "x", .type = CKPT_F32, .n_bytes = 4, .data = &x};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_not_equal(ckpt_write("/dev/null/folder.safetensors", &t, 1, NULL, NULL, 0, NULL,
                                    &err),
                         T2_OK);
    t_assert_contains(err.message, "folder.safetensors");
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_empty),
       cmocka_unit_test(test_failure_leaves_nothing))
