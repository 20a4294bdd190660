/*
 * tests/support/cuda_on_host/grid.cpp - a kernel's blocks one after another, the threads of a block
 * as fibers.
 *
 * In each round every thread that can go on does, in an order drawn by seed, until it ends or waits
 * at a barrier.  Then barriers at which all are open.  Threads that wait in different places, or
 * for one that has ended, are a fault, as are addresses out of range; a fault ends the kernel.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "tests/support/cuda_on_host/fiber.h"
#include "tests/support/cuda_on_host/internal.h"
#include "tests/support/cuda_on_host/on_host.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_on_host
{

enum { MAX_THREADS = 1024, WARP = 32, MAX_SHARED = 16, SLOT_BYTES = 32 };

enum thread_state { NEW, READY, AT_BLOCK, AT_WARP, DONE };

struct thread {
    thread_state state;
    fiber *on;
    uint3 index;
    const char *file; /* of the barrier where it waits */
    int line;
    unsigned exchanges;
};

struct alignas(16) slot {
    char bytes[SLOT_BYTES];
};

static thread threads[MAX_THREADS];
static slot slots[MAX_THREADS / WARP][2][WARP];
static int n_threads, current = -1;
/* Of the block: threads that have not ended; of these, those that wait at its barrier, and the
 * first of them; of each warp likewise. */
static int n_alive, at_block, at_warp[MAX_THREADS / WARP];
static const thread *first_at_block, *first_at_warp[MAX_THREADS / WARP];
static std::vector<fiber *> &idle = *new std::vector<fiber *>; /* lives until the end */
static const kernel_call *running;
static bool failed;
static char fault_text[512];

/* Shared variables of the kernel that runs. */
static struct {
    const void *key;
    guarded memory;
} variables[MAX_SHARED];
static int n_variables;
static guarded dynamic;

/* ---- faults ---- */

void set_fault(const char *format, ...)
{
    va_list args;

    failed = true;
    if (fault_text[0])
        return;
    va_start(args, format);
    vsnprintf(fault_text, sizeof fault_text, format, args);
    va_end(args);
    fprintf(stderr, "cuda_on_host: %s\n", fault_text);
}

void clear_fault()
{
    fault_text[0] = 0;
    failed = false;
}

