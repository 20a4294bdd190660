/* Counting and taking by a condition: totals, numbers over several files, failures with their
 * place. */
#include "tfrec/filter.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrec/rows.h"
#include "tfrecord/sink.h"

/* Records {"a":[first]} ... {"a":[first + n - 1]}, then one that is no Example when broken. */
static char *write_file(const char *name, int first, int n, bool broken)
{
    char *path = t2_strdup(t_tmp_path(name));
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;
    char json[50];

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (int i = first; i < first + n; i++) {
        struct t2_buf record = {NULL, 0, 0};
        snprintf(json, sizeof json, "{\"a\":[%d]}", i);
        assert_int_equal(rec_row_parse("test", 1, t2_slice_of(json), &record, &err), T2_OK);
        t_writer_add(w, record.data, record.len_bytes);
        t2_buf_release(&record);
    }
    if (broken)
        t_writer_add(w, "\n\377", 2);
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    return path;
}

static enum t2_status run(struct rec_filter *f, const char *where, char *const *paths, size_t n,
                          struct t2_err *err)
{
    struct tfr_inputs in = {NULL, 0, 0};
    struct t2_strs args = {NULL, 0, 0};
    struct rec_where *w = NULL;
    struct t2_pool *pool = t2_pool_new(2);
    enum t2_status st;

    for (size_t i = 0; i < n; i++)
        t2_strs_push(&args, paths[i]);
    assert_int_equal(rec_where_parse(where, &w, err), T2_OK);
    assert_int_equal(tfr_inputs_find(&args, &in, err), T2_OK);
    f->where = w;
    st = rec_filter_run(f, &in, pool, err);
    t2_strs_release(&f->unseen);
    t2_pool_free(pool);
    rec_where_free(w);
    tfr_inputs_release(&in);
    t2_strs_release(&args);
    return st;
}

static void test_counts(void **state)
{
    char *paths[] = {write_file("c1", 0, 10, false), write_file("c2", 10, 0, false),
                     write_file("c3", 10, 7, false)};
    struct t2_strs with = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    uint64_t n = 0;
    (void) state;

    t2_strs_push(&with, "a");
    for (int indexed = 0; indexed < 2; indexed++) {
        struct rec_filter f = {.where = NULL};
        assert_int_equal(run(&f, "a != record() || a == 3 || a == 12", paths, 3, &err), T2_OK);
        assert_int_equal(f.n_records, 17);
        assert_int_equal(f.n_taken, 2);
        assert_int_equal(f.n_by_index, indexed ? 7 : 0);
        f = (struct rec_filter){.invert = true, .no_index = true};
        assert_int_equal(run(&f, "a < 16", paths, 3, &err), T2_OK);
        assert_int_equal(f.n_taken, 1);
        assert_int_equal(f.n_by_index, 0);
        /* Now the last file gets an index. */
        const struct tfr_index_build build = {.data_path = paths[2], .with = &with, .binary = true};
        struct t2_pool *pool = t2_pool_new(1);
        assert_int_equal(tfr_index_build(&build, pool, &n, &err), T2_OK);
        t2_pool_free(pool);
    }
    t2_strs_release(&with);
    for (int i = 0; i < 3; i++)
        t2_free(paths[i]);
}

static void test_no_example(void **state)
{
    char *path = write_file("broken", 0, 4, true);
    struct rec_filter f = {.where = NULL};
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    assert_int_equal(run(&f, "a >= 0", &path, 1, &err), T2_EFORMAT);
    t_assert_contains(err.message, "broken': record 4 at offset ");
    f = (struct rec_filter){.where = NULL};
    assert_int_equal(run(&f, "bytes() < 3", &path, 1, &err), T2_OK); /* no Example is needed */
    assert_int_equal(f.n_taken, 1);
    t2_free(path);
}

static void test_sink(void **state)
{
    char *path = write_file("in", 0, 100, false);
    char *out = t2_strdup(t_tmp_path("out"));
    const struct tfr_sink_options o = {.output = out, .unhashed = true};
    struct rec_filter f = {.where = NULL}, again = {.where = NULL};
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    assert_int_equal(tfr_sink_new(&o, &f.sink, &err), T2_OK);
    assert_int_equal(run(&f, "a % 10 == 7", &path, 1, &err), T2_OK);
    assert_int_equal(tfr_sink_commit(f.sink, NULL, &err), T2_OK);
    assert_int_equal(run(&again, "a == 10 * record() + 7", &out, 1, &err), T2_OK);
    assert_int_equal(again.n_taken, 10);
    assert_int_equal(again.n_records, 10);
    t2_free(path);
    t2_free(out);
}

T_MAIN(cmocka_unit_test(test_counts), cmocka_unit_test(test_no_example),
       cmocka_unit_test(test_sink))
