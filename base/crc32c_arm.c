/*
 * base/crc32c_arm.c - CRC-32C with the instructions that ARMv8 may have: CRC32CX and PMULL.
 *
 * module.mk lets the compiler use them in this file alone; whether the processor has them is asked
 * when the program runs.  (The kernel's own table of features says so: some that have the one lack
 * the other.)
 */
#include "base/crc32c_impl.h"

#ifdef T2_CRC_ARM

#include <arm_acle.h>
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

int t2_crc_has_armv8(void)
{
    const unsigned long both = HWCAP_CRC32 | HWCAP_PMULL;

    return (getauxval(AT_HWCAP) & both) == both;
}

typedef uint32_t crc_state;

static inline uint64_t crc_multiply(uint32_t a, uint32_t k)
{
    return (uint64_t) vmull_p64(a, k);
}

#define crc_u64 __crc32cd
#define crc_u32 __crc32cw
#define crc_u16 __crc32ch
#define crc_u8 __crc32cb
#define CRC_TARGET
#define CRC_STREAMS t2_crc_armv8
#include "base/crc32c_streams.h"

#endif
