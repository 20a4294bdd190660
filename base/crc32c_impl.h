/*
 * base/crc32c_impl.h - the variants behind crc32c.h, for crc32c_choose.c and its tests only.
 *
 * A variant works on the raw register: no inversion before or after.  len_bytes is any, also 0;
 * data needs no alignment.
 */
#ifndef T2_CRC32C_IMPL_H
#define T2_CRC32C_IMPL_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t t2_crc_fn(uint32_t state, const uint8_t *data, size_t len_bytes);

enum t2_crc_variant {
    T2_CRC_PLAIN,  /* one table, byte by byte: the specification */
    T2_CRC_SLICED, /* eight tables, eight bytes a step: any machine */
    T2_CRC_ARMV8,  /* the same instruction of ARMv8, joined by PMULL */
    T2_CRC_SSE42,  /* crc32 instruction in three streams, joined by PCLMULQDQ */
    T2_CRC_AVX512, /* VPCLMULQDQ on 512-bit registers for long data, else as SSE42 */
    T2_CRC_VARIANTS
};

/* Before the first use of any. */
void t2_crc_fill_tables(void);
t2_crc_fn t2_crc_plain;
t2_crc_fn t2_crc_sliced;

/* NULL when this build or this machine does not have it. */
t2_crc_fn *t2_crc_variant(enum t2_crc_variant variant);

/* x^(64 i - 33) mod P for i = 1 ..., bits reflected: what a CRC register is multiplied with (and
 * the product reduced by the crc32 instruction) to append 8 i zero bytes. */
enum { T2_CRC_SHIFTS = 256 };
extern uint32_t t2_crc_shift[T2_CRC_SHIFTS + 1];

/* The register after so many zero bytes on one of all ones. */
enum { T2_CRC_ONES = 576 };
extern uint32_t t2_crc_ones[T2_CRC_ONES];

#if defined(__x86_64__) && defined(__GNUC__)
#define T2_CRC_X86 1
/* What lane l of a 64-byte piece is multiplied with that lies k pieces before the last one, to be
 * added to the last lane of that: two 64-bit words for each of four lanes (crc32c_x86.c derives
 * them). */
enum { T2_CRC_PIECES = 8 };
extern uint64_t t2_crc_fold[T2_CRC_PIECES][8];
t2_crc_fn t2_crc_sse42;
t2_crc_fn t2_crc_avx512;
int t2_crc_has_sse42(void);
int t2_crc_has_avx512(void);
#elif defined(T2_HAVE_CPU_neon)
#define T2_CRC_ARM 1
t2_crc_fn t2_crc_armv8;
int t2_crc_has_armv8(void);
#endif

#endif
