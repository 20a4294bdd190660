/*
 * tests/unit/base/test_sha256_rsa.c - a program may end while threads that signed end, too.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/sha256_rsa.h"
#include "tests/support/t.h"

static pthread_barrier_t begun, ending;
static pthread_t thread;

/* A key that is none leaves the thread with errors of its own, which it frees at its end. */
static void *use_library(void *arg)
{
    struct t2_buf signature = {0};

    (void) arg;
    if (t2_rs256_sign("no key", "x", 1, &signature))
        _exit(3);
    t2_buf_release(&signature);
    (void) pthread_barrier_wait(&begun);
    (void) pthread_barrier_wait(&ending);
    return NULL;
}

static void end_thread(void)
{
    (void) pthread_barrier_wait(&ending);
    (void) pthread_join(thread, NULL);
}

/* Handlers of exit() that are installed later run first: the library's would run before the
 * thread ends. */
static _Noreturn void run_child(void)
{
    (void) atexit(end_thread);
    (void) pthread_barrier_init(&begun, NULL, 2);
    (void) pthread_barrier_init(&ending, NULL, 2);
    if (pthread_create(&thread, NULL, use_library, NULL) != 0)
        _exit(2);
    (void) pthread_barrier_wait(&begun);
    exit(0);
}

static void test_thread_ends_after_exit_begins(void **state)
{
    int status = 0;
    pid_t child = fork();

    (void) state;
    assert_true(child >= 0);
    if (child == 0)
        run_child();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

T_MAIN(cmocka_unit_test(test_thread_ends_after_exit_begins))
