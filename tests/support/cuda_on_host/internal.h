/*
 * tests/support/cuda_on_host/internal.h - what the parts of the emulated device share.
 */
#ifndef CUDA_ON_HOST_INTERNAL_H
#define CUDA_ON_HOST_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "tests/support/cuda_on_host/cuda_runtime.h"

namespace cuda_on_host
{

/* ---- order.cpp: numbers and permutations from the seed ---- */
uint64_t draw();

/* A permutation of 0 .. n-1, drawn anew: at(i) for i = 0 .. steps-1, negative where it skips. */
struct permutation {
    uint64_t n, size, factor, first;
    explicit permutation(uint64_t n);
    int64_t at(uint64_t i) const
    {
        uint64_t x = (first + i * factor) & (size - 1);

        return x < n ? (int64_t) x : -1;
    }
};

/* ---- guarded.cpp: memory between pages that cannot be touched ---- */

/* `bytes` that end where the page behind begins but for their rounding to `align`; full of 0xff,
 * which is NaN. */
struct guarded {
    char *p;
    char *base; /* of the mapping */
    size_t bytes, mapped;
};
bool guarded_take(guarded *g, size_t bytes, size_t align);
void guarded_give(guarded *g);
/* False when bytes behind the end, of the same page, were written. */
bool guarded_sound(const guarded *g);

/* ---- grid.cpp ---- */

struct kernel_call {
    const char *name;
    dim3 grid, block;
    size_t shared_bytes;
    std::function<void()> thread;
};

/* Runs all blocks; false after a fault, whose words are kept. */
bool run_grid(const kernel_call &call);
/* What a thread does wrong: it goes no further, and the kernel ends. */
void fail_thread(const char *what);
void set_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
void clear_fault();

/* ---- watch.cpp: who reads and writes device memory (on_host.h) ---- */

enum { MOST_STREAMS = 48 };

/* How far each stream has been waited for. */
struct clocks {
    uint32_t at[MOST_STREAMS];
    void join(const clocks &other)
    {
        for (int i = 0; i < MOST_STREAMS; i++)
            at[i] = other.at[i] > at[i] ? other.at[i] : at[i];
    }
};

extern const bool kernels_are_watched; /* watched.cpp */
extern bool watching;
void watch_block(char *p, size_t bytes);
void forget_block(char *p);
/* What runs until end_work is the stream's, whose clock moves on; the name stays. */
void begin_work(clocks *of_stream, int stream, const char *name);
void end_work();
void watch_access(const void *p, size_t bytes, bool writes);

/* ---- traffic.cpp: bytes that kernels move; of four bytes of device memory, who touched them ----
 */
struct touched;
bool counting_traffic();
touched *traffic_words(size_t words); /* nullptr: nothing is counted */
void traffic_forget(touched *t, size_t words);
void traffic_launch(const char *name);
void traffic_block(); /* the next block of the launch */
void traffic_access(touched *words, size_t at, bool writes);

/* ---- streams.cpp ---- */

/* A fault of two streams: no call goes well any more. */
void report_race(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a library's stand-in queues: does `work` when its turn comes, unless something has failed;
 * an illegal address ends it as it ends a kernel. */
void queue_call(cudaStream_t stream, std::function<void()> work);
int current_device(); /* of cudaSetDevice */
/* The same for work that may wait for other threads or processes, and lets others of this one run
 * meanwhile (let_others_run). */
void queue_waiting(cudaStream_t stream, const char *name, std::function<void()> work);
void let_others_run();
/* All of the stream happens now; the host does not know of it. */
void run_through(cudaStream_t stream);

} /* namespace cuda_on_host */

#endif
