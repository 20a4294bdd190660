/*
 * tfrecord/crc32c_impl.h - the variants behind crc32c.h, for crc32c_choose.c and its tests only.
 *
 * A variant works on the raw register: no inversion before or after.  len_bytes is any, also 0;
 * data needs no alignment.
 */
#ifndef TFR_CRC32C_IMPL_H
#define TFR_CRC32C_IMPL_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t tfr_crc_fn(uint32_t state, const uint8_t *data, size_t len_bytes);

enum tfr_crc_variant {
    TFR_CRC_PLAIN,  /* one table, byte by byte: the specification */
    TFR_CRC_SLICED, /* eight tables, eight bytes a step: any machine */
    TFR_CRC_SSE42,  /* crc32 instruction in three streams, joined by PCLMULQDQ */
    TFR_CRC_AVX512, /* VPCLMULQDQ on 512-bit registers for long data, else as SSE42 */
    TFR_CRC_VARIANTS
};

/* Before the first use of any. */
void tfr_crc_fill_tables(void);
tfr_crc_fn tfr_crc_plain;
tfr_crc_fn tfr_crc_sliced;

/* NULL when this build or this machine does not have it. */
tfr_crc_fn *tfr_crc_variant(enum tfr_crc_variant variant);

/* x^(64 i - 33) mod P for i = 1 ..., bits reflected: what a CRC register is multiplied with (and
 * the product reduced by the crc32 instruction) to append 8 i zero bytes. */
enum { TFR_CRC_SHIFTS = 256 };
extern uint32_t tfr_crc_shift[TFR_CRC_SHIFTS + 1];

#if defined(__x86_64__) && defined(__GNUC__)
#define TFR_CRC_X86 1
/* What lane l of a 64-byte piece is multiplied with that lies k pieces before the last one, to be
 * added to the last lane of that: two 64-bit words for each of four lanes (crc32c_x86.c derives
 * them). */
enum { TFR_CRC_PIECES = 8 };
extern uint64_t tfr_crc_fold[TFR_CRC_PIECES][8];
/* The register after so many zero bytes on one of all ones. */
extern uint32_t tfr_crc_ones[64 * TFR_CRC_PIECES + 64];
tfr_crc_fn tfr_crc_sse42;
tfr_crc_fn tfr_crc_avx512;
int tfr_crc_has_sse42(void);
int tfr_crc_has_avx512(void);
#endif

#endif
