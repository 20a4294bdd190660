/*
 * tests/support/t.h - what every test program includes: cmocka with its headers, and helpers.
 *
 * One test program looks like this:
 *
 *     #include "base/buf.h"
 *     #include "tests/support/t.h"
 *
 *     static void test_grows(void **state) { (void)state; ... assert_int_equal(1, 1); }
 *
 *     T_MAIN(cmocka_unit_test(test_grows))
 *
 * Assert on the main thread only: cmocka leaves a failed test with longjmp.
 */
#ifndef T2_TESTS_SUPPORT_T_H
#define T2_TESTS_SUPPORT_T_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* main() for a list of cmocka_unit_test(...). */
#define T_MAIN(...)                                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

/* main() for a test of each row of a table; *state is the row, whose first member is its name. */
#define T_ROWS_MAIN(rows, test)                                                                    \
    int main(void)                                                                                 \
    {                                                                                              \
        struct CMUnitTest tests[sizeof(rows) / sizeof(rows)[0]];                                   \
                                                                                                   \
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows)[0]; i++)                                \
            tests[i] = (struct CMUnitTest){(rows)[i].name, (test), NULL, NULL,                     \
                                           (void *) (uintptr_t) & (rows)[i]};                      \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

/* Ends the test as skipped; the runner shows the reason. */
#define t_skip(...)                                                                                \
    do {                                                                                           \
        t_skip_reason(__VA_ARGS__);                                                                \
        skip();                                                                                    \
    } while (0)
__attribute__((format(printf, 1, 2))) void t_skip_reason(const char *format, ...);

/* T2_SAMPLE is set: cases that differ in what the host does, or in size alone, may be left out.
 * Where each takes many times as long (make check-cuda, check-asan); make check has all. */
bool t_is_sample(void);

/*
 * |actual - expected| <= atol + rtol * |expected| for all n values, NaN equal to NaN only.  A
 * failure names how many differ, the worst index and both values.
 */
#define t_assert_close(actual, expected, n, atol, rtol)                                            \
    t_assert_close_at((actual), (expected), (n), (atol), (rtol), __FILE__, __LINE__)
void t_assert_close_at(const float *actual, const float *expected, size_t n, double atol,
                       double rtol, const char *file, int line);

#define t_assert_close_double(actual, expected, n, atol, rtol)                                     \
    t_assert_close_double_at((actual), (expected), (n), (atol), (rtol), __FILE__, __LINE__)
void t_assert_close_double_at(const double *actual, const double *expected, size_t n, double atol,
                              double rtol, const char *file, int line);

/*
 * Two gradients agree when they point the same way and are as long: 1 - cosine <= tol and
 * | |a|/|b| - 1 | <= tol.  Single small components may differ, which element-wise tests trip over.
 */
#define t_assert_same_direction(a, b, n, tol)                                                      \
    t_assert_same_direction_at((a), (b), (n), (tol), __FILE__, __LINE__)
void t_assert_same_direction_at(const float *a, const float *b, size_t n, double tol,
                                const char *file, int line);

/* The text contains the part; a failure shows both. */
#define t_assert_contains(text, part) t_assert_contains_at((text), (part), __FILE__, __LINE__)
void t_assert_contains_at(const char *text, const char *part, const char *file, int line);

/*
 * Values in (-1, 1) that depend on seed and index only; for inputs of tests.  Not base/rng: a test
 * of that must not lean on it.
 */
void t_fill(float *x, size_t n, uint64_t seed);
uint64_t t_hash64(uint64_t x);

/*
 * A buffer of n bytes whose end touches a page that cannot be read or written, so that one byte
 * too far is a crash.  Freed by t_guarded_free with the same n.
 */
void *t_guarded_alloc(size_t n);
void t_guarded_free(void *p, size_t n);

/* A path below a fresh folder of this test program, removed at exit.  Valid until the 16th next
 * call. */
const char *t_tmp_path(const char *name);

/* Whole files.  The result is NUL-terminated after n bytes and freed by the caller with free(). */
char *t_read_file(const char *path, size_t *n);
void t_write_file(const char *path, const void *data, size_t n);

/*
 * $T2_DATA (default ../shared/data) with /name appended, or NULL when that does not exist.  Same
 * rule for how long it is valid as t_tmp_path.  Tests of files named *_data.c and in tests/oracle/
 * use it, and skip: `if (!path) t_skip("no %s in T2_DATA", name);`
 */
const char *t_data_path(const char *name);
/* How many files of that folder of T2_DATA have names with this ending (NULL: all); 0 without the
 * folder.  What a test that goes through an index of them must have gone through. */
size_t t_data_files(const char *folder, const char *ending);

#endif