void fail_thread(const char *what)
{
    set_fault("kernel %s: %s in block (%u,%u,%u), thread (%u,%u,%u)", running->name, what,
              blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    fiber_leave(threads[current].on, true);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    char what[80];

    (void) context;
    if (current < 0) { /* not a kernel's */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    snprintf(what, sizeof what, "illegal access to %p", info->si_addr);
    fail_thread(what);
}

/* While a kernel runs; others, test frameworks among them, have handlers of their own. */
struct signals {
    struct sigaction segv, bus;
    stack_t stack;
    signals()
    {
        static char bytes[1 << 16];
        stack_t alternative = {};
        struct sigaction action = {};

        alternative.ss_sp = bytes;
        alternative.ss_size = sizeof bytes;
        sigaltstack(&alternative, &stack);
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(SIGSEGV, &action, &segv);
        sigaction(SIGBUS, &action, &bus);
    }
    ~signals()
    {
        sigaction(SIGSEGV, &segv, nullptr);
        sigaction(SIGBUS, &bus, nullptr);
        sigaltstack(&stack, nullptr);
    }
};

/* ---- threads ---- */

static void fiber_main(void *)
{
    for (;;) {
        running->thread();
        threads[current].state = DONE;
        fiber_leave(threads[current].on, false);
    }
}

static void resume(int t)
{
    thread *p = &threads[t];

    if (p->state == NEW) {
        if (idle.empty())
            idle.push_back(fiber_new(fiber_main, nullptr));
        p->on = idle.back();
        idle.pop_back();
    }
    p->state = READY;
    current = t;
    threadIdx = p->index;
    fiber_enter(p->on);
    current = -1;
    if (p->state == DONE) {
        idle.push_back(p->on);
        n_alive--;
    }
}

int lane()
{
    return current % WARP;
}

void *own_slot()
{
    return slots[current / WARP][threads[current].exchanges % 2][lane()].bytes;
}

void *slot_of(int from)
{
    int t = current / WARP * WARP + from;

    if (from < 0 || from >= WARP || t >= n_threads)
        fail_thread("exchange with a lane that is not there");
    return slots[current / WARP][(threads[current].exchanges + 1) % 2][from].bytes;
}

static bool same_place(const thread *a, const thread *b)
{
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* The thread that runs comes to a barrier of a block or warp, where `*first` was first. */
static void wait_at(thread_state state, const char *of, int *n, const thread **first,
                    const char *file, int line)
{
    thread *p = &threads[current];

    p->state = state;
    p->file = file;
    p->line = line;
    if ((*n)++ == 0)
        *first = p;
    else if (!same_place(*first, p))
        set_fault("kernel %s: threads of a %s meet at %s:%d and %s:%d", running->name, of,
                  (*first)->file, (*first)->line, file, line);
    fiber_leave(p->on, false);
}

void block_barrier(const char *file, int line)
{
    wait_at(AT_BLOCK, "block", &at_block, &first_at_block, file, line);
}

void warp_barrier(unsigned mask, const char *file, int line)
{
    int first = current / WARP * WARP, lanes = n_threads - first;
    unsigned all = lanes >= WARP ? ~0u : (1u << lanes) - 1;

    if ((mask & all) != all)
        fail_thread("mask of a part of the warp");
    wait_at(AT_WARP, "warp", &at_warp[current / WARP], &first_at_warp[current / WARP], file, line);
    threads[current].exchanges++;
}

unsigned ballot(unsigned mask, bool predicate, const char *file, int line)
{
    int first = current / WARP * WARP;
    unsigned bits = 0;

    (void) exchange(mask, (int) predicate, lane(), file, line);
    for (int i = 0; i < WARP && first + i < n_threads; i++) {
        int value;

        memcpy(&value, slot_of(i), sizeof value);
        bits |= (unsigned) (value != 0) << i;
    }
    return bits;
}

/* ---- shared memory ---- */

static void fill_with_nan(const guarded *g)
{
    if (g->base)
        memset(g->p, 0xff, g->bytes);
}

/* Of kernels that have ended; the next that wants as much has it again, without a system call. */
static std::vector<guarded> &kept = *new std::vector<guarded>;
enum { MOST_KEPT = 64 };

static void take(guarded *g, size_t bytes)
{
    for (guarded &one : kept)
        if (one.bytes == bytes) {
            *g = one;
            one = kept.back();
            kept.pop_back();
            fill_with_nan(g);
            return;
        }
    if (!guarded_take(g, bytes, 16)) {
        fprintf(stderr, "cuda_on_host: no memory for shared memory\n");
        abort();
    }
}

/* Of a kernel that did not fail: nothing was written around it. */
static void keep(guarded *g)
{
    if (failed || kept.size() == MOST_KEPT)
        guarded_give(g);
    else
        kept.push_back(*g);
    *g = guarded{};
}

void *shared(const void *key, size_t bytes, size_t align)
{
    for (int i = 0; i < n_variables; i++)
        if (variables[i].key == key)
            return variables[i].memory.p;
    if (n_variables == MAX_SHARED || align > 16)
        fail_thread("too many shared variables");
    variables[n_variables].key = key;
    take(&variables[n_variables].memory, bytes);
    return variables[n_variables++].memory.p;
}

void *dynamic_shared()
{
    return dynamic.p;
}

/* ---- a block ---- */

/* Opens the barrier of warp w if all its threads are there. */
static bool open_warp(int w)
{
    int first = w * WARP, last = first + WARP < n_threads ? first + WARP : n_threads;

    if (at_warp[w] < last - first)
        return false;
    for (int t = first; t < last; t++)
        threads[t].state = READY;
    at_warp[w] = 0;
    return true;
}

static bool open_block()
{
    if (n_alive == 0 || at_block < n_alive)
        return false;
    for (int t = 0; t < n_threads; t++)
        if (threads[t].state == AT_BLOCK)
            threads[t].state = READY;
    at_block = 0;
    return true;
}

/* True while there is something to run. */
static bool round_of_threads()
{
    permutation order((uint64_t) n_threads);
    int waiting = at_block, ready;
    bool more = false;

    for (int w = 0; w * WARP < n_threads; w++)
        waiting += at_warp[w];
    ready = n_alive - waiting;
    for (uint64_t i = 0; ready > 0 && i < order.size; i++) {
        int64_t t = order.at(i);

        if (t < 0 || threads[t].state > READY)
            continue;
        ready--;
        resume((int) t);
        if (failed)
            return false;
    }
    for (int w = 0; w * WARP < n_threads; w++)
        more = open_warp(w) || more;
    more = open_block() || more;
    if (n_alive > 0 && !more) {
        const thread *p = threads;

        while (p->state == DONE)
            p++;
        set_fault("kernel %s: block (%u,%u,%u) waits for ever, thread (%u,%u,%u) at %s:%d",
                  running->name, blockIdx.x, blockIdx.y, blockIdx.z, p->index.x, p->index.y,
                  p->index.z, p->file, p->line);
    }
    return more && !failed;
}

/* Fibers of threads that did not end begin again. */
static void abandon_threads()
{
    for (int t = 0; t < n_threads; t++)
        if (threads[t].state != NEW && threads[t].state != DONE) {
            fiber_restart(threads[t].on);
            idle.push_back(threads[t].on);
        }
}

static void run_block()
{
    n_threads = (int) (blockDim.x * blockDim.y * blockDim.z);
    n_alive = n_threads;
    at_block = 0;
    memset(at_warp, 0, sizeof at_warp);
    traffic_block();
    for (int t = 0; t < n_threads; t++) {
        unsigned i = (unsigned) t;

        threads[t] = thread{};
        threads[t].index = {i % blockDim.x, i / blockDim.x % blockDim.y,
                            i / blockDim.x / blockDim.y};
    }
    fill_with_nan(&dynamic);
    for (int i = 0; i < n_variables; i++)
        fill_with_nan(&variables[i].memory);
    while (round_of_threads())
        ;
    if (failed)
        abandon_threads();
}

bool run_grid(const kernel_call &call)
{
    uint64_t n_blocks = (uint64_t) call.grid.x * call.grid.y * call.grid.z;
    permutation order(n_blocks);
    signals caught;

    running = &call;
    gridDim = call.grid;
    blockDim = call.block;
    n_variables = 0;
    take(&dynamic, call.shared_bytes);
    for (uint64_t i = 0; i < order.size && !failed; i++) {
        int64_t b = order.at(i);

        if (b < 0)
            continue;
        blockIdx = {(unsigned) ((uint64_t) b % gridDim.x),
                    (unsigned) ((uint64_t) b / gridDim.x % gridDim.y),
                    (unsigned) ((uint64_t) b / gridDim.x / gridDim.y)};
        run_block();
    }
    for (int i = 0; i < n_variables; i++) {
        if (!failed && !guarded_sound(&variables[i].memory))
            set_fault("kernel %s: wrote beyond a shared variable", call.name);
        keep(&variables[i].memory);
    }
    keep(&dynamic);
    running = nullptr;
    return !failed;
}

} /* namespace cuda_on_host */

const char *cuda_on_host_fault(void)
{
    return cuda_on_host::fault_text;
}
