/*
 * tfrecord/crc32c_choose.c - the variant of CRC-32C for this machine, chosen when the first is
 * asked for.
 */
#include "tfrecord/crc32c.h"

#include <pthread.h>

#include "base/cpu.h"
#include "base/err.h"
#include "tfrecord/crc32c_impl.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static tfr_crc_fn *available(enum tfr_crc_variant variant)
{
    switch (variant) {
    case TFR_CRC_PLAIN:
        return tfr_crc_plain;
    case TFR_CRC_SLICED:
        return tfr_crc_sliced;
#ifdef TFR_CRC_X86
    case TFR_CRC_SSE42:
        return tfr_crc_has_sse42() ? tfr_crc_sse42 : NULL;
    case TFR_CRC_AVX512:
        return tfr_crc_has_avx512() ? tfr_crc_avx512 : NULL;
#endif
    default:
        return NULL;
    }
}

static void set_up(void)
{
    enum tfr_crc_variant best = TFR_CRC_SLICED;
    tfr_crc_fn *f = NULL;

    tfr_crc_fill_tables();
    if (t2_cpu_variant() >= T2_CPU_AVX512)
        best = TFR_CRC_AVX512;
    else if (t2_cpu_variant() >= T2_CPU_AVX2)
        best = TFR_CRC_SSE42;
    while (!(f = available(best)))
        best--;
    __atomic_store_n(&tfr_crc_chosen, f, __ATOMIC_RELEASE);
}

tfr_crc_fn *tfr_crc_variant(enum tfr_crc_variant variant)
{
    (void) pthread_once(&once, set_up);
    return available(variant);
}

/* Whoever comes first chooses. */
static uint32_t choose(uint32_t state, const uint8_t *data, size_t len_bytes)
{
    (void) pthread_once(&once, set_up);
    return __atomic_load_n(&tfr_crc_chosen, __ATOMIC_ACQUIRE)(state, data, len_bytes);
}

tfr_crc_fn *tfr_crc_chosen = choose;
