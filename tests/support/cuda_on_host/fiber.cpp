/*
 * tests/support/cuda_on_host/fiber.cpp - stacks that are switched by hand.
 */
#include "tests/support/cuda_on_host/fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifdef UNDER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_on_host
{

/* A page that cannot be touched lies below each stack. */
enum { STACK_BYTES = 256 << 10, GUARD_BYTES = 4096 };

struct fiber {
    void (*fn)(void *);
    void *arg;
    char *stack;
#ifdef __x86_64__
    void *sp;
#else
    ucontext_t context;
#endif
    void *fake; /* AddressSanitizer's */
};

#ifdef __x86_64__

static void *scheduler_sp;

/* Saves what a call preserves on the stack of the one, and takes it from that of the other. */
extern "C" void cuda_on_host_switch(void **from_sp, void *to_sp);
asm(".text\n"
    ".globl cuda_on_host_switch\n"
    ".type cuda_on_host_switch, @function\n"
    "cuda_on_host_switch:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size cuda_on_host_switch, . - cuda_on_host_switch\n");
#else
static ucontext_t scheduler_context;
#endif

static fiber *entering;
static void *scheduler_fake;
static const void *scheduler_bottom;
static size_t scheduler_bytes;

static void arrived(fiber *f, bool in_fiber)
{
#ifdef UNDER_ASAN
    if (in_fiber)
        __sanitizer_finish_switch_fiber(f->fake, &scheduler_bottom, &scheduler_bytes);
    else
        __sanitizer_finish_switch_fiber(scheduler_fake, nullptr, nullptr);
#else
    (void) f, (void) in_fiber, (void) scheduler_fake, (void) scheduler_bottom,
        (void) scheduler_bytes;
#endif
}

extern "C" void cuda_on_host_begin(void)
{
    fiber *f = entering;

    arrived(f, true);
    f->fn(f->arg);
    abort();
}

void fiber_restart(fiber *f)
{
    f->fake = nullptr;
#ifdef UNDER_ASAN
    __asan_unpoison_memory_region(f->stack, STACK_BYTES);
#endif
#ifdef __x86_64__
    /* a return address below six registers, the stack as after a call */
    void **top = (void **) (f->stack + STACK_BYTES);

    *--top = nullptr;
    *--top = (void *) (uintptr_t) cuda_on_host_begin;
    for (int i = 0; i < 6; i++)
        *--top = nullptr;
    f->sp = top;
#else
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK_BYTES;
    f->context.uc_link = nullptr;
    makecontext(&f->context, cuda_on_host_begin, 0);
#endif
}

fiber *fiber_new(void (*fn)(void *), void *arg)
{
    fiber *f = (fiber *) calloc(1, sizeof *f);
    char *p = (char *) mmap(nullptr, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (!f || p == (char *) MAP_FAILED || mprotect(p, GUARD_BYTES, PROT_NONE) != 0) {
        fprintf(stderr, "cuda_on_host: no memory for a fiber\n");
        abort();
    }
    f->fn = fn;
    f->arg = arg;
    f->stack = p + GUARD_BYTES;
    fiber_restart(f);
    return f;
}

void fiber_enter(fiber *f)
{
    entering = f;
#ifdef UNDER_ASAN
    __sanitizer_start_switch_fiber(&scheduler_fake, f->stack, STACK_BYTES);
#endif
#ifdef __x86_64__
    cuda_on_host_switch(&scheduler_sp, f->sp);
#else
    swapcontext(&scheduler_context, &f->context);
#endif
    arrived(f, false);
}

void fiber_leave(fiber *f, bool done)
{
#ifdef UNDER_ASAN
    __sanitizer_start_switch_fiber(done ? nullptr : &f->fake, scheduler_bottom, scheduler_bytes);
#else
    (void) done;
#endif
#ifdef __x86_64__
    cuda_on_host_switch(&f->sp, scheduler_sp);
#else
    swapcontext(&f->context, &scheduler_context);
#endif
    arrived(f, true);
}

} /* namespace cuda_on_host */
