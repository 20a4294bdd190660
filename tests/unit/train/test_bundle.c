/* Tests of train/ckpt/bundle.c: what is no bundle, or a damaged one. */
#include "train/ckpt/bundle.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "tests/unit/train/bundle_index.h"

static const float numbers[] = {1, 2, 3, 4, 5, 6};
static const struct t2_slice data = {(const uint8_t *) numbers, sizeof numbers};
static const int64_t two[] = {2}, four[] = {4}, huge[] = {INT64_MAX, 8};

static struct ckpt_table *begin(const char *header, size_t n)
{
    struct ckpt_table *t = ckpt_table_new();

    ckpt_table_add(t, t2_slice_of(""), (struct t2_slice){(const uint8_t *) header, n});
    return t;
}

static void refused(struct ckpt_table *t, enum t2_status status, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    assert_int_equal(bundle_open(t, data, &f, &err), status);
    t_assert_contains(err.message, message);
    assert_null(f);
}

static void test_tensors(void **state)
{
    struct ckpt_table *t = begin(BUNDLE_HEADER, 6);
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    (void) state;
    bundle_add(t, t2_slice_of("a/b"), 1, four, data, 0, 16, "", 0);
    bundle_add(t, t2_slice_of("c/.ATTRIBUTES/VARIABLE_VALUE"), 1, two, data, 16, 8, "", 0);
    if (bundle_open(t, data, &f, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(ckpt_count(f), 2);
    assert_memory_equal(ckpt_find(f, "a/b")->data, numbers, 16);
    assert_memory_equal(ckpt_find(f, "c")->data, numbers + 4, 8);
    ckpt_close(f);
}

static void test_headers(void **state)
{
    (void) state;
    refused(ckpt_table_new(), T2_EFORMAT, "it has no header");
    refused(begin("\x08\x00", 2), T2_EFORMAT, "its header is damaged");
    refused(begin("\x08", 1), T2_EFORMAT, "its header is damaged");
    refused(begin("\x08\xff\xff\xff\x7f", 5), T2_EFORMAT, "its header is damaged");
    refused(begin("\x08\x01\x10\x01", 4), T2_EUNSUPPORTED, "big-endian");
    refused(begin("\x08\x01\x1a\x04\x08\x09\x10\x09", 8), T2_EUNSUPPORTED, "version 9");
}

static void test_damage(void **state)
{
    static const struct {
        const int64_t *dims;
        int rank;
        uint64_t offset, n_bytes;
        const char *more;
        size_t n_more;
        const char *message;
    } cases[] = {
        {four, 1, 0, 12, "", 0, "its size is not that of its shape"},
        {four, 1, 16, 16, "", 0, "does not lie in its data file"},
        {four, 1, UINT64_MAX, 16, "", 0, "does not lie in its data file"},
        {huge, 2, 0, 16, "", 0, "its shape is too large"},
        {four, 1, 0, 16, "\x18\x01", 2, "in a data file that is not there"},
        {four, 1, 0, 16, "\x35\x00\x00\x00\x00", 5, "its checksum is wrong"},
        {four, 1, 0, 16, "\x12\x02\x18\x01", 4, "its shape is not known"},
    };
    struct ckpt_table *t;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t = begin(BUNDLE_HEADER, 6);
        bundle_add(t, t2_slice_of("v"), cases[i].rank, cases[i].dims, data, cases[i].offset,
                   cases[i].n_bytes, cases[i].more, cases[i].n_more);
        refused(t, T2_EFORMAT, cases[i].message);
    }
    t = begin(BUNDLE_HEADER, 6);
    ckpt_table_add(t, t2_slice_of("v"), t2_slice_of("\x08"));
    refused(t, T2_EFORMAT, "entry 0 is damaged");
    t = begin(BUNDLE_HEADER, 6);
    for (int i = 0; i < 2; i++) /* the same bytes twice */
        bundle_add(t, t2_slice_of(i ? "w" : "v"), 1, four, data, 0, 16, "", 0);
    refused(t, T2_EFORMAT, "bytes of tensors");
}

/* A graph of two variables, a slot of the first, and the count of steps. */
static void test_names_of_objects(void **state)
{
    static const char graph[] = "\x0a\x17\x12\x15\x0a\x0eVARIABLE_VALUE\x12\x01W\x1a\x00"
                                "\x0a\x18\x12\x16\x0a\x0eVARIABLE_VALUE\x12\x01x\x1a\x01k";
    char text[80];
    size_t n = sizeof graph - 1;
    struct ckpt_bundle_entry e = {.tf_type = CKPT_TF_STRING};
    struct ckpt_table *t = begin(BUNDLE_HEADER, 6);
    struct t2_buf value = {0};
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    uint8_t length[4] = {(uint8_t) n, 0, 0, 0};
    uint32_t crc = t2_crc32c(0, length, 4), masked = t2_crc_mask(crc);

    (void) state;
    text[0] = (char) n;
    for (int i = 0; i < 4; i++)
        text[1 + i] = (char) (masked >> 8 * i);
    memcpy(text + 5, graph, n);
    memcpy(text + 5 + n, numbers, 4);
    e.n_bytes = 5 + n;
    e.masked_crc = t2_crc_mask(t2_crc32c(crc, text + 1, n + 4));
    ckpt_bundle_put_entry(&value, &e);
    ckpt_table_add(t, t2_slice_of("_CHECKPOINTABLE_OBJECT_GRAPH"), t2_buf_slice(&value));
    bundle_add(t, t2_slice_of("k"), 0, two, (struct t2_slice){(uint8_t *) text, 9 + n}, 5 + n, 4,
               "", 0);
    if (bundle_open(t, (struct t2_slice){(uint8_t *) text, 9 + n}, &f, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(ckpt_count(f), 1);
    assert_int_equal(ckpt_count_others(f), 0);
    assert_non_null(ckpt_find(f, "x"));
    ckpt_close(f);
    t2_buf_release(&value);
}

static void test_files(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    const char *prefix = t_tmp_path("none");
    struct ckpt_tensor one = {"a", CKPT_F32, 1, {6}, sizeof numbers, numbers};
    char *path;

    (void) state;
    assert_false(ckpt_is_bundle(prefix));
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_ENOTFOUND);
    assert_int_equal(ckpt_write_bundle(prefix, &one, 1, &err), T2_OK);
    assert_true(ckpt_is_bundle(prefix));
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_OK);
    ckpt_forget(f, ckpt_at(f, 0)->data, 4);
    assert_memory_equal(ckpt_at(f, 0)->data, numbers, sizeof numbers);
    ckpt_close(f);
    path = t2_asprintf("%s.data-00000-of-00001", prefix);
    t_write_file(path, numbers, 8);
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_EFORMAT);
    t_assert_contains(err.message, "cut short?");
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_tensors), cmocka_unit_test(test_headers),
       cmocka_unit_test(test_damage), cmocka_unit_test(test_names_of_objects),
       cmocka_unit_test(test_files))
