/* Tests of train/ckpt/safetensors.c: every error of a hostile header; files of the reference
 * library are read in tests/oracle/test_safetensors_verdicts.c. */
#include "train/ckpt/safetensors.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "tests/support/t.h"

/* A file of this header and n_data zero bytes in guarded memory. */
static enum t2_status open_header(const char *header, size_t n_data, struct ckpt_file **f,
                                  struct t2_err *err)
{
    size_t n_header = strlen(header), n = 8 + n_header + n_data;
    static uint8_t *bytes; /* of the last call: a file borrows it */
    static size_t n_bytes;

    if (bytes)
        t_guarded_free(bytes, n_bytes);
    n_bytes = n;
    bytes = t_guarded_alloc(n);
    memset(bytes, 0, n);
    bytes[0] = (uint8_t) n_header;
    bytes[1] = (uint8_t) (n_header >> 8);
    memcpy(bytes + 8, header, n_header);
    return ckpt_open_memory(bytes, n, "test", f, err);
}

static void test_contents(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    (void) state;
    assert_int_equal(
        open_header("{\"__metadata__\":{\"a\":\"b\",\"n\":\"\"},"
                    "\"y\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
                    "\"x\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8],\"more\":[]},"
                    "\"empty\":{\"dtype\":\"I64\",\"shape\":[0,7],\"data_offsets\":[8,8]},"
                    "\"scalar\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[11,13]}}",
                    13, &f, &err),
        T2_OK);
    assert_int_equal(ckpt_count(f), 4);
    assert_string_equal(ckpt_at(f, 0)->name, "y");
    assert_int_equal(ckpt_find(f, "x")->rank, 2);
    assert_int_equal(ckpt_find(f, "x")->dims[1], 2);
    assert_int_equal(ckpt_find(f, "x")->n_bytes, 8);
    assert_int_equal(ckpt_find(f, "empty")->n_bytes, 0);
    assert_int_equal(ckpt_find(f, "scalar")->rank, 0);
    assert_int_equal(ckpt_find(f, "scalar")->type, CKPT_BF16);
    assert_null(ckpt_find(f, "__metadata__"));
    assert_null(ckpt_find(f, "z"));
    assert_string_equal(ckpt_metadata(f, "a"), "b");
    assert_string_equal(ckpt_metadata(f, "n"), "");
    assert_null(ckpt_metadata(f, "b"));
    ckpt_close(f);
    ckpt_close(NULL);
}

static void test_types(void **state)
{
    (void) state;
    assert_string_equal(ckpt_type_name(CKPT_F32), "F32");
    assert_string_equal(ckpt_type_name(CKPT_C64), "C64");
    assert_int_equal(ckpt_type_bytes(CKPT_BF16), 2);
    assert_int_equal(ckpt_type_bytes(CKPT_C64), 8);
}

static void test_refused(void **state)
{
    static const struct {
        const char *header;
        size_t n_data;
        enum t2_status status;
        const char *message;
    } cases[] = {
        {"", 0, T2_EFORMAT, "test:1:1"},
        {"[]", 0, T2_EFORMAT, "'test': the header is not a JSON object"},
        {"{\"w\":1}", 0, T2_EFORMAT, "tensor 'w': its entry is not an object"},
        {"{\"w\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, T2_EFORMAT, "'dtype' is missing"},
        {"{\"w\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, T2_EFORMAT,
         "tensor 'w': unknown type 'F33'"},
        {"{\"w\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}}", 1, T2_EUNSUPPORTED,
         "tensor 'w': type F4 cannot be read here"},
        {"{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, T2_EFORMAT, "'shape' is missing"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, T2_EFORMAT,
         "'shape' has something other than a size"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, T2_EFORMAT,
         "'shape' has something other than a size"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,2,2],\"data_offsets\":[0,4]}}",
         4, T2_EFORMAT, "the sizes of 'shape' are too large"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
         T2_EUNSUPPORTED, "9 dimensions; at most 8"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, T2_EFORMAT,
         "'data_offsets' must be two offsets"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4, T2_EFORMAT,
         "'data_offsets' must be two offsets"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"4\"]}}", 4, T2_EFORMAT,
         "'data_offsets' must be two offsets"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, T2_EFORMAT,
         "its data ends before it begins"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 3, T2_EFORMAT,
         "its data ends at 4, but there are 3 bytes after the header (cut short?)"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, T2_EFORMAT,
         "type and shape need 8 bytes, the offsets give 4"},
        {"{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, T2_EFORMAT,
         "there are bytes before its data that belong to no tensor"},
        {"{\"v\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
         "\"w\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
         3, T2_EFORMAT, "tensor 'w': its data overlaps that of another tensor"},
        {"{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 3, T2_EFORMAT,
         "2 bytes after the last tensor"},
        {"{\"__metadata__\":3}", 0, T2_EFORMAT, "'__metadata__' is not an object"},
        {"{\"__metadata__\":{\"k\":3}}", 0, T2_EFORMAT, "'__metadata__': 'k' is not a string"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct ckpt_file *f = NULL;

        assert_int_equal(open_header(cases[i].header, cases[i].n_data, &f, &err), cases[i].status);
        assert_null(f);
        t_assert_contains(err.message, cases[i].message);
    }
}

static void test_lengths(void **state)
{
    const uint8_t huge[16] = {0, 0, 0, 0, 0, 0, 0, 0x80}, past[16] = {9};
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    (void) state;
    assert_int_equal(ckpt_open_memory(huge, 7, "test", &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'test': 7 bytes are too few for a safetensors file");
    assert_int_equal(ckpt_open_memory(huge, 16, "test", &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, "header of 9223372036854775808 bytes; not a safetensors file?");
    assert_int_equal(ckpt_open_memory(past, 16, "test", &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, "header of 9 bytes in a file of 16 bytes");
}

static void test_files(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    const char *path = t_tmp_path("empty.safetensors");

    (void) state;
    assert_int_equal(ckpt_open(t_tmp_path("none.safetensors"), &f, &err), T2_ENOTFOUND);
    t_write_file(path, "", 0);
    assert_int_equal(ckpt_open(path, &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, "empty.safetensors': 0 bytes are too few");
    assert_null(f);
}

T_MAIN(cmocka_unit_test(test_contents), cmocka_unit_test(test_types),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_lengths), cmocka_unit_test(test_files))
