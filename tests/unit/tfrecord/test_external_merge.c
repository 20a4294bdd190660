/* Runs of items in a file, merged: order among equal keys, empty items, no run at all. */
#include "tfrecord/external_merge.h"

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrecord/external_file.h"

static void append(struct tfr_external_file *f, const char *key, const char *data)
{
    struct t2_err err = T2_ERR_INIT;
    uint8_t item[100];

    tfr_item_put(item, t2_slice_of(key), t2_slice_of(data));
    assert_int_equal(tfr_external_file_append(f, item, tfr_item_bytes(item), &err), T2_OK);
}

static void test_merge(void **state)
{
    struct tfr_external_file *f = NULL;
    struct tfr_run *runs = t2_alloc(3, sizeof *runs);
    size_t n_runs = 3;
    struct tfr_merge *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, data;
    struct t2_buf joined = {NULL, 0, 0};
    (void) state;

    assert_int_equal(tfr_external_file_new(t_tmp_path(""), &f, &err), T2_OK);
    append(f, "a", "1");
    append(f, "c", "2");
    runs[0].end = runs[1].begin = tfr_external_file_bytes(f);
    append(f, "", "3");
    append(f, "a", "4");
    append(f, "d", "");
    runs[1].end = runs[2].begin = runs[2].end = tfr_external_file_bytes(f);
    /* Room for two runs at once only. */
    assert_int_equal(tfr_merge_new(t_tmp_path(""), &f, &runs, &n_runs, 1, &m, &err), T2_OK);
    assert_int_equal(n_runs, 2);
    while (tfr_merge_next(m, &key, &data, &err) == T2_OK) {
        t2_buf_append(&joined, key.data, key.len_bytes);
        t2_buf_append(&joined, data.data, data.len_bytes);
        t2_buf_puts(&joined, " ");
    }
    assert_string_equal(t2_buf_cstr(&joined), "3 a1 a4 c2 d ");
    t2_buf_release(&joined);
    tfr_merge_free(m);
    tfr_external_file_free(f);
    t2_free(runs);
}

/* Runs whose largest items fill the memory are merged two at a time, whatever room their buffers
 * would have; small ones all at once. */
static size_t runs_left(size_t largest_bytes)
{
    enum { N = 5 };
    struct tfr_external_file *f = NULL;
    struct tfr_run *runs = t2_alloc(N, sizeof *runs);
    size_t n_runs = N, n = 0;
    struct tfr_merge *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, data;

    assert_int_equal(tfr_external_file_new(t_tmp_path(""), &f, &err), T2_OK);
    for (int i = 0; i < N; i++) {
        runs[i].begin = tfr_external_file_bytes(f);
        append(f, "k", "v");
        runs[i].end = tfr_external_file_bytes(f);
        runs[i].largest_bytes = largest_bytes;
    }
    assert_int_equal(tfr_merge_new(t_tmp_path(""), &f, &runs, &n_runs, 250000, &m, &err), T2_OK);
    while (tfr_merge_next(m, &key, &data, &err) == T2_OK)
        n++;
    assert_int_equal(n, N);
    tfr_merge_free(m);
    tfr_external_file_free(f);
    t2_free(runs);
    return n_runs;
}

static void test_large_items(void **state)
{
    (void) state;
    assert_int_equal(runs_left(14), 5);
    assert_int_equal(runs_left(60000), 2);  /* four, then one: two are left */
    assert_int_equal(runs_left(100000), 2); /* 5, 3, 2 */
    assert_int_equal(runs_left(SIZE_MAX), 2);
}

T_MAIN(cmocka_unit_test(test_merge), cmocka_unit_test(test_large_items))
