/*
 * base/signals.c - SIGINT and SIGTERM ask for a clean stop.
 */
#include "base/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static _Atomic int stop_asked;
static _Atomic bool finish_first; /* t2_signals_finish_first */
static struct timespec asked_at;  /* set in front of stop_asked */

/* A job's end reaches a process twice: from the batch system, which signals all processes, and from
 * the parent, which passes on what it got. */
static bool is_the_same_request(void)
{
    const int64_t moment_ns = 200000000;
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - asked_at.tv_sec) * INT64_C(1000000000) + now.tv_nsec - asked_at.tv_nsec <
           moment_ns;
}

static void on_signal(int number)
{
    if (!atomic_load(&stop_asked)) {
        (void) clock_gettime(CLOCK_MONOTONIC, &asked_at);
        atomic_store(&stop_asked, 1);
    } else if (!is_the_same_request()) {
        /* The second signal: end by it, so that the parent process sees the cause. */
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* A stack for the handler: libraries that make machine code (oneDNN's products) use the stack
 * pointer for memory of their own, where the kernel would put its frame. */
static void set_stack(void)
{
    static char stack[1 << 16]; /* AVX-512 and AMX registers alone are 11 KB */
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};

    (void) sigaltstack(&s, NULL);
}

static void install(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction old;

    /* Under nohup and in background jobs the signal is ignored; that stays so. */
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
        return;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void t2_signals_install(void)
{
    set_stack();
    install(SIGINT);
    install(SIGTERM);
}

static _Atomic int save_asked;

static void on_save_signal(int number)
{
    (void) number;
    atomic_store(&save_asked, 1);
}

void t2_signals_install_save(void)
{
    struct sigaction action = {.sa_handler = on_save_signal, .sa_flags = SA_RESTART | SA_ONSTACK};

    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

bool t2_save_asked(void)
{
    return atomic_load_explicit(&save_asked, memory_order_relaxed) != 0;
}

void t2_save_done(void)
{
    atomic_store(&save_asked, 0);
}

void t2_signals_finish_first(void)
{
    atomic_store(&finish_first, true);
}

bool t2_stop_asked(void)
{
    return atomic_load_explicit(&stop_asked, memory_order_relaxed) != 0;
}

bool t2_interrupted(void)
{
    return t2_stop_asked() && !atomic_load_explicit(&finish_first, memory_order_relaxed);
}

enum t2_status t2_check_interrupt(struct t2_err *err)
{
    if (!t2_interrupted())
        return T2_OK;
    return t2_fail(err, T2_EINTERRUPTED, "interrupted; run the same command again to continue");
}
