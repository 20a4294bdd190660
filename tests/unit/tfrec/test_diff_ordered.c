/* Records side by side over files of different cuts. */
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
    struct rec_diff d = {.by_example = false};
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;

    if (rec_diff_ordered(&d, &in_a, &in_b, pool, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_pool_free(pool);
    for (int i = 0; i < 2; i++) {
        t2_free(a[i].path);
        t2_free(b[i].path);
    }
    d.first_a.path = d.first_b.path = NULL;
    return d;
}

static void check(struct rec_diff d, uint64_t equal, uint64_t different, uint64_t only_a,
                  uint64_t only_b, uint64_t first)
{
    assert_int_equal(d.n_equal, equal);
    assert_int_equal(d.n_different, different);
    assert_int_equal(d.n_only_a, only_a);
    assert_int_equal(d.n_only_b, only_b);
    assert_int_equal(d.first_a.number, first);
    assert_int_equal(d.first.n > 0, different > 0);
    rec_differences_release(&d.first);
}

static void test_cuts(void **state)
{
    (void) state;
    check(diff("abc", "def", "a", "bcdef"), 6, 0, 0, 0, 0);
    check(diff("", "", "", ""), 0, 0, 0, 0, 0);
    check(diff("abc", "", "", "axc"), 2, 1, 0, 0, 1);
    check(diff("abc", "def", "ab", ""), 2, 0, 4, 0, 0);
    check(diff("", "", "ab", "c"), 0, 0, 0, 3, 0);
    check(diff("xb", "c", "ab", "dee"), 1, 2, 0, 2, 0);
}

T_MAIN(cmocka_unit_test(test_cuts))
