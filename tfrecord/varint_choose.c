/*
 * tfrecord/varint_choose.c - which form of runs of varints this machine takes.
 */
#include "tfrecord/varint.h"

#include "base/cpu.h"

const struct tfr_varint_ops *tfr_varint_ops(void)
{
#ifdef TFR_VARINT_X86
    static const struct tfr_varint_ops *chosen;
    const struct tfr_varint_ops *ops = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);

    if (__builtin_expect(!ops, 0)) { /* whoever comes first; all find the same */
        bool fast = t2_cpu_variant() >= T2_CPU_AVX512 && tfr_varint_has_avx512();
        ops = fast ? &tfr_varint_avx512 : &tfr_varint_plain;
        __atomic_store_n(&chosen, ops, __ATOMIC_RELEASE);
    }
    return ops;
#else
    return &tfr_varint_plain;
#endif
}
