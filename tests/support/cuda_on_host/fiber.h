/*
 * tests/support/cuda_on_host/fiber.h - stacks that are switched by hand: one for each thread of a
 * block.
 *
 * A switch is some instructions on x86-64 and swapcontext elsewhere; AddressSanitizer is told of
 * each.
 */
#ifndef CUDA_ON_HOST_FIBER_H
#define CUDA_ON_HOST_FIBER_H

#include <stddef.h>

namespace cuda_on_host
{

struct fiber;

/* Runs fn(arg) at the first fiber_enter and again after each fiber_restart; fn must end by leaving
 * with `done`. */
fiber *fiber_new(void (*fn)(void *arg), void *arg);
void fiber_restart(fiber *f);

/* From the scheduler to a fiber, and back to it; one scheduler. */
void fiber_enter(fiber *f);
void fiber_leave(fiber *f, bool done);

} /* namespace cuda_on_host */

#endif
