/*
 * tests/support/cuda_on_host/on_host.h - the emulated device as tests see it.
 *
 * Order of everything that a real device leaves open (threads between two barriers, blocks of a
 * grid, streams) is drawn from a seed: T2_CUDA_SEED, or what a test sets.  A program whose result
 * depends on the seed has a barrier or an event too few.
 */
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void cuda_on_host_seed(uint64_t seed);
/* The first fault since the last reset in words: kernel, block, thread, address; "" without. */
const char *cuda_on_host_fault(void);
/* Forgets errors that a real device would keep until the process ends. */
void cuda_on_host_reset(void);
/* Kernels queued so far, recorded graphs launched, and waits of the host for a stream or event. */
uint64_t cuda_on_host_launches(void);
uint64_t cuda_on_host_graphs(void);
uint64_t cuda_on_host_waits(void);
/* What costs a step its time beside the work: graphs launched, kernels launched alone, waits of the
 * host, and of these the ones for the graph that was launched last, behind which nothing is queued.
 * With T2_CUDA_COUNTS=FILE a line of them is written there when the process ends. */
struct cuda_on_host_counts {
    uint64_t graphs, kernels, waits, stalls;
};
struct cuda_on_host_counts cuda_on_host_counted(void);
/*
 * Watch all accesses to device memory from now on: one that no event and no wait of the host puts
 * behind another stream's to the same bytes, of which one writes, is a fault, also where they
 * happened in the right order (watch.cpp).  At first: T2_CUDA_WATCH=1.  False: this program's
 * kernels are compiled without the calls that it takes.
 */
bool cuda_on_host_watch(bool on);
/* Convolutions of the library queued so far. */
uint64_t cuda_on_host_convolutions(void);
/* Bytes of device memory; 0: the default, 16 GiB. */
void cuda_on_host_memory(size_t total_bytes);
/* CUDA that the driver knows, 13000 at first; 0: there is no driver. */
void cuda_on_host_driver(int version);
/* Devices that are there; the default is T2_CUDA_DEVICES, or 1. */
void cuda_on_host_devices(int n);

#ifdef __cplusplus
}
#endif

#endif
