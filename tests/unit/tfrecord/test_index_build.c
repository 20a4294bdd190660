/*
 * tests/unit/tfrecord/test_index_build.c - what an index holds, for any threads; of which files
 * there is none.
 */
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/tfrecord/index_files.h"

static void check_index(const char *path, size_t n_records)
{
    struct tfr_index *ix;
    enum tfr_index_state state;
    char why[300];

    assert_int_equal(tfr_index_open(path, &ix, &state, why, sizeof why, &err), T2_OK);
    assert_string_equal(why, "");
    assert_int_equal(state, TFR_INDEX_FRESH);
    assert_int_equal(ix->n_records, n_records);
    assert_int_equal(ix->offsets[0], 0);
    assert_int_equal(ix->n_columns, 5);
    const struct tfr_index_column *label = tfr_index_column(ix, "label");
    const struct tfr_index_column *ids = tfr_index_column(ix, "ids");
    const struct tfr_index_column *text = tfr_index_column(ix, "text");
    const struct tfr_index_column *weight = tfr_index_column(ix, "weight");
    const struct tfr_index_column *none = tfr_index_column(ix, "none");
    assert_null(tfr_index_column(ix, "other"));
    assert_int_equal(none->kind, TFR_NONE);
    if (n_records > 0) {
        assert_int_equal(label->kind, TFR_INT64);
        assert_int_equal(text->kind, TFR_BYTES);
        assert_int_equal(weight->kind, TFR_FLOAT);
        assert_null(text->ints);
    }
    for (size_t i = 0; i < n_records; i++) {
        assert_int_equal(label->counts[i], i % 3 == 2 ? UINT32_MAX : 1);
        assert_int_equal(label->ints[i], i % 3 == 2 ? 0 : i * 10);
        assert_int_equal(ids->counts[i], i % 64);
        assert_int_equal(ids->ints[i], i % 64 == 0 ? 0 : i);
        assert_int_equal(text->counts[i], 1);
        assert_true(weight->floats[i] == (float) i / 2);
        assert_int_equal(none->counts[i], UINT32_MAX);
    }
    tfr_index_free(ix);
}

static void test_all_kinds(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 30000};
    uint64_t n;

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
            const char *path = t_tmp_path("data");
            size_t n_one, n_two;
            xf_write(path, sizes[i], (enum tfr_compression) c);
            assert_int_equal(xf_build(path, "label,ids,text,weight,none,label", true,
                                      c == TFR_PLAIN, 1, &n),
                             T2_OK);
            assert_int_equal(n, sizes[i]);
            char *one = xf_read(path, ".tfri", &n_one);
            check_index(path, sizes[i]);
            assert_int_equal(xf_build(path, "label,ids,text,weight,none", true, false, 2, &n),
                             T2_OK);
            char *two = xf_read(path, ".tfri", &n_two);
            assert_int_equal(n_one, n_two);
            assert_memory_equal(one, two, n_one);
            free(one);
            free(two);
        }
    }
}

static void test_idx_only(void **state)
{
    const char *path = t_tmp_path("idx-only");
    uint64_t n;
    size_t n_text;

    (void) state;
    struct t2_buf b = {0};
    rf_some(&b, 3); /* payloads are no Examples: nobody asks */
    t_write_file(path, b.data, b.len_bytes);
    assert_int_equal(xf_build(path, NULL, false, true, 1, &n), T2_OK);
    char *text = xf_read(path, ".idx", &n_text);
    assert_string_equal(text, "0 16\n16 21\n37 26\n");
    char *name = tfr_index_path(path);
    assert_false(t2_exists(name));
    t2_free(name);
    free(text);
    t2_buf_release(&b);
}

static void refuse(const char *path, const char *with, bool dali, enum t2_status st,
                   const char *says)
{
    char *binary = tfr_index_path(path), *idx = tfr_idx_path(path);
    uint64_t n;

    assert_int_equal(xf_build(path, with, true, dali, 2, &n), st);
    t_assert_contains(err.message, says);
    assert_false(t2_exists(binary));
    assert_false(t2_exists(idx));
    t2_free(binary);
    t2_free(idx);
}

static void test_refused(void **state)
{
    const char *path = t_tmp_path("refused");
    struct t2_buf b = {0};

    (void) state;
    rf_some(&b, 5);
    t_write_file(path, b.data, b.len_bytes - 1);
    refuse(path, NULL, true, T2_EFORMAT, "cut short");
    t_write_file(path, b.data, b.len_bytes);
    refuse(path, "label", true, T2_EFORMAT, "record 1 at offset 16: ");
    b.data[30] ^= 1;
    t_write_file(path, b.data, b.len_bytes);
    refuse(path, NULL, true, T2_EFORMAT, "record 1 at offset 16: data CRC mismatch");
    refuse("/no/such/file", NULL, true, T2_ENOTFOUND, "/no/such/file");
    refuse("/dev/null", NULL, true, T2_EUNSUPPORTED, "not a regular file");
    xf_write(path, 3, TFR_BGZIP);
    refuse(path, NULL, true, T2_EUNSUPPORTED, "is compressed (bgzip)");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_all_kinds), cmocka_unit_test(test_idx_only),
       cmocka_unit_test(test_refused))
