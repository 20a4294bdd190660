/*
 * base/crc32c_choose.c - the variant of CRC-32C for this machine, chosen when the first is
 * asked for.
 */
#include "base/crc32c.h"

#include <pthread.h>

#include "base/cpu.h"
#include "base/crc32c_impl.h"
#include "base/err.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static t2_crc_fn *available(enum t2_crc_variant variant)
{
    switch (variant) {
    case T2_CRC_PLAIN:
        return t2_crc_plain;
    case T2_CRC_SLICED:
        return t2_crc_sliced;
#ifdef T2_CRC_X86
    case T2_CRC_SSE42:
        return t2_crc_has_sse42() ? t2_crc_sse42 : NULL;
    case T2_CRC_AVX512:
        return t2_crc_has_avx512() ? t2_crc_avx512 : NULL;
#endif
#ifdef T2_CRC_ARM
    case T2_CRC_ARMV8:
        return t2_crc_has_armv8() ? t2_crc_armv8 : NULL;
#endif
    default:
        return NULL;
    }
}

static void set_up(void)
{
    enum t2_crc_variant best = T2_CRC_SLICED;
    t2_crc_fn *f = NULL;

    t2_crc_fill_tables();
    if (t2_cpu_variant() >= T2_CPU_AVX512)
        best = T2_CRC_AVX512;
    else if (t2_cpu_variant() >= T2_CPU_AVX2)
        best = T2_CRC_SSE42;
    else if (t2_cpu_variant() == T2_CPU_NEON)
        best = T2_CRC_ARMV8;
    while (!(f = available(best)))
        best--;
    __atomic_store_n(&t2_crc_chosen, f, __ATOMIC_RELEASE);
}

t2_crc_fn *t2_crc_variant(enum t2_crc_variant variant)
{
    (void) pthread_once(&once, set_up);
    return available(variant);
}

/* Whoever comes first chooses. */
static uint32_t choose(uint32_t state, const uint8_t *data, size_t len_bytes)
{
    (void) pthread_once(&once, set_up);
    return __atomic_load_n(&t2_crc_chosen, __ATOMIC_ACQUIRE)(state, data, len_bytes);
}

t2_crc_fn *t2_crc_chosen = choose;
