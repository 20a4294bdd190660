/*
 * base/signals.c - SIGINT and SIGTERM ask for a clean stop.
 */
#include "base/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int stop_asked;

static void on_signal(int number)
{
    if (atomic_exchange(&stop_asked, 1)) {
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

bool t2_interrupted(void)
{
    return atomic_load_explicit(&stop_asked, memory_order_relaxed) != 0;
}

enum t2_status t2_check_interrupt(struct t2_err *err)
{
    if (!t2_interrupted())
        return T2_OK;
    return t2_fail(err, T2_EINTERRUPTED, "interrupted; run the same command again to continue");
}
