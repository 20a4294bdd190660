/*
 * tests/unit/tfrec/test_npz_out.c - which arrays there are, one way for any number of threads,
 * mixed kinds.
 */
#include "tests/unit/tfrec/converting.h"

static bool holds(const char *path, const char *name)
{
    size_t n, k = strlen(name);
    char *bytes = t_read_file(path, &n);
    bool there = false;

    for (size_t i = 0; !there && i + k <= n; i++)
        there = memcmp(bytes + i, name, k) == 0;
    free(bytes);
    return there;
}

static void test_arrays(void **state)
{
    const char *npz = t_tmp_path("a.npz");
    struct rec_convert c = cv_defaults();

    (void) state;
    cv_must(c,
            cv_put("a.jsonl",
                   "{\"x\":1,\"p\":[1,2],\"r\":[1]}\n{\"x\":2,\"p\":[3,4],\"r\":[1,2]}\n"),
            npz);
    assert_true(holds(npz, "x.npy") && holds(npz, "p.npy"));
    assert_true(holds(npz, "r/values.npy") && holds(npz, "r/row_splits.npy"));
    assert_true(holds(npz, "'shape': (2,)") && holds(npz, "'shape': (2, 2)"));
}

static void test_threads(void **state)
{
    const char *one = t_tmp_path("one.npz"), *three = t_tmp_path("three.npz"), *in;
    struct t2_buf text = {NULL, 0, 0};
    size_t n, m;
    char *a, *b;

    (void) state;
    for (int i = 0; i < 3000; i++)
        t2_buf_printf(&text, "{\"x\":%d,\"t\":\"%d\",\"r\":[%s]}\n", i, i * i, i % 3 ? "1" : "1,2");
    in = cv_put("many.jsonl", t2_buf_cstr(&text));
    assert_int_equal(cv_run(cv_defaults(), in, one, 1), T2_OK);
    assert_int_equal(cv_run(cv_defaults(), in, three, 3), T2_OK);
    a = t_read_file(one, &n);
    b = t_read_file(three, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
    t2_buf_release(&text);
}

static void test_mixed(void **state)
{
    const char *npz = t_tmp_path("no.npz");

    (void) state;
    assert_int_equal(cv_run(cv_defaults(), cv_put("m.jsonl", "{\"x\":1}\n{\"x\":\"a\"}\n"), npz, 2),
                     T2_EUNSUPPORTED);
    t_assert_contains(cv_err.message, "record 1");
    t_assert_contains(cv_err.message, "'x'");
    assert_false(t2_exists(npz));
}

T_MAIN(cmocka_unit_test(test_arrays), cmocka_unit_test(test_threads), cmocka_unit_test(test_mixed))
