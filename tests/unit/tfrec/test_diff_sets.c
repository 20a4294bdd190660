/* How often records are on either side. */
#include "base/alloc.h"
#include "base/pool.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrec/diff.h"

/* A file of records of one byte each. */
static struct tfr_input_file file_of(const char *name, const char *records)
{
    struct tfr_input_file f = {.path = t2_strdup(t_tmp_path(name))};
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(f.path, &w, &err), T2_OK);
    for (const char *p = records; *p != '\0'; p++)
        t_writer_add(w, p, 1);
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    return f;
}

static struct rec_diff diff(const char *a1, const char *a2, const char *b1, const char *b2)
{
    struct tfr_input_file a[] = {file_of("a1", a1), file_of("a2", a2)};
    struct tfr_input_file b[] = {file_of("b1", b1), file_of("b2", b2)};
    const struct tfr_inputs in_a = {a, 2, 0}, in_b = {b, 2, 0};
    struct rec_diff d = {.max_memory = 1 << 20, .tmp_dir = t_tmp_path("")};
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;

    if (rec_diff_sets(&d, &in_a, &in_b, pool, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_pool_free(pool);
    for (int i = 0; i < 2; i++) {
        t2_free(a[i].path);
        t2_free(b[i].path);
    }
    return d;
}

static void test_counts(void **state)
{
    struct rec_diff d = diff("abc", "def", "fe", "dcba");
    (void) state;

    assert_int_equal(d.n_equal, 6);
    assert_int_equal(d.n_only_a + d.n_only_b, 0);
    assert_null(d.only_a[0].path);
    d = diff("aab", "bxaaaa", "bbby", "a");
    assert_int_equal(d.n_a, 9);
    assert_int_equal(d.n_b, 5);
    assert_int_equal(d.n_equal, 3); /* a, b, b */
    assert_int_equal(d.n_only_a, 6);
    assert_int_equal(d.n_only_b, 2);
    /* One place for each record that the other has not as often, the last one. */
    assert_int_equal(d.only_a[0].number, 4);
    assert_int_equal(d.only_a[0].in_file, 1);
    assert_int_equal(d.only_a[1].number, 8);
    assert_null(d.only_a[2].path);
    assert_int_equal(d.only_b[0].number, 2);
    assert_int_equal(d.only_b[1].number, 3);
}

/* Places are those with the smallest numbers, whatever the hashes. */
static void test_places(void **state)
{
    (void) state;
    for (int repeat = 0; repeat < 5; repeat++) {
        struct rec_diff d = diff("abcdefgh", "ijklmnop", "p", "");
        assert_int_equal(d.n_only_a, 15);
        for (size_t i = 0; i < REC_DIFF_EXAMPLES; i++)
            assert_int_equal(d.only_a[i].number, i);
    }
}

T_MAIN(cmocka_unit_test(test_counts), cmocka_unit_test(test_places))
