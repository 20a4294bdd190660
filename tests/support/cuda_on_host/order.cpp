/*
 * tests/support/cuda_on_host/order.cpp - what a real device leaves open, drawn from a seed.
 */
#include <stdlib.h>

#include "tests/support/cuda_on_host/internal.h"
#include "tests/support/cuda_on_host/on_host.h"

namespace cuda_on_host
{

static uint64_t state;
static bool seeded;

static void begin()
{
    const char *text = getenv("T2_CUDA_SEED");

    if (!seeded)
        cuda_on_host_seed(text ? strtoull(text, nullptr, 10) : 1);
}

/* splitmix64 */
uint64_t draw()
{
    uint64_t x;

    begin();
    x = state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

permutation::permutation(uint64_t count) : n(count), size(1)
{
    uint64_t bits = draw();

    while (size < n)
        size *= 2;
    factor = bits | 1;
    first = bits >> 32;
}

} /* namespace cuda_on_host */

void cuda_on_host_seed(uint64_t seed)
{
    cuda_on_host::state = seed * UINT64_C(0x2545f4914f6cdd1d);
    cuda_on_host::seeded = true;
}
