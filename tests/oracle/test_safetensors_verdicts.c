/*
 * Safetensors files against the reference library's verdicts: goldens/formats/safetensors/ with
 * safetensors-verdicts.json beside it (verdict, and for accepted files metadata and every tensor).
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"

static const char *torch_name(enum ckpt_type type)
{
    static const struct {
        enum ckpt_type type;
        const char *name;
    } names[] = {{CKPT_F32, "float32"},
                 {CKPT_F64, "float64"},
                 {CKPT_BF16, "bfloat16"},
                 {CKPT_F16, "float16"},
                 {CKPT_I32, "int32"},
                 {CKPT_I64, "int64"},
                 {CKPT_U8, "uint8"},
                 {CKPT_BOOL, "bool"},
                 {CKPT_I8, "int8"},
                 {CKPT_I16, "int16"},
                 {CKPT_U16, "uint16"},
                 {CKPT_U32, "uint32"},
                 {CKPT_U64, "uint64"},
                 {CKPT_F8_E4M3, "float8_e4m3fn"},
                 {CKPT_F8_E5M2, "float8_e5m2"},
                 {CKPT_C64, "complex64"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].type == type)
            return names[i].name;
    }
    return "?";
}

static void compare_tensor(const char *file, const struct ckpt_tensor *t,
                           const struct t2_json_value *expected)
{
    const struct t2_json_value *shape = t2_json_get(expected, "shape");
    const char *hex = t2_json_as_string(t2_json_get(expected, "bytes_hex"), "");

    if (!t)
        fail_msg("%s: a tensor is missing", file);
    assert_string_equal(torch_name(t->type),
                        t2_json_as_string(t2_json_get(expected, "torch_dtype"), ""));
    assert_int_equal(t->rank, t2_json_size(shape));
    for (int i = 0; i < t->rank; i++)
        assert_int_equal(t->dims[i], t2_json_as_i64(t2_json_item(shape, (size_t) i), -1));
    assert_int_equal(2 * t->n_bytes, strlen(hex));
    for (size_t i = 0; i < t->n_bytes; i++) {
        unsigned byte = 0;

        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        assert_int_equal(((const uint8_t *) t->data)[i], byte);
    }
}

static void compare(const char *name, const char *path, const struct t2_json_value *expected)
{
    bool accepted =
        strcmp(t2_json_as_string(t2_json_get(expected, "verdict"), ""), "accepted") == 0;
    const struct t2_json_value *tensors = t2_json_get(expected, "tensors");
    const struct t2_json_value *metadata = t2_json_get(expected, "metadata"), *v = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    enum t2_status st = ckpt_open(path, &f, &err);

    if (!accepted) {
        if (st != T2_EFORMAT)
            fail_msg("%s: refused by the library, status %s here", name, t2_status_name(st));
        assert_true(strlen(err.message) > 0);
        return;
    }
    if (st != T2_OK)
        fail_msg("%s: accepted by the library, but: %s", name, err.message);
    assert_int_equal(ckpt_count(f), t2_json_size(tensors));
    for (size_t i = 0; i < t2_json_size(tensors); i++) {
        const char *key = t2_json_member(tensors, i, &v);

        compare_tensor(name, ckpt_find(f, key), v);
    }
    for (size_t i = 0; i < t2_json_size(metadata); i++) {
        const char *key = t2_json_member(metadata, i, &v);

        assert_string_equal(ckpt_metadata(f, key), t2_json_as_string(v, "?"));
    }
    ckpt_close(f);
}

static void test_verdicts(void **state)
{
    const char *json = t_data_path("goldens/formats/safetensors-verdicts.json");
    const char *dir = t_data_path("goldens/formats/safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *files, *v = NULL;

    (void) state;
    if (!json || !dir)
        t_skip("no goldens/formats/safetensors in T2_DATA");
    assert_int_equal(t2_json_load(json, &doc, &err), T2_OK);
    files = t2_json_get(t2_json_root(doc), "files");
    assert_true(t2_json_size(files) > 0);
    assert_int_equal(t2_json_size(files),
                     t_data_files("goldens/formats/safetensors", ".safetensors"));
    for (size_t i = 0; i < t2_json_size(files); i++) {
        const char *name = t2_json_member(files, i, &v);
        char *path = t2_asprintf("%s/%s.safetensors", dir, name);

        compare(name, path, v);
        t2_free(path);
    }
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_verdicts))
