/*
 * tests/support/bare/cmocka.h - what our tests use of cmocka, for machines without it (make
 * BARE=1): the same names, and a report of the same form for tests/run.sh.
 *
 * A failed assertion leaves its test by longjmp; a signal ends the program, which the runner counts
 * as a failure.
 */
#ifndef BARE_CMOCKA_H
#define BARE_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state), (*teardown)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL, NULL                                                                    \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    bare_run((tests), sizeof(tests) / sizeof *(tests))

enum { BARE_FAILED = 1, BARE_SKIPPED = 2 };

/* One program is one file with tests; its helpers' assertions come here, too. */
extern jmp_buf bare_leave;

__attribute__((noreturn, format(printf, 3, 4))) static inline void bare_fail(const char *file,
                                                                             int line,
                                                                             const char *format,
                                                                             ...)
{
    va_list args;

    printf("[  ERROR   ] --- ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n[   LINE   ] --- %s:%d: error: Failure!\n", file, line);
    longjmp(bare_leave, BARE_FAILED);
}

#define fail_msg(...) bare_fail(__FILE__, __LINE__, __VA_ARGS__)
#define skip() longjmp(bare_leave, BARE_SKIPPED)
#define bare_check(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            bare_fail(__FILE__, __LINE__, __VA_ARGS__);                                            \
    } while (0)

#define assert_true(x) bare_check((x), "%s", #x)
#define assert_false(x) bare_check(!(x), "not %s", #x)
#define assert_null(p) bare_check(!(p), "%s is not NULL", #p)
#define assert_non_null(p) bare_check(!!(p), "%s is NULL", #p)
#define assert_ptr_equal(a, b)                                                                     \
    bare_check((const void *) (a) == (const void *) (b), "%s != %s", #a, #b)
#define assert_ptr_not_equal(a, b)                                                                 \
    bare_check((const void *) (a) != (const void *) (b), "%s == %s", #a, #b)

static inline void bare_int(long long a, long long b, int equal, const char *file, int line)
{
    if ((a == b) != equal)
        bare_fail(file, line, "%lld %s %lld", a, equal ? "!=" : "==", b);
}
#define assert_int_equal(a, b) bare_int((long long) (a), (long long) (b), 1, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) bare_int((long long) (a), (long long) (b), 0, __FILE__, __LINE__)

static inline void bare_range(unsigned long long x, unsigned long long low, unsigned long long high,
                              const char *file, int line)
{
    if (x < low || x > high)
        bare_fail(file, line, "%llu is not in %llu-%llu", x, low, high);
}
#define assert_in_range(x, low, high)                                                              \
    bare_range((unsigned long long) (x), (unsigned long long) (low), (unsigned long long) (high),  \
               __FILE__, __LINE__)

static inline void bare_string(const char *a, const char *b, const char *file, int line)
{
    if (strcmp(a, b) != 0)
        bare_fail(file, line, "\"%s\" != \"%s\"", a, b);
}
#define assert_string_equal(a, b) bare_string((a), (b), __FILE__, __LINE__)

static inline void bare_memory(const void *a, const void *b, size_t n, int equal, const char *file,
                               int line)
{
    if ((memcmp(a, b, n) == 0) != equal)
        bare_fail(file, line, "%zu bytes %s", n, equal ? "differ" : "are the same");
}
#define assert_memory_equal(a, b, n) bare_memory((a), (b), (n), 1, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, n) bare_memory((a), (b), (n), 0, __FILE__, __LINE__)

int bare_run(const struct CMUnitTest *tests, size_t n);

#endif
