/*
 * tests/support/bare/bare_run.c - runs the tests of a program, as cmocka does and reports it.
 */
#include "tests/support/bare/cmocka.h"

jmp_buf bare_leave;

/* 0, BARE_FAILED or BARE_SKIPPED */
static int run(const struct CMUnitTest *t)
{
    void *state = t->initial_state;
    int how = setjmp(bare_leave);

    if (how == 0) {
        if (t->setup && t->setup(&state) != 0)
            bare_fail(__FILE__, __LINE__, "the setup of %s failed", t->name);
        t->test(&state);
    }
    return how;
}

int bare_run(const struct CMUnitTest *tests, size_t n)
{
    static const char *const words[] = {"[       OK ]", "[  FAILED  ]", "[  SKIPPED ]"};
    int n_failed = 0;

    printf("[==========] Running %zu test(s).\n", n);
    for (size_t i = 0; i < n; i++) {
        int how;

        printf("[ RUN      ] %s\n", tests[i].name);
        fflush(stdout);
        how = run(&tests[i]);
        printf("%s %s\n", words[how], tests[i].name);
        n_failed += how == BARE_FAILED;
    }
    printf("[==========] %zu test(s) run.\n", n);
    return n_failed;
}
